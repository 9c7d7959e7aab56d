"""MLPs that every token passes: two products, or three where a gate multiplies one of two."""

from __future__ import annotations

from roofline.operations.activation import gelu, swiglu
from roofline.precision import storage
from roofline.transformer.formats import Formats, Part
from roofline.transformer.layer import Dense
from roofline.transformer.operator import Group, Operator, linear, moving


def mlp(
    dense: Dense,
    *,
    hidden: int,
    tokens: int,
    formats: Formats,
    part: Part = "mlp",
    group: Group = "mlp",
    called: str = "",
) -> tuple[Operator, Operator]:
    """The product into the width of an MLP, and the one out of it, in FLOP and B: 6 T h I FLOP gated, else 4 T h I.

    Gate and up are one product. The activation is the prologue of the product out of the width: it reads gate and up,
    and its result is moved once between the two. So T tokens move h + 5 I + h elements where the MLP is gated.

    >>> into, out = mlp(Dense(width=14336), hidden=4096, tokens=8, formats=Formats())
    >>> into.flops + out.flops == 6 * 8 * 4096 * 14336
    True
    >>> into.activations + out.activations == 2 * 8 * (2 * 4096 + 5 * 14336)
    True

    """
    into = linear(
        f"{called}{'gate, up' if dense.gated else 'up'}",
        group,
        part=part,
        rows=tokens,
        inputs=hidden,
        outputs=(1 + dense.gated) * dense.width,
        formats=formats,
        bias=dense.bias,
    )
    out = linear(
        f"{called}down",
        group,
        part=part,
        rows=tokens,
        inputs=dense.width,
        outputs=hidden,
        formats=formats,
        bias=dense.bias,
    )
    elements = tokens * dense.width
    activation = (swiglu if dense.gated else gelu)(n=elements, dtype=formats.activations)
    handed_over = storage(formats.activations).size_of(elements)
    return into, moving(out, int(activation.bytes or 0) - handed_over)
