"""Factorisations: the polynomials against elimination and reflections run on numbers that count their FLOPs."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.operations.factor import cholesky, lu, qr
from tests.operations.tally import Number, Tally


def matrix(m: int, n: int, tally: Tally) -> list[list[Number]]:
    """Diagonally dominant, so that elimination needs no exchange and a Cholesky factor exists."""
    draw = random.Random(m * 100 + n)
    return [[tally.number(draw.random() + (10 + m + n if i == j else 0)) for j in range(n)] for i in range(m)]


def eliminate(a: list[list[Number]], m: int, n: int) -> None:
    """LU as xGETF2 does it: a reciprocal for each pivot, a product for each multiplier, then the update."""
    for p in range(min(m, n)):
        reciprocal = a[p][p].map(lambda value: 1 / value)
        for i in range(p + 1, m):
            a[i][p] = a[i][p] * reciprocal
            for j in range(p + 1, n):
                a[i][j] = a[i][j] - a[i][p] * a[p][j]


def decompose(a: list[list[Number]], n: int) -> None:
    """Cholesky by columns: a root for each pivot, a division for each value below it, then the update of a triangle."""
    for p in range(n):
        a[p][p] = a[p][p].map(math.sqrt)
        for i in range(p + 1, n):
            a[i][p] = a[i][p] / a[p][p]
        for j in range(p + 1, n):
            for i in range(j, n):
                a[i][j] = a[i][j] - a[i][p] * a[j][p]


@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 2), (3, 3), (7, 7), (7, 4), (9, 1), (4, 7), (1, 9), (10, 12)])
def test_lu_does_what_elimination_does(m: int, n: int) -> None:
    tally = Tally()
    eliminate(matrix(m, n, tally), m, n)
    assert lu(m=m, n=n).flops == tally.flops


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12])
def test_cholesky_does_what_the_algorithm_by_columns_does(n: int) -> None:
    tally = Tally()
    decompose(matrix(n, n, tally), n)
    assert cholesky(n=n).flops == tally.flops


@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 2), (7, 7), (7, 4), (100, 10), (4, 7), (10, 100)])
def test_qr_is_the_sum_over_its_reflections(m: int, n: int) -> None:
    # Column j of l = m - j rows: applying H = I - tau v v^T to c = n - j - 1 columns takes a product v^T A and an
    # update, each l products and l sums a column (v_1 = 1 is multiplied too), and c products with tau: (4 l + 1) c.
    # What is left of the polynomial makes the reflector: 3 l of a norm and a scaling, and a constant for the scalars.
    made = sum(3 * (m - j) for j in range(min(m, n)))
    applied = sum((4 * (m - j) + 1) * (n - j - 1) for j in range(min(m, n)))
    scalars, rest = divmod((qr(m=m, n=n).flops or 0) - made - applied, min(m, n))
    assert rest == 0
    assert scalars == 5


@pytest.mark.parametrize(
    ("n", "flops"),
    [
        # The leading terms of LAPACK Working Note 41 for n = 1000, and what follows them.
        (lu, 666_666_666 + Fraction(2, 3) - 500_000 + Fraction(5000, 6)),  # 2 n^3 / 3 - n^2 / 2 + 5 n / 6
        (cholesky, 333_333_333 + Fraction(1, 3) + 500_000 + Fraction(1000, 6)),  # n^3 / 3 + n^2 / 2 + n / 6
        (qr, 1_333_333_333 + Fraction(1, 3) + 2_000_000 + Fraction(14_000, 3)),  # 4 n^3 / 3 + 2 n^2 + 14 n / 3
    ],
)
def test_square_matrices_of_a_thousand(n: object, flops: Fraction) -> None:
    assert callable(n)
    assert n(n=1000).flops == flops


def test_traffic_in_place() -> None:
    assert lu(m=30, n=20, dtype="fp32").bytes == 2 * 4 * 600
    assert cholesky(n=20, dtype="fp64").bytes == 2 * 8 * 210  # 20 x 21 / 2 values of a triangle
    assert qr(m=30, n=20, dtype="fp64").bytes == 8 * (600 + 600 + 20)  # and a scalar for each reflector


@given(st.integers(1, 10**15), st.integers(1, 10**15))
def test_a_matrix_is_square_unless_told_and_counts_are_whole_numbers(m: int, n: int) -> None:
    assert lu(n=n) == lu(m=n, n=n)
    assert qr(n=n) == qr(m=n, n=n)
    assert isinstance(qr(m=m, n=n).flops, int)
    # Each of the n - m further columns is only updated, a product and a sum below each pivot.
    short, long = min(m, n), max(m, n)
    assert lu(m=short, n=long).flops == (lu(n=short).flops or 0) + (long - short) * short * (short - 1)


@given(st.integers(1, 10**15))
def test_the_polynomials_divide_without_rest(n: int) -> None:
    assert lu(n=n).flops == Fraction(2, 3) * n**3 - Fraction(1, 2) * n**2 + Fraction(5, 6) * n
    assert cholesky(n=n).flops == Fraction(1, 3) * n**3 + Fraction(1, 2) * n**2 + Fraction(1, 6) * n
    assert qr(n=n).flops == Fraction(4, 3) * n**3 + 2 * n**2 + Fraction(14, 3) * n
