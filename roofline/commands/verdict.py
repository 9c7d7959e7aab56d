"""The exit status that follows from a result which has been printed in full."""

from __future__ import annotations

from collections.abc import Sequence

from roofline.core.gate import Failure
from roofline.errors import CheckFailedError

_NAMED = 5  # failures that the closing line spells out


def finish(failures: Sequence[tuple[str, Failure]], warnings: Sequence[str] = (), *, strict: bool = False) -> None:
    """Exit 1 if something that was asked for did not hold.

    Raises:
        CheckFailedError: naming what failed.

    """
    if failures:
        told = "; ".join(f"{who} {failure.text}" for who, failure in failures[:_NAMED])
        more = f"; and {len(failures) - _NAMED} more" if len(failures) > _NAMED else ""
        raise CheckFailedError(f"check failed: {told}{more}")
    if strict and warnings:
        raise CheckFailedError(f"--strict: {len(warnings)} warning{'s' if len(warnings) > 1 else ''}")
