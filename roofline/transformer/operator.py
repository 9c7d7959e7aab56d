"""One row of the table of a step: a kernel, how often it runs, and which of its bytes are weights and which are cache.

With it the kinds of row that several rooms have: a linear layer, a norm, an append to the cache; and the tensors that
rows read.
"""

from typing import Final, Literal, NamedTuple

from roofline.core.kernel import Kernel
from roofline.operations.linear import gemm
from roofline.operations.normalization import layernorm, rmsnorm
from roofline.operations.pointwise import elementwise
from roofline.precision import PRECISIONS, arithmetic, storage
from roofline.transformer.formats import Formats, Part

Group = Literal["embedding", "attention", "mlp", "experts", "norms", "head", "unplaced", "communication"]
NO_VECTOR_FLOPS: Final = (
    "FLOP of matrix products only: norms, softmax, activations and rotary embedding count as traffic"
)


class Operator(NamedTuple):
    """A kernel of one layer, and the number of times that a step runs it. Bytes are of one run."""

    name: str
    group: Group
    kernel: Kernel
    times: int = 1  # runs in a step: the number of layers of its type
    weights: int = 0  # B of the kernel's traffic that are weights
    kv: int = 0  # B of the kernel's traffic that are KV cache, read and written
    window: int | None = None  # positions that this attention is limited to
    experts: tuple[int, int] | None = None  # (E, k) of a product with experts, of which a step touches some
    expert_weights: int = 0  # B of one expert
    core: bool = False  # scores, softmax and weighted sum of an attention
    assumes: str = ""  # how it is counted where there are several ways, in words
    layer: int | None = None  # which type of layer of the architecture it belongs to; None: before or behind them

    def in_layers(self, count: int, index: int) -> "Operator":
        """The same in so many layers of a type of the architecture."""
        # Field by field, as nearly all rows of a table pass here, and _replace takes several times as long.
        return Operator(
            self.name,
            self.group,
            self.kernel,
            count * self.times,
            self.weights,
            self.kv,
            self.window,
            self.experts,
            self.expert_weights,
            self.core,
            self.assumes,
            index,
        )

    @property
    def flops(self) -> int:
        """FLOP of all its runs."""
        return self.times * int(self.kernel.flops or 0)

    @property
    def bytes(self) -> int:
        """B of all its runs, through main memory."""
        return self.times * int(self.kernel.bytes or 0)

    @property
    def activations(self) -> int:
        """B of one run that are neither weights nor KV cache."""
        return int(self.kernel.bytes or 0) - self.weights - self.kv


class Tensor(NamedTuple):
    """One tensor as GGUF names it, or as many alike as there are experts."""

    operator: str  # that reads it
    name: str
    part: Part
    elements: int  # of one
    copies: int = 1
    instead: str | None = None  # the operator that reads it where the step is computed in another way


def linear(
    name: str,
    group: Group,
    *,
    part: Part,
    rows: int,
    inputs: int,
    outputs: int,
    formats: Formats,
    batch: int = 1,
    bias: bool = False,
) -> Operator:
    """A linear layer: the gemm of so many rows (tokens) with a matrix of inputs x outputs, in FLOP and B.

    Its weights are held as ``formats`` says of their part, its bias as of vectors, input and output as activations are.
    Products with weights that stay as they are run in the arithmetic of those.

    >>> q = linear("q", "attention", part="attention", rows=8, inputs=4096, outputs=4096, formats=Formats())
    >>> q.flops == 2 * 8 * 4096**2, q.weights == 2 * 4096**2, q.activations == 2 * 8 * (4096 + 4096)
    (True, True, True)

    """
    held = formats.of(part)
    kernel = gemm(m=rows, n=outputs, k=inputs, batch=batch, bias=bias, dtype=formats.activations, weights=held.name)
    weights = batch * held.size_of(inputs * outputs)
    one = Operator(name, group, in_precision(kernel, precision_of(part, formats)), weights=weights)
    if not bias:
        return one
    counted = batch * storage(formats.activations).size_of(outputs)  # by the kernel
    one = one._replace(weights=weights + counted)
    return reading(one, batch * formats.of("vectors").size_of(outputs) - counted)


def norm(name: str, tokens: int, hidden: int, *, bias: bool, formats: Formats) -> Operator:
    """One norm of the hidden states of so many tokens: an RMS norm, or a layer norm where it has a bias."""
    dtype = formats.activations
    kernel = (
        layernorm(rows=tokens, cols=hidden, dtype=dtype) if bias else rmsnorm(rows=tokens, cols=hidden, dtype=dtype)
    )
    held = formats.of("vectors")
    counted = (1 + bias) * (held if held.name == dtype else storage(dtype)).size_of(hidden)  # by the kernel
    one = Operator(name, "norms", traffic(kernel), weights=counted)
    return one if held.name == dtype else reading(one, (1 + bias) * held.size_of(hidden) - counted)


def append(elements: int, *, tokens: int, formats: Formats, norms: int = 0) -> Operator:
    """The write of new keys and values, or latents, to the cache, with the weights of the norms that they pass."""
    written = elementwise(n=tokens * elements, inputs=0, flops=0, dtype=formats.kv)
    one = Operator("KV append", "attention", written, kv=storage(formats.kv).size_of(tokens * elements))
    return reading(one, formats.of("vectors").size_of(norms))


def without_output(operator: Operator, elements: int, formats: Formats) -> Operator:
    """The same product, of whose output so many elements are not written to memory."""
    return moving(operator, -storage(formats.activations).size_of(elements))


def precision_of(part: Part, formats: Formats) -> str:
    """The precision in which products with the weights of a part run.

    Parts that stay as they are run in their own format, or in that of the activations where it is for storage alone or
    narrower than they are.

    >>> precision_of("head", Formats(weights="fp8", compute="fp8")), precision_of("mlp", Formats(compute="fp8"))
    ('bf16', 'fp8')
    >>> precision_of("head", Formats(weights="q8_0", activations="fp32", compute="fp32", kept=frozenset({"head"})))
    'fp32'

    """
    if part not in (formats.kept or ()):
        return formats.compute
    held, moved = PRECISIONS.get(formats.plain), PRECISIONS.get(formats.activations)
    if held is None or (moved is not None and moved.bits > held.bits):
        return arithmetic(formats.activations)
    return held.name


def in_precision(kernel: Kernel, dtype: str) -> Kernel:
    """The same kernel with its arithmetic in another precision."""
    return kernel if kernel.dtype == dtype else kernel._replace(dtype=dtype)


def traffic(kernel: Kernel) -> Kernel:
    """A kernel without matrix products, of which the traffic alone counts."""
    return kernel._replace(flops=0) if kernel.flops else kernel


def moving(operator: Operator, more: int) -> Operator:
    """The same operator with so many B of activations more (or less, where they stay on the chip)."""
    kernel = operator.kernel
    return operator._replace(kernel=kernel._replace(bytes=(kernel.bytes or 0) + more)) if more else operator


def reading(operator: Operator, more: int) -> Operator:
    """The same operator with so many B of weights more (or less)."""
    return moving(operator, more)._replace(weights=operator.weights + more) if more else operator
