"""Report: typed columns, rows, notes and context; all that a renderer ever sees."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

SCHEMA_VERSION: Final = 1

# "list" holds words; "nested" holds what only JSON can, and such a column is a detail.
Format = Literal[
    "text", "name", "bound", "flag", "count", "distance", "list", "nested",
    "FLOP", "FLOP/s", "B", "B/s", "s", "FLOP/B", "1", "W",
]  # fmt: skip


class Value(NamedTuple):
    """A value with what its column cannot say: more digits than usual, or why there is none."""

    value: Any
    digits: int | None = None
    why: str | None = None


class Column(NamedTuple):
    """One column: its name for programs (unit included), its heading for people, and the kind of its values."""

    key: str
    heading: str
    format: Format = "text"
    group: str = ""  # "headline", "dense": the roof it belongs to
    detail: bool = False  # for machine formats alone


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Report:
    """What a command found out, in base units, ready for any renderer."""

    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Any]]
    rows_key: str = "rows"  # the list's name in JSON
    layout: Literal["rows", "sheet"] = "rows"  # a sheet shows its single row as one line a column
    single: bool = False  # JSON puts the only row's keys at the top
    title: str | None = None
    lead: Mapping[str, Any] = field(default_factory=dict)  # further top-level keys in JSON
    roofs: Sequence[str] = ()  # the roofs used, in words
    summary: Sequence[str] = ()
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    assumptions: Sequence[str] = ()
    explanation: Sequence[str] = ()
    context: Mapping[str, Any] = field(default_factory=dict)


def plain(value: Any) -> Any:
    """A cell's bare value."""
    return value.value if isinstance(value, Value) else value


def finite(value: Any) -> Any:
    """A value that JSON can hold: infinities and NaN become None."""
    bare = plain(value)
    return None if isinstance(bare, float) and not math.isfinite(bare) else bare


def used(columns: Sequence[Column], rows: Sequence[Mapping[str, Any]]) -> list[Column]:
    """The columns, with those that have nothing to show kept for machine formats alone."""

    def nothing(column: Column) -> bool:
        values = [plain(row.get(column.key)) for row in rows]
        return all(value is None or value is False for value in values)

    return [column._replace(detail=column.detail or nothing(column)) for column in columns]
