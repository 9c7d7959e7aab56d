"""Operations on vectors: dot, axpy and scal of the BLAS, and the four loops of STREAM."""

from typing import Final

from roofline.core.kernel import Kernel
from roofline.operations.arguments import sizes
from roofline.operations.registry import operation
from roofline.precision import storage

_BLAS: Final = "dense linear algebra"
_STREAM: Final = "stream"


@operation(_BLAS)
def dot(*, n: int, dtype: str = "fp64") -> Kernel:
    """Inner product of two vectors of n elements, in FLOP and B.

    2 n FLOP, as a gemm of 1 x 1 x n: the sum starts at 0 (Golub, Van Loan: Matrix Computations, 4th edition, table
    1.1.2). Two vectors are read and one value is written.

    Args:
        n: elements
        dtype: number format of the vectors and the result

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> dot(n=1000).flops, dot(n=1000).bytes
    (2000, 16008)

    """
    sizes(n=n)
    return _loop("dot", n, 2, 2 * n + 1, dtype)


@operation(_BLAS)
def axpy(*, n: int, dtype: str = "fp64") -> Kernel:
    """Sum y = a x + y of two vectors of n elements, in FLOP and B.

    2 n FLOP (Golub, Van Loan: Matrix Computations, 4th edition, table 1.1.2). x and y are read and y is written.

    Args:
        n: elements
        dtype: number format of the vectors

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> axpy(n=1000).flops, axpy(n=1000).bytes
    (2000, 24000)

    """
    return _loop("axpy", n, 2, 3 * n, dtype)


@operation(_BLAS)
def scal(*, n: int, dtype: str = "fp64") -> Kernel:
    """Multiple x = a x of a vector of n elements in place, in FLOP and B.

    n FLOP (Lawson et al.: Basic linear algebra subprograms for Fortran usage, ACM TOMS 5(3), 1979). x is read and
    written.

    Args:
        n: elements
        dtype: number format of the vector

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> scal(n=1000).flops, scal(n=1000).bytes
    (1000, 16000)

    """
    return _loop("scal", n, 1, 2 * n, dtype)


@operation(_STREAM)
def stream_copy(*, n: int, write_allocate: bool = False, dtype: str = "fp64") -> Kernel:
    """STREAM copy c = a of n elements, in FLOP and B: no FLOP, 16 B an iteration.

    J. McCalpin: Memory bandwidth and machine balance in current high performance computers, IEEE TCCA Newsletter,
    December 1995, which counts no write-allocate.

    Args:
        n: elements of each array
        write_allocate: a store first reads the cache line that it changes, as most CPUs do and GPUs do not
        dtype: number format of the arrays

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> stream_copy(n=1000).bytes, stream_copy(n=1000, write_allocate=True).bytes
    (16000, 24000)

    """
    return _stream("copy", n, 0, 1, dtype, write_allocate=write_allocate)


@operation(_STREAM)
def stream_scale(*, n: int, write_allocate: bool = False, dtype: str = "fp64") -> Kernel:
    """STREAM scale b = q c of n elements, in FLOP and B: 1 FLOP and 16 B an iteration, as :func:`stream_copy` has it.

    Args:
        n: elements of each array
        write_allocate: a store first reads the cache line that it changes, as most CPUs do and GPUs do not
        dtype: number format of the arrays

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> stream_scale(n=1000).flops, stream_scale(n=1000).bytes
    (1000, 16000)

    """
    return _stream("scale", n, 1, 1, dtype, write_allocate=write_allocate)


@operation(_STREAM)
def stream_add(*, n: int, write_allocate: bool = False, dtype: str = "fp64") -> Kernel:
    """STREAM add c = a + b of n elements, in FLOP and B: 1 FLOP and 24 B an iteration, as :func:`stream_copy` has it.

    Args:
        n: elements of each array
        write_allocate: a store first reads the cache line that it changes, as most CPUs do and GPUs do not
        dtype: number format of the arrays

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> stream_add(n=1000).flops, stream_add(n=1000).bytes
    (1000, 24000)

    """
    return _stream("add", n, 1, 2, dtype, write_allocate=write_allocate)


@operation(_STREAM)
def stream_triad(*, n: int, write_allocate: bool = False, dtype: str = "fp64") -> Kernel:
    """STREAM triad a = b + q c of n elements, in FLOP and B: 2 FLOP, 24 B an iteration, as :func:`stream_copy` has it.

    Args:
        n: elements of each array
        write_allocate: a store first reads the cache line that it changes, as most CPUs do and GPUs do not
        dtype: number format of the arrays

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> stream_triad(n=1000).arithmetic_intensity, stream_triad(n=1000, write_allocate=True).arithmetic_intensity
    (0.08333333333333333, 0.0625)

    """
    return _stream("triad", n, 2, 2, dtype, write_allocate=write_allocate)


def _stream(name: str, n: int, flops: int, inputs: int, dtype: str, *, write_allocate: bool) -> Kernel:
    """A loop that reads so many arrays and writes one to another place."""
    words = "write-allocate: the array written is read first" if write_allocate else "no write-allocate"
    return _loop(f"stream {name}", n, flops, (inputs + 1 + write_allocate) * n, dtype, words)


def _loop(name: str, n: int, flops: int, moved: int, dtype: str, *words: str) -> Kernel:
    """A loop of n iterations of so many FLOP, which moves so many elements in all."""
    sizes(n=n)
    held = storage(dtype, name="dtype")
    return Kernel(
        name=f"{name} {n}",
        flops=flops * n,
        bytes=held.size_of(moved),
        dtype=held.arithmetic,
        assumptions=(f"{flops} FLOP an iteration", "each element is moved once", *words),
        unit="vector" if flops else None,
    )
