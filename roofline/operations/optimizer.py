"""Optimiser steps: one update of all parameters from their gradients."""

from typing import Final

from roofline.core.kernel import Kernel
from roofline.operations.arguments import held, sizes
from roofline.operations.registry import operation
from roofline.precision import storage

_FAMILY: Final = "deep learning"
_ARITHMETIC: Final = "fp32"  # whatever the formats in memory, an update is computed in single precision


@operation(_FAMILY)
def optimizer_sgd(
    *,
    n: int,
    momentum: bool = False,
    decay: bool = False,
    dtype: str = "bf16",
    gradient: str | None = None,
    master: str | None = None,
    state: str = "fp32",
) -> Kernel:
    """Step of stochastic gradient descent on n parameters, in FLOP and B.

    w := w - lr g: 2 FLOP per parameter. With momentum v := mu v + g and w := w - lr v: 4 FLOP (Sutskever et al.: On
    the importance of initialization and momentum in deep learning, ICML 2013, equations 1 and 2, with the rate
    outside of v). Decay adds lambda w to g: 2 FLOP more.

    Args:
        n: parameters
        momentum: keep a velocity for each parameter
        decay: L2 weight decay
        dtype: number format of the weights
        gradient: number format of the gradients; None: that of the weights
        master: number format of master weights, which are updated and then rounded to the weights; None: there are none
        state: number format of the velocity

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = optimizer_sgd(n=1000, dtype="fp32")  # weights read and written, gradients read
    >>> kernel.flops, kernel.bytes
    (2000, 12000)

    """
    steps = (2 if decay else 0) + (4 if momentum else 2)
    return _step("sgd", n, steps, int(momentum), dtype=dtype, gradient=gradient, master=master, state=state)


@operation(_FAMILY)
def optimizer_adam(
    *,
    n: int,
    decay: bool = False,
    dtype: str = "bf16",
    gradient: str | None = None,
    master: str | None = None,
    state: str = "fp32",
) -> Kernel:
    """Step of Adam on n parameters, in FLOP and B.

    12 FLOP per parameter: 3 for m := b1 m + (1 - b1) g, 4 for v := b2 v + (1 - b2) g^2, 5 for w := w - a m /
    (sqrt(v) + eps) with the bias corrections in the rate a (Kingma, Ba: Adam, arXiv:1412.6980, end of section 2). Decay
    multiplies w by 1 - lr lambda: 1 FLOP more (Loshchilov, Hutter: Decoupled weight decay regularization,
    arXiv:1711.05101).

    Args:
        n: parameters
        decay: decoupled weight decay (AdamW)
        dtype: number format of the weights
        gradient: number format of the gradients; None: that of the weights
        master: number format of master weights, which are updated and then rounded to the weights; None: there are none
        state: number format of both moments

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = optimizer_adam(n=1000, master="fp32")  # 8 + 8 + 8 B of fp32, 2 B gradient, 2 B weight
    >>> kernel.flops, kernel.bytes
    (12000, 28000)

    """
    steps = 13 if decay else 12
    return _step("adam", n, steps, 2, dtype=dtype, gradient=gradient, master=master, state=state)


def _step(
    name: str, n: int, steps: int, states: int, *, dtype: str, gradient: str | None, master: str | None, state: str
) -> Kernel:
    """An update that reads gradients, and reads and writes weights and so many states of each parameter."""
    sizes(n=n)
    weights = storage(dtype, name="dtype")
    gradients, masters = held("gradient", gradient, weights), held("master", master, weights)
    kept = storage(state, name="state")
    rounded = weights.size_of(n) if master is not None else 0
    return Kernel(
        name=f"{name} step of {n} parameters",
        flops=steps * n,
        bytes=gradients.size_of(n) + 2 * masters.size_of(n) + rounded + 2 * states * kept.size_of(n),
        dtype=_ARITHMETIC,
        assumptions=(
            f"{steps} FLOP per parameter, in {_ARITHMETIC}",
            "one fused pass: gradients read, weights and states read and written once",
            *((f"{master} master weights, rounded to {dtype} weights",) if master is not None else ()),
        ),
        unit="vector",
    )
