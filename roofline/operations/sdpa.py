"""Scaled dot-product attention: grouped heads, causal and sliding windows, fused or unfused."""

from typing import Literal

from roofline.core.kernel import FLOP_PER_MAC, Kernel
from roofline.errors import InputError
from roofline.operations.arguments import divides, held, one_of, sizes
from roofline.operations.registry import operation
from roofline.precision import storage

# Scores written, read by the softmax, written by it as weights, read by the product with V.
_UNFUSED_MOVES = 4


@operation("deep learning")
def attention(
    *,
    b: int = 1,
    h: int,
    h_kv: int | None = None,
    s_q: int,
    s_kv: int | None = None,
    d: int,
    d_v: int | None = None,
    count: Literal["causal", "full"] = "causal",
    window: int | None = None,
    unfused: bool = False,
    block: int | None = None,
    dtype: str = "bf16",
    kv: str | None = None,
) -> Kernel:
    """Attention softmax(Q K^T / sqrt(d)) V of h query heads, in FLOP and B.

    2 b h (d + d_v) FLOP for each pair of a query and a key (Vaswani et al.: Attention is all you need,
    arXiv:1706.03762, equation 1): two products, so 4 b h d pairs where d_v = d; the softmax is not counted. The queries
    are the last s_q of s_kv positions. Pairs: causal, s_q (s_kv - s_q) + s_q (s_q + 1) / 2, the exact triangle; full,
    s_q s_kv, as FLOP counters of frameworks have it; with a window, query p sees min(p + 1, window) keys, and the
    rectangle is that of the s_q queries and the min(s_kv, window - 1 + s_q) keys that are in reach of any.

    Traffic: Q, K and V are read and the output is written once, as a fused kernel can (Dao et al.: FlashAttention,
    arXiv:2205.14135). Unfused, the s_q x s_kv matrix of each head is moved 4 times more, whatever the mask. The
    number of KV heads changes the traffic, never the work.

    Args:
        b: sequences in the batch
        h: query heads
        h_kv: key and value heads, which divide h; None: as many as query heads (multi-head attention)
        s_q: queries of each sequence; 1 in decode
        s_kv: keys of each sequence, cached and new; None: as many as queries
        d: size of a head in Q and K
        d_v: size of a head in V and the output; None: that of Q and K
        count: causal counts the exact triangle of pairs, full the whole rectangle
        window: a query sees no more than so many last keys, itself among them; None: all
        unfused: three kernels, which write the scores to memory and read them back
        block: query rows of a block of a fused kernel; K and V are then read once a block from L2. None: no L2 traffic
        dtype: number format of Q, the scores and the output
        kv: number format of K and V; None: that of Q

    Raises:
        InputError: a size that is not a whole number from 1 on, KV heads that do not divide the query heads, more
            queries than keys under a causal count or a window, or a block of an unfused kernel.

    >>> kernel = attention(h=32, s_q=8192, d=128)
    >>> kernel.flops == 4 * 32 * 128 * (8192 * 8193 // 2), kernel.bytes == 4 * 32 * 8192 * 128 * 2
    (True, True)

    """
    h_kv, s_kv, d_v = h if h_kv is None else h_kv, s_q if s_kv is None else s_kv, d if d_v is None else d_v
    sizes(b=b, h=h, h_kv=h_kv, s_q=s_q, s_kv=s_kv, d=d, d_v=d_v)
    divides("h_kv", h_kv, "h", h)
    one_of("count", count, ("causal", "full"))
    causal = count == "causal"
    if s_q > s_kv and (causal or window is not None):
        raise InputError(f"s_kv must be at least s_q where a mask depends on positions: {s_kv} keys, {s_q} queries")
    if window is not None:
        sizes(window=window)
    operand = storage(dtype, name="dtype")
    cache = held("kv", kv, operand)
    # The rectangle is of all queries and the keys that any of them sees.
    pairs = _keys_read(s_q, s_kv, 1 if causal else s_q, causal=causal, window=window) * (1 if causal else s_q)
    queries = operand.size_of(b * h * s_q * d) + operand.size_of(b * h * s_q * d_v)
    # Unfused kernels mask after the product, so they read all keys; a fused one skips those outside the window.
    kept = s_kv if unfused else _keys_read(s_q, s_kv, s_q, causal=causal, window=window)
    moved = queries + cache.size_of(b * h_kv * kept * d) + cache.size_of(b * h_kv * kept * d_v)
    at = {}
    if block is not None:
        sizes(block=block)
        if unfused:
            raise InputError("block must be left out of unfused attention, whose products have blocks of their own")
        read = _keys_read(s_q, s_kv, block, causal=causal, window=window)
        at["L2"] = queries + cache.size_of(b * h_kv * read * d) + cache.size_of(b * h_kv * read * d_v)
    return Kernel(
        name=f"attention b {b}, h {h}/{h_kv}, s {s_q} x {s_kv}, d {d}",
        flops=FLOP_PER_MAC * b * h * pairs * (d + d_v),
        bytes=moved + (_UNFUSED_MOVES * operand.size_of(b * h * s_q * s_kv) if unfused else 0),
        bytes_at=at,
        dtype=operand.arithmetic,
        assumptions=_assumptions(causal=causal, window=window, unfused=unfused, block=block),
    )


def _keys_read(s_q: int, s_kv: int, rows: int, *, causal: bool, window: int | None) -> int:
    """Keys that blocks of query rows read, summed over the blocks of a sequence; with one row a block, the pairs."""
    whole, rest = divmod(s_q, rows)
    # A block spans rows + window - 1 positions at most: its first query looks back window - 1.
    cap, last = (s_kv if window is None else min(s_kv, window - 1 + size) for size in (rows, rest))
    if causal:
        # The i-th block ends at position s_kv - s_q + i rows, and sees the keys up to there.
        return _capped_sum(s_kv - s_q + rows, rows, whole, cap) + (last if rest else 0)
    return whole * cap + (last if rest else 0)


def _capped_sum(first: int, step: int, terms: int, cap: int) -> int:
    """Sum of min(first + i step, cap) over i = 0 .. terms - 1.

    >>> _capped_sum(2, 3, 4, 7)  # 2 + 5 + 7 + 7
    21

    """
    below = min(terms, max(0, (cap - first) // step + 1))
    return below * first + step * (below * (below - 1) // 2) + (terms - below) * cap


def _assumptions(*, causal: bool, window: int | None, unfused: bool, block: int | None) -> tuple[str, ...]:
    pairs = "causal: exact triangle of pairs" if causal else "full: the whole rectangle of pairs, masked ones too"
    if window is not None:
        pairs += f", {window} keys at most" if causal else f", of keys in reach of a window of {window}"
    words = [pairs, "softmax not counted as FLOP (about 5 a pair)"]
    if unfused:
        words += ["unfused: scores of all pairs moved 4 times (written, read, written, read)", "all keys read"]
    else:
        words += ["fused: Q, K, V and output moved once; no scores in memory, no log-sum-exp kept"]
    if block is not None:
        words += [f"L2: K and V once for each block of {block} query rows, which the heads of a group share"]
    return tuple(words)
