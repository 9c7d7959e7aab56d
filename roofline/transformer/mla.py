"""Multi-head latent attention: absorbed, where all heads attend the latent itself, or naive, from expanded keys.

DeepSeek-V2, arXiv:2405.04434, section 2.1 and appendix C. With r the rank of the latent, d_r the rotary part of a key,
d_n its other part and d_v the size of a value: absorbed, a pair of query and key costs 2 n ((r + d_r) + r) FLOP and a
position moves r + d_r elements once for all heads. Naive, a pair costs 2 n (d_n + d_r + d_v), but each step expands
all positions to n heads, and moves what it has expanded. So the first suits decode and the second prefill.
"""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from roofline.operations.arguments import sizes
from roofline.operations.sdpa import attention as scaled_dot_product
from roofline.precision import arithmetic, storage
from roofline.records import self_checked
from roofline.text import counted
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats
from roofline.transformer.gqa import Gqa, share
from roofline.transformer.operator import Operator, Tensor, append, in_precision, linear, moving, without_output
from roofline.transformer.step import Step

_ABSORBED: Final = "MLA absorbed: all heads attend the latent itself"
_NAIVE: Final = "MLA naive: latents of all positions are expanded to keys and values of each head"


@self_checked
class Mla(NamedTuple):
    """Multi-head latent attention: one latent of keys and values a token, for all heads, and one rotary key.

    Raises:
        InputError: a size that is no whole number from 1 on.

    """

    heads: int  # n
    q_lora_rank: int | None  # r_q; None: queries are projected without a latent of their own
    kv_lora_rank: int  # r
    nope_dim: int  # d_n, of a head's key without rotation
    rope_dim: int  # d_r, of the rotary key that all heads share
    value_dim: int  # d_v
    bias: bool = False  # on the projections to the latents and on the output

    def _check(self) -> None:
        sizes(heads=self.heads, kv_lora_rank=self.kv_lora_rank, nope_dim=self.nope_dim)
        sizes(rope_dim=self.rope_dim, value_dim=self.value_dim)
        if self.q_lora_rank is not None:
            sizes(q_lora_rank=self.q_lora_rank)

    def __str__(self) -> str:
        """In words, such as "MLA, 128 heads, latent 512 + 64"."""
        return f"MLA, {counted(self.heads, 'head')}, latent {self.kv_lora_rank} + {self.rope_dim}"

    @property
    def kind(self) -> Literal["latent"]:
        """What it caches."""
        return "latent"

    @property
    def sharing(self) -> str:
        """What heads share of the cache, in words."""
        return f"latent of {self.kv_elements}"

    @property
    def window(self) -> None:
        """None: a token attends all positions."""
        return

    @property
    def kv_elements(self) -> int:
        """Elements that one token adds to the cache of one layer: the latent and the rotary key, r + d_r.

        >>> Mla(heads=128, q_lora_rank=1536, kv_lora_rank=512, nope_dim=128, rope_dim=64, value_dim=128).kv_elements
        576

        """
        return self.kv_lora_rank + self.rope_dim

    def matrices(self, hidden: int) -> int:
        """Parameters of the projections: queries (with or without a latent), latent, its expansion, and output."""
        n, r = self.heads, self.kv_lora_rank
        query_width = n * (self.nope_dim + self.rope_dim)
        rank = self.q_lora_rank
        queries = hidden * query_width if rank is None else hidden * rank + rank * query_width
        latent = hidden * (r + self.rope_dim)
        return queries + latent + r * n * (self.nope_dim + self.value_dim) + n * self.value_dim * hidden

    def vectors(self, hidden: int) -> int:
        """Parameters of the norms of the latents, and of biases."""
        rank = self.q_lora_rank or 0
        norms = rank + self.kv_lora_rank
        return norms + self.bias * (rank + self.kv_lora_rank + self.rope_dim + hidden)

    def widest(self, hidden: int) -> int:
        """Elements a token that the widest operator of a prefill reads and writes, attention being fused.

        There the latent is expanded to keys and values of every head, which the core reads with the queries.
        """
        queries, values = self.heads * (self.nope_dim + self.rope_dim), self.heads * self.value_dim
        held = 2 * queries + values
        return max(held + values, hidden + held)

    def shard(self, devices: int) -> "Mla":
        """The heads that one of so many devices computes; the latent is on every device.

        Raises:
            InputError: devices that do not divide the heads.

        """
        return self._replace(heads=share(self.heads, devices))

    def as_mha(self) -> Gqa:
        """Heads with keys and values of the size of its values: DeepSeek-V2, arXiv:2405.04434, table 1."""
        return Gqa(heads=self.heads, kv_heads=self.heads, head_dim=self.value_dim)

    def tensors(self, hidden: int) -> Iterator[Tensor]:
        """Its tensors as GGUF names them, some of no elements."""
        n, r, rank = self.heads, self.kv_lora_rank, self.q_lora_rank
        wide = n * (self.nope_dim + self.rope_dim)
        if rank is None:
            yield Tensor("q", "attn_q.weight", "attention", hidden * wide)
        else:
            yield Tensor("q down", "attn_q_a.weight", "attention", hidden * rank)
            yield Tensor("q down", "attn_q_a.bias", "vectors", self.bias * rank)
            yield Tensor("q up", "attn_q_b.weight", "attention", rank * wide)
            yield Tensor("KV append", "attn_q_a_norm.weight", "vectors", rank)
        yield Tensor("kv down", "attn_kv_a_mqa.weight", "attention", hidden * self.kv_elements)
        yield Tensor("kv down", "attn_kv_a_mqa.bias", "vectors", self.bias * self.kv_elements)
        yield Tensor("KV append", "attn_kv_a_norm.weight", "vectors", r)
        # Absorbed, the two halves of the expansion are products of their own; naive, they are one.
        yield Tensor("q into latent", "attn_k_b.weight", "attention", n * self.nope_dim * r, instead="kv up")
        yield Tensor("out of latent", "attn_v_b.weight", "attention", n * r * self.value_dim, instead="kv up")
        yield Tensor("output", "attn_output.weight", "attention", n * self.value_dim * hidden)
        yield Tensor("output", "attn_output.bias", "vectors", self.bias * hidden)

    def operators(self, *, hidden: int, step: Step, formats: Formats, conventions: Conventions) -> tuple[Operator, ...]:
        """All of the attention of one layer, in FLOP and B.

        >>> v3 = Mla(heads=128, q_lora_rank=1536, kv_lora_rank=512, nope_dim=128, rope_dim=64, value_dim=128)
        >>> rows = v3.operators(hidden=7168, step=Step.decode(4096), formats=Formats(), conventions=Conventions())
        >>> core = next(row for row in rows if row.core)
        >>> core.flops == 2 * 128 * 4096 * (576 + 512), core.kv == 2 * 4096 * 576
        (True, True)

        """
        absorbed = conventions.mla == "absorbed" or (conventions.mla == "auto" and step.is_decode)
        tokens, norms = step.tokens, (self.q_lora_rank or 0) + self.kv_lora_rank
        latent = _projection("kv down", self.kv_elements, hidden, tokens, formats, bias=self.bias)
        return (
            *_queries(self, hidden, tokens, formats),
            without_output(latent, tokens * self.kv_elements, formats),
            append(self.kv_elements, tokens=tokens, formats=formats, norms=norms),
            *(_absorbed if absorbed else _naive)(self, step, formats, conventions),
            _projection("output", hidden, self.heads * self.value_dim, tokens, formats, bias=self.bias),
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
        core=True,
        assumes=_ABSORBED,
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
    core = Operator(
        "attention", "attention", in_precision(kernel, arithmetic(formats.activations)), core=True, assumes=_NAIVE
    )
    return (expand._replace(kv=read), core)
