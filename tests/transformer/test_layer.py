"""Layers: sizes that contradict one another, and all that one moves by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import InputError
from roofline.precision import storage
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats
from roofline.transformer.gqa import Gqa
from roofline.transformer.layer import Layer
from roofline.transformer.mla import Mla
from roofline.transformer.mlp import Dense
from roofline.transformer.moe import Moe
from roofline.transformer.step import Step

V3: dict[str, Any] = {"heads": 128, "kv_lora_rank": 512, "nope_dim": 128, "rope_dim": 64, "value_dim": 128}


@pytest.mark.parametrize(
    ("kind", "sizes", "says"),
    [
        (Gqa, {"heads": 32, "kv_heads": 5, "head_dim": 128}, "kv_heads must divide heads: 32 is no multiple of 5"),
        (Gqa, {"heads": 8, "kv_heads": 16, "head_dim": 128}, "kv_heads must not exceed heads: 16 of 8"),
        (Gqa, {"heads": 0, "kv_heads": 1, "head_dim": 128}, "heads must be a whole number from 1 to 1e15, got 0"),
        (Gqa, {"heads": 8, "kv_heads": 8, "head_dim": 8, "window": 0}, "window must be a whole number from 1"),
        (Gqa, {"heads": 8, "kv_heads": 8, "head_dim": 10**16}, "head_dim must be a whole number from 1 to 1e15"),
        (Gqa, {"heads": 8, "kv_heads": 3, "head_dim": 8}, "kv_heads must divide heads: 8 is no multiple of 3"),
        (
            Layer,
            {"attention": Mla(q_lora_rank=None, **V3), "mlp": None, "norms": -1},
            "norms must be a whole number from 0",
        ),
        (Mla, {**V3, "q_lora_rank": 0}, "q_lora_rank must be a whole number from 1"),
        (Dense, {"width": -1}, "width must be a whole number from 1"),
        (Moe, {"experts": 4, "per_token": 5, "width": 8}, "per_token must not exceed experts: 5 of 4"),
        (Moe, {"experts": 4, "per_token": 2, "width": 8, "shared_experts": 1}, "shared_width must be a whole number"),
    ],
)
def test_impossible_sizes(kind: type[Any], sizes: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        kind(**sizes)
    assert str(caught.value).startswith(says)


@given(
    groups=st.integers(1, 4),
    kv_heads=st.integers(1, 4),
    dim=st.integers(1, 32),
    width=st.integers(1, 200),
    hidden=st.integers(1, 100),
    step=st.builds(Step, batch=st.integers(1, 5), new=st.integers(1, 50), cached=st.integers(0, 50)),
    weights=st.sampled_from(["bf16", "fp8", "int4-g128", "q4_k"]),
    kv=st.sampled_from(["bf16", "fp8", "q8_0"]),
    activations=st.sampled_from(["bf16", "fp32"]),
)
def test_weights_cache_and_activations_are_all_that_a_layer_moves(
    *,
    groups: int,
    kv_heads: int,
    dim: int,
    width: int,
    hidden: int,
    step: Step,
    weights: str,
    kv: str,
    activations: str,
) -> None:
    """A gated dense layer of Llama, T tokens at P positions each, by hand.

    Weights: q, k, v in one product, output, gate and up in one, down, and two norms in 16 bits. Cache: k and v of all
    positions, and of the new ones. Activations of a token: h + n d, 2 n d, n d + h, 2 h + 5 I, twice 2 h of norms and
    twice 3 h of sums: 14 h + 4 n d + 5 I.
    """
    t, h, n, g, d = step.tokens, hidden, groups * kv_heads, kv_heads, dim
    layer = Layer(attention=Gqa(heads=n, kv_heads=g, head_dim=d), mlp=Dense(width=width))
    formats = Formats(weights=weights, kv=kv, activations=activations)
    rows = layer.operators(hidden=h, step=step, formats=formats, conventions=Conventions())
    matrices = (h * d * (n + 2 * g), h * n * d, 2 * h * width, h * width)
    held = sum(storage(weights).size_of(each) for each in matrices) + 2 * 2 * h
    cache = storage(kv)
    cached = 2 * cache.size_of(step.batch * g * step.positions * d) + cache.size_of(t * 2 * g * d)
    moved = storage(activations).size_of(t * (14 * h + 4 * n * d + 5 * width))
    assert sum(row.times * row.weights for row in rows) == held
    assert sum(row.times * row.kv for row in rows) == cached
    assert sum(row.times * row.activations for row in rows) == moved
    assert sum(row.bytes for row in rows) == held + cached + moved
