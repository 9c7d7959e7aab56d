"""Mixtures of experts: how many a step touches, and what it does and moves for them."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import InputError
from roofline.transformer.conventions import Conventions, distinct_experts
from roofline.transformer.formats import Formats, Part
from roofline.transformer.moe import Moe
from roofline.transformer.presets import find
from roofline.transformer.step import Step
from roofline.transformer.table import table

Experts = Literal["expected", "min", "max", "all"] | int


@pytest.mark.parametrize(
    ("experts", "per_token", "expected"),
    [
        # T = 1, 2, 4, 8, 16, 32, 64, 128, 256
        (8, 2, (2.00, 3.50, 5.47, 7.20, 7.92, 8.00, 8.00, 8.00, 8.00)),
        (64, 6, (6.00, 11.44, 20.83, 34.88, 50.75, 61.26, 63.88, 64.00, 64.00)),
        (128, 8, (8.00, 15.50, 29.12, 51.62, 82.42, 111.77, 125.94, 127.97, 128.00)),
        (256, 8, (8.00, 15.75, 30.53, 57.42, 101.96, 163.31, 222.44, 251.60, 255.92)),
        (128, 4, (4.00, 7.88, 15.27, 28.71, 50.98, 81.66, 111.22, 125.80, 127.96)),
        (32, 4, (4.00, 7.50, 13.24, 21.00, 28.22, 31.55, 31.99, 32.00, 32.00)),
    ],
)
def test_distinct_experts(experts: int, per_token: int, expected: tuple[float, ...]) -> None:
    found = [distinct_experts(experts, per_token, 2**i) for i in range(9)]
    assert found == pytest.approx(expected, abs=0.0051)


def test_two_tokens_by_enumeration() -> None:
    """E = 4, k = 2: the second of two tokens shares 0, 1 or 2 experts with the first in 1, 4 and 1 of 6 draws."""
    assert distinct_experts(4, 2, 2) == pytest.approx((1 * 4 + 4 * 3 + 1 * 2) / 6)


@given(experts=st.integers(1, 300), share=st.floats(0, 1), tokens=st.integers(1, 1000))
def test_expectation_is_between_the_bounds(experts: int, share: float, tokens: int) -> None:
    per_token = max(1, round(share * experts))
    ways: tuple[Experts, ...] = ("min", "expected", "max")
    least, expected, most = (Conventions(experts=how).touched(experts, per_token, tokens) for how in ways)
    assert least == per_token
    assert most == min(experts, per_token * tokens)
    assert least * (1 - 1e-12) <= expected <= most * (1 + 1e-12)


@pytest.mark.parametrize(
    ("how", "copies", "milliseconds"),
    [("expected", 4.625, 16.45), ("min", 2, 7.611), ("max", 6, None), ("all", 8, 27.80), (2, 2, 7.611), (8, 8, 27.80)],
)
def test_decode_of_mixtral_at_batch_3(how: Experts, copies: float, milliseconds: float | None) -> None:
    """4.625 experts a layer by expectation, 55.09 GB at 3.35 TB/s, between 7.611 ms (2 experts) and 27.80 ms (8).

    Three tokens touch 6 of 8 at most. Weights without the table: 12,748,853,248 parameters with 2 experts a layer, and
    32 x 3 x 4096 x 14336 with each one more.
    """
    model, step = find("mixtral-8x7b"), Step.decode(0, batch=3)
    moved = table(model, step, Formats(), Conventions(experts=how)).moved
    by_hand = 2 * (12_748_853_248 + (copies - 2) * 32 * 3 * 4096 * 14336)
    assert moved.weights - 3 * 4096 * 2 == by_hand  # less three rows of the embedding
    if milliseconds is not None:
        assert moved.weights / 3.35e12 * 1e3 == pytest.approx(milliseconds, rel=5e-4)


@pytest.mark.parametrize("number", [1, 9])
def test_a_number_of_experts_is_from_those_of_a_token_to_all(number: int) -> None:
    with pytest.raises(InputError, match=f"from 2 .* to 8 .*, got {number}"):
        table(find("mixtral-8x7b"), Step.decode(0), Formats(), Conventions(experts=number))


def test_each_expert_gathers_its_own_tokens() -> None:
    """k (2 h + 5 I) elements a token, and h + E for the router; shared experts move 2 h + 5 n I as an MLP does."""
    moe = Moe(experts=16, per_token=4, width=100, shared_experts=2, shared_width=50)
    rows = moe.operators(hidden=64, tokens=7, formats=Formats(), conventions=Conventions())
    moved = sum(o.activations for o in rows)
    assert moved == 2 * 7 * ((64 + 16) + 4 * (2 * 64 + 5 * 100) + (2 * 64 + 5 * 100))


def test_the_gate_of_shared_experts_is_a_column_more_of_the_router() -> None:
    """Qwen2-MoE: one logit more than experts, 60 + 1 of 2048 weights each, and as many results."""
    moe = Moe(experts=60, per_token=4, width=1408, shared_experts=1, shared_width=5632, shared_gate=True)
    router = moe.operators(hidden=2048, tokens=3, formats=Formats(), conventions=Conventions())[0]
    assert router.weights == 2 * 2048 * 61
    assert router.flops == 2 * 3 * 2048 * 61
    assert router.activations == 2 * 3 * (2048 + 61)


@pytest.mark.parametrize(("per_token", "elements"), [(1, 3 * 40), (5, 5 * 3 * 10)])
def test_the_widest_of_shared_and_routed_experts(per_token: int, elements: int) -> None:
    """Activations of 3 I: of two shared experts of 20, which are one MLP of 40, or of k routed ones of 10."""
    assert Moe(experts=8, per_token=per_token, width=10, shared_experts=2, shared_width=20).widest(8) == elements


def test_shared_experts_are_held_as_an_mlp_is() -> None:
    """Where routed experts alone are quantised, 32 weights of theirs take 17 B, and each of the rest 2 B."""
    moe = Moe(experts=8, per_token=2, width=64, shared_experts=1, shared_width=64)
    kept: frozenset[Part] = frozenset({"attention", "mlp", "router", "vectors"})
    formats = Formats(weights="mxfp4", kept=kept)
    rows = moe.operators(hidden=32, tokens=1, formats=formats, conventions=Conventions())
    assert {row.name: row.weights for row in rows[1:]} == {
        "experts' gate, up": 2 * 2 * 32 * 64 * 17 // 32,
        "experts' down": 2 * 32 * 64 * 17 // 32,
        "shared experts' gate, up": 2 * 2 * 32 * 64,
        "shared experts' down": 2 * 32 * 64,
    }


def test_router_stays_at_16_bit_where_experts_do_not() -> None:
    moe = Moe(experts=128, per_token=4, width=2880)
    rows = moe.operators(hidden=2880, tokens=1, formats=Formats(weights="mxfp4"), conventions=Conventions())
    assert rows[0].weights == 2 * 2880 * 128
    assert rows[2].weights == 4 * 2880 * 2880 * 17 // 32  # 17 B for 32 weights


def test_experts() -> None:
    oss = Moe(experts=128, per_token=4, width=2880, bias=True, router_bias=True)
    assert oss.expert.matrices(2880) + oss.expert.vectors(2880) == 24_891_840
    assert oss.router(2880) + 128 == 368_768
    assert oss.shared is None
    lite = Moe(experts=64, per_token=6, width=1408, shared_experts=2, shared_width=1408)
    assert lite.shared is not None
    assert lite.shared.matrices(2048) == 17_301_504
    assert Moe(experts=8, per_token=2, width=4, shared_gate=True).router(10) == 10 * 8 + 10
