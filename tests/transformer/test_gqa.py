"""Grouped-query attention in decode and prefill: intensity, windows, formats of the cache."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.core.placement import Placement
from roofline.core.roof import Roof, Stream
from roofline.precision import storage
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats
from roofline.transformer.gqa import Gqa
from roofline.transformer.operator import Operator
from roofline.transformer.step import Step


def core(attention: Gqa, step: Step, formats: Formats | None = None, **how: str) -> Operator:
    conventions = Conventions(**how)  # type: ignore[arg-type]
    return attention.core(step=step, formats=formats or Formats(), conventions=conventions)


@pytest.mark.parametrize(("kv_heads", "intensity"), [(32, 1), (8, 4), (4, 8)])
def test_decode_intensity_is_that_of_the_group_whatever_the_batch(kv_heads: int, intensity: int) -> None:
    """4 n d / (2 g d 2 B) = n / g FLOP/B against the cache: 1 for MHA, 4 for Llama-3.1-8B."""
    heads = Gqa(heads=32, kv_heads=kv_heads, head_dim=128)
    for batch in (1, 64):
        row = core(heads, Step.decode(4096, batch=batch))
        assert row.flops / row.kv == intensity


def test_a_window_caps_pairs_and_cache() -> None:
    """gpt-oss: 128 positions at most, so 4 n d 128 FLOP and 2 g d 128 elements."""
    heads = Gqa(heads=64, kv_heads=8, head_dim=64, window=128)
    row = core(heads, Step.decode(8192))
    assert row.flops == 4 * 64 * 64 * 128
    assert row.kv == 2 * 2 * 8 * 64 * 128
    assert row.window == 128


def test_an_8_bit_cache_halves_its_bytes_alone() -> None:
    heads = Gqa(heads=32, kv_heads=8, head_dim=128)
    wide, narrow = (core(heads, Step.decode(1000), Formats(kv=kv)) for kv in ("bf16", "fp8"))
    assert wide.kv == 2 * narrow.kv
    assert wide.activations == narrow.activations == 2 * 2 * 32 * 128


def test_output_of_fused_attention_is_tokens_by_width() -> None:
    """32 heads of 128 at 4096 tokens: 33.55 MB each of Q, K, V and O, 134.2 MB in all."""
    row = core(Gqa(heads=32, kv_heads=32, head_dim=128), Step.prefill(4096), Formats(activations="fp16", kv="fp16"))
    assert row.bytes == 4 * 4096 * 128 * 32 * 2
    assert f"{row.bytes / 1e6:.1f}" == "134.2"


def test_causal_is_half_of_full() -> None:
    """Exact triangle 549.8 GFLOP, full 1.0995 TFLOP, at 8192 tokens."""
    heads = Gqa(heads=32, kv_heads=32, head_dim=128)
    causal, full = (core(heads, Step.prefill(8192), count=count).flops for count in ("causal", "full"))
    assert full == 4 * 32 * 128 * 8192**2
    assert f"{causal:.3e}" == "5.498e+11"


def test_a_rate_above_the_peak_is_flagged() -> None:
    """378 TFLOP/s counted in full on a chip of 312 are 121.2 %."""
    kernel = core(Gqa(heads=32, kv_heads=32, head_dim=128), Step.prefill(8192), count="full").kernel
    roof = Roof(peak=312e12, memory=Stream(bandwidth=2039e9))
    placement = Placement(kernel=kernel._replace(seconds=4 * 32 * 128 * 8192**2 / 378e12), roof=roof)
    assert placement.above_roof
    assert placement.achieved_share == pytest.approx(1.212, abs=5e-4)


def test_sinks_are_one_weight_a_head() -> None:
    with_sinks = core(Gqa(heads=64, kv_heads=8, head_dim=64, sinks=True), Step.decode(5))
    assert with_sinks.weights == 64 * 2


def test_a_window_caps_what_unfused_kernels_read_too() -> None:
    """A cache of 128 positions has no more to read: 2 g d 128 elements, and 4 moves of n x 128 scores.

    In prefill all keys are new, so all are read, and the scores of all pairs are moved.
    """
    heads = Gqa(heads=64, kv_heads=8, head_dim=64, window=128)

    def both(step: Step) -> tuple[Operator, Operator]:
        written = Conventions(attention="unfused")
        return core(heads, step), heads.core(step=step, formats=Formats(), conventions=written)

    flash, unfused = both(Step.decode(8192))
    assert unfused.kv == flash.kv == 2 * 2 * 8 * 64 * 128
    assert unfused.activations - flash.activations == 4 * 2 * 64 * 128
    assert unfused.flops == flash.flops == 4 * 64 * 64 * 128
    assert both(Step.decode(100))[1].kv == 2 * 2 * 8 * 64 * 100
    flash, unfused = both(Step.prefill(1000))
    assert unfused.kv == flash.kv == 2 * 2 * 8 * 64 * 1000
    assert unfused.activations - flash.activations == 4 * 2 * 64 * 1000 * 1000


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


@given(
    groups=st.integers(1, 8),
    kv_heads=st.integers(1, 8),
    dim=st.integers(1, 64),
    window=st.none() | st.integers(1, 300),
    step=st.builds(Step, batch=st.integers(1, 5), new=st.integers(1, 200), cached=st.integers(0, 200)),
    unfused=st.booleans(),
    kv=st.sampled_from(["bf16", "fp8", "q8_0"]),
    activations=st.sampled_from(["bf16", "fp32"]),
)
def test_the_core_moves_queries_output_scores_and_cache_and_nothing_else(
    *,
    groups: int,
    kv_heads: int,
    dim: int,
    window: int | None,
    step: Step,
    unfused: bool,
    kv: str,
    activations: str,
) -> None:
    """2 B n S d elements of activations, 4 B n S keys of scores, and 2 B g keys d of cache."""
    n = groups * kv_heads
    heads = Gqa(heads=n, kv_heads=kv_heads, head_dim=dim, window=window)
    conventions = Conventions(attention="unfused" if unfused else "flash")
    row = heads.core(step=step, formats=Formats(kv=kv, activations=activations), conventions=conventions)
    keys = step.positions if window is None else min(step.positions, window + step.new - 1)
    moved = storage(activations)
    queries, scores = moved.size_of(step.tokens * n * dim), unfused * moved.size_of(step.tokens * n * keys)
    cache = storage(kv).size_of(step.batch * kv_heads * keys * dim)
    assert (row.weights, row.kv, row.activations) == (0, 2 * cache, 2 * queries + 4 * scores)
    assert row.bytes == 2 * queries + 4 * scores + 2 * cache


@pytest.mark.parametrize(
    ("heads", "kv_heads", "hidden", "elements"),
    [
        (32, 4, 2048, 4096 + 2 * 512 + 4096),  # Qwen3-30B-A3B: the core reads q, k and v and writes as much as q
        (8, 1, 8192, 8192 + 1024 + 2 * 128),  # an eighth of Llama-3.1-70B: the product reads the hidden state
    ],
)
def test_the_widest_of_core_and_what_reads_the_hidden_state(
    heads: int, kv_heads: int, hidden: int, elements: int
) -> None:
    assert Gqa(heads=heads, kv_heads=kv_heads, head_dim=128).widest(hidden) == elements
