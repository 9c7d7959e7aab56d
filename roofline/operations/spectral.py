"""Fast Fourier transforms by the nominal operation count that benchmarks use."""

from math import prod
from typing import Final

from roofline.core.kernel import Kernel
from roofline.errors import InputError
from roofline.operations.arguments import sizes
from roofline.operations.registry import operation
from roofline.precision import storage

_MOST_DIMENSIONS: Final = 3
_SPARE_DIGITS: Final = 40


@operation("spectral")
def fft(
    *,
    n: tuple[int, ...],
    batch: int = 1,
    real: bool = False,
    passes: int = 1,
    dtype: str = "fp32",
) -> Kernel:
    """Fast Fourier transform of N points, complex or real, in FLOP and B.

    N = n1 n2 ... in one to three dimensions. 5 N log2 N FLOP, 2.5 N log2 N if real: the nominal count of radix-2
    Cooley-Tukey that makes rates of all sizes and algorithms comparable (Frigo, Johnson: The design and implementation
    of FFTW3, Proc. IEEE 93(2), 2005), each transform rounded to a whole number where N is no
    power of two. An algorithm may do less:
    split radix about 4 N log2 N.

    Out of place, one pass through memory: N complex values read and N written; a real transform reads N real values
    and writes those n1 n2 ... (n_last / 2 + 1) complex ones that its symmetry leaves. A transform that the fast memory
    does not hold takes more passes, each of which reads and writes the complex values again.

    Args:
        n: points along each dimension, one to three
        batch: independent transforms
        real: real input
        passes: passes through memory
        dtype: number format of a real or an imaginary part

    Raises:
        InputError: a size that is not a whole number from 1 on, or more than three dimensions.

    >>> kernel = fft(n=(1024,))
    >>> kernel.flops, kernel.bytes  # 5 x 1024 x 10; 2 x 1024 x 8
    (51200, 16384)

    """
    if not 1 <= len(n) <= _MOST_DIMENSIONS:
        raise InputError(f"n must have one to {_MOST_DIMENSIONS} dimensions, got {len(n)}")
    for points in n:
        sizes(n=points)
    sizes(batch=batch, passes=passes)
    part = storage(dtype, name="dtype")
    points = prod(n)
    kept = prod(n[:-1]) * (n[-1] // 2 + 1) if real else points  # complex values that symmetry leaves
    ends = (points if real else 2 * points) + 2 * kept  # parts read by the first pass and written by the last
    between = (passes - 1) * 2 * 2 * kept
    return Kernel(
        name=f"{f'{batch} x ' if batch > 1 else ''}fft {'x'.join(map(str, n))}",
        flops=_nominal(points, real) * batch,
        bytes=part.size_of((ends + between) * batch),
        dtype=part.arithmetic,
        assumptions=(
            f"{'2.5' if real else '5'} N log2 N FLOP: nominal count, not that of an algorithm",
            "out of place, one pass through memory" if passes == 1 else f"out of place, {passes} passes through memory",
        ),
        unit="vector",
    )


def _nominal(points: int, real: bool) -> int:
    """FLOP of one transform: 5 N log2 N, or half of it, to the nearest whole number.

    >>> _nominal(10**15, real=False)  # 75 x 10^15 x log2 10, log2 10 being 3.32192 80948 87362 34787
    249144607116552176
    """
    from decimal import ROUND_HALF_EVEN, Context, Decimal  # noqa: PLC0415  (2 ms that other operations need not pay)

    halves = 5 if real else 10
    exponent = points.bit_length() - 1
    if points == 1 << exponent:
        return halves * points * exponent // 2
    # As many digits as N log2 N has, and so many more that no sum of errors comes near a half.
    exact = Context(prec=len(str(points)) + _SPARE_DIGITS)
    binary_logarithm = exact.divide(exact.ln(Decimal(points)), exact.ln(Decimal(2)))
    flops = exact.divide(exact.multiply(Decimal(halves * points), binary_logarithm), Decimal(2))
    return int(flops.to_integral_value(ROUND_HALF_EVEN, exact))
