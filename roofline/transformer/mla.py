"""Multi-head latent attention: absorbed, where all heads attend the latent itself, or naive, from expanded keys.

DeepSeek-V2, arXiv:2405.04434, section 2.1 and appendix C. With r the rank of the latent, d_r the rotary part of a key,
d_n its other part and d_v the size of a value: absorbed, a pair of query and key costs 2 n ((r + d_r) + r) FLOP and a
position moves r + d_r elements once for all heads. Naive, a pair costs 2 n (d_n + d_r + d_v), but each step expands
all positions to n heads, and moves what it has expanded. So the first suits decode and the second prefill.
"""

from __future__ import annotations

from roofline.operations.sdpa import attention as scaled_dot_product
from roofline.precision import arithmetic, storage
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats
from roofline.transformer.layer import Mla
from roofline.transformer.operator import Operator, in_precision, linear, moving
from roofline.transformer.projections import append, without_output
from roofline.transformer.step import Step


def latent_attention(
    mla: Mla, *, hidden: int, step: Step, formats: Formats, conventions: Conventions
) -> tuple[Operator, ...]:
    """All of the attention of one layer, in FLOP and B.

    >>> v3 = Mla(heads=128, q_lora_rank=1536, kv_lora_rank=512, nope_dim=128, rope_dim=64, value_dim=128)
    >>> rows = latent_attention(
    ...     v3, hidden=7168, step=Step.decode(4096), formats=Formats(), conventions=Conventions())
    >>> core = next(row for row in rows if row.name == "attention")
    >>> core.flops == 2 * 128 * 4096 * (576 + 512), core.kv == 2 * 4096 * 576
    (True, True)

    """
    absorbed = conventions.mla == "absorbed" or (conventions.mla == "auto" and step.is_decode)
    tokens, norms = step.tokens, (mla.q_lora_rank or 0) + mla.kv_lora_rank
    latent = _projection("kv down", mla.kv_elements, hidden, tokens, formats, bias=mla.bias)
    return (
        *_queries(mla, hidden, tokens, formats),
        without_output(latent, tokens * mla.kv_elements, formats),
        append(mla.kv_elements, tokens=tokens, formats=formats, norms=norms),
        *(_absorbed if absorbed else _naive)(mla, step, formats, conventions),
        _projection("output", hidden, mla.heads * mla.value_dim, tokens, formats, bias=mla.bias),
    )


def _projection(
    name: str, outputs: int, inputs: int, rows: int, formats: Formats, *, batch: int = 1, bias: bool = False
) -> Operator:
    return linear(
        name,
        "attention",
        part="attention",
        rows=rows,
        inputs=inputs,
        outputs=outputs,
        formats=formats,
        batch=batch,
        bias=bias,
    )


def _queries(mla: Mla, hidden: int, tokens: int, formats: Formats) -> tuple[Operator, ...]:
    wide, rank = mla.heads * (mla.nope_dim + mla.rope_dim), mla.q_lora_rank
    if rank is None:
        return (_projection("q", wide, hidden, tokens, formats),)
    return (
        _projection("q down", rank, hidden, tokens, formats, bias=mla.bias),
        _projection("q up", wide, rank, tokens, formats),
    )


def _absorbed(mla: Mla, step: Step, formats: Formats, conventions: Conventions) -> tuple[Operator, ...]:
    """Queries are taken into the latent and results out of it, so that the latent is the key and the value of all."""
    n, r = mla.heads, mla.kv_lora_rank
    kernel = scaled_dot_product(
        b=step.batch,
        h=n,
        h_kv=1,
        s_q=step.new,
        s_kv=step.positions,
        d=mla.kv_elements,
        d_v=r,
        count=conventions.count,
        unfused=conventions.attention == "unfused",
        dtype=formats.activations,
        kv=formats.kv,
    )
    cache, positions = storage(formats.kv), step.batch * step.positions
    core = Operator(
        "attention",
        "attention",
        in_precision(kernel, arithmetic(formats.activations)),
        kv=cache.size_of(positions * mla.kv_elements),
    )
    return (
        _projection("q into latent", r, mla.nope_dim, step.tokens, formats, batch=n),
        moving(core, -cache.size_of(positions * r)),  # the value is a part of the key, which is read once
        _projection("out of latent", mla.value_dim, r, step.tokens, formats, batch=n),
    )


def _naive(mla: Mla, step: Step, formats: Formats, conventions: Conventions) -> tuple[Operator, ...]:
    """Latents of all positions, cached and new, are expanded to keys and values of n heads, which are then attended."""
    n, positions = mla.heads, step.batch * step.positions
    expand = _projection("kv up", n * (mla.nope_dim + mla.value_dim), mla.kv_lora_rank, positions, formats)
    # Its input is the cache, with the rotary keys, in place of activations.
    read = storage(formats.kv).size_of(positions * mla.kv_elements)
    expand = moving(expand, read - storage(formats.activations).size_of(positions * mla.kv_lora_rank))
    kernel = scaled_dot_product(
        b=step.batch,
        h=n,
        s_q=step.new,
        s_kv=step.positions,
        d=mla.nope_dim + mla.rope_dim,
        d_v=mla.value_dim,
        count=conventions.count,
        unfused=conventions.attention == "unfused",
        dtype=formats.activations,
    )
    core = Operator("attention", "attention", in_precision(kernel, arithmetic(formats.activations)))
    return (expand._replace(kv=read), core)
