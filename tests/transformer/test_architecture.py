"""Architectures: what adds up over their layers, and those that cannot be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import InputError
from roofline.transformer.architecture import Architecture
from roofline.transformer.gqa import Gqa
from roofline.transformer.layer import Layer
from roofline.transformer.mlp import Dense
from roofline.transformer.moe import Moe


def test_an_architecture_needs_one_layer_of_each_type() -> None:
    layer = Layer(attention=Gqa(heads=8, kv_heads=8, head_dim=8), mlp=Dense(width=8))
    with pytest.raises(InputError, match="layers must be a whole number from 1 to 1e15, got 0"):
        Architecture(name="a", hidden=8, vocab=8, layers=((1, layer), (0, layer)))


small = st.integers(1, 64)


@given(small, small, small, small, st.booleans(), st.integers(1, 9), st.integers(1, 9))
def test_layers_in_two_groups_are_layers_in_one(
    heads: int, head_dim: int, width: int, hidden: int, tied: bool, one: int, other: int
) -> None:
    layer = Layer(attention=Gqa(heads=heads, kv_heads=heads, head_dim=head_dim), mlp=Dense(width=width))
    whole = Architecture(name="w", hidden=hidden, vocab=7, layers=((one + other, layer),), tied=tied)
    parts = Architecture(name="w", hidden=hidden, vocab=7, layers=((one, layer), (other, layer)), tied=tied)
    assert whole.parameters == parts.parameters == whole.active_parameters
    assert whole.parameters_by_part == parts.parameters_by_part
    assert whole.kv_elements_per_token == parts.kv_elements_per_token == (one + other) * 2 * heads * head_dim
    assert whole.parameters - whole.active_parameters_without_embedding == (0 if tied else 7 * hidden)


@given(small, small, st.integers(1, 8), st.integers(0, 8))
def test_all_experts_active_is_the_whole_model(hidden: int, width: int, per_token: int, idle: int) -> None:
    moe = Moe(experts=per_token + idle, per_token=per_token, width=width, bias=True)
    layer = Layer(attention=Gqa(heads=2, kv_heads=1, head_dim=4), mlp=moe)
    model = Architecture(name="m", hidden=hidden, vocab=5, layers=((3, layer),))
    one = 3 * hidden * width + 2 * width + hidden  # parameters of one expert
    assert model.parameters - model.active_parameters == 3 * idle * one


def test_a_model_of_nothing() -> None:
    with pytest.raises(InputError, match="nothing has neither layers nor parameters"):
        Architecture(name="nothing", hidden=1, vocab=1, layers=())
    layer = Layer(attention=Gqa(heads=1, kv_heads=1, head_dim=1), mlp=None)
    with pytest.raises(InputError, match="hidden must be a whole number"):
        Architecture(name="flat", hidden=0, vocab=0, layers=((1, layer),))
    with pytest.raises(InputError, match="layers must be a whole number"):
        Architecture(name="none", hidden=8, vocab=8, layers=((0, layer),))
