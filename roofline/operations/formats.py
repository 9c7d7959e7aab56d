"""Number formats of operands whose FLOPs are counted as those of real numbers."""

from __future__ import annotations

from roofline.errors import InputError
from roofline.precision import Format, storage


def real_format(text: str, *, name: str = "dtype") -> Format:
    """The format of a name, which must not be complex: a complex product is 6 FLOP and a sum 2, not 1 each.

    Raises:
        InputError: the format is complex; names the argument.
        UnknownNameError: no such format; the nearest are named.

    >>> real_format("c64")
    Traceback (most recent call last):
    roofline.errors.InputError: dtype must be a real format, since FLOPs are counted for real numbers; got complex64

    """
    found = storage(text, name=name)
    if found.name.startswith("complex"):
        raise InputError(
            f"{name} must be a real format, since FLOPs are counted for real numbers; got {found.name}",
            hint=f"{found.arithmetic} is the format of a real and of an imaginary part",
        )
    return found
