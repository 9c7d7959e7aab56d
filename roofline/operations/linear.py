"""Dense linear algebra on matrices: products and factorisations."""

from __future__ import annotations

from roofline.core.kernel import FLOP_PER_MAC, Kernel
from roofline.operations.registry import operation
from roofline.operations.shapes import sizes


@operation("dense linear algebra")
def gemm(
    *,
    m: int,
    n: int,
    k: int,
    batch: int = 1,
    bias: bool = False,
    accumulate: bool = False,
    dtype: str = "bf16",
) -> Kernel:
    """Matrix product C = A B, A being m x k and B k x n, in FLOP and B.

    2 m n k FLOP (Golub, Van Loan: Matrix Computations, 1.1.11). Compulsory traffic: A and B are read and C is written
    once.

    Args:
        m: rows of A and C
        n: columns of B and C
        k: columns of A, rows of B
        batch: independent products, each with its own A, B and C
        bias: add a row of n values to C
        accumulate: add to C, which is then read too
        dtype: number format of all operands

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = gemm(m=4096, n=4096, k=4096)
    >>> kernel.flops, kernel.bytes
    (137438953472, 100663296)

    """
    raise NotImplementedError
