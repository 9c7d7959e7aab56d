"""The domain of arguments: sizes that are whole numbers and small enough to be real, words, number formats.

What is out of it is refused by an error that names the argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from roofline.errors import InputError
from roofline.precision import Format, storage
from roofline.text import clip, quote

LARGEST: Final = 10**15  # of one dimension; no array is longer


def sizes(**given: int) -> None:
    """Refuse a size that is not a whole number from 1 to 1e15.

    Raises:
        InputError: names the argument.

    >>> sizes(m=0)
    Traceback (most recent call last):
    roofline.errors.InputError: m must be a whole number from 1 to 1e15, got 0

    """
    _whole(1, given)


def counts(**given: int) -> None:
    """Refuse a count that is not a whole number from 0 to 1e15 (paddings, cached tokens).

    Raises:
        InputError: names the argument.

    """
    _whole(0, given)


def _whole(least: int, given: Mapping[str, object]) -> None:
    for name, value in given.items():
        # True is an int and 2.0 equals one, but neither is a size that somebody meant.
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= LARGEST:
            # Python writes no integer of thousands of digits.
            got = f"one of {value.bit_length()} bits" if isinstance(value, int) and abs(value) > 10**50 else repr(value)
            raise InputError(f"{name} must be a whole number from {least} to 1e15, got {clip(got)}")


def divides(part: str, part_size: int, whole: str, whole_size: int) -> None:
    """Refuse sizes of which one does not divide the other.

    Raises:
        InputError: names both arguments.

    """
    if whole_size % part_size:
        raise InputError(f"{part} must divide {whole}: {whole_size} is no multiple of {part_size}")


def held(name: str, text: str | None, default: Format) -> Format:
    """The format that an argument names; the default where it names none. Weights may be held in a mix.

    Raises:
        UnknownNameError: no such format; names the argument.
        InputError: a mix of formats, and not of weights.

    >>> held("weights", "mxfp4", storage("bf16")).name, held("weights", None, storage("bf16")).name
    ('mxfp4', 'bf16')

    """
    return default if text is None else storage(text, name=name, mixes=name == "weights")


def one_of(name: str, text: str, words: tuple[str, ...]) -> None:
    """Refuse a word that is none of those known.

    Raises:
        InputError: names the argument and what it may be.

    >>> one_of("count", "half", ("causal", "full"))
    Traceback (most recent call last):
    roofline.errors.InputError: count must be one of causal, full, got 'half'

    """
    if text not in words:
        raise InputError(f"{name} must be one of {', '.join(words)}, got {quote(str(text))}")
