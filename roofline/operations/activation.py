"""Activation functions on elements, gated or not.

An elementary function (exp, tanh, erf) counts as one FLOP; libraries spend several instructions on it.
"""

from typing import Final, Literal

from roofline.core.kernel import Kernel
from roofline.operations.arguments import one_of, sizes
from roofline.operations.registry import operation
from roofline.precision import storage

_FAMILY: Final = "deep learning"
# The steps on one element x, of which each is one FLOP.
_GELU: Final = {
    "erf": ("scale", "erf", "add 1", "halve", "times x"),
    "tanh": ("square", "cube", "scale", "add x", "scale", "tanh", "add 1", "halve", "times x"),
}
_SILU: Final = ("negate", "exp", "add 1", "divide")


@operation(_FAMILY)
def gelu(*, n: int, approximate: Literal["erf", "tanh"] = "erf", dtype: str = "bf16") -> Kernel:
    """Gaussian error linear unit x Phi(x) of n elements, in FLOP and B.

    erf: x / 2 (1 + erf(x / sqrt 2)), 5 FLOP per element; tanh: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), 9
    FLOP (Hendrycks, Gimpel: Gaussian error linear units, arXiv:1606.08415, section 2).

    Args:
        n: elements
        approximate: the exact function with erf, or its approximation with tanh
        dtype: number format of input and output

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> gelu(n=1000).flops, gelu(n=1000, approximate="tanh").flops, gelu(n=1000).bytes
    (5000, 9000, 4000)

    """
    one_of("approximate", approximate, tuple(_GELU))
    return _by_element("gelu", n, 1, _GELU[approximate], dtype)


@operation(_FAMILY)
def silu(*, n: int, dtype: str = "bf16") -> Kernel:
    """Sigmoid linear unit x / (1 + exp(-x)) of n elements, in FLOP and B.

    4 FLOP per element: negation, exponential, sum, quotient (Elfwing, Uchibe, Doya: Sigmoid-weighted linear units,
    arXiv:1702.03118).

    Args:
        n: elements
        dtype: number format of input and output

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> silu(n=1000).flops, silu(n=1000).bytes
    (4000, 4000)

    """
    return _by_element("silu", n, 1, _SILU, dtype)


@operation(_FAMILY)
def swiglu(*, n: int, dtype: str = "bf16") -> Kernel:
    """Gated unit silu(gate) * up of n elements each, in FLOP and B, without the two products that make gate and up.

    5 FLOP per element: those of :func:`silu`, and one product (Shazeer: GLU variants improve transformer,
    arXiv:2002.05202, equation 5). Two arrays are read and one is written.

    Args:
        n: elements of the output: tokens times the width of the layer
        dtype: number format of all operands

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> swiglu(n=1000).flops, swiglu(n=1000).bytes  # 3 arrays of 2000 B
    (5000, 6000)

    """
    return _by_element("swiglu", n, 2, (*_SILU, "times up"), dtype)


def _by_element(name: str, n: int, inputs: int, steps: tuple[str, ...], dtype: str) -> Kernel:
    sizes(n=n)
    operand = storage(dtype, name="dtype")
    return Kernel(
        name=f"{name} {n}",
        flops=len(steps) * n,
        bytes=(inputs + 1) * operand.size_of(n),
        dtype=operand.arithmetic,
        assumptions=(f"{len(steps)} FLOP per element: {', '.join(steps)}", "each array is moved once"),
        unit="vector",
    )
