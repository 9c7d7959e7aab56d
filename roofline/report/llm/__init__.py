"""Transformers to a Report: prefill and decode, sweeps, levers; each figure is a field, which is one column."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from roofline.report import Column, Format


class Field(NamedTuple):
    """One column of what ``get`` is given."""

    key: str  # for machine formats, with the unit
    heading: str  # for people; empty: for machine formats alone
    short: str  # the same where rows are compared; empty: for machine formats alone there
    format: Format
    get: Callable[[Any], Any]


def cells(fields: Sequence[Field], of: Any, prefix: str = "") -> dict[str, Any]:
    """A row of these fields."""
    return {f"{prefix}{field.key}": field.get(of) for field in fields}


def columns(fields: Sequence[Field], *, short: bool = False, group: str = "", prefix: str = "") -> list[Column]:
    """Their columns, in a group where they have one."""
    found = []
    for field in fields:
        heading = field.short if short else field.heading
        key = f"{prefix}{field.key}"
        found.append(Column(key, heading or field.key, field.format, group, detail=not heading))
    return found
