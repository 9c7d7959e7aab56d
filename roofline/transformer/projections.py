"""The projections of grouped-query attention: queries, keys and values in one product, and the output."""

from __future__ import annotations

from roofline.operations.pointwise import elementwise
from roofline.precision import storage
from roofline.transformer.formats import Formats
from roofline.transformer.layer import Gqa
from roofline.transformer.operator import Operator, linear, moving, reading


def projections(attention: Gqa, *, hidden: int, tokens: int, formats: Formats) -> tuple[Operator, Operator, Operator]:
    """The product to q, k and v, the append of k and v to the cache, and the output projection, in FLOP and B.

    2 T h d (n + 2 g) and 2 T n d h FLOP for T tokens. Keys and values are written once, by the append, which rotates
    and normalises them on the way: the product hands them over on the chip.

    >>> q, append, out = projections(Gqa(heads=32, kv_heads=8, head_dim=128), hidden=4096, tokens=1, formats=Formats())
    >>> q.flops == 2 * 4096 * 128 * 48, append.kv == 2 * 8 * 128 * 2, out.flops == 2 * 4096 * 4096
    (True, True, True)

    """
    wide, cached = attention.heads * attention.head_dim, attention.kv_elements
    qkv = linear(
        "q, k, v",
        "attention",
        part="attention",
        rows=tokens,
        inputs=hidden,
        outputs=wide + cached,
        formats=formats,
        bias=attention.qkv_bias,
    )
    return (
        without_output(qkv, tokens * cached, formats),
        append(cached, tokens=tokens, formats=formats, norms=attention.qk_norm),
        linear(
            "output",
            "attention",
            part="attention",
            rows=tokens,
            inputs=wide,
            outputs=hidden,
            formats=formats,
            bias=attention.output_bias,
        ),
    )


def without_output(operator: Operator, elements: int, formats: Formats) -> Operator:
    """The same product, of whose output so many elements are not written to memory."""
    return moving(operator, -storage(formats.activations).size_of(elements))


def append(elements: int, *, tokens: int, formats: Formats, norms: int = 0) -> Operator:
    """The write of new keys and values, or latents, to the cache, with the weights of the norms that they pass."""
    written = elementwise(n=tokens * elements, inputs=0, flops=0, dtype=formats.kv)
    one = Operator("KV append", "attention", written, kv=int(written.bytes or 0))
    return reading(one, formats.of("vectors").size_of(norms))
