"""Memory of a model at work: weights in every format, the cache as it lives and as it is given out, activations."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import InputError
from roofline.transformer.architecture import Architecture
from roofline.transformer.by_hand import by_hand
from roofline.transformer.formats import Formats
from roofline.transformer.gqa import Gqa
from roofline.transformer.layer import Layer
from roofline.transformer.memory import Demand, Load, activation_bytes, demand, kv_bytes, live_bytes, weight_bytes
from roofline.transformer.mlp import Dense
from roofline.transformer.presets import find

BF16 = Formats()


def test_weights_of_gpt_oss_as_its_checkpoint_holds_them() -> None:
    # Experts' matrices at 4.25 bits, all else at 16: what hf-mem reports of the checkpoint.
    model = find("gpt-oss-120b")
    experts = 36 * 128 * 3 * 2880 * 2880
    assert (
        weight_bytes(model, model.formats()) == experts * 17 // 32 + 2 * (116_829_156_672 - experts) == 65_248_815_744
    )


def test_weights_of_llama_in_16_bits() -> None:
    assert weight_bytes(find("llama-3.1-8b"), BF16) == 2 * 8_030_261_248
    assert round(weight_bytes(find("llama-3.1-8b"), BF16) / 2**30, 2) == 14.96  # GiB


def test_a_tied_table_is_stored_once() -> None:
    assert weight_bytes(find("llama-3.2-1b"), BF16) == 2 * 1_235_814_400


def test_int4_checkpoints_leave_embedding_and_head_at_16_bits() -> None:
    # Llama-3.1-8B: 2 tables of 128256 x 4096, and 65 norms of 4096, stay; all else has 4 + 20 / 128 bits.
    kept = 2 * 128256 * 4096 + 65 * 4096
    matrices = 8_030_261_248 - kept
    assert (
        weight_bytes(find("llama-3.1-8b"), Formats(weights="awq")) == 2 * kept + matrices * (4 * 128 + 20) // 128 // 8
    )


def test_llama_cpp_quantises_the_tables_too() -> None:
    norms = 65 * 4096
    assert weight_bytes(find("llama-3.1-8b"), Formats(weights="q8_0")) == 2 * norms + (8_030_261_248 - norms) * 34 // 32


def test_weights_of_deepseek_v3_in_blocks_of_fp8() -> None:
    model = find("deepseek-v3")
    kept = 2 * 129280 * 7168 + 58 * 7168 * 256 + 61 * (2 * 7168 + 1536 + 512) + 58 * 256 + 7168
    blocks = (671_026_419_200 - kept) / 16384  # each with a scale of 4 B; parts of blocks round up
    assert weight_bytes(model, model.formats()) == pytest.approx(671_026_419_200 + kept + 4 * blocks, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "bytes_per_token"),
    [("deepseek-v3", 70_272), ("qwen2.5-72b", 327_680), ("llama-3.1-405b", 516_096), ("llama-3.1-8b", 131_072)],
)
def test_cache_of_a_token(name: str, bytes_per_token: int) -> None:
    # The first three: DeepSeek-V3, ISCA 2025 (arXiv:2505.09343), table 1: 70.272, 327.680 and 516.096 KB.
    assert live_bytes(find(name), BF16, Load()) == bytes_per_token


def test_case_l01_grouped_queries_shrink_the_cache() -> None:
    assert live_bytes(find("llama-3.1-8b"), BF16, Load(positions=8192)) == 2**30


def test_case_l03_one_latent_a_token_and_layer() -> None:
    model = find("deepseek-v3")
    assert live_bytes(model, BF16, Load(positions=131072)) == 61 * (512 + 64) * 2 * 131072  # 9.211 GB
    assert live_bytes(model, Formats(kv="int4"), Load(positions=65536)) == 61 * 576 * 65536 // 2  # 1.151 GB


def test_case_l21_weights_are_shared_out() -> None:
    model = by_hand(params=70.55e9)
    assert demand(model, BF16, Load(devices=8)).weights == 70_550_000_000 * 2 // 8  # 17.64 GB


def test_layers_with_a_window_stop_growing() -> None:
    model = find("gpt-oss-120b")  # 18 layers of 128 positions, 18 without a window; 2 x 8 x 64 elements each
    assert live_bytes(model, BF16, Load(positions=8192)) == 18 * (128 + 8192) * 1024 * 2
    assert live_bytes(model, BF16, Load(positions=100)) == 36 * 100 * 1024 * 2


def test_an_allocator_gives_out_whole_blocks() -> None:
    model = find("llama-3.1-8b")
    load = Load(positions=17, batch=3, block=16)
    assert kv_bytes(model, BF16, load) == 3 * 32 * 131_072
    assert live_bytes(model, BF16, load) == 3 * 17 * 131_072


def test_a_quantised_cache_has_scales() -> None:
    assert live_bytes(find("llama-3.1-8b"), Formats(kv="q8_0"), Load(positions=64)) == 64 * 65_536 * 34 // 32


def test_activations_are_those_of_the_widest_operator() -> None:
    # Llama-3.1-8B: gate and up are read and their product written, 3 x 14336 elements a token.
    model = find("llama-3.1-8b")
    assert activation_bytes(model, BF16, Load(positions=4096)) == 3 * 14336 * 4096 * 2
    assert activation_bytes(model, BF16, Load(positions=100_000)) == 3 * 14336 * 8192 * 2  # in chunks of 8192
    # One token each: the logits of 128256 in fp32, with the hidden states that they are made of.
    assert activation_bytes(model, BF16, Load(batch=10, chunk=1)) == 10 * (4096 * 2 + 128256 * 4)
    # Mixtral: two experts a token.
    assert activation_bytes(find("mixtral-8x7b"), BF16, Load(positions=4096)) == 2 * 3 * 14336 * 4096 * 2
    # DeepSeek-V3: keys of 128 x 192 beside queries of as many, values and outputs of 128 x 128.
    assert activation_bytes(find("deepseek-v3"), BF16, Load(positions=10)) == 10 * 2 * (2 * 128 * 192 + 2 * 128 * 128)


def test_a_step_of_many_sequences_holds_a_token_of_each() -> None:
    """Llama-2-70B: 100 sequences of a prompt of one token: 3 x 28672 elements each, more than 32,000 logits in fp32."""
    load = Load(batch=100, positions=10, decoded=9)
    assert 8192 * 2 + 32_000 * 4 < 3 * 28_672 * 2
    assert activation_bytes(find("llama-2-70b"), BF16, load) == 100 * 3 * 28_672 * 2


def test_logits_are_made_of_one_hidden_state_a_sequence() -> None:
    """Llama-3.1-8B: 5 tokens of one prompt, whose gate and up take 430,080 B; logits 4096 x 2 + 128256 x 4 B."""
    assert (
        activation_bytes(find("llama-3.1-8b"), BF16, Load(positions=5)) == 4096 * 2 + 128_256 * 4 > 5 * 3 * 14_336 * 2
    )


def test_results_of_many_narrow_experts_are_the_widest() -> None:
    """Qwen3-30B-A3B: 8 experts of 768 each write 2048 elements a token, more than they read of gate and up.

    Out of them 8 x (768 + 2048) = 22,528; their activations 8 x 3 x 768 = 18,432; into them 2048 + 8 x 1536 = 14,336;
    attention 2 x 4096 + 2 x 512 = 9,216.
    """
    assert activation_bytes(find("qwen3-30b-a3b"), BF16, Load(positions=4096)) == 22_528 * 4096 * 2


def test_activations_need_all_that_could_be_the_widest() -> None:
    """A layer whose MLP is unknown, or logits of an unknown vocabulary."""
    attention = Gqa(heads=4, kv_heads=2, head_dim=16)
    without_mlp = ((1, Layer(attention=attention, mlp=None)),)
    unknown = Architecture(name="no MLP", hidden=64, vocab=100, layers=without_mlp, unplaced=1000)
    assert activation_bytes(unknown, BF16, Load()) is demand(unknown, BF16, Load()).activations is None
    known = ((1, Layer(attention=attention, mlp=Dense(width=96))),)
    assert demand(Architecture(name="no words", hidden=64, vocab=0, layers=known), BF16, Load()).activations is None


def test_a_residual_sum_is_the_widest_where_a_layer_is_split_far_enough() -> None:
    """70B on 16 devices: MLP 3 x 1792 elements a token, heads 2 x 4 x 128 and a key and a value, and 3 x 8192 of a sum.

    8192 tokens of 24,576 elements in bf16: 402.7 MB.
    """
    load = Load(positions=8192, devices=16)
    assert demand(find("llama-3.1-70b"), BF16, load).activations == 3 * 8192 * 8192 * 2


def test_several_devices_share_heads_and_width_but_replicate_what_cannot_be_split() -> None:
    model, load = find("llama-3.1-70b"), Load(positions=4096, devices=16)
    share = demand(model, BF16, load)
    assert share.live == 80 * 2 * 1 * 128 * 2 * 4096  # 8 KV heads on 16 devices: each has one
    # A layer's part: q and o 8192 x 512 each, one k and one v of 8192 x 128, MLP 3 x 8192 x 1792; norms are whole.
    layer = 2 * 8192 * 512 + 2 * 8192 * 128 + 3 * 8192 * 1792 + 2 * 8192
    assert share.weights == 2 * (80 * layer + 2 * 8016 * 8192 + 8192)
    latent = demand(find("deepseek-v3"), BF16, Load(positions=1000, devices=8))
    assert latent.live == 70_272 * 1000  # every device has the whole latent


def test_unknown_is_not_zero() -> None:
    counted = demand(by_hand(params=7e9), BF16, Load(positions=4096, reserve=10**9))
    assert counted == Demand(weights=14 * 10**9, kv=None, live=None, activations=None, reserve=10**9)
    assert counted.known == 15 * 10**9
    assert (counted.fits(16e9), counted.fits(14e9)) == (None, False)
    impossibles: tuple[dict[str, Any], ...] = (
        {"batch": 0},
        {"positions": 0},
        {"chunk": 0},
        {"block": 0},
        {"devices": 0},
        {"reserve": -1},
    )
    for impossible in impossibles:
        with pytest.raises(InputError, match="must be a whole number"):
            Load(**impossible)
    with pytest.raises(
        InputError, match=r"the KV cache of a model of 7.000 B parameters is unknown: nothing is known of its layers"
    ):
        kv_bytes(by_hand(params=7e9), BF16, Load())
    partly = demand(by_hand(params=7e9, layers=32, hidden=4096, heads=32), BF16, Load())
    assert partly.kv == 32 * 2 * 4096 * 2
    assert partly.activations is None


loads = st.builds(
    lambda **drawn: Load(**drawn),  # noqa: PLW0108  (of the class itself, fields with a default would be drawn too)
    batch=st.integers(1, 300),
    positions=st.integers(1, 10_000),
    block=st.integers(1, 64),
)


@given(loads, st.sampled_from(["gpt-oss-20b", "gemma-3-27b", "deepseek-v2-lite", "mistral-7b-v0.1"]))
def test_given_out_is_at_least_what_lives_and_less_than_a_block_more(load: Load, name: str) -> None:
    model = find(name)
    one = 2 * load.batch * load.block * model.kv_elements_per_token  # B of a block of each sequence in every layer
    given_out, live = kv_bytes(model, BF16, load), live_bytes(model, BF16, load)
    assert live <= given_out < live + one


@given(loads, st.sampled_from(["llama-3.1-70b", "gpt-oss-120b", "qwen3-32b"]), st.sampled_from([2, 4, 8]))
def test_a_share_is_at_least_an_even_one(load: Load, name: str, devices: int) -> None:
    model = find(name)
    whole = demand(model, BF16, load)
    share = demand(model, BF16, load._replace(devices=devices))
    assert whole.weights <= devices * share.weights <= devices * whole.weights
    assert whole.kv is not None
    assert share.kv is not None
    assert whole.kv <= devices * share.kv <= devices * whole.kv
