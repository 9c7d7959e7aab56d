"""Operations on vectors: FLOPs and bytes of an iteration as BLAS and STREAM count them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.core.kernel import Kernel
from roofline.operations.linear import gemm
from roofline.operations.vector import axpy, dot, scal, stream_add, stream_copy, stream_scale, stream_triad

# STREAM's own table: bytes and FLOPs an iteration; with a write-allocate the array written is read as well.
STREAM = [(stream_copy, 0, 16, 24), (stream_scale, 1, 16, 24), (stream_add, 1, 24, 32), (stream_triad, 2, 24, 32)]


@pytest.mark.parametrize(("loop", "flops", "plain", "allocating"), STREAM)
def test_stream(loop: Callable[..., Kernel], flops: int, plain: int, allocating: int) -> None:
    n = 10_000_000
    assert (loop(n=n).flops, loop(n=n).bytes) == (flops * n, plain * n)
    assert (loop(n=n, write_allocate=True).flops, loop(n=n, write_allocate=True).bytes) == (flops * n, allocating * n)
    assert loop(n=n, dtype="fp32").bytes == plain * n // 2


def test_triad_intensity() -> None:
    assert stream_triad(n=5).arithmetic_intensity == 2 / 24
    assert stream_triad(n=5, write_allocate=True).arithmetic_intensity == 2 / 32


def test_what_was_written_is_said() -> None:
    assert "no write-allocate" in stream_add(n=5).assumptions
    assert "write-allocate: the array written is read first" in stream_add(n=5, write_allocate=True).assumptions


@pytest.mark.parametrize(
    ("kernel", "flops", "moved"),
    [
        (dot(n=1000), 2000, 2 * 8000 + 8),
        (axpy(n=1000), 2000, 3 * 8000),  # x and y read, y written
        (scal(n=1000), 1000, 2 * 8000),
        (axpy(n=1000, dtype="fp16"), 2000, 3 * 2000),
    ],
)
def test_blas(kernel: Kernel, flops: int, moved: int) -> None:
    assert (kernel.flops, kernel.bytes) == (flops, moved)


@given(st.integers(1, 10**15), st.sampled_from(["fp64", "bf16"]))
def test_an_inner_product_is_a_gemm_of_one_by_one(n: int, dtype: str) -> None:
    one, same = dot(n=n, dtype=dtype), gemm(m=1, n=1, k=n, dtype=dtype)
    assert (one.flops, one.bytes, one.dtype) == (same.flops, same.bytes, same.dtype)


def test_what_computes_has_no_matrix_products() -> None:
    assert stream_triad(n=5).unit == "vector"
    assert stream_copy(n=5).unit is None
