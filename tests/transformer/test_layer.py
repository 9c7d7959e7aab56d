"""Layers: parameters of each kind of attention and MLP by hand, and sizes that contradict one another."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import InputError
from roofline.transformer.architecture import Architecture
from roofline.transformer.gqa import Gqa
from roofline.transformer.layer import Layer
from roofline.transformer.mla import Mla
from roofline.transformer.mlp import Dense
from roofline.transformer.moe import Moe

V3: dict[str, Any] = {"heads": 128, "kv_lora_rank": 512, "nope_dim": 128, "rope_dim": 64, "value_dim": 128}


def test_grouped_queries() -> None:
    # Llama-3.1-8B: q and o 4096 x 4096, k and v 4096 x 1024.
    llama = Gqa(heads=32, kv_heads=8, head_dim=128)
    assert (llama.matrices(4096), llama.vectors(4096)) == (41_943_040, 0)
    # gpt-oss: 26,550,144 with biases of 64 x 80 and 2880, and 64 sinks.
    oss = Gqa(heads=64, kv_heads=8, head_dim=64, qkv_bias=True, output_bias=True, sinks=True)
    assert oss.matrices(2880) + oss.vectors(2880) == 26_550_144
    assert oss.vectors(2880) == 64 * (64 + 16) + 2880 + 64
    # Qwen3-8B: 41,943,296 with one norm for queries and one for keys, of 128 each.
    qwen = Gqa(heads=32, kv_heads=8, head_dim=128, qk_norm=256)
    assert qwen.matrices(4096) + qwen.vectors(4096) == 41_943_296


def test_latent_attention() -> None:
    latent = Mla(q_lora_rank=1536, **V3)
    assert latent.matrices(7168) + latent.vectors(7168) == 187_107_328  # DeepSeek-V3
    lite = Mla(heads=16, q_lora_rank=None, kv_lora_rank=512, nope_dim=128, rope_dim=64, value_dim=128)
    assert lite.matrices(2048) + lite.vectors(2048) == 13_763_072  # DeepSeek-V2-Lite
    assert Mla(q_lora_rank=1536, bias=True, **V3).vectors(7168) - latent.vectors(7168) == 1536 + 512 + 64 + 7168


def test_dense_mlps() -> None:
    assert Dense(width=14336).matrices(4096) == 3 * 4096 * 14336
    gpt2 = Dense(width=3072, gated=False, bias=True)
    assert gpt2.matrices(768) + gpt2.vectors(768) == 4_722_432
    assert Dense(width=10, bias=True).vectors(4) == 10 + 10 + 4


def test_experts() -> None:
    oss = Moe(experts=128, per_token=4, width=2880, bias=True, router_bias=True)
    assert oss.expert.matrices(2880) + oss.expert.vectors(2880) == 24_891_840
    assert oss.router(2880) + 128 == 368_768
    assert oss.shared is None
    lite = Moe(experts=64, per_token=6, width=1408, shared_experts=2, shared_width=1408)
    assert lite.shared is not None
    assert lite.shared.matrices(2048) == 17_301_504
    assert Moe(experts=8, per_token=2, width=4, shared_gate=True).router(10) == 10 * 8 + 10


@pytest.mark.parametrize(
    ("kind", "sizes", "says"),
    [
        (Gqa, {"heads": 32, "kv_heads": 5, "head_dim": 128}, "kv_heads must divide heads: 32 is no multiple of 5"),
        (Gqa, {"heads": 8, "kv_heads": 16, "head_dim": 128}, "kv_heads must not exceed heads: 16 of 8"),
        (Gqa, {"heads": 0, "kv_heads": 1, "head_dim": 128}, "heads must be a whole number from 1 to 1e15, got 0"),
        (Gqa, {"heads": 8, "kv_heads": 8, "head_dim": 8, "window": 0}, "window must be a whole number from 1"),
        (Gqa, {"heads": 8, "kv_heads": 8, "head_dim": 10**16}, "head_dim must be a whole number from 1 to 1e15"),
        (Mla, {**V3, "q_lora_rank": 0}, "q_lora_rank must be a whole number from 1"),
        (Dense, {"width": -1}, "width must be a whole number from 1"),
        (Moe, {"experts": 4, "per_token": 5, "width": 8}, "per_token must not exceed experts: 5 of 4"),
        (Moe, {"experts": 4, "per_token": 2, "width": 8, "shared_experts": 1}, "shared_width must be a whole number"),
    ],
)
def test_impossible_sizes(kind: type[Any], sizes: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        kind(**sizes).check()
    assert str(caught.value).startswith(says)


def test_an_architecture_checks_its_layers() -> None:
    fine, wrong = Gqa(heads=8, kv_heads=8, head_dim=8), Gqa(heads=8, kv_heads=3, head_dim=8)
    for attention, mlp, norms in ((wrong, Dense(width=8), 2), (fine, Dense(width=0), 2), (fine, Dense(width=8), -1)):
        with pytest.raises(InputError):
            Architecture(name="a", hidden=8, vocab=8, layers=((1, Layer(attention=attention, mlp=mlp, norms=norms)),))


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
