"""Operations that normalise rows: softmax, layer norm, RMS norm and cross entropy.

An elementary function (exp, log, square root) counts as one FLOP. What is done once a row, not once an element, is left
out of the norms and of the softmax.
"""

from typing import Final, Literal

from roofline.core.kernel import Kernel
from roofline.operations.arguments import held, one_of, sizes
from roofline.operations.registry import operation
from roofline.precision import storage

_FAMILY: Final = "deep learning"
_ROW_IN_REACH: Final = "each row is read once and kept near"
# Reads of an element by the algorithms of Milakov and Gimelshein, sections 2 and 3; each writes it once.
_SOFTMAX_READS: Final = {"fused": 1, "online": 2, "safe": 3}


@operation(_FAMILY)
def softmax(
    *,
    rows: int,
    cols: int,
    passes: Literal["fused", "online", "safe"] = "fused",
    dtype: str = "bf16",
    result: str | None = None,
) -> Kernel:
    """Softmax exp(x - max x) / sum exp(x - max x) of each row, in FLOP and B.

    5 FLOP per element: maximum, difference, exponential, sum, quotient. Traffic: fused, an element is read and
    written once, as where a row fits into registers or shared memory; online, it is read 2 times, and safe 3 times,
    3 and 4 accesses in all (Milakov, Gimelshein: Online normalizer calculation for softmax, arXiv:1805.02867). The
    online algorithm's rescaling of its running sum is not counted.

    Args:
        rows: independent rows
        cols: elements of a row
        passes: fused reads a row once, online 2 times, safe 3 times
        dtype: number format of the input
        result: number format of the output; None: that of the input

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = softmax(rows=131_072, cols=4096, dtype="bf16")  # 536,870,912 elements
    >>> kernel.flops == 5 * 536870912, kernel.bytes == 2 * 2 * 536870912
    (True, True)

    """
    sizes(rows=rows, cols=cols)
    one_of("passes", passes, tuple(_SOFTMAX_READS))
    elements, reads = rows * cols, _SOFTMAX_READS[passes]
    read = storage(dtype, name="dtype")
    written = held("result", result, read)
    return Kernel(
        name=f"softmax {rows} x {cols}",
        flops=5 * elements,
        bytes=reads * read.size_of(elements) + written.size_of(elements),
        dtype=read.arithmetic,
        assumptions=(
            "5 FLOP per element: max, subtract, exp, sum, divide",
            _ROW_IN_REACH if reads == 1 else f"{passes}: each element is read {reads} times",
        ),
        unit="vector",
    )


@operation(_FAMILY)
def layernorm(
    *,
    rows: int,
    cols: int,
    affine: bool = True,
    bias: bool = True,
    residual: bool = False,
    dtype: str = "bf16",
) -> Kernel:
    """Layer normalisation of each row, in FLOP and B.

    (x - mean) / sqrt(variance + eps) * weight + bias. 5 FLOP per element: sum, difference, square, sum of squares,
    product with the reciprocal of the root; one more for the weight and one for the bias (Ba, Kiros, Hinton: Layer
    normalization, arXiv:1607.06450, section 3).

    Args:
        rows: independent rows (tokens)
        cols: elements of a row (hidden size)
        affine: multiply by a weight for each column
        bias: add a bias for each column, where there is a weight
        residual: add a residual first, and write the sum too
        dtype: number format of all operands

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = layernorm(rows=2, cols=8, dtype="fp32")  # 16 elements in and out, 8 weights and 8 biases
    >>> kernel.flops == 7 * 16, kernel.bytes == 4 * (16 + 16 + 8 + 8)
    (True, True)

    """
    vectors = (1 + bias) if affine else 0
    steps = "sum, subtract, square, sum, scale" + (", weight" if affine else "") + (", bias" if vectors == 2 else "")
    return _norm("layernorm", rows, cols, steps, vectors=vectors, residual=residual, dtype=dtype)


@operation(_FAMILY)
def rmsnorm(*, rows: int, cols: int, affine: bool = True, residual: bool = False, dtype: str = "bf16") -> Kernel:
    """Root-mean-square normalisation of each row, in FLOP and B.

    x / sqrt(mean x^2 + eps) * weight. 3 FLOP per element: square, sum, product with the reciprocal of the root; one
    more for the weight (Zhang, Sennrich: Root mean square layer normalization, arXiv:1910.07467, equation 4).

    Args:
        rows: independent rows (tokens)
        cols: elements of a row (hidden size)
        affine: multiply by a weight for each column
        residual: add a residual first, and write the sum too
        dtype: number format of all operands

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = rmsnorm(rows=2, cols=8)  # 16 elements in and out, 8 weights
    >>> kernel.flops == 4 * 16, kernel.bytes == 2 * (16 + 16 + 8)
    (True, True)

    """
    steps = "square, sum, scale" + (", weight" if affine else "")
    return _norm("rmsnorm", rows, cols, steps, vectors=int(affine), residual=residual, dtype=dtype)


def _norm(name: str, rows: int, cols: int, steps: str, *, vectors: int, residual: bool, dtype: str) -> Kernel:
    """A norm that does the named steps on each element and reads that many vectors of a row's length."""
    sizes(rows=rows, cols=cols)
    if residual:
        steps = f"residual, {steps}"
    per_element, operand = steps.count(",") + 1, storage(dtype, name="dtype")
    return Kernel(
        name=f"{name} {rows} x {cols}",
        flops=per_element * rows * cols,
        # A residual is one more array read, and the sum of both one more written.
        bytes=(4 if residual else 2) * operand.size_of(rows * cols) + vectors * operand.size_of(cols),
        dtype=operand.arithmetic,
        assumptions=(f"{per_element} FLOP per element: {steps}", _ROW_IN_REACH),
        unit="vector",
    )


@operation(_FAMILY)
def cross_entropy(*, rows: int, vocab: int, dtype: str = "bf16", index: str = "int32", result: str = "fp32") -> Kernel:
    """Cross entropy of each row of logits against its target, in FLOP and B.

    log(sum exp(x - max x)) + max x - x[target]. 4 FLOP per logit (maximum, difference, exponential, sum) and 3 per row
    (logarithm, sum, difference). The logits and the target are read and the loss is written once (Goodfellow, Bengio,
    Courville: Deep Learning, 6.2.2.3, equation 6.30).

    Args:
        rows: predictions (tokens)
        vocab: logits of a row
        dtype: number format of the logits
        index: number format of a target
        result: number format of a loss

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = cross_entropy(rows=2, vocab=10)  # 20 logits, 2 targets, 2 losses
    >>> kernel.flops == 4 * 20 + 3 * 2, kernel.bytes == 20 * 2 + 2 * 4 + 2 * 4
    (True, True)

    """
    sizes(rows=rows, vocab=vocab)
    logits, target, loss = storage(dtype, name="dtype"), storage(index, name="index"), storage(result, name="result")
    return Kernel(
        name=f"cross entropy {rows} x {vocab}",
        flops=4 * rows * vocab + 3 * rows,
        bytes=logits.size_of(rows * vocab) + target.size_of(rows) + loss.size_of(rows),
        dtype=logits.arithmetic,
        assumptions=(
            "4 FLOP per logit (max, subtract, exp, sum), 3 per row (log, add, subtract)",
            _ROW_IN_REACH,
            "no gradient",
        ),
        unit="vector",
    )
