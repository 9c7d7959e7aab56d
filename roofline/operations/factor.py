"""Factorisations of dense matrices: LU, Cholesky and QR, counted as LAPACK counts them.

The counts are the exact polynomials of LAPACK Working Note 41 (Blackford, Dongarra: Installation guide for LAPACK,
table of operation counts), real arithmetic: additions, multiplications, divisions and square roots one FLOP each.
"""

from typing import Final

from roofline.core.kernel import Kernel
from roofline.operations.arguments import sizes
from roofline.operations.registry import operation
from roofline.precision import storage

_FAMILY: Final = "dense linear algebra"


@operation(_FAMILY)
def lu(*, m: int | None = None, n: int, dtype: str = "fp64") -> Kernel:
    """LU factorisation of A, m x n, with row exchanges, in FLOP and B.

    m n^2 - n^3 / 3 - n^2 / 2 + 5 n / 6 FLOP for m >= n, so 2 n^3 / 3 - n^2 / 2 + 5 n / 6 of a square matrix (LAPACK
    Working Note 41, xGETRF). The note leaves out m < n, where the same elimination does n m^2 - n m - m^3 / 3 + m^2 / 2
    + 5 m / 6; libraries that exchange m and n in the first formula count m (n - m) more. In place: A is read and its
    factors are written once.

    Args:
        m: rows; None: as many as columns
        n: columns
        dtype: number format of A and its factors

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = lu(n=3)  # 18 - 4.5 + 2.5; 9 values of 8 B read and written
    >>> kernel.flops, kernel.bytes
    (16, 144)

    """
    m = n if m is None else m
    sizes(n=n, m=m)  # n first: m may be n
    if m >= n:
        flops = (6 * m * n**2 - 2 * n**3 - 3 * n**2 + 5 * n) // 6
    else:
        flops = (6 * n * m**2 - 6 * n * m - 2 * m**3 + 3 * m**2 + 5 * m) // 6
    words = "pivoting adds no FLOP and no traffic" + ("" if m >= n else "; m < n counted as the elimination does it")
    return _in_place("lu", f"{m}x{n}", flops, m * n, dtype, "xGETRF", words)


@operation(_FAMILY)
def cholesky(*, n: int, dtype: str = "fp64") -> Kernel:
    """Cholesky factorisation A = L L^T of an n x n matrix, in FLOP and B.

    A is symmetric and positive definite. n^3 / 3 + n^2 / 2 + n / 6 FLOP (LAPACK Working Note 41, xPOTRF). In place: one
    triangle of A, n (n + 1) / 2 values with the diagonal, is read and L is written once.

    Args:
        n: rows and columns
        dtype: number format of A and L

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = cholesky(n=3)  # 9 + 4.5 + 0.5; 6 values of 8 B read and written
    >>> kernel.flops, kernel.bytes
    (14, 96)

    """
    sizes(n=n)
    flops = (2 * n**3 + 3 * n**2 + n) // 6
    return _in_place("cholesky", f"{n}x{n}", flops, n * (n + 1) // 2, dtype, "xPOTRF", "one triangle is moved")


@operation(_FAMILY)
def qr(*, m: int | None = None, n: int, dtype: str = "fp64") -> Kernel:
    """QR factorisation of A, m x n, by reflections, in FLOP and B; Q is not formed.

    2 m n^2 - 2 n^3 / 3 + n^2 + m n + 14 n / 3 FLOP for m >= n, and 2 n m^2 - 2 m^3 / 3 - m^2 + 3 m n + 14 m / 3 for
    m < n (LAPACK Working Note 41, xGEQRF). A blocked algorithm does more. In place: A is read once, and R and the
    reflectors are written once, with a scalar for each reflector.

    Args:
        m: rows; None: as many as columns
        n: columns
        dtype: number format of A and its factors

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = qr(n=3)  # 36 + 18 + 14; 9 values of 8 B read, 9 and 3 written
    >>> kernel.flops, kernel.bytes
    (68, 168)

    """
    m = n if m is None else m
    sizes(n=n, m=m)  # n first: m may be n
    if m >= n:
        flops = (6 * m * n**2 - 2 * n**3 + 3 * n**2 + 3 * m * n + 14 * n) // 3
    else:
        flops = (6 * n * m**2 - 2 * m**3 - 3 * m**2 + 9 * m * n + 14 * m) // 3
    words = "unblocked reflections; Q is not formed"
    return _in_place("qr", f"{m}x{n}", flops, m * n, dtype, "xGEQRF", words, extra=min(m, n))


def _in_place(
    name: str, shape: str, flops: int, values: int, dtype: str, routine: str, words: str, *, extra: int = 0
) -> Kernel:
    """A factorisation that reads so many values, and writes these and some extra ones."""
    held = storage(dtype, name="dtype")
    return Kernel(
        name=f"{name} {shape}",
        flops=flops,
        bytes=held.size_of(values) + held.size_of(values + extra),
        dtype=held.arithmetic,
        assumptions=(
            f"operation count of {routine} in LAPACK Working Note 41",
            words,
            "each value is read and written once",
        ),
    )
