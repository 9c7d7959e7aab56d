"""Products of matrices: worked cases, formats of operands by hand, and a cache simulated tile by tile."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import InputError, UnknownNameError
from roofline.operations.bounds import gemm_lower_bound
from roofline.operations.linear import gemm, gemv, grouped_gemm

small = st.integers(1, 9)
sizes = st.integers(1, 10**5)


def test_a_large_square_product() -> None:
    # 2 x 4096^3 = 137.4 GFLOP; 3 x 4096^2 x 2 B = 100.7 MB; 1365 FLOP/B
    kernel = gemm(m=4096, n=4096, k=4096, dtype="bf16")
    assert (kernel.flops, kernel.bytes, kernel.dtype) == (137_438_953_472, 100_663_296, "bf16")
    assert kernel.arithmetic_intensity == pytest.approx(4096 / 3)


def test_a_small_square_product() -> None:
    # 2 x 128^3 FLOP; 3 x 128^2 x 2 B = 98.30 kB; 128 / 3 = 42.67 FLOP/B
    kernel = gemm(m=128, n=128, k=128, dtype="fp16")
    assert (kernel.flops, kernel.bytes) == (4_194_304, 98_304)
    assert kernel.arithmetic_intensity == pytest.approx(42.67, abs=5e-3)


@pytest.mark.parametrize(
    ("options", "moved"),
    [
        # m = 10, n = 20, k = 30: A has 300 elements, B 600, C 200.
        ({}, 2 * (300 + 600 + 200)),
        ({"dtype": "fp64"}, 8 * 1100),
        ({"bias": True}, 2 * (1100 + 20)),
        ({"accumulate": True}, 2 * (1100 + 200)),
        ({"batch": 7}, 7 * 2 * 1100),
        ({"batch": 7, "bias": True}, 7 * 2 * 1120),
        ({"result": "fp32"}, 2 * 900 + 4 * 200),
        ({"result": "fp32", "bias": True}, 2 * 900 + 4 * 220),
        ({"activations": "fp8", "weights": "fp8"}, 300 + 600 + 2 * 200),
        ({"weights": "mxfp4"}, 2 * 500 + 300 + 19),  # 600 codes of half a byte, 18.75 blocks of 32: 19 scales of a byte
        ({"weights": "q8_0"}, 2 * 500 + 19 * 34),  # 19 blocks of 34 B
        ({"accumulator": "fp32"}, 2 * 1100),  # the sums stay in fast memory
    ],
)
def test_each_operand_has_its_own_format(options: dict[str, Any], moved: int) -> None:
    kernel = gemm(m=10, n=20, k=30, **options)
    assert kernel.bytes == moved
    assert kernel.flops == options.get("batch", 1) * 12_000


@pytest.mark.parametrize(
    ("options", "runs_in"),
    [
        ({"weights": "int4-g128"}, "bf16"),
        ({"weights": "fp8", "dtype": "fp16"}, "fp16"),
        ({"weights": "nvfp4", "activations": "fp8"}, "fp8"),
        ({"dtype": "nvfp4", "result": "bf16"}, "fp4"),
        ({"dtype": "mxfp8"}, "fp8"),
        ({"dtype": "q4_k"}, "bf16"),
        ({"dtype": "half", "result": "fp32"}, "fp16"),
    ],
)
def test_arithmetic_runs_in_the_format_of_the_activations(options: dict[str, Any], runs_in: str) -> None:
    assert gemm(m=4, n=4, k=4, **options).dtype == runs_in


def test_a_token_with_weights_in_four_bits() -> None:
    # Case L19, all layers as one product: 8e9 weights of 4.5 bit are 4.5 GB.
    kernel = gemm(m=1, n=80_000, k=100_000, weights="q4_k")
    assert kernel.bytes == 4_500_000_000 + 2 * (80_000 + 100_000)
    assert kernel.flops == 16_000_000_000


def test_a_mix_of_formats_is_noted() -> None:
    for kernel in (
        gemm(m=4, n=4, k=4, weights="q4_k_m"),
        gemv(m=4, n=4, weights="q4_k_m"),
        grouped_gemm(m=(4,), n=4, k=4, weights="q4_k_m"),
    ):
        assert [note for note in kernel.notes if "4.8944" in note]
    assert gemm(m=4, n=4, k=4, weights="q4_k").notes == ("q4_k takes 4.5 bits an element, its scales included",)


def simulated(m: int, n: int, k: int, tile: tuple[int, int, int], *, spill: bool, accumulate: bool) -> int:
    """Elements that a blocked product moves, counted tile by tile with one tile of A, B and C in fast memory."""
    moved = 0
    for i in range(0, m, tile[0]):
        for j in range(0, n, tile[1]):
            rows, cols = min(tile[0], m - i), min(tile[1], n - j)
            if accumulate:
                moved += rows * cols
            for step, l in enumerate(range(0, k, tile[2])):  # noqa: E741  (the index of the sum)
                depth = min(tile[2], k - l)
                moved += rows * depth + depth * cols
                if spill and step:
                    moved += 2 * rows * cols  # written after the block before, read for this one
            moved += rows * cols
    return moved


@given(small, small, small, st.tuples(small, small, small), st.booleans(), st.booleans())
def test_blocked_traffic_is_what_a_simulated_fast_memory_moves(
    m: int, n: int, k: int, tile: tuple[int, int, int], spill: bool, accumulate: bool
) -> None:
    kernel = gemm(m=m, n=n, k=k, tile=tile, spill=spill, accumulate=accumulate, dtype="fp64")
    assert kernel.bytes == 8 * simulated(m, n, k, tile, spill=spill, accumulate=accumulate)


def test_blocked_traffic_by_hand() -> None:
    # 8 blocks along n read A 8 times, 4 along m read B 4 times; C once; K makes 16 blocks.
    shape: dict[str, Any] = {"m": 512, "n": 1024, "k": 2048, "dtype": "fp16", "tile": (128, 128, 128)}
    a, b, c = 512 * 2048, 2048 * 1024, 512 * 1024
    assert gemm(**shape).bytes == 2 * (8 * a + 4 * b + c)
    assert gemm(**shape, bias=True).bytes == 2 * (8 * a + 4 * b + c + 4 * 1024)
    # The sums leave as fp32 15 times and come back as often.
    assert gemm(**shape, spill=True, accumulator="fp32").bytes == 2 * (8 * a + 4 * b + c) + 4 * 2 * 15 * c
    # 128 x 128 elements of A, of B and of C in 2 B
    assert "tiles of 128x128x128, which take 98,304 B of fast memory" in gemm(**shape).assumptions
    assert gemm(**shape).flops == 2 * 512 * 1024 * 2048


@given(sizes, sizes, sizes, st.booleans())
def test_a_tile_as_large_as_the_product_moves_each_operand_once(m: int, n: int, k: int, spill: bool) -> None:
    assert gemm(m=m, n=n, k=k, tile=(m, n, k), spill=spill).bytes == gemm(m=m, n=n, k=k).bytes


@given(sizes, sizes, sizes, st.tuples(sizes, sizes, sizes))
def test_no_tile_beats_the_lower_bound(m: int, n: int, k: int, tile: tuple[int, int, int]) -> None:
    held = tile[0] * tile[2] + tile[2] * tile[1] + tile[0] * tile[1]
    least = gemm_lower_bound(m=m, n=n, k=k, fast_memory=min(held, 10**15))
    assert (gemm(m=m, n=n, k=k, tile=tile, dtype="int8").bytes or 0) >= least


@given(sizes, sizes, sizes, st.integers(1, 99))
def test_a_batch_is_so_many_products(m: int, n: int, k: int, batch: int) -> None:
    one, many = gemm(m=m, n=n, k=k, weights="nf4"), gemm(m=m, n=n, k=k, batch=batch, weights="nf4")
    assert many.flops == batch * (one.flops or 0)
    assert many.bytes == batch * (one.bytes or 0)


@given(sizes, sizes, st.sampled_from(["bf16", "int4-g128"]))
def test_a_vector_is_a_matrix_of_one_row(m: int, n: int, weights: str) -> None:
    # y = A x is y^T = x^T A^T
    one, same = gemv(m=m, n=n, weights=weights), gemm(m=1, n=m, k=n, weights=weights)
    assert (one.flops, one.bytes, one.dtype) == (same.flops, same.bytes, same.dtype)


def test_a_matrix_times_a_vector_by_hand() -> None:
    # A of 3 x 5 in fp64, x of 5, y of 3 read and written; 2 x 15 FLOP
    kernel = gemv(m=3, n=5, dtype="fp64", accumulate=True)
    assert (kernel.flops, kernel.bytes) == (30, 8 * (15 + 5 + 3 + 3))
    assert gemv(m=3, n=5, dtype="fp64", batch=4).bytes == 4 * 8 * (15 + 5 + 3)


@given(st.lists(st.integers(0, 999), min_size=1, max_size=9).filter(any), sizes, sizes)
def test_a_grouped_product_is_its_products(rows: list[int], n: int, k: int) -> None:
    whole = grouped_gemm(m=tuple(rows), n=n, k=k, weights="mxfp4")
    parts = [gemm(m=each, n=n, k=k, weights="mxfp4") for each in rows if each]
    assert whole.flops == sum(part.flops or 0 for part in parts)
    assert whole.bytes == sum(part.bytes or 0 for part in parts)


def test_whole_numbers_stay_exact_beyond_64_bits() -> None:
    # (10^8 + 1)^3 = 10^24 + 3 x 10^16 + 3 x 10^8 + 1, and a float holds 16 digits
    kernel = gemm(m=10**8 + 1, n=10**8 + 1, k=10**8 + 1, dtype="int8")
    assert kernel.flops == 2 * (10**24 + 3 * 10**16 + 3 * 10**8 + 1)
    assert kernel.bytes == 3 * (10**16 + 2 * 10**8 + 1)
    assert isinstance(kernel.flops, int)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tile": (128, 128)}, "tile must be three sizes M,N,K, got 2"),
        ({"tile": (128, 0, 32)}, "tile must be a whole number from 1 to 1e15, got 0"),
        ({"spill": True}, "spill needs a tile"),
        ({"result": "q4_k_m"}, "result: q4_k_m is a mix of formats"),
    ],
)
def test_what_makes_no_product_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        gemm(m=4, n=4, k=4, **options)


def test_groups_without_work_are_refused() -> None:
    with pytest.raises(InputError, match="m must have a group with at least one row"):
        grouped_gemm(m=(0, 0), n=4, k=4)
    with pytest.raises(InputError, match="m must be a whole number from 0 to 1e15, got -1"):
        grouped_gemm(m=(3, -1), n=4, k=4)


@pytest.mark.parametrize("argument", ["activations", "weights", "result", "accumulator"])
def test_an_unknown_format_names_its_argument(argument: str) -> None:
    with pytest.raises(UnknownNameError, match=f"{argument}: unknown number format 'q4_z'"):
        gemm(m=4, n=4, k=4, **{argument: "q4_z"})  # type: ignore[arg-type]  # one of four formats


# The lower bound ----------------------------------------------------------------------------------------------------


def test_the_lower_bound_by_hand() -> None:
    # 2 x 1000^3 / sqrt(10^4) - 2 x 10^4 = 2 x 10^7 - 2 x 10^4
    assert gemm_lower_bound(m=1000, n=1000, k=1000, fast_memory=10**4) == 19_980_000
    # All fits: 10^6 / 50 - 5000 reads are no bound, and three matrices of 100 x 100 remain.
    assert gemm_lower_bound(m=100, n=100, k=100, fast_memory=40_000) == 30_000
    # 2 x 12 / sqrt(3) = 13.86, so 14 whole elements less 6; the operands are 2 x 3 + 3 x 2 + 2 x 2 = 16
    assert gemm_lower_bound(m=2, n=2, k=3, fast_memory=3) == 16
    # a fast memory larger than any array: each operand once, 10 x 30 + 30 x 20 + 10 x 20
    assert gemm_lower_bound(m=10, n=20, k=30, fast_memory=10**30) == 1100


@given(sizes, sizes, sizes, st.integers(1, 10**9))
def test_the_lower_bound_is_the_rounded_up_formula(m: int, n: int, k: int, fast_memory: int) -> None:
    bound = gemm_lower_bound(m=m, n=n, k=k, fast_memory=fast_memory)
    compulsory = m * k + k * n + m * n
    reads = bound + 2 * fast_memory  # r with r >= 2 m n k / sqrt(S) > r - 1, unless the operands are more
    assert bound >= compulsory
    assert reads**2 * fast_memory >= (2 * m * n * k) ** 2
    assert bound == compulsory or (reads - 1) ** 2 * fast_memory < (2 * m * n * k) ** 2
