"""Mixtures of experts: the router, the distinct experts that a step touches, and the shared experts."""

from __future__ import annotations

from roofline.errors import InputError
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats
from roofline.transformer.layer import Moe
from roofline.transformer.mlp import mlp
from roofline.transformer.operator import Operator, linear, reading


def distinct_experts(experts: int, per_token: int, tokens: float) -> float:
    """Expected number of different experts that T tokens touch, each k of E: E (1 - (1 - k/E)^T).

    Exact for k different experts a token, uniformly and independently drawn; real routers favour some, so fewer are
    touched. At least k, at most min(E, k T).

    >>> round(distinct_experts(8, 2, 3), 3), round(distinct_experts(256, 8, 64), 2)
    (4.625, 222.44)

    """
    return float(experts * (1 - (1 - per_token / experts) ** tokens))


def touched(experts: int, per_token: int, tokens: float, conventions: Conventions) -> float:
    """Experts of one layer whose weights a step reads.

    By expectation; at least k, as where all tokens choose alike; at most k T; all, as an engine reads that computes
    every expert; or a number.

    Raises:
        InputError: a given number below k or above E.

    """
    least, most = per_token, min(experts, per_token * tokens)
    if conventions.experts == "expected":
        return distinct_experts(experts, per_token, tokens)
    if conventions.experts == "min":
        return least
    if conventions.experts == "max":
        return most
    if conventions.experts == "all":
        return experts
    if not least <= conventions.experts <= experts:
        raise InputError(
            f"experts must be from {per_token} (those of one token) to {experts} (all), got {conventions.experts}"
        )
    return conventions.experts


def mixture(moe: Moe, *, hidden: int, tokens: int, formats: Formats, conventions: Conventions) -> tuple[Operator, ...]:
    """Router, routed experts and shared experts of one layer, in FLOP and B.

    2 T h E FLOP of the router, and those of k experts a token; weights of the experts that are touched, each once. Each
    expert gathers its own tokens, so that activations are moved k times (Gale et al.: MegaBlocks, arXiv:2211.15841).

    >>> mixtral = Moe(experts=8, per_token=2, width=14336)
    >>> rows = mixture(mixtral, hidden=4096, tokens=3, formats=Formats(), conventions=Conventions())
    >>> sum(row.flops for row in rows) == 2 * 3 * 4096 * 8 + 2 * 3 * 2 * 3 * 4096 * 14336
    True
    >>> sum(row.weights for row in rows[1:]) == round(4.625 * 2 * 2 * 4096 * 14336) + round(4.625 * 2 * 4096 * 14336)
    True

    """
    router = linear(
        "router",
        "experts",
        part="router",
        rows=tokens,
        inputs=hidden,
        outputs=moe.experts + moe.shared_gate,
        formats=formats,
    )
    router = reading(router, formats.of("vectors").size_of(moe.experts * moe.router_bias))
    copies = touched(moe.experts, moe.per_token, tokens, conventions)
    routed = (
        _of_experts(one, copies, moe)
        for one in mlp(
            moe.expert,
            hidden=hidden,
            tokens=tokens * moe.per_token,
            formats=formats,
            part="experts",
            group="experts",
            called="experts' ",
        )
    )
    shared = (
        ()
        if moe.shared is None
        else mlp(moe.shared, hidden=hidden, tokens=tokens, formats=formats, group="experts", called="shared experts' ")
    )
    return (router, *routed, *shared)


def _of_experts(one: Operator, copies: float, moe: Moe) -> Operator:
    """A product of all routed tokens with one matrix, with those of so many experts in its place."""
    more = reading(one, round(copies * one.weights) - one.weights)
    return more._replace(experts=(moe.experts, moe.per_token), expert_weights=one.weights)
