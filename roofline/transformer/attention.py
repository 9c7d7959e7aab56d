"""Grouped-query attention over the cache: fused or unfused, causal or counted in full, all positions or a window."""

from __future__ import annotations

from roofline.operations.sdpa import attention as scaled_dot_product
from roofline.precision import arithmetic, storage
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats
from roofline.transformer.layer import Gqa
from roofline.transformer.operator import Operator, in_precision, reading
from roofline.transformer.step import Step


def attend(attention: Gqa, *, step: Step, formats: Formats, conventions: Conventions) -> Operator:
    """Scores, softmax and weighted sum of one layer, in FLOP and B: 4 B n d FLOP for each pair of query and key.

    Queries and output are activations; keys and values of all positions that are attended are read once, those outside
    a window never. Unfused, the scores of the keys that are read are moved four times more. The arithmetic runs in the
    precision of the activations.

    >>> heads = Gqa(heads=32, kv_heads=8, head_dim=128)
    >>> core = attend(heads, step=Step.decode(4096), formats=Formats(), conventions=Conventions())
    >>> core.flops == 4 * 32 * 128 * 4096, core.kv == 2 * 2 * 8 * 128 * 4096, core.activations == 2 * 2 * 32 * 128
    (True, True, True)

    """
    unfused = conventions.attention == "unfused"
    # A layer with a window keeps no more in its cache than a step can see, so nothing else can be read, fused or not.
    keys = step.positions if attention.window is None else min(step.positions, attention.window - 1 + step.new)
    kernel = scaled_dot_product(
        b=step.batch,
        h=attention.heads,
        h_kv=attention.kv_heads,
        s_q=step.new,
        s_kv=keys,
        d=attention.head_dim,
        count=conventions.count,
        window=attention.window,
        unfused=unfused,
        dtype=formats.activations,
        kv=formats.kv,
    )
    held = storage(formats.activations)
    heads = step.batch * attention.heads
    queries = held.size_of(heads * step.new * attention.head_dim)
    scores = 4 * held.size_of(heads * step.new * keys) if unfused else 0
    core = Operator(
        "attention",
        "attention",
        in_precision(kernel, arithmetic(formats.activations)),
        kv=int(kernel.bytes or 0) - 2 * queries - scores,
        window=attention.window,
    )
    return reading(core, formats.of("vectors").size_of(attention.heads * attention.sinks))
