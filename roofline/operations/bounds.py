"""Lower bounds on traffic: what no order of the same arithmetic can beat, given a fast memory of some size."""

from __future__ import annotations

from math import isqrt

from roofline.operations.arguments import LARGEST, sizes


def gemm_lower_bound(*, m: int, n: int, k: int, fast_memory: int) -> int:
    """Fewest elements that C = A B moves between a slow memory and a fast one that holds so many elements.

    The larger of 2 m n k / sqrt(S) - 2 S, for a fast memory of S elements and the m n k products of the definition
    (Smith, Lowery, Langou, van de Geijn: A tight I/O lower bound for matrix multiplication, arXiv:1702.02017, after
    Hong, Kung: I/O complexity: the red-blue pebble game, STOC 1981, which has the order and no constant), and of the
    compulsory m k + k n + m n. Strassen's and other products with less arithmetic are outside it.

    Args:
        m: rows of A and C
        n: columns of B and C
        k: columns of A, rows of B
        fast_memory: elements that fast memory holds, of A, B and C together

    Raises:
        InputError: a size that is not a whole number from 1 on; of fast memory any such number is one.

    >>> gemm_lower_bound(m=1024, n=1024, k=1024, fast_memory=2**14)  # 2^31 / 2^7 - 2^15
    16744448

    """
    sizes(m=m, n=n, k=k, fast_memory=min(fast_memory, LARGEST))
    # ceil(2 m n k / sqrt(S)) in whole numbers: the least r with r^2 S >= (2 m n k)^2.
    square = (2 * m * n * k) ** 2
    reads = isqrt((square - 1) // fast_memory) + 1
    return max(reads - 2 * fast_memory, m * k + k * n + m * n)
