"""Critical batches and crossover contexts, against the closed form by hand and figures worked out elsewhere.

Those figures are whole batches, and within 1 %. The convention here: weights, and each position of the cache moved
once; activations and norms not counted.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.transformer.architecture import Architecture
from roofline.transformer.closed_decode import closed_decode
from roofline.transformer.conventions import Conventions
from roofline.transformer.critical import critical_batch_of, crossover_context
from roofline.transformer.formats import Formats, Part
from roofline.transformer.presets import find

BANDWIDTH = 3.35e12  # H100 SXM
PEAKS = {"bf16": 989.4e12, "fp8": 1978.9e12}
ALL: frozenset[Part] = frozenset()  # LM head and all else in the format of the weights
INT4 = Formats(weights="int4", kept=ALL)
FP8 = Formats(weights="fp8", compute="fp8", kept=ALL)
MXFP4 = Formats(weights="mxfp4", kept=frozenset({"attention", "embedding", "head", "router", "vectors"}))


def closed_form(weights: float, flops: float, kv: float, peak: float = 989.4e12, bandwidth: float = BANDWIDTH) -> float:
    """B* = W P / (F H - K P), by hand."""
    return weights * peak / (flops * bandwidth - kv * peak)


@pytest.mark.parametrize(
    ("weights", "compute", "peak", "bandwidth", "batch"),
    [
        ("bf16", "bf16", 989.4e12, 3.35e12, 295.3),
        ("fp8", "bf16", 989.4e12, 3.35e12, 147.7),  # fp8 weights, 16-bit math
        ("int4", "bf16", 989.4e12, 3.35e12, 73.84),
        ("fp8", "fp8", 1978.9e12, 3.35e12, 295.4),
        ("fp8", "bf16", 312e12, 2.039e12, 76.51),  # an A100, which has no fp8 units
    ],
)
def test_without_cache_it_is_peak_times_bytes_over_twice_the_bandwidth(
    weights: str, compute: str, peak: float, bandwidth: float, batch: float
) -> None:
    matrices = Architecture(name="1B", hidden=0, vocab=0, layers=(), unplaced=10**9)
    closed = closed_decode(matrices, Formats(weights=weights, compute=compute))
    assert critical_batch_of(closed, 0, {compute: peak}, bandwidth) == pytest.approx(batch, rel=2e-4)


@pytest.mark.parametrize(
    ("model", "formats", "context", "whole"),
    [
        ("llama-3.1-8b", Formats(), 0, 297),
        ("llama-3.1-8b", INT4, 0, 75),
        ("llama-3.1-8b", FP8, 0, 298),
        ("llama-3.1-70b", Formats(), 0, 295),
        ("llama-3.1-70b", Formats(), 512, 452),
        ("llama-3.1-70b", Formats(), 1024, 963),
        ("mixtral-8x7b", Formats(), 0, 1083),
        ("qwen3-30b-a3b", Formats(), 0, 2964),
        ("gpt-oss-120b", MXFP4, 0, 1851),
        ("deepseek-v3", FP8, 0, 5419),
    ],
)
def test_critical_batch_within_a_hundredth(model: str, formats: Formats, context: int, whole: int) -> None:
    found = critical_batch_of(closed_decode(find(model), formats), context, PEAKS, BANDWIDTH)
    assert found is not None
    assert math.ceil(found) == pytest.approx(whole, rel=0.01)


def test_70b_by_hand_at_context_1024() -> None:
    """W = 139.006 GB, F = 2 x 69.50e9 + 4 L n d 1024 = 141.69 GFLOP, K = 335.5 MB: W P / (F H - K P) = 964."""
    w, k = 2 * 69_503_033_344, 327_680 * 1024
    f = 2 * (69_503_033_344 - 161 * 8192) + 4 * 80 * 64 * 128 * 1024
    by_hand = closed_form(w, f, k)
    assert by_hand == pytest.approx(964.0, rel=1e-4)
    found = critical_batch_of(closed_decode(find("llama-3.1-70b"), Formats()), 1024, PEAKS, BANDWIDTH)
    assert found == pytest.approx(by_hand)


@pytest.mark.parametrize("context", [1500, 4096, 131072])
def test_70b_is_never_compute_bound_beyond_its_crossover(context: int) -> None:
    assert critical_batch_of(closed_decode(find("llama-3.1-70b"), Formats()), context, PEAKS, BANDWIDTH) is None


@pytest.mark.parametrize(
    ("model", "context"),
    [("llama-2-7b", 86), ("llama-3.1-8b", 393), ("llama-3.1-70b", 1476), ("deepseek-v3", 19_400)],
)
def test_crossover_context_within_a_hundredth(model: str, context: int) -> None:
    """V3 in bf16 with absorbed attention."""
    found = crossover_context(closed_decode(find(model), Formats()), PEAKS, BANDWIDTH)
    assert found == pytest.approx(context, rel=0.01)


def test_8b_crossover_by_hand() -> None:
    """(2 N / P) / (kv / H - 4 L n d / P) = 15.17 us / (39.13 - 0.53) ns = 393."""
    products = 2 * (7_504_924_672 - 65 * 4096) / 989.4e12
    by_hand = products / (131_072 / 3.35e12 - 4 * 32 * 32 * 128 / 989.4e12)
    assert crossover_context(closed_decode(find("llama-3.1-8b"), Formats()), PEAKS, BANDWIDTH) == pytest.approx(by_hand)


@given(name=st.sampled_from(["llama-3.1-70b", "deepseek-v3", "mixtral-8x7b"]), context=st.integers(1, 30_000))
def test_just_above_compute_binds_and_just_below_memory(name: str, context: int) -> None:
    closed = closed_decode(find(name), Formats())
    batch = critical_batch_of(closed, context, PEAKS, BANDWIDTH)
    crossover = crossover_context(closed, PEAKS, BANDWIDTH)
    assert crossover is not None
    assert (batch is None) == (context >= crossover)
    if batch is None:
        return
    for whole, compute_binds in ((math.ceil(batch * 1.0001) + 1, True), (math.floor(batch * 0.9999) - 1, False)):
        compute = whole * closed.compute_time(context, PEAKS)
        moving = (closed.weights(whole) + whole * closed.kv_read(context)) / BANDWIDTH
        assert (compute >= moving) == compute_binds


def test_activations_move_the_critical_batch_up() -> None:
    """Llama-3.1-8B: 18 h + 5 I elements a layer and those of the head more, so F / ridge less 9.6 MB: near 366.

    The position that a step makes is written beside those that are read, and a row of the embedding is looked up.
    """
    closed = closed_decode(find("llama-3.1-8b"), Formats())
    moved = 2 * (32 * (18 * 4096 + 5 * 14336) + 4096 + 128256)
    per_sequence = 2 * (7_504_924_672 - 65 * 4096) * 3.35 / 989.4
    by_hand = 2 * 7_504_924_672 / (per_sequence - moved - 2 * 131_072 - 2 * 4096)
    found = critical_batch_of(closed, 1, PEAKS, BANDWIDTH, activations=True)
    assert found == pytest.approx(by_hand, rel=1e-3)


def test_a_fixed_number_of_experts_is_a_closed_form_too() -> None:
    """Mixtral with all 8: W = 2 x (46,702,792,704 - 131,072,000) B over the FLOPs of two of them."""
    closed = closed_decode(find("mixtral-8x7b"), Formats(), Conventions(experts="all"))
    flops = 2 * (12_748_853_248 - 65 * 4096) + 4 * 32 * 32 * 128
    by_hand = closed_form(2 * (46_702_792_704 - 131_072_000), flops, 131_072)
    assert critical_batch_of(closed, 1, PEAKS, BANDWIDTH) == pytest.approx(by_hand)


@pytest.mark.parametrize(
    ("model", "bandwidth", "products", "heads", "cache", "window", "layers", "crossing"),
    [
        # q, k, v, o, router and 4 of 128 experts in each of 36 layers, and the head: near 841.
        (
            "gpt-oss-120b",
            3.35e12,
            36 * (2880 * 64 * (2 * 64 + 2 * 8) + 2880 * 128 + 4 * 3 * 2880 * 2880) + 201_088 * 2880,
            64 * 64,
            2 * 8 * 64 * 2,
            128,
            (18, 18),
            841,
        ),
        # q, k, v, o and a gated MLP in each of 62 layers, and the tied head: near 2871.
        (
            "gemma-3-27b",
            12e12,
            62 * (5376 * 128 * (2 * 32 + 2 * 16) + 3 * 5376 * 21_504) + 262_208 * 5376,
            32 * 128,
            2 * 16 * 128 * 2,
            1024,
            (52, 10),
            2871,
        ),
    ],
)
def test_windows_bend_the_crossover(
    model: str,
    bandwidth: float,
    products: int,
    heads: int,
    cache: int,
    window: int,
    layers: tuple[int, int],
    crossing: int,
) -> None:
    """F / P = K / H beyond the window W: a position costs k / H - 4 n d / P a layer, in w layers up to W.

    So C = (2 N / P - w W (k / H - 4 n d / P)) / (l (k / H - 4 n d / P)), with l layers that see all positions.
    """
    windowed, full = layers
    position = cache / bandwidth - 4 * heads / 989.4e12
    by_hand = (2 * products / 989.4e12 - windowed * window * position) / (full * position)
    assert round(by_hand) == crossing > window
    found = crossover_context(closed_decode(find(model), Formats()), PEAKS, bandwidth)
    assert found == pytest.approx(by_hand, rel=1e-9)


def test_a_crossing_below_the_window_is_that_of_all_layers() -> None:
    """Gemma-2-9B: 21 of 42 layers see 4096 positions, and the crossing is below them.

    F0 of products, and per position f = 4 n d and k = 8192 B in all 42 layers.
    """
    model = find("gemma-2-9b")
    closed = closed_decode(model, Formats())
    f0 = 2 * (9_241_705_984 - (42 * 4 + 1) * 3584) / 989.4e12
    slope = 42 * (8192 / 3.35e12 - 4 * 16 * 256 / 989.4e12)
    assert f0 / slope < 4096
    assert crossover_context(closed, PEAKS, BANDWIDTH) == pytest.approx(f0 / slope)


def test_a_machine_of_low_ridge_has_no_crossover_with_absorbed_attention() -> None:
    """241.8 FLOP/B of absorbed attention: compute-bound at any context where the ridge is 100."""
    closed = closed_decode(find("deepseek-v3"), Formats())
    assert crossover_context(closed, {"bf16": 100e12}, 1e12) is None
