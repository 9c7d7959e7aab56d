"""One layer of a decoder: an attention, an MLP, and the norms and residual sums around them.

Each kind of attention and of MLP is a room of its own, and a new one is a new room and a name in the unions here; a
model loads the rooms of the kinds that it has. Parameters are counted apart as matrices, which quantised checkpoints
hold in few bits, and as vectors (norms, biases, sinks), which they leave at 16.
"""

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from roofline.operations.arguments import counts
from roofline.operations.pointwise import elementwise
from roofline.records import self_checked
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats, Part
from roofline.transformer.operator import Operator, Tensor, norm
from roofline.transformer.step import Step

if TYPE_CHECKING:
    from roofline.transformer.gqa import Gqa
    from roofline.transformer.mla import Mla
    from roofline.transformer.mlp import Dense
    from roofline.transformer.moe import Moe

Types = tuple[tuple[str, str], ...]  # tensors of a layer by their name in GGUF, and the format that holds each
# All norms of the hidden size that layers have, in their order; a layer has as many of them as it has norms.
_NORMS: Final = ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm")
_SUMS: Final = 2  # residual sums: after the attention and after the MLP


@self_checked
class Layer(NamedTuple):
    """One layer: attention, MLP and norms of the hidden size. Without an MLP, its parameters are known in sum only.

    Raises:
        InputError: a number of norms that is no whole number from 0 on.

    """

    attention: "Gqa | Mla"
    mlp: "Dense | Moe | None"
    norms: int = 2  # Gemma 2 and 3 have four
    norm_bias: bool = False  # layer norms (GPT-2, OPT) have a bias beside each weight
    types: Types = ()  # of its tensors, where a file lists them

    def _check(self) -> None:
        counts(norms=self.norms)

    def __str__(self) -> str:
        """In words.

        >>> from roofline.transformer.gqa import Gqa
        >>> from roofline.transformer.mlp import Dense
        >>> print(Layer(attention=Gqa(heads=32, kv_heads=8, head_dim=128), mlp=Dense(width=14336)))
        32 query and 8 KV heads of 128; gated MLP of 14,336

        """
        return f"{self.attention}; {self.mlp}" if self.mlp is not None else str(self.attention)

    @property
    def kind(self) -> Literal["dense", "MoE"]:
        """What its MLP is, which tells the layers of a mixed model apart."""
        return "dense" if self.mlp is None else self.mlp.kind

    def parameters(self, hidden: int) -> dict[Part, int]:
        """Parameters by part."""
        attention = self.attention
        found: dict[Part, int] = {} if self.mlp is None else self.mlp.parameters(hidden)
        norms = self.norms * hidden * (1 + self.norm_bias)
        return found | {
            "attention": attention.matrices(hidden),
            "vectors": attention.vectors(hidden) + norms + found.get("vectors", 0),
        }

    def idle(self, hidden: int) -> dict[Part, int]:
        """Parameters by part that one token does not pass."""
        return {} if self.mlp is None else self.mlp.idle(hidden)

    def widest(self, hidden: int) -> int | None:
        """Elements a token that the widest operator reads and writes; None where the MLP is unknown."""
        return None if self.mlp is None else max(self.attention.widest(hidden), self.mlp.widest(hidden))

    def shard(self, devices: int) -> "Layer":
        """What one of so many devices holds and computes of it.

        Raises:
            InputError: devices that cannot share the heads.

        """
        mlp = None if self.mlp is None else self.mlp.shard(devices)
        return self._replace(attention=self.attention.shard(devices), mlp=mlp)

    def as_mha(self) -> "Layer":
        """The same with keys and values for each head."""
        return self._replace(attention=self.attention.as_mha())

    def tensors(self, hidden: int) -> tuple[Tensor, ...]:
        """Its tensors.

        >>> from roofline.transformer.gqa import Gqa
        >>> layer = Layer(attention=Gqa(heads=2, kv_heads=1, head_dim=4), mlp=None)
        >>> sum(tensor.elements for tensor in layer.tensors(8))
        208

        """
        found = [*self.attention.tensors(hidden), *(() if self.mlp is None else self.mlp.tensors(hidden))]
        there = dict(self.types)
        names = [name for name in _NORMS if not there or f"{name}.weight" in there][: self.norms]
        names += _NORMS[: self.norms - len(names)]
        for name in names:
            found.append(Tensor("norms", f"{name}.weight", "vectors", hidden))
            if self.norm_bias:
                found.append(Tensor("norms", f"{name}.bias", "vectors", hidden))
        return tuple(each for each in found if each.elements)

    def operators(self, *, hidden: int, step: Step, formats: Formats, conventions: Conventions) -> tuple[Operator, ...]:
        """Its operators: attention, MLP, norms."""
        mlp: tuple[Operator, ...] = ()
        if self.mlp is not None:
            mlp = self.mlp.operators(hidden=hidden, tokens=step.tokens, formats=formats, conventions=conventions)
        return (
            *self.attention.operators(hidden=hidden, step=step, formats=formats, conventions=conventions),
            *mlp,
            *self.norms_and_sums(hidden=hidden, tokens=step.tokens, formats=formats),
        )

    def norms_and_sums(self, *, hidden: int, tokens: int, formats: Formats) -> tuple[Operator, ...]:
        """Norms and residual sums, each a kernel of its own that moves the hidden state: 10 T h elements of two norms.

        They have no FLOP of matrix products. A norm reads and writes the hidden state, a sum reads two and writes one.

        >>> from roofline.transformer.gqa import Gqa
        >>> from roofline.transformer.mlp import Dense
        >>> llama = Layer(attention=Gqa(heads=32, kv_heads=8, head_dim=128), mlp=Dense(width=14336))
        >>> rows = llama.norms_and_sums(hidden=4096, tokens=8, formats=Formats())
        >>> sum(row.times * row.activations for row in rows) == 10 * 8 * 4096 * 2
        True

        """
        add = elementwise(n=tokens * hidden, inputs=2, flops=0, dtype=formats.activations)
        sums = Operator("residual sums", "norms", add, times=_SUMS)
        if not self.norms:
            return (sums,)
        each = norm("norms", tokens, hidden, bias=self.norm_bias, formats=formats)
        return (each._replace(times=self.norms), sums)
