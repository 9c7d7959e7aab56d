"""Attention: worked cases, brute force over masks, and identities with products and with decode steps."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import RooflineError
from roofline.operations.linear import gemm
from roofline.operations.sdpa import attention

small = st.integers(1, 8)
lengths = st.tuples(st.integers(1, 20), st.integers(0, 20)).map(lambda new: (new[0], sum(new)))  # queries, keys
windows = st.none() | st.integers(1, 30)


def seen(s_q: int, s_kv: int, window: int | None) -> list[set[int]]:
    """The keys that each query sees, by the definition of the mask."""
    first = s_kv - s_q
    return [{k for k in range(s_kv) if k <= q and (window is None or q - k < window)} for q in range(first, s_kv)]


def test_causal_is_half_of_the_square_and_the_diagonal() -> None:
    # 4 x 8192^2 x 32 x 128 = 1.0995e12; the triangle has 8192 x 8193 / 2 pairs: 5.498e11
    shape: dict[str, Any] = {"b": 1, "h": 32, "s_q": 8192, "d": 128}
    assert attention(**shape, count="full").flops == 4 * 8192**2 * 32 * 128 == 1_099_511_627_776
    assert attention(**shape).flops == 4 * (8192 * 8193 // 2) * 32 * 128 == 549_822_922_752


def test_the_convention_is_said() -> None:
    assert any("exact triangle" in words for words in attention(h=1, s_q=8, d=4).assumptions)
    assert any("whole rectangle" in words for words in attention(h=1, s_q=8, d=4, count="full").assumptions)


def test_output_is_sequence_by_head_size_not_sequence_by_sequence() -> None:
    # O: 4096 x 128 x 32 x 2 B = 33.55 MB; Q, K, V and O 134.2 MB
    kernel = attention(b=1, h=32, s_q=4096, d=128, dtype="fp16")
    assert kernel.bytes == 4 * 4096 * 128 * 32 * 2 == 134_217_728
    # without a value head, V and O go, which are equal: 2 x 33.55 MB less 2 x 32 x 4096 x 1 elements
    thin = attention(b=1, h=32, s_q=4096, d=128, d_v=1, dtype="fp16")
    assert (kernel.bytes or 0) - (thin.bytes or 0) == 2 * (33_554_432 - 32 * 4096 * 2)


def test_flops_that_a_framework_reports_for_12_heads() -> None:
    assert attention(b=1, h=12, s_q=64, d=64, count="full").flops == 4 * 12 * 64**2 * 64 == 12_582_912


def test_heads_of_192_and_128_elements() -> None:
    # DeepSeek-V3 prefill: 128 heads, 128 + 64 elements in Q and K, 128 in V: 2 x 128 x 320 FLOP a pair
    assert attention(h=128, s_q=4, d=192, d_v=128).flops == 2 * 128 * 320 * (4 * 5 // 2)


@pytest.mark.parametrize(
    ("length", "fused", "unfused"),
    [
        # Llama-3.1-8B, 32 layers of 32 heads and 8 KV heads of 128, GB to 3 digits:
        # 32 x 2 B x S x 128 x (2 x 32 + 2 x 8), and 32 x 4 x 2 B x 32 x S^2 more
        (2048, 1.34e9, 35.7e9),
        (8192, 5.37e9, 555e9),
        (32768, 21.5e9, 8.82e12),
    ],
)
def test_fused_and_unfused_traffic_of_a_model(length: int, fused: float, unfused: float) -> None:
    shape: dict[str, Any] = {"h": 32, "h_kv": 8, "s_q": length, "d": 128}
    assert 32 * (attention(**shape).bytes or 0) == pytest.approx(fused, rel=4e-3)
    assert 32 * (attention(**shape, unfused=True).bytes or 0) == pytest.approx(unfused, rel=2e-3)


def test_decode_reads_the_cache_at_two_flop_per_byte_and_query_head() -> None:
    # 4 n d N FLOP over 2 B x (2 g d N + 2 n d): 16384 N / (4096 N + 16384) = 4 / (1 + 4 / N), near 2 (n / g) / 2 B = 4
    kernel = attention(h=32, h_kv=8, s_q=1, s_kv=131072, d=128)
    assert kernel.arithmetic_intensity == pytest.approx(4 / (1 + 4 / 131072), rel=1e-12)


@given(small, small, lengths, small, small, windows)
def test_every_visible_pair_is_counted(
    b: int, h: int, length: tuple[int, int], d: int, d_v: int, window: int | None
) -> None:
    pairs = sum(map(len, seen(*length, window)))
    kernel = attention(b=b, h=h, s_q=length[0], s_kv=length[1], d=d, d_v=d_v, window=window)
    assert kernel.flops == 2 * b * h * pairs * (d + d_v)


@given(small, st.integers(1, 3), lengths, small, small, windows, st.integers(1, 25))
def test_traffic_is_that_of_the_keys_in_sight(
    h_kv: int, group: int, length: tuple[int, int], d: int, d_v: int, window: int | None, block: int
) -> None:
    s_q, s_kv = length
    rows = seen(s_q, s_kv, window)
    once = len(set().union(*rows))
    by_block = sum(len(set().union(*rows[at : at + block])) for at in range(0, s_q, block))
    kernel = attention(h=h_kv * group, h_kv=h_kv, s_q=s_q, s_kv=s_kv, d=d, d_v=d_v, window=window, block=block)
    queries = h_kv * group * s_q
    assert kernel.bytes == 2 * (queries + h_kv * once) * (d + d_v)
    assert kernel.bytes_at == {"L2": 2 * (queries + h_kv * by_block) * (d + d_v)}


def test_full_count_reads_all_keys_for_each_block() -> None:
    # 300 queries in blocks of 128: 3 reads of 300 keys
    kernel = attention(h=1, s_q=300, d=16, count="full", block=128)
    assert kernel.bytes_at["L2"] == 2 * 2 * 16 * (300 + 3 * 300)
    # with a window of 100 keys a block of 128 rows spans 227 positions, the last one of 44 rows 143
    kernel = attention(h=1, s_q=300, d=16, count="full", block=128, window=100)
    assert kernel.bytes_at["L2"] == 2 * 2 * 16 * (300 + 227 + 227 + 143)
    assert kernel.flops == 4 * 16 * 300 * 300  # all keys are in reach of some query, as an eager kernel multiplies them
    # 4 new queries behind 96 keys: 13 are in reach of a window of 10
    assert attention(h=1, s_q=4, s_kv=100, d=16, count="full", window=10).flops == 4 * 16 * 4 * 13


@given(small, small, lengths, small, small)
def test_full_attention_is_two_batched_products(b: int, h: int, length: tuple[int, int], d: int, d_v: int) -> None:
    s_q, s_kv = length
    scores, values = gemm(m=s_q, n=s_kv, k=d, batch=b * h), gemm(m=s_q, n=d_v, k=s_kv, batch=b * h)
    whole = attention(b=b, h=h, s_q=s_q, s_kv=s_kv, d=d, d_v=d_v, count="full")
    assert whole.flops == (scores.flops or 0) + (values.flops or 0)


@given(small, small, lengths, small, windows)
def test_causal_prefill_is_the_sum_of_its_decode_steps(
    b: int, h: int, length: tuple[int, int], d: int, window: int | None
) -> None:
    s_q, s_kv = length
    shape: dict[str, Any] = {"b": b, "h": h, "d": d, "window": window}
    steps = sum(attention(**shape, s_q=1, s_kv=n).flops or 0 for n in range(s_kv - s_q + 1, s_kv + 1))
    assert attention(**shape, s_q=s_q, s_kv=s_kv).flops == steps


@given(small, small, small, lengths, small)
def test_grouping_changes_the_cache_alone(b: int, h_kv: int, group: int, length: tuple[int, int], d: int) -> None:
    s_q, s_kv = length
    h = h_kv * group
    shape: dict[str, Any] = {"b": b, "h": h, "s_q": s_q, "s_kv": s_kv, "d": d}
    many, grouped = attention(**shape), attention(**shape, h_kv=h_kv)
    assert attention(**shape, h_kv=h) == many  # as many KV heads as query heads is multi-head attention
    assert grouped.flops == many.flops
    assert (many.bytes or 0) - (grouped.bytes or 0) == 2 * 2 * b * (h - h_kv) * s_kv * d


@given(small, small, lengths, small, st.sampled_from(["causal", "full"]), st.sampled_from([("fp32", 4), ("bf16", 2)]))
def test_unfused_moves_the_scores_four_times_more(
    b: int, h: int, length: tuple[int, int], d: int, count: Any, form: tuple[str, int]
) -> None:
    s_q, s_kv = length
    shape: dict[str, Any] = {"b": b, "h": h, "s_q": s_q, "s_kv": s_kv, "d": d, "count": count, "dtype": form[0]}
    fused, unfused = attention(**shape), attention(**shape, unfused=True)
    assert (unfused.bytes or 0) - (fused.bytes or 0) == 4 * form[1] * b * h * s_q * s_kv
    assert unfused.flops == fused.flops


@given(lengths, windows, st.integers(20, 40))
def test_one_block_reads_from_l2_what_memory_delivers(length: tuple[int, int], window: int | None, block: int) -> None:
    kernel = attention(h=4, h_kv=2, s_q=length[0], s_kv=length[1], d=8, window=window, block=block)
    assert kernel.bytes_at["L2"] == kernel.bytes


def test_a_quantised_cache_is_read_in_its_own_format_and_multiplied_in_that_of_the_queries() -> None:
    # 64 keys x 2 heads x (16 + 16) elements of 1 B; Q and O 2 x 4 heads x 16 elements of 2 B
    kernel = attention(h=4, h_kv=2, s_q=1, s_kv=64, d=16, kv="fp8")
    assert (kernel.bytes, kernel.dtype) == (64 * 2 * 32 + 2 * 4 * 16 * 2, "bf16")


def test_more_queries_than_keys_are_fine_without_a_mask() -> None:
    assert attention(h=1, s_q=8, s_kv=2, d=4, count="full").flops == 4 * 8 * 2 * 4


def test_a_million_tokens_are_exact() -> None:
    # 2^20 x (2^20 + 1) / 2 pairs x 4 x 128 heads x 128 elements
    assert attention(h=128, s_q=2**20, d=128).flops == 4 * 128 * 128 * 2**19 * (2**20 + 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"h": 0}, "h must be a whole number from 1"),
        ({"s_q": 1.5}, "s_q must be a whole number from 1"),
        ({"d_v": -1}, "d_v must be a whole number from 1"),
        ({"h_kv": 3}, "h_kv must divide h: 8 is no multiple of 3"),
        ({"h_kv": 16}, "h_kv must divide h: 8 is no multiple of 16"),
        ({"s_kv": 5}, "s_kv must be at least s_q where a mask depends on positions: 5 keys, 10 queries"),
        ({"s_kv": 5, "count": "full", "window": 2}, "s_kv must be at least s_q"),
        ({"window": 0}, "window must be a whole number from 1"),
        ({"count": "half"}, "count must be one of causal, full, got 'half'"),
        ({"kv": "bf61"}, "kv: unknown number format 'bf61'"),
        ({"block": 0}, "block must be a whole number from 1"),
        ({"block": 64, "unfused": True}, "block must be left out of unfused attention"),
    ],
)
def test_bad_shapes_name_the_argument(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RooflineError) as error:
        attention(**{"h": 8, "s_q": 10, "d": 16} | change)
    assert str(error.value).startswith(message)
