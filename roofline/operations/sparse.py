"""Products of a sparse matrix with a vector or with a few: the storage scheme decides the traffic."""

from typing import Final, Literal, get_args

from roofline.core.kernel import FLOP_PER_MAC, Kernel
from roofline.errors import InputError
from roofline.operations.arguments import one_of, sizes
from roofline.operations.registry import operation
from roofline.precision import storage

_FAMILY: Final = "sparse linear algebra"
Scheme = Literal["csr", "ell", "coo"]
Reuse = Literal["best", "worst"]


@operation(_FAMILY)
def spmv(
    *,
    rows: int,
    columns: int | None = None,
    nnz: int,
    scheme: Scheme = "csr",
    width: int | None = None,
    index: int = 32,
    reuse: Reuse = "best",
    accumulate: bool = False,
    dtype: str = "fp64",
) -> Kernel:
    """Sparse matrix times vector y = A x, A having nnz non-zeros, in FLOP and B.

    2 nnz FLOP. CSR moves a value and a column index for each non-zero and rows + 1 row pointers (Williams et al.:
    Optimization of sparse matrix-vector multiplication on emerging multicore platforms, Parallel Computing 35(3),
    2009); ELL pads each row to the longest one, and COO has a row index in place of the pointers (Bell, Garland:
    Implementing sparse matrix-vector multiplication on throughput-oriented processors, SC 2009). The elements of x are
    read once each at best and once for each non-zero at worst: alpha = columns / nnz and alpha = 1 of Kreutzer et al.:
    A unified sparse matrix data format, SIAM J. Sci. Comput. 36(5), 2014.

    Args:
        rows: rows of A
        columns: columns of A; None: as many as rows
        nnz: stored non-zeros
        scheme: storage scheme of A: compressed rows, padded rows or coordinates
        width: non-zeros of the longest row, for ell; None: as if all rows were equally long
        index: bits of a row or column index
        reuse: of x: each element read once (best) or once for each non-zero (worst)
        accumulate: add to y, which is then read too
        dtype: number format of A, x and y

    Raises:
        InputError: a size that is not a whole number from 1 on, more non-zeros than places, or an index too narrow.

    >>> kernel = spmv(rows=1000, nnz=5000)
    >>> kernel.flops, kernel.bytes  # 5000 x (8 + 4) + 1001 x 4 + 1000 x 8 + 1000 x 8
    (10000, 80004)

    """
    return _product(
        "spmv", rows, columns, nnz, 1, scheme=scheme, width=width, index=index, reuse=reuse, accumulate=accumulate,
        dtype=dtype,
    )  # fmt: skip


@operation(_FAMILY)
def spmm(
    *,
    rows: int,
    columns: int | None = None,
    nnz: int,
    n: int,
    scheme: Scheme = "csr",
    width: int | None = None,
    index: int = 32,
    reuse: Reuse = "best",
    accumulate: bool = False,
    dtype: str = "fp64",
) -> Kernel:
    """Sparse matrix times dense matrix C = A B, B having n columns, in FLOP and B.

    2 nnz n FLOP; A is moved once for all n columns (Gropp et al.: Toward realistic performance bounds for implicit CFD
    codes, Parallel CFD 1999). Otherwise as :func:`spmv`, with rows of B in the place of elements of x.

    Args:
        rows: rows of A and C
        columns: columns of A, rows of B; None: as many as rows
        nnz: stored non-zeros
        n: columns of B and C
        scheme: storage scheme of A: compressed rows, padded rows or coordinates
        width: non-zeros of the longest row, for ell; None: as if all rows were equally long
        index: bits of a row or column index
        reuse: of B: each row read once (best) or once for each non-zero (worst)
        accumulate: add to C, which is then read too
        dtype: number format of A, B and C

    Raises:
        InputError: a size that is not a whole number from 1 on, more non-zeros than places, or an index too narrow.

    >>> kernel = spmm(rows=1000, nnz=5000, n=4)
    >>> kernel.flops, kernel.bytes  # 5000 x (8 + 4) + 1001 x 4 + 4 x (1000 x 8 + 1000 x 8)
    (40000, 128004)

    """
    return _product(
        "spmm", rows, columns, nnz, n, scheme=scheme, width=width, index=index, reuse=reuse, accumulate=accumulate,
        dtype=dtype,
    )  # fmt: skip


def _product(
    name: str,
    rows: int,
    columns: int | None,
    nnz: int,
    n: int,
    *,
    scheme: Scheme,
    width: int | None,
    index: int,
    reuse: Reuse,
    accumulate: bool,
    dtype: str,
) -> Kernel:
    columns = rows if columns is None else columns
    sizes(rows=rows, columns=columns, nnz=nnz, n=n, index=index)
    one_of("scheme", scheme, get_args(Scheme))
    one_of("reuse", reuse, get_args(Reuse))
    _refuse_impossible(rows, columns, nnz, index)
    longest = _longest_row(rows, columns, nnz, scheme, width)
    value = storage(dtype, name="dtype")
    indices = {"csr": nnz + rows + 1, "ell": rows * longest, "coo": 2 * nnz}[scheme]
    stored = rows * longest if scheme == "ell" else nnz
    read = nnz if reuse == "worst" else min(columns, nnz)  # a column without a non-zero is never asked for
    written = rows * (2 if accumulate else 1)
    moved = value.size_of(stored) + indices * index // 8 + value.size_of(read * n) + value.size_of(written * n)
    padding = stored - nnz
    return Kernel(
        name=f"{name} {rows}x{columns}{f' x {n}' if n > 1 else ''}, {nnz}",
        flops=FLOP_PER_MAC * nnz * n,
        bytes=moved,
        dtype=value.arithmetic,
        unit="vector",  # rows of single non-zeros are no tiles of a matrix unit
        assumptions=(
            f"{scheme}: {index}-bit indices, A moved once",
            "each element of the dense operand read once"
            if reuse == "best"
            else "the dense operand read anew for each non-zero",
            "result read and written" if accumulate else "result written once, not read",
            *((f"{padding} padding entries moved, not counted as work",) if padding else ()),
        ),
        notes=(*(("no longest row given: rows taken as equally long",) if scheme == "ell" and width is None else ()),),
    )


def _refuse_impossible(rows: int, columns: int, nnz: int, index: int) -> None:
    if nnz > rows * columns:
        raise InputError(f"nnz must be at most rows x columns = {rows * columns}, got {nnz}")
    if index not in (8, 16, 32, 64):
        raise InputError(f"index must be 8, 16, 32 or 64 bits, got {index}")
    if max(rows, columns) > 2**index:
        raise InputError(
            f"index has {index} bits, too few to number {max(rows, columns)} rows or columns", hint="give a wider index"
        )


def _longest_row(rows: int, columns: int, nnz: int, scheme: Scheme, width: int | None) -> int:
    """Non-zeros of the longest row; the mean, rounded up, is the least it can be."""
    least = -(-nnz // rows)
    if width is None:
        return least
    if scheme != "ell":
        raise InputError(f"width is the padded length of a row in ell; {scheme} pads nothing")
    sizes(width=width)
    most = min(columns, nnz)
    if not least <= width <= most:
        raise InputError(f"width must be from {least} (nnz / rows) to {most} (columns, or nnz if less), got {width}")
    return width
