"""Mixtures of experts: their shape and parameters, operators and tensors."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from roofline.errors import InputError
from roofline.operations.arguments import counts, sizes
from roofline.records import self_checked
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats, Part
from roofline.transformer.mlp import Dense
from roofline.transformer.operator import Operator, Tensor, linear, reading


@self_checked
class Moe(NamedTuple):
    """A mixture of experts: a router sends each token to a few of them; shared experts take all tokens.

    Raises:
        InputError: a size that is no whole number from 1 on, or more experts a token than there are.

    """

    experts: int  # E, routed
    per_token: int  # k
    width: int  # I_e, of one expert
    gated: bool = True
    bias: bool = False  # on the matrices of the experts (gpt-oss)
    router_bias: bool = False  # gpt-oss; in DeepSeek-V3 it corrects the scores
    shared_experts: int = 0
    shared_width: int = 0  # of one shared expert
    shared_gate: bool = False  # a learned weight of what the shared experts say (Qwen2-MoE): h parameters

    def _check(self) -> None:
        sizes(experts=self.experts, per_token=self.per_token, width=self.width)
        counts(shared_experts=self.shared_experts)
        if self.shared_experts:
            sizes(shared_width=self.shared_width)
        if self.per_token > self.experts:
            raise InputError(f"per_token must not exceed experts: {self.per_token} of {self.experts}")

    def __str__(self) -> str:
        """In words, such as "8 of 256 experts of 2,048 and 1 shared of 2,048"."""
        shared = f" and {self.shared_experts} shared of {self.shared_width:,}" if self.shared_experts else ""
        return f"{self.per_token} of {self.experts} experts of {self.width:,}{shared}"

    @property
    def kind(self) -> Literal["MoE"]:
        """What tells layers of a mixed model apart."""
        return "MoE"

    @property
    def expert(self) -> Dense:
        """One routed expert."""
        return Dense(width=self.width, gated=self.gated, bias=self.bias)

    @property
    def shared(self) -> Dense | None:
        """The shared experts as the one MLP that they are."""
        if not self.shared_experts:
            return None
        return Dense(width=self.shared_experts * self.shared_width, gated=self.gated)

    def router(self, hidden: int) -> int:
        """Parameters of the router's matrix and of the gate of the shared experts: h E, and h."""
        return hidden * (self.experts + self.shared_gate)

    def parameters(self, hidden: int) -> dict[Part, int]:
        """Parameters by part."""
        return {
            "experts": self.experts * self.expert.matrices(hidden),
            "router": self.router(hidden),
            "mlp": self.shared.matrices(hidden) if self.shared else 0,
            "vectors": self.experts * (self.expert.vectors(hidden) + self.router_bias),
        }

    def idle(self, hidden: int) -> dict[Part, int]:
        """Parameters of the experts that one token does not pass."""
        idle, expert = self.experts - self.per_token, self.expert
        return {"experts": idle * expert.matrices(hidden), "vectors": idle * expert.vectors(hidden)}

    def widest(self, hidden: int) -> int:
        """Elements a token that the widest operator of its k experts, or of the shared ones, reads and writes."""
        routed = self.expert.widest(hidden, runs=self.per_token)
        return routed if self.shared is None else max(routed, self.shared.widest(hidden))

    def shard(self, devices: int) -> "Moe":
        """The part of the width of each expert on the fullest of so many devices; the router is on every device."""
        width = -(-self.width // devices)
        if self.shared is None:
            return self._replace(width=width)
        return self._replace(width=width, shared_experts=1, shared_width=-(-self.shared.width // devices))

    def tensors(self, hidden: int) -> Iterator[Tensor]:
        """Its tensors as GGUF names them, some of no elements; those of experts in as many copies."""
        yield Tensor("router", "ffn_gate_inp.weight", "router", hidden * self.experts)
        yield Tensor("router", "ffn_gate_inp_shexp.weight", "router", hidden * self.shared_gate)
        bias = "ffn_gate_inp.bias" if self.bias else "exp_probs_b.bias"
        yield Tensor("router", bias, "vectors", self.experts * self.router_bias)
        yield from self.expert.tensors(hidden, suffix="_exps", called="experts' ", part="experts", copies=self.experts)
        if self.shared is not None:
            yield from self.shared.tensors(hidden, suffix="_shexp", called="shared experts' ")

    def operators(
        self, *, hidden: int, tokens: int, formats: Formats, conventions: Conventions
    ) -> tuple[Operator, ...]:
        """Router, routed experts and shared experts of one layer, in FLOP and B.

        2 T h E FLOP of the router, and those of k experts a token; weights of the experts that are touched, each once.
        Each expert gathers its own tokens, so that activations are moved k times (Gale et al.: MegaBlocks,
        arXiv:2211.15841).

        >>> mixtral = Moe(experts=8, per_token=2, width=14336)
        >>> rows = mixtral.operators(hidden=4096, tokens=3, formats=Formats(), conventions=Conventions())
        >>> sum(row.flops for row in rows) == 2 * 3 * 4096 * 8 + 2 * 3 * 2 * 3 * 4096 * 14336
        True
        >>> expert = 4096 * 14336  # weights of each of three matrices; 4.625 of 8 experts are touched
        >>> sum(row.weights for row in rows[1:]) == round(4.625 * 2 * 2 * expert) + round(4.625 * 2 * expert)
        True

        """
        router = linear(
            "router",
            "experts",
            part="router",
            rows=tokens,
            inputs=hidden,
            outputs=self.experts + self.shared_gate,
            formats=formats,
        )
        router = reading(router, formats.of("vectors").size_of(self.experts * self.router_bias))
        copies = conventions.touched(self.experts, self.per_token, tokens)
        routed = self.expert.products(
            hidden=hidden,
            tokens=tokens * self.per_token,
            formats=formats,
            part="experts",
            group="experts",
            called="experts' ",
        )
        shared: tuple[Operator, ...] = ()
        if self.shared is not None:
            shared = self.shared.products(
                hidden=hidden, tokens=tokens, formats=formats, group="experts", called="shared experts' "
            )
        return (router, *(_of_experts(one, copies, self) for one in routed), *shared)


def _of_experts(one: Operator, copies: float, moe: Moe) -> Operator:
    """A product of all routed tokens with one matrix, with those of so many experts in its place."""
    more = reading(one, round(copies * one.weights) - one.weights)
    return more._replace(experts=(moe.experts, moe.per_token), expert_weights=one.weights)
