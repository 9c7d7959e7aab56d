"""Where a sweep crosses a roof: the mark of a row, and the sentence that names the sizes on both sides."""

from __future__ import annotations

from typing import Any

from roofline.core.roof import Bound
from roofline.report.roofs import BOUND_WORDS


def mark(before: Bound, after: Bound) -> str:
    """What lies between two bounds."""
    return "link roof" if "link" in (before, after) else "ridge"


def side(before: Bound, after: Bound) -> str:
    """On which side of that the second one lies."""
    if "link" in (before, after):
        return f"that is {BOUND_WORDS[after]}"
    return "past the ridge" if after == "compute" else "before the ridge"


def crossing_line(argument: str, value: Any, where: str, before: Any, *, on: str = "") -> str:
    """The sentence of a size that is another side than the one before it.

    >>> crossing_line("batch", 64, "past the ridge", 16, on="m3ultra")
    'batch = 64 is the first of these sizes past the ridge, after 16 on m3ultra'

    """
    return f"{argument} = {value} is the first of these sizes {where}, after {before}{f' on {on}' if on else ''}"
