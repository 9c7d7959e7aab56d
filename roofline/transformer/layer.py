"""One layer of a decoder: its attention, its MLP, its norms, and the exact number of parameters of each.

Parameters are counted apart as matrices, which quantised checkpoints hold in few bits, and as vectors (norms, biases,
sinks), which they leave at 16. These are records, which the architecture that they stand in checks.
"""

from __future__ import annotations

from typing import NamedTuple

from roofline.errors import InputError
from roofline.operations.shapes import counts, divides, sizes

Types = tuple[tuple[str, str], ...]  # tensors of a layer by their name in GGUF, and the format that holds each


class Gqa(NamedTuple):
    """Attention of n query heads over g heads of keys and values: MHA where g = n, MQA where g = 1.

    Ainslie et al.: GQA, arXiv:2305.13245.
    """

    heads: int  # n, of queries
    kv_heads: int  # g
    head_dim: int  # d; where a configuration gives it, it need not be hidden / heads
    qkv_bias: bool = False
    output_bias: bool = False
    qk_norm: int = 0  # weights of the norms of queries and keys: 2 d where all heads share one (Qwen3); 0: no norms
    window: int | None = None  # positions that a token attends at most, itself among them; None: all
    sinks: bool = False  # one learned logit a head (gpt-oss)

    def check(self) -> None:
        """Refuse impossible sizes.

        Raises:
            InputError: a size that is no whole number from 1 on, or query heads that the KV heads do not divide.

        """
        sizes(heads=self.heads, kv_heads=self.kv_heads, head_dim=self.head_dim)
        counts(qk_norm=self.qk_norm)
        if self.window is not None:
            sizes(window=self.window)
        if self.kv_heads > self.heads:
            raise InputError(f"kv_heads must not exceed heads: {self.kv_heads} of {self.heads}")
        divides("kv_heads", self.kv_heads, "heads", self.heads)

    @property
    def kv_elements(self) -> int:
        """Elements that one token adds to the cache of one layer: a key and a value for each KV head.

        >>> Gqa(heads=32, kv_heads=8, head_dim=128).kv_elements
        2048

        """
        return 2 * self.kv_heads * self.head_dim

    def matrices(self, hidden: int) -> int:
        """Parameters of the projections q, k, v and o: h d (n + 2 g) + n d h."""
        return hidden * self.head_dim * (2 * self.heads + 2 * self.kv_heads)

    def vectors(self, hidden: int) -> int:
        """Parameters of biases, norms of queries and keys, and sinks."""
        biases = self.qkv_bias * self.head_dim * (self.heads + 2 * self.kv_heads) + self.output_bias * hidden
        return biases + self.qk_norm + self.sinks * self.heads


class Mla(NamedTuple):
    """Multi-head latent attention: one latent of keys and values a token, for all heads, and one rotary key.

    DeepSeek-V2, arXiv:2405.04434, section 2.1.
    """

    heads: int  # n
    q_lora_rank: int | None  # r_q; None: queries are projected without a latent of their own
    kv_lora_rank: int  # r
    nope_dim: int  # d_n, of a head's key without rotation
    rope_dim: int  # d_r, of the rotary key that all heads share
    value_dim: int  # d_v
    bias: bool = False  # on the projections to the latents and on the output

    def check(self) -> None:
        """Refuse impossible sizes.

        Raises:
            InputError: a size that is no whole number from 1 on.

        """
        sizes(heads=self.heads, kv_lora_rank=self.kv_lora_rank, nope_dim=self.nope_dim)
        sizes(rope_dim=self.rope_dim, value_dim=self.value_dim)
        if self.q_lora_rank is not None:
            sizes(q_lora_rank=self.q_lora_rank)

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


class Dense(NamedTuple):
    """An MLP of width I that every token passes: three matrices where it is gated, else two.

    Shazeer: GLU variants improve Transformer, arXiv:2002.05202.
    """

    width: int  # I
    gated: bool = True
    bias: bool = False

    def check(self) -> None:
        """Refuse impossible sizes.

        Raises:
            InputError: a width that is no whole number from 1 on.

        """
        sizes(width=self.width)

    def matrices(self, hidden: int) -> int:
        """Parameters: 3 h I, or 2 h I without a gate.

        >>> Dense(width=14336).matrices(4096)
        176160768

        """
        return (2 + self.gated) * hidden * self.width

    def vectors(self, hidden: int) -> int:
        """Parameters of the biases: one of the width for each matrix into it, one of the hidden size."""
        return self.bias * ((1 + self.gated) * self.width + hidden)


class Moe(NamedTuple):
    """A mixture of experts: a router sends each token to a few of them; shared experts take all tokens."""

    experts: int  # E, routed
    per_token: int  # k
    width: int  # I_e, of one expert
    gated: bool = True
    bias: bool = False  # on the matrices of the experts (gpt-oss)
    router_bias: bool = False  # gpt-oss; in DeepSeek-V3 it corrects the scores
    shared_experts: int = 0
    shared_width: int = 0  # of one shared expert
    shared_gate: bool = False  # a learned weight of what the shared experts say (Qwen2-MoE): h parameters

    def check(self) -> None:
        """Refuse impossible sizes.

        Raises:
            InputError: a size that is no whole number from 1 on, or more experts a token than there are.

        """
        sizes(experts=self.experts, per_token=self.per_token, width=self.width)
        counts(shared_experts=self.shared_experts)
        if self.shared_experts:
            sizes(shared_width=self.shared_width)
        if self.per_token > self.experts:
            raise InputError(f"per_token must not exceed experts: {self.per_token} of {self.experts}")

    @property
    def expert(self) -> Dense:
        """One routed expert."""
        return Dense(width=self.width, gated=self.gated, bias=self.bias)

    @property
    def shared(self) -> Dense | None:
        """The shared experts as the one MLP that they are."""
        if not self.shared_experts:
            return None
        return Dense(width=self.shared_experts * self.shared_width, gated=self.gated)

    def router(self, hidden: int) -> int:
        """Parameters of the router's matrix and of the gate of the shared experts: h E, and h."""
        return hidden * (self.experts + self.shared_gate)


class Layer(NamedTuple):
    """One layer: attention, MLP and norms of the hidden size. Without an MLP, its parameters are known in sum only."""

    attention: Gqa | Mla
    mlp: Dense | Moe | None
    norms: int = 2  # Gemma 2 and 3 have four
    norm_bias: bool = False  # layer norms (GPT-2, OPT) have a bias beside each weight
    types: Types = ()  # of its tensors, where a file lists them

    def check(self) -> None:
        """Refuse impossible sizes of any of its parts.

        Raises:
            InputError: names the size.

        """
        self.attention.check()
        if self.mlp is not None:
            self.mlp.check()
        counts(norms=self.norms)
