"""The exit status that follows from a result which has been printed in full."""

from __future__ import annotations

from collections.abc import Sequence

from roofline.core.gate import Failure
from roofline.errors import CheckFailedError

_NAMED = 5  # failures or warnings that the closing line spells out


def finish(failures: Sequence[tuple[str, Failure]], warnings: Sequence[str] = (), *, strict: bool = False) -> None:
    """Exit 1 if something that was asked for did not hold.

    Raises:
        CheckFailedError: naming what failed; also a warning, which --quiet may have hidden.

    """
    if failures:
        raise CheckFailedError(f"check failed: {_told([f'{who} {failure.text}' for who, failure in failures])}")
    if strict and warnings:
        many = f"{len(warnings)} warnings: " if len(warnings) > 1 else ""
        raise CheckFailedError(f"--strict: {many}{_told(warnings)}")


def _told(what: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = f"; and {len(what) - _NAMED} more" if len(what) > _NAMED else ""
    return "; ".join(what[:_NAMED]) + more
