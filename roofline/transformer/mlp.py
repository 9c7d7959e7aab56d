"""MLPs that every token passes: their shape and parameters, their two products (or three, where gated) and tensors.

Shazeer: GLU variants improve Transformer, arXiv:2002.05202.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from roofline.operations.activation import gelu, swiglu
from roofline.operations.arguments import sizes
from roofline.precision import storage
from roofline.records import self_checked
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats, Part
from roofline.transformer.operator import Group, Operator, Tensor, linear, moving


@self_checked
class Dense(NamedTuple):
    """An MLP of width I that every token passes: three matrices where it is gated, else two.

    Raises:
        InputError: a width that is no whole number from 1 on.

    """

    width: int  # I
    gated: bool = True
    bias: bool = False

    def _check(self) -> None:
        sizes(width=self.width)

    def __str__(self) -> str:
        """In words, such as "gated MLP of 14,336"."""
        return f"{'gated ' if self.gated else ''}MLP of {self.width:,}"

    @property
    def kind(self) -> Literal["dense"]:
        """What tells layers of a mixed model apart."""
        return "dense"

    def matrices(self, hidden: int) -> int:
        """Parameters: 3 h I, or 2 h I without a gate.

        >>> Dense(width=14336).matrices(4096)
        176160768

        """
        return (2 + self.gated) * hidden * self.width

    def vectors(self, hidden: int) -> int:
        """Parameters of the biases: one of the width for each matrix into it, one of the hidden size."""
        return self.bias * ((1 + self.gated) * self.width + hidden)

    def parameters(self, hidden: int) -> dict[Part, int]:
        """Parameters by part."""
        return {"mlp": self.matrices(hidden), "vectors": self.vectors(hidden)}

    def idle(self, hidden: int) -> dict[Part, int]:  # noqa: ARG002  (every kind of MLP is asked alike)
        """Parameters that one token does not pass: none."""
        return {}

    def widest(self, hidden: int, *, runs: int = 1) -> int:
        """Elements a token that the widest operator reads and writes: into it, its activation, out of it.

        In so many runs, as of experts, the token is read once, and each run writes what the next operator adds up.
        """
        into, width = (1 + self.gated) * self.width, self.width
        return max(hidden + runs * into, runs * (into + width), runs * (width + hidden))

    def shard(self, devices: int) -> "Dense":
        """The part of its width on the fullest of so many devices."""
        return self._replace(width=-(-self.width // devices))

    def tensors(
        self, hidden: int, *, suffix: str = "", called: str = "", part: Part = "mlp", copies: int = 1
    ) -> Iterator[Tensor]:
        """Its tensors as GGUF names them, some of no elements; of an expert with a suffix and so many copies."""
        into = f"{called}{'gate, up' if self.gated else 'up'}"
        for word in ("gate", "up") if self.gated else ("up",):
            yield Tensor(into, f"ffn_{word}{suffix}.weight", part, hidden * self.width, copies)
            yield Tensor(into, f"ffn_{word}{suffix}.bias", "vectors", self.bias * self.width, copies)
        yield Tensor(f"{called}down", f"ffn_down{suffix}.weight", part, self.width * hidden, copies)
        yield Tensor(f"{called}down", f"ffn_down{suffix}.bias", "vectors", self.bias * hidden, copies)

    def operators(
        self,
        *,
        hidden: int,
        tokens: int,
        formats: Formats,
        conventions: Conventions,  # noqa: ARG002  (every kind of MLP is asked alike)
    ) -> tuple[Operator, Operator]:
        """The products of one layer; see :meth:`products`."""
        return self.products(hidden=hidden, tokens=tokens, formats=formats)

    def products(
        self,
        *,
        hidden: int,
        tokens: int,
        formats: Formats,
        part: Part = "mlp",
        group: Group = "mlp",
        called: str = "",
    ) -> tuple[Operator, Operator]:
        """The product into the width, and the one out of it, in FLOP and B: 6 T h I FLOP gated, else 4 T h I.

        Gate and up are one product. The activation is the prologue of the product out of the width: it reads gate and
        up, and its result is moved once between the two. So T tokens move h + 5 I + h elements where the MLP is gated.

        >>> into, out = Dense(width=14336).products(hidden=4096, tokens=8, formats=Formats())
        >>> into.flops + out.flops == 6 * 8 * 4096 * 14336
        True
        >>> into.activations + out.activations == 2 * 8 * (2 * 4096 + 5 * 14336)
        True

        """
        into = linear(
            f"{called}{'gate, up' if self.gated else 'up'}",
            group,
            part=part,
            rows=tokens,
            inputs=hidden,
            outputs=(1 + self.gated) * self.width,
            formats=formats,
            bias=self.bias,
        )
        out = linear(
            f"{called}down",
            group,
            part=part,
            rows=tokens,
            inputs=self.width,
            outputs=hidden,
            formats=formats,
            bias=self.bias,
        )
        elements = tokens * self.width
        activation = (swiglu if self.gated else gelu)(n=elements, dtype=formats.activations)
        handed_over = storage(formats.activations).size_of(elements)
        return into, moving(out, int(activation.bytes or 0) - handed_over)
