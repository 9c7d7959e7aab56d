"""Sparse products: hand-counted bytes, code balances of the literature, and the order of the reuse bounds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import InputError
from roofline.operations.sparse import Reuse, Scheme, spmm, spmv

MATRIX = {"rows": 100, "columns": 80, "nnz": 500}  # 5 non-zeros a row on average


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        # fp64 values, 4-byte indices; x and y: 80 x 8 + 100 x 8 = 1440
        pytest.param({}, 500 * (8 + 4) + 101 * 4 + 1440, id="csr"),
        pytest.param({"scheme": "coo"}, 500 * (8 + 4 + 4) + 1440, id="coo"),
        pytest.param({"scheme": "ell", "width": 7}, 100 * 7 * (8 + 4) + 1440, id="ell-padded-to-7"),
        pytest.param({"scheme": "ell"}, 100 * 5 * (8 + 4) + 1440, id="ell-of-equal-rows"),
        pytest.param({"index": 64}, 500 * (8 + 8) + 101 * 8 + 1440, id="64-bit-indices"),
        pytest.param({"index": 16, "dtype": "fp32"}, 500 * (4 + 2) + 101 * 2 + 720, id="fp32-16-bit-indices"),
        pytest.param({"reuse": "worst"}, 500 * (8 + 4) + 101 * 4 + 500 * 8 + 800, id="x-anew-for-each-non-zero"),
        pytest.param({"accumulate": True}, 500 * (8 + 4) + 101 * 4 + 1440 + 800, id="y-read-too"),
    ],
)
def test_bytes_of_a_sparse_matrix_vector_product(options: dict[str, Any], expected: int) -> None:
    kernel = spmv(**{**MATRIX, **options})
    assert (kernel.flops, kernel.bytes) == (2 * 500, expected)


def test_williams_2009_no_more_than_a_sixth_of_a_flop_per_byte() -> None:
    """Williams et al. 2009: a value of 8 B and an index of 4 B for 2 FLOP leave at most 1/6 FLOP/B."""
    kernel = spmv(rows=1000, nnz=1000 * 1000)
    assert kernel.arithmetic_intensity == pytest.approx(1 / 6, rel=0.01)
    assert kernel.arithmetic_intensity is not None
    assert kernel.arithmetic_intensity < 1 / 6


@pytest.mark.parametrize(("reuse", "alpha"), [("best", 1 / 10), ("worst", 1.0)])
def test_kreutzer_2014_code_balance(reuse: Reuse, alpha: float) -> None:
    """Kreutzer et al. 2014: 6 + 4 alpha + 8 / N_nzr B/FLOP, y read and written, row pointers left out (2 / N_nzr)."""
    rows, per_row = 1_000_000, 10
    kernel = spmv(rows=rows, nnz=rows * per_row, reuse=reuse, accumulate=True)
    assert kernel.bytes is not None
    assert kernel.flops is not None
    assert kernel.bytes / kernel.flops == pytest.approx(6 + 4 * alpha + 8 / per_row + 2 / per_row, rel=1e-6)


def test_a_column_without_a_non_zero_is_never_read() -> None:
    # 3 non-zeros touch at most 3 of the 1000 elements of x: 3 x (8 + 4) + 3 x 4 + 3 x 8 + 2 x 8
    assert spmv(rows=2, columns=1000, nnz=3).bytes == 36 + 12 + 24 + 16


sizes = st.integers(min_value=1, max_value=10**6)
schemes: st.SearchStrategy[Scheme] = st.sampled_from(["csr", "ell", "coo"])


@given(sizes, sizes, st.data(), schemes)
def test_worst_reuse_never_moves_less_and_spmm_of_one_column_is_spmv(
    rows: int, columns: int, data: st.DataObject, scheme: Scheme
) -> None:
    nnz = data.draw(st.integers(min_value=1, max_value=rows * columns))
    best, worst = (spmv(rows=rows, columns=columns, nnz=nnz, scheme=scheme, reuse=reuse) for reuse in ("best", "worst"))
    assert best.bytes is not None
    assert worst.bytes is not None
    assert best.bytes <= worst.bytes
    one = spmm(rows=rows, columns=columns, nnz=nnz, n=1, scheme=scheme)
    assert (one.flops, one.bytes) == (best.flops, best.bytes)


@given(sizes, st.integers(min_value=1, max_value=1000))
def test_more_columns_share_one_reading_of_the_matrix(rows: int, n: int) -> None:
    nnz = 3 * rows if rows > 2 else rows
    single, several = spmm(rows=rows, nnz=nnz, n=1), spmm(rows=rows, nnz=nnz, n=n)
    # A: nnz (8 + 4) + 4 (rows + 1) bytes, once instead of n times
    assert single.bytes is not None
    assert several.bytes == n * single.bytes - (n - 1) * (12 * nnz + 4 * (rows + 1))
    assert several.flops == n * 2 * nnz


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": 0}, "rows must be a whole number from 1 to 1e15, got 0"),
        ({"nnz": 10**30}, f"nnz must be a whole number from 1 to 1e15, got {10**30}"),
        ({"nnz": 8001}, "nnz must be at most rows x columns = 8000, got 8001"),
        ({"scheme": "csc"}, "scheme must be one of csr, ell, coo, got 'csc'"),
        ({"reuse": "some"}, "reuse must be one of best, worst, got 'some'"),
        ({"index": 12}, "index must be 8, 16, 32 or 64 bits, got 12"),
        ({"index": 8, "columns": 257}, "index has 8 bits, too few to number 257 rows or columns"),
        ({"width": 7}, "width is the padded length of a row in ell; csr pads nothing"),
        ({"scheme": "ell", "width": 4}, "width must be from 5 (nnz / rows) to 80 (columns, or nnz if less), got 4"),
        ({"scheme": "ell", "width": 81}, "width must be from 5 (nnz / rows) to 80 (columns, or nnz if less), got 81"),
    ],
)
def test_bad_shapes_name_the_argument(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        spmv(**{**MATRIX, **options})
    assert str(error.value) == message


def test_conventions_are_said() -> None:
    padded = spmv(rows=100, nnz=500, scheme="ell", width=7)
    assert "200 padding entries moved, not counted as work" in padded.assumptions  # 100 x 7 - 500
    assert "no longest row given: rows taken as equally long" in spmv(rows=100, nnz=500, scheme="ell").notes
    assert spmm(rows=100, nnz=500, n=4, scheme="ell", width=7).notes == ()
