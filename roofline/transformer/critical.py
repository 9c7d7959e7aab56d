"""From which batch decode is compute-bound, and from which context on no batch is, with the KV cache counted.

With W the bytes of weights of a step, F the FLOP and K the bytes of cache of a sequence, P the peak and H the
bandwidth, a step of B sequences computes for B F / P and moves for (W + B K) / H. It is compute-bound from

    B* = W P / (F H - K P)

on where F H > K P, and never else: then each sequence adds more time of memory than of arithmetic. Every position of
the context is moved once, the new one when it is written and all others when they are read; activations, and thus the
traffic of norms, are left out unless they are asked for; then the verdict is that of the total time, to the byte.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from roofline.transformer.closed_decode import ClosedDecode

_MOST: Final = 1e15  # sequences
_CLOSE: Final = 1e-12  # relative width of the bracket that ends a search


def critical_batch_of(
    model: ClosedDecode, context: int, peaks: Mapping[str, float], bandwidth: float, *, activations: bool = False
) -> float | None:
    """The batch from which decode steps of a model are compute-bound at a context; None: no batch is.

    Closed for a dense model. With experts W depends on B: the weights a sequence, W(B) / B, only fall as B rises, so
    that there is one solution, which is found by halving.

    Args:
        model: the closed form of its decode steps
        context: positions that each sequence attends, its own among them, which is in the cache too; 0 is as 1
        peaks: FLOP/s by precision
        bandwidth: B/s
        activations: count all bytes that the total time does: activations, the embedding, and the new position too

    >>> from roofline.transformer.architecture import Architecture
    >>> from roofline.transformer.closed_decode import closed_decode
    >>> from roofline.transformer.formats import Formats
    >>> matrices = Architecture(name="1B", hidden=0, vocab=0, layers=(), unplaced=10**9)
    >>> model = closed_decode(matrices, Formats())
    >>> round(critical_batch_of(model, 0, {"bf16": 989.4e12}, 3.35e12), 1)  # 2 x 989.4e12 / (2 x 3.35e12), on an H100
    295.3

    """
    margin = _margin(model, max(context, 1), peaks, bandwidth, activations=activations)
    if margin <= 0:
        return None
    if not model.experts:
        return model.fixed / bandwidth / margin
    return _root(lambda batch: batch * margin - _weights(model, batch) / bandwidth)


def crossover_context(
    model: ClosedDecode, peaks: Mapping[str, float], bandwidth: float, *, activations: bool = False
) -> float | None:
    """The context beyond which no batch of decode steps is compute-bound; None: there is none.

    There F H = K P: a sequence takes as long to compute as its cache takes to be read. Both are linear between full
    windows, so that the last crossing is found segment by segment, from the longest context down.

    >>> from roofline.transformer.architecture import Architecture
    >>> from roofline.transformer.closed_decode import closed_decode
    >>> from roofline.transformer.formats import Formats
    >>> from roofline.transformer.gqa import Gqa
    >>> from roofline.transformer.layer import Layer
    >>> from roofline.transformer.mlp import Dense
    >>> layer = Layer(attention=Gqa(heads=32, kv_heads=8, head_dim=128), mlp=Dense(width=14336))
    >>> llama = closed_decode(Architecture(name="8B", hidden=4096, vocab=128256, layers=((32, layer),)), Formats())
    >>> round(crossover_context(llama, {"bf16": 989.5e12}, 3.35e12))
    393

    """
    windows = sorted({each.window for each in model.positions if each.window})
    for start in reversed([1, *windows]):
        here, next_one = (
            _margin(model, context, peaks, bandwidth, activations=activations) for context in (start, start + 1)
        )
        slope = next_one - here
        if start == max(windows, default=1) and (slope > 0 or slope == 0 < here):
            return None  # the longest contexts can be compute-bound
        if here > 0:
            return start - here / slope
    return 0.0  # not even the shortest context can be


def _margin(
    model: ClosedDecode, context: int, peaks: Mapping[str, float], bandwidth: float, *, activations: bool = False
) -> float:
    """Seconds that one sequence computes longer than its cache is moved: F / P - K / H."""
    moved = model.kv_read(context)
    if activations:
        moved += model.written + model.row + model.activations_of(context)
    return model.compute_time(context, peaks) - moved / bandwidth


def _weights(model: ClosedDecode, batch: float) -> float:
    """B of weights of a step, of a batch between whole numbers too."""
    given = model.conventions.experts
    return model.fixed + sum(
        each.times
        * each.weights
        * (given if isinstance(given, int) else model.conventions.touched(each.experts, each.per_token, batch))
        for each in model.experts
    )


def _root(function: Callable[[float], float]) -> float | None:
    """Where an increasing function that is below 0 at 0 crosses it; None beyond all batches."""
    low, high = 0.0, 1.0
    while function(high) < 0:
        low, high = high, 2 * high
        if high > _MOST:
            return None
    while high - low > _CLOSE * high:
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return high
