"""Arguments of a model's work that are no whole numbers: what is of another kind is refused, and told what to give.

The command line parses text, such as 5us or 45%; functions take numbers in base units.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final

from roofline.core.device import Device
from roofline.errors import InputError, UnitError
from roofline.text import clip
from roofline.units import parse

LEAST_SHARE: Final = 1e-9  # of a peak or a bandwidth, that a run may have
_PERCENT: Final = 100
_SLOWEST: Final = 1.0  # s of a serial step; light goes round the earth in 0.13 s


def number(name: str, value: Any, *, what: str, example: str) -> float:
    """A number, and no text that stands for one; ``what`` it is of, and an ``example`` of it, are for the error.

    Raises:
        InputError: something else.

    >>> number("reserve", "5GB", what="bytes", example="5e9")
    Traceback (most recent call last):
    roofline.errors.InputError: reserve must be a number of bytes, such as 5e9, got '5GB'

    """
    found = _real(value)
    if found is None:
        raise InputError(f"{name} must be a number of {what}, such as {example}, got {clip(repr(value))}")
    return found


def _real(value: Any) -> float | None:
    """The number that it is, infinite where it is too large for a float; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def latency(value: Any) -> float:
    """Seconds of a serial step over a link.

    Raises:
        InputError: no number, or more than any step takes.

    """
    seconds = number("latency", value, what="seconds", example="5e-6")
    if not 0 <= seconds <= _SLOWEST:
        raise InputError(f"latency must be from 0 to {_SLOWEST:g} s a serial step, got {seconds:g} s")
    return seconds


def reserve(value: Any) -> int:
    """Bytes of memory that are left alone.

    Raises:
        InputError: no number, or a part of a byte.

    """
    size = number("reserve", value, what="bytes", example="5e9")
    if size != 0 and not 1 <= size < math.inf:
        raise InputError(f"reserve must be 0 or 1 B at least, got {size:g} B")
    return round(size)


def share(name: str, value: Any) -> float | None:
    """A measured efficiency; None where none was measured.

    Raises:
        InputError: no number above 0 and at most 1.

    """
    if value is None:
        return None
    found = _real(value)
    if found is None:
        raise InputError(f"{name} must be a number above 0 and at most 1, such as 0.45, got {clip(repr(value))}")
    if not LEAST_SHARE <= found <= 1:
        hint = f"{found:g} % is {found / 100:g}" if 1 < found <= _PERCENT else None
        least = f"at least {LEAST_SHARE:g}" if 0 < found < LEAST_SHARE else "above 0"
        raise InputError(f"{name} must be {least} and at most 1 (100 %), got {found:g}", hint=hint)
    return found


def linked(device: Device, link: Any) -> tuple[Device, str | None]:
    """The device, and the name of its link; with a link of its own in place of those it has where a bandwidth is given.

    Raises:
        InputError: neither a name nor a bandwidth in B/s.
        UnknownNameError: the device has no such link; those it has are listed.

    """
    if link is None:
        return device, None
    from roofline.core.link import port, with_link  # noqa: PLC0415  (most devices take the link that they have)

    what = "link must be a name, or a bandwidth one way as a number in B/s, such as 450e9"
    if not isinstance(link, str):
        bandwidth = _real(link)
        if bandwidth is None:
            raise InputError(f"{what}, got {clip(repr(link))}")
        return with_link(device, bandwidth), None
    try:
        parse(link, "B/s")
    except UnitError:
        _ = port(device, link)  # which says what links there are
        return device, link
    raise InputError(f"{what}, got {clip(repr(link))}")


def named(**given: Any) -> None:
    """Refuse a format that is no name.

    Raises:
        InputError: names the argument.

    """
    for name, value in given.items():
        if value is not None and not isinstance(value, str):
            raise InputError(f"{name} must be the name of a format, such as fp8, got {clip(repr(value))}")


def parts(keep: Any) -> frozenset[Any] | None:
    """The parts of the weights that are listed; which of them there are is judged where they are used.

    Raises:
        InputError: no list of names.

    """
    if keep is None:
        return None
    listed = list(keep) if isinstance(keep, Iterable) and not isinstance(keep, str) else [keep, None]
    if not all(isinstance(part, str) for part in listed):
        raise InputError(f"keep must be a list of parts of the weights, such as ['head'], got {clip(repr(keep))}")
    return frozenset(part.strip().lower() for part in listed)
