"""Arguments that are no sizes: one of a few words, and a number format where an operand may have its own."""

from __future__ import annotations

from roofline.errors import InputError
from roofline.precision import Format, storage
from roofline.text import quote


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
