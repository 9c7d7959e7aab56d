"""Products of dense matrices: gemm, gemv and grouped gemm, with compulsory or blocked traffic."""

from typing import Final

from roofline.core.kernel import FLOP_PER_MAC, Kernel
from roofline.errors import InputError
from roofline.operations.arguments import counts, sizes
from roofline.operations.blocking import Operands, blocks_of, in_words, moved
from roofline.operations.registry import operation

_FAMILY: Final = "dense linear algebra"


@operation(_FAMILY)
def gemm(
    *,
    m: int,
    n: int,
    k: int,
    batch: int = 1,
    bias: bool = False,
    accumulate: bool = False,
    tile: tuple[int, ...] | None = None,
    spill: bool = False,
    dtype: str = "bf16",
    activations: str | None = None,
    weights: str | None = None,
    result: str | None = None,
    accumulator: str | None = None,
) -> Kernel:
    """Matrix product C = A B, A being m x k and B k x n, in FLOP and B.

    2 m n k FLOP (Golub, Van Loan: Matrix Computations, 4th edition, table 1.1.2). A bias or the old C is where the sum
    starts, so neither adds any. The arithmetic runs in the wider of the formats of A and B; B is converted to that of A
    where it is held in one for storage alone. Compulsory traffic: A and B are read and C is written once.

    With a tile, each M x N tile of C is made from M x K tiles of A and K x N tiles of B, so A is read ceil(n / N) times
    and B ceil(m / M) times. C stays in fast memory until it is done and is written once; spilled, it is written after
    each of the ceil(k / K) blocks and read before each but the first (Lam, Rothberg, Wolf: The cache performance and
    optimizations of blocked algorithms, ASPLOS 1991).

    Args:
        m: rows of A and C
        n: columns of B and C
        k: columns of A, rows of B
        batch: independent products, each with its own A, B and C; one B for all is a larger m
        bias: add a row of n values to C
        accumulate: add to C, which is then read too
        tile: sizes M,N,K of a tile that fast memory holds; None: all operands at once, each moved once
        spill: move the sums of C out of fast memory and back between blocks of K; needs a tile
        dtype: number format of all operands that have none of their own
        activations: number format of A, and of the arithmetic unless B is wider; None: dtype
        weights: number format of B; None: dtype
        result: number format of C and the bias; None: dtype
        accumulator: number format of the sums of C: they move where they are spilled, and a device may have a peak of
            its own for them; None: that of C

    Raises:
        InputError: a size that is not a whole number from 1 on, a tile that is not three of them, or spilling without.

    >>> kernel = gemm(m=4096, n=4096, k=4096)
    >>> kernel.flops, kernel.bytes
    (137438953472, 100663296)
    >>> gemm(m=1, n=4096, k=4096, weights="int4-g128").bytes  # 2 x 8192 B and 16,777,216 weights of 4.15625 bit
    8732672

    """
    sizes(m=m, n=n, k=k, batch=batch)
    formats = Operands.of(dtype, activations, weights, result, accumulator)
    if tile is None and spill:
        raise InputError("spill needs a tile: without one, the sums of C have no reason to leave fast memory")
    blocks = (1, 1, 1) if tile is None else blocks_of(tile, m, n, k)
    each = moved(m, n, k, formats, blocks=blocks, bias=bias, accumulate=accumulate, spill=spill)
    words = [] if accumulator is None else [f"sums in {formats.sums.name}"]
    return Kernel(
        name=f"{f'{batch} x ' if batch > 1 else ''}gemm {m}x{n}x{k}",
        flops=FLOP_PER_MAC * batch * m * n * k,
        bytes=batch * each,
        dtype=formats.arithmetic,
        assumptions=(
            "2 m n k FLOP; a bias or an old C starts the sum",
            *(["each operand is moved once"] if tile is None else in_words(tile, formats, blocks, spill=spill)),
            *words,
        ),
        notes=formats.remarks(),
    )


@operation(_FAMILY)
def gemv(
    *,
    m: int,
    n: int,
    batch: int = 1,
    accumulate: bool = False,
    dtype: str = "bf16",
    activations: str | None = None,
    weights: str | None = None,
    result: str | None = None,
) -> Kernel:
    """Matrix times vector y = A x, A being m x n, in FLOP and B.

    2 m n FLOP (Golub, Van Loan: Matrix Computations, 4th edition, table 1.1.2). A and x are read and y is written once.

    Args:
        m: rows of A, length of y
        n: columns of A, length of x
        batch: independent products, each with its own A, x and y
        accumulate: add to y, which is then read too
        dtype: number format of all operands that have none of their own
        activations: number format of x, and of the arithmetic unless A is wider; None: dtype
        weights: number format of A; None: dtype
        result: number format of y; None: dtype

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = gemv(m=1000, n=500, dtype="fp32")  # 4 x (500,000 + 500 + 1000) B
    >>> kernel.flops, kernel.bytes
    (1000000, 2006000)

    """
    sizes(m=m, n=n, batch=batch)
    formats = Operands.of(dtype, activations, weights, result)
    return Kernel(
        name=f"{f'{batch} x ' if batch > 1 else ''}gemv {m}x{n}",
        flops=FLOP_PER_MAC * batch * m * n,
        bytes=batch * moved(1, m, n, formats, accumulate=accumulate),
        dtype=formats.arithmetic,
        assumptions=("2 m n FLOP", "each operand is moved once"),
        notes=formats.remarks(),
    )


@operation(_FAMILY)
def grouped_gemm(
    *,
    m: tuple[int, ...],
    n: int,
    k: int,
    dtype: str = "bf16",
    activations: str | None = None,
    weights: str | None = None,
    result: str | None = None,
) -> Kernel:
    """Matrix products C_i = A_i B_i of groups in one kernel, in FLOP and B.

    A_i is m_i x k and B_i k x n. 2 n k sum m_i FLOP, as of the experts of a mixture with m_i tokens each (Gale et al.:
    MegaBlocks, arXiv:2211.15841). A_i and C_i are moved once, and so is B_i where m_i is not 0.

    Args:
        m: rows of each A_i, such as 7,0,12; 0 for a group without work
        n: columns of every B_i and C_i
        k: columns of every A_i, rows of every B_i
        dtype: number format of all operands that have none of their own
        activations: number format of every A_i, and of the arithmetic unless B is wider; None: dtype
        weights: number format of every B_i; None: dtype
        result: number format of every C_i; None: dtype

    Raises:
        InputError: a size that is not a whole number from 1 on (of m, from 0 on), or no group with work.

    >>> kernel = grouped_gemm(m=(1, 0, 2), n=10, k=100)  # 2 x 3 x 1000; 2 x (3 x 100 + 2 x 1000 + 3 x 10) B
    >>> kernel.flops, kernel.bytes
    (6000, 4660)

    """
    sizes(n=n, k=k)
    for rows in m:
        counts(m=rows)
    if not any(m):
        raise InputError("m must have a group with at least one row")
    formats = Operands.of(dtype, activations, weights, result)
    busy = [rows for rows in m if rows]
    return Kernel(
        name=f"grouped gemm {sum(m)}x{n}x{k} in {len(m)}",
        flops=FLOP_PER_MAC * sum(m) * n * k,
        bytes=sum(moved(rows, n, k, formats) for rows in busy),
        dtype=formats.arithmetic,
        assumptions=("each operand is moved once", f"B of {len(busy)} groups of {len(m)}: none without rows"),
        notes=formats.remarks(),
    )
