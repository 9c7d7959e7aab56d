"""Grouped-query attention: its shape and parameters, its operators and their tensors, and how devices share it.

Ainslie et al.: GQA, arXiv:2305.13245.
"""

from collections.abc import Iterator
from math import gcd
from typing import Literal, NamedTuple

from roofline.errors import InputError
from roofline.operations.arguments import counts, divides, sizes
from roofline.operations.sdpa import attention as scaled_dot_product
from roofline.precision import arithmetic, storage
from roofline.records import self_checked
from roofline.text import counted
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats
from roofline.transformer.operator import Operator, Tensor, append, in_precision, linear, reading, without_output
from roofline.transformer.step import Step


@self_checked
class Gqa(NamedTuple):
    """Attention of n query heads over g heads of keys and values: MHA where g = n, MQA where g = 1.

    Raises:
        InputError: a size that is no whole number from 1 on, or query heads that the KV heads do not divide.

    """

    heads: int  # n, of queries
    kv_heads: int  # g
    head_dim: int  # d; where a configuration gives it, it need not be hidden / heads
    qkv_bias: bool = False
    output_bias: bool = False
    qk_norm: int = 0  # weights of the norms of queries and keys: 2 d where all heads share one (Qwen3); 0: no norms
    window: int | None = None  # positions that a token attends at most, itself among them; None: all
    sinks: bool = False  # one learned logit a head (gpt-oss)

    def _check(self) -> None:
        sizes(heads=self.heads, kv_heads=self.kv_heads, head_dim=self.head_dim)
        counts(qk_norm=self.qk_norm)
        if self.window is not None:
            sizes(window=self.window)
        if self.kv_heads > self.heads:
            raise InputError(f"kv_heads must not exceed heads: {self.kv_heads} of {self.heads}")
        divides("kv_heads", self.kv_heads, "heads", self.heads)

    def __str__(self) -> str:
        """In words, such as "32 query and 8 KV heads of 128, window 4,096"."""
        window = f", window {self.window:,}" if self.window else ""
        return f"{self.heads} query and {counted(self.kv_heads, 'KV head')} of {self.head_dim}{window}"

    @property
    def kind(self) -> Literal["heads"]:
        """What it caches: a key and a value of each KV head."""
        return "heads"

    @property
    def value_dim(self) -> int:
        """Elements of the value of a head."""
        return self.head_dim

    @property
    def sharing(self) -> str | None:
        """What heads share of the cache, in words; None where each has keys and values of its own."""
        return f"{counted(self.kv_heads, 'KV head')} of {self.heads}" if self.kv_heads < self.heads else None

    @property
    def kv_elements(self) -> int:
        """Elements that one token adds to the cache of one layer: a key and a value for each KV head.

        >>> Gqa(heads=32, kv_heads=8, head_dim=128).kv_elements
        2048

        """
        return 2 * self.kv_heads * self.head_dim

    def matrices(self, hidden: int) -> int:
        """Parameters of the projections q, k, v and o: h d (n + 2 g) + n d h.

        >>> Gqa(heads=32, kv_heads=8, head_dim=128).matrices(4096)
        41943040

        """
        return hidden * self.head_dim * (2 * self.heads + 2 * self.kv_heads)

    def vectors(self, hidden: int) -> int:
        """Parameters of biases, norms of queries and keys, and sinks."""
        biases = self.qkv_bias * self.head_dim * (self.heads + 2 * self.kv_heads) + self.output_bias * hidden
        return biases + self.qk_norm + self.sinks * self.heads

    def widest(self, hidden: int) -> int:
        """Elements a token that the widest operator reads and writes, attention being fused.

        Attention reads q, k and v and writes as much as q; the product before it reads the hidden state.
        """
        wide = self.heads * self.head_dim
        held = wide + self.kv_elements
        return max(held + wide, hidden + held)

    def shard(self, devices: int) -> "Gqa":
        """The heads that one of so many devices computes, KV heads being replicated where there are more devices.

        Raises:
            InputError: devices that do not divide the heads, or KV heads that neither divide them nor the reverse.

        """
        heads, g = share(self.heads, devices), self.kv_heads
        if gcd(g, devices) != min(g, devices):
            raise InputError(f"devices must divide the {counted(g, 'KV head')} or be a multiple of them, got {devices}")
        return self._replace(heads=heads, kv_heads=max(g // devices, 1))

    def as_mha(self) -> "Gqa":
        """The same with as many KV heads as heads."""
        return self._replace(kv_heads=self.heads)

    def tensors(self, hidden: int) -> Iterator[Tensor]:
        """Its tensors as GGUF names them, some of no elements."""
        wide, narrow = self.heads * self.head_dim, self.kv_heads * self.head_dim
        for letter, size in (("q", wide), ("k", narrow), ("v", narrow)):
            yield Tensor("q, k, v", f"attn_{letter}.weight", "attention", hidden * size)
            yield Tensor("q, k, v", f"attn_{letter}.bias", "vectors", self.qkv_bias * size)
        yield Tensor("output", "attn_output.weight", "attention", wide * hidden)
        yield Tensor("output", "attn_output.bias", "vectors", self.output_bias * hidden)
        # One norm for the width of a head, or one for all heads together.
        queries = self.head_dim if self.qk_norm == 2 * self.head_dim else self.qk_norm * wide // (wide + narrow)
        if self.qk_norm:
            yield Tensor("KV append", "attn_q_norm.weight", "vectors", queries)
            yield Tensor("KV append", "attn_k_norm.weight", "vectors", self.qk_norm - queries)
        yield Tensor("attention", "attn_sinks.weight", "vectors", self.sinks * self.heads)

    def operators(
        self, *, hidden: int, step: Step, formats: Formats, conventions: Conventions
    ) -> tuple[Operator, Operator, Operator, Operator]:
        """The product to q, k and v, the append of k and v to the cache, the core, and the output, in FLOP and B.

        2 T h d (n + 2 g) and 2 T n d h FLOP of the products for T tokens. Keys and values are written once, by the
        append, which rotates and normalises them on the way: the product hands them over on the chip.

        >>> llama = Gqa(heads=32, kv_heads=8, head_dim=128)
        >>> q, append, _, out = llama.operators(
        ...     hidden=4096, step=Step.decode(9), formats=Formats(), conventions=Conventions())
        >>> q.flops == 2 * 4096 * 128 * 48, append.kv == 2 * 8 * 128 * 2, out.flops == 2 * 4096 * 4096
        (True, True, True)

        """
        tokens, wide, cached = step.tokens, self.heads * self.head_dim, self.kv_elements
        qkv = linear(
            "q, k, v",
            "attention",
            part="attention",
            rows=tokens,
            inputs=hidden,
            outputs=wide + cached,
            formats=formats,
            bias=self.qkv_bias,
        )
        output = linear(
            "output",
            "attention",
            part="attention",
            rows=tokens,
            inputs=wide,
            outputs=hidden,
            formats=formats,
            bias=self.output_bias,
        )
        return (
            without_output(qkv, tokens * cached, formats),
            append(cached, tokens=tokens, formats=formats, norms=self.qk_norm),
            self.core(step=step, formats=formats, conventions=conventions),
            output,
        )

    def core(self, *, step: Step, formats: Formats, conventions: Conventions) -> Operator:
        """Scores, softmax and weighted sum of one layer, in FLOP and B: 4 B n d FLOP for each pair of query and key.

        Queries and output are activations; keys and values of all positions that are attended are read once, those
        outside a window never. Unfused, the scores of the keys that are read are moved four times more. The arithmetic
        runs in the precision of the activations.

        >>> heads = Gqa(heads=32, kv_heads=8, head_dim=128)
        >>> core = heads.core(step=Step.decode(4096), formats=Formats(), conventions=Conventions())
        >>> core.flops == 4 * 32 * 128 * 4096, core.kv == 2 * 2 * 8 * 128 * 4096, core.activations == 2 * 2 * 32 * 128
        (True, True, True)

        """
        # A layer with a window keeps no more in its cache than a step can see: nothing else can be read, fused or not.
        keys = step.positions if self.window is None else min(step.positions, self.window - 1 + step.new)
        kernel = scaled_dot_product(
            b=step.batch,
            h=self.heads,
            h_kv=self.kv_heads,
            s_q=step.new,
            s_kv=keys,
            d=self.head_dim,
            count=conventions.count,
            window=self.window,
            unfused=conventions.attention == "unfused",
            dtype=formats.activations,
            kv=formats.kv,
        )
        core = Operator(
            "attention",
            "attention",
            in_precision(kernel, arithmetic(formats.activations)),
            kv=2 * storage(formats.kv).size_of(step.batch * self.kv_heads * keys * self.head_dim),  # keys, and values
            window=self.window,
            core=True,
        )
        return reading(core, formats.of("vectors").size_of(self.heads * self.sinks))


def share(heads: int, devices: int) -> int:
    """The heads of a layer that one of so many devices computes.

    Raises:
        InputError: devices that do not divide the heads.

    """
    if heads % devices:
        fit = [p for p in range(2, min(devices, heads + 1)) if heads % p == 0]
        raise InputError(
            f"devices must divide the {counted(heads, 'head')} of a layer, got {devices}",
            hint=f"fewer that do: {', '.join(map(str, fit[-3:]))}" if fit else "no smaller number above 1 does",
        )
    return heads // devices
