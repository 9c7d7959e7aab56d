"""Norms and residual sums between the products, each a kernel of its own that moves the hidden state."""

from __future__ import annotations

from roofline.operations.normalization import layernorm, rmsnorm
from roofline.operations.pointwise import elementwise
from roofline.precision import storage
from roofline.transformer.formats import Formats
from roofline.transformer.layer import Layer
from roofline.transformer.operator import Operator, reading, traffic

_SUMS = 2  # residual sums of a layer: after the attention and after the MLP


def norms(layer: Layer, *, hidden: int, tokens: int, formats: Formats) -> tuple[Operator, ...]:
    """The norms and residual sums of one layer: no FLOP of matrix products, 10 T h elements where there are two norms.

    A norm reads and writes the hidden state, a sum reads two and writes one.

    >>> from roofline.transformer.layer import Dense, Gqa
    >>> llama = Layer(attention=Gqa(heads=32, kv_heads=8, head_dim=128), mlp=Dense(width=14336))
    >>> rows = norms(llama, hidden=4096, tokens=8, formats=Formats())
    >>> sum(row.times * row.activations for row in rows) == 10 * 8 * 4096 * 2
    True

    """
    add = elementwise(n=tokens * hidden, inputs=2, flops=0, dtype=formats.activations)
    sums = Operator("residual sums", "norms", add, times=_SUMS)
    if not layer.norms:
        return (sums,)
    each = norm("norms", tokens, hidden, bias=layer.norm_bias, formats=formats)
    return (each._replace(times=layer.norms), sums)


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
