"""Serving figures of a request: time to the first token, which the prefill makes, and of the decode steps behind it."""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Final, NamedTuple

from roofline.operations.arguments import sizes
from roofline.transformer.bounds import Bounds, Roofs, bounds
from roofline.transformer.step import Step
from roofline.transformer.table import Table

_EQUAL: Final = 1e-12  # relative; between two kinks the mean of the ends is the middle, up to rounding
_HALVINGS: Final = 500  # a kink among 1e15 contexts is found after 50


class Generation(NamedTuple):
    """Seconds of a request by one measure of a step, such as the total time: activations and links included."""

    batch: int
    steps: int  # of decode, behind the prefill
    first_token: float  # of the prefill
    next_token: float  # of the first decode step
    last_token: float  # of the last decode step, with the longest context
    mean_token: float  # of all decode steps

    @property
    def tokens(self) -> int:
        """Tokens of each sequence in all, that of the prefill among them."""
        return self.steps + 1

    @property
    def all_tokens(self) -> float:
        """Seconds until the last of them is there."""
        return self.first_token + self.steps * self.mean_token

    @property
    def tokens_per_s(self) -> float:
        """Tokens a second that the decode steps of all sequences together generate."""
        return self.batch / self.mean_token


def generation(
    make: Callable[[Step], Table],
    roofs: Roofs,
    *,
    prompt: int,
    generated: int,
    batch: int = 1,
    seconds: Callable[[Bounds], float] = lambda step: step.total,
) -> Generation:
    """The times of a prefill, which makes the first token, and of n decode steps behind it, which make n more.

    Decode steps attend the prompt, the tokens before and the one that they take in: contexts S + 1 to S + n. Where
    every term is linear in the context and no bound changes, their mean is the time at the mean context
    S + (n + 1) / 2.

    Args:
        make: the table of a step, of one device or of one among several
        roofs: of the device
        prompt: tokens of each prompt, S
        generated: decode steps behind each prompt, n, each of which generates a token of each sequence
        batch: sequences
        seconds: of a step, by its bounds; convex in the context between full windows, as maxima of its terms are

    Raises:
        InputError: a size that is not a whole number from 1 on, or no roof for a precision.

    >>> from roofline.core.roof import Roof, Stream
    >>> from roofline.transformer.by_hand import by_hand
    >>> from roofline.transformer.formats import Formats
    >>> from roofline.transformer.table import table
    >>> roofs = Roofs(by_precision={"bf16": Roof(peak=1e14, memory=Stream(bandwidth=1e12))})
    >>> one = generation(
    ...     lambda step: table(by_hand(params=1e9), step, Formats()), roofs, prompt=1000, generated=10)
    >>> round(one.first_token, 9), round(one.mean_token, 9)  # 2 x 1e9 x 1000 FLOP, then 2 x 1e9 B a step
    (0.02, 0.002)
    >>> one.tokens, round(one.all_tokens, 9)  # 20 ms + 10 x 2 ms
    (11, 0.04)

    """
    sizes(prompt=prompt, generated=generated, batch=batch)
    first, last = prompt + 1, prompt + generated
    kinks = [o.window for o in make(Step.decode(first, batch=batch)).operators if o.window is not None]

    def of(step: Step) -> float:
        return seconds(bounds(make(step), roofs))

    def at(context: int) -> float:
        return of(Step.decode(context, batch=batch))

    return Generation(
        batch=batch,
        steps=generated,
        first_token=of(Step.prefill(prompt, batch=batch)),
        next_token=at(first),
        last_token=at(last),
        mean_token=mean_time(first, last, at, kinks),
    )


def mean_time(first: int, last: int, seconds: Callable[[int], float], kinks: Iterable[int] = ()) -> float:
    """Mean seconds of a step over contexts from ``first`` to ``last``, exact for a time that is linear between kinks.

    ``kinks`` are contexts at which the bytes bend: those that fill a window. Where the bound changes is found by
    halving what is bent most. A cache in blocks grows in steps, which are smoothed after enough halvings.

    >>> round(mean_time(1, 1000, lambda context: max(10.0, 0.1 * context)), 9)  # (100 x 10 + 10.1 + ... + 100) / 1000
    50.545

    """
    sizes(first=first, last=last)
    edges = sorted({first - 1, last, *(k for k in kinks if first <= k < last)})
    pieces = [_Piece.of(low + 1, high, seconds) for low, high in pairwise(edges)]
    for _ in range(_HALVINGS):
        bent = max(pieces)
        if bent.bend <= _EQUAL * sum(piece.total for piece in pieces):
            break
        pieces.remove(bent)
        middle = (bent.low + bent.high) // 2
        pieces += (_Piece.of(bent.low, middle, seconds), _Piece.of(middle + 1, bent.high, seconds))
    return sum(piece.total for piece in pieces) / (last - first + 1)


class _Piece(NamedTuple):
    """A range of contexts over which the time is taken as straight: terms x the mean of its ends."""

    bend: float  # s x terms by which it leaves its chord in the middle
    low: int
    high: int
    total: float  # s

    @classmethod
    def of(cls, low: int, high: int, seconds: Callable[[int], float]) -> "_Piece":
        """The range from ``low`` to ``high``. A convex function that meets its chord in the middle is that chord."""
        first, last, terms = seconds(low), seconds(high), high - low + 1
        total = terms * (first + last) / 2
        if terms <= 2:
            return cls(0.0, low, high, total)
        middle = (low + high) // 2
        straight = first + (last - first) * (middle - low) / (high - low)
        return cls(abs(seconds(middle) - straight) * terms, low, high, total)
