"""Operations on elements that are no activations: arithmetic, reductions, transposes and gathers."""

from typing import Final

from roofline.core.kernel import Kernel
from roofline.operations.arguments import counts, held, sizes
from roofline.operations.registry import operation
from roofline.precision import remarks, storage

_FAMILY: Final = "deep learning"


@operation(_FAMILY)
def elementwise(
    *, n: int, inputs: int = 1, outputs: int = 1, flops: int = 1, dtype: str = "bf16", result: str | None = None
) -> Kernel:
    """Arithmetic by element on arrays of n elements, in FLOP and B: n FLOP for each operation on an element.

    Args:
        n: elements of each array
        inputs: arrays that are read; 0 for a fill
        outputs: arrays that are written
        flops: FLOP per element; 0 for a copy or a change of format
        dtype: number format of the inputs
        result: number format of the outputs; None: that of the inputs

    Raises:
        InputError: a size that is not a whole number from 1 on, or a count that is not one from 0 on.

    >>> kernel = elementwise(n=1000, inputs=2)  # an addition: 2 arrays of 2000 B in, 1 out
    >>> kernel.flops, kernel.bytes
    (1000, 6000)

    """
    sizes(n=n, outputs=outputs)
    counts(inputs=inputs, flops=flops)
    read = storage(dtype, name="dtype")
    written = held("result", result, read)
    return Kernel(
        name=f"elementwise {n}, {inputs} in, {outputs} out",
        flops=flops * n,
        bytes=inputs * read.size_of(n) + outputs * written.size_of(n),
        dtype=read.arithmetic,
        assumptions=(f"{flops} FLOP per element", "each array is moved once, none is broadcast"),
        unit="vector",
    )


@operation(_FAMILY)
def reduce(*, rows: int = 1, cols: int, dtype: str = "bf16", result: str | None = None) -> Kernel:
    """Sum (or maximum) of each row, in FLOP and B: rows (cols - 1) FLOP, as a tree and a loop alike need.

    Args:
        rows: results
        cols: elements that make one result, in whatever order they lie
        dtype: number format of the input
        result: number format of the results; None: that of the input

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = reduce(rows=10, cols=100, dtype="fp32")  # 1000 in, 10 out
    >>> kernel.flops, kernel.bytes
    (990, 4040)

    """
    sizes(rows=rows, cols=cols)
    read = storage(dtype, name="dtype")
    written = held("result", result, read)
    return Kernel(
        name=f"reduce {rows} x {cols}",
        flops=rows * (cols - 1),
        bytes=read.size_of(rows * cols) + written.size_of(rows),
        dtype=read.arithmetic,
        assumptions=("one FLOP less than elements in a row", "partial sums stay on the chip"),
        unit="vector",
    )


@operation(_FAMILY)
def transpose(*, m: int, n: int, batch: int = 1, dtype: str = "bf16") -> Kernel:
    """Transpose of m x n matrices, in FLOP and B: no FLOP, each element is read and written once.

    Args:
        m: rows
        n: columns
        batch: independent matrices
        dtype: number format of the elements

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> transpose(m=100, n=10).flops, transpose(m=100, n=10).bytes
    (0, 4000)

    """
    sizes(m=m, n=n, batch=batch)
    operand = storage(dtype, name="dtype")
    return Kernel(
        name=f"transpose {m} x {n}",
        flops=0,
        bytes=2 * operand.size_of(batch * m * n),
        dtype=operand.arithmetic,
        assumptions=("each element is read once and written once, in whole cache lines",),
    )


@operation(_FAMILY)
def embedding(
    *, tokens: int, width: int, dtype: str = "bf16", weights: str | None = None, index: str = "int32"
) -> Kernel:
    """Look-up of a row of a table for each token, in FLOP and B: a gather, no FLOP.

    Read are the indices and one row a token, written are the rows: not the whole table, and no product with it.

    Args:
        tokens: rows to look up
        width: elements of a row (hidden size)
        dtype: number format of the output
        weights: number format of the table; None: that of the output
        index: number format of an index

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = embedding(tokens=10, width=100)  # 10 x 100 elements in and out, 10 indices
    >>> kernel.flops, kernel.bytes
    (0, 4040)

    """
    sizes(tokens=tokens, width=width)
    written, indices = storage(dtype, name="dtype"), storage(index, name="index")
    table = held("weights", weights, written)
    return Kernel(
        name=f"embedding {tokens} x {width}",
        flops=0,
        # A row of a block format begins with a block of its own, so rows are rounded up one by one.
        bytes=tokens * table.size_of(width) + indices.size_of(tokens) + written.size_of(tokens * width),
        dtype=written.arithmetic,
        assumptions=("a gather: one row of the table is read for each token, no token twice",),
        notes=remarks(table.name),
    )
