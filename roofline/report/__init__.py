"""Report: typed columns, rows, notes and context; all that a renderer ever sees."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, overload

SCHEMA_VERSION: Final = 1
_EMPTY: Final[Mapping[str, Any]] = MappingProxyType({})

# "number" has no unit (tokens/s are in the heading); "list" holds words; "nested" holds what only JSON can, and such a
# column is a detail. "answer" is yes, no or unknown, of which no says as much as yes; "parameters" are in billions.
Format = Literal[
    "text", "name", "bound", "result", "flag", "answer", "count", "parameters", "distance", "list", "nested", "number",
    "FLOP", "FLOP/s", "B", "B/s", "s", "FLOP/B", "1", "W",
]  # fmt: skip


class Value(NamedTuple):
    """A value with what its column cannot say: more digits than usual, or why there is none."""

    value: Any
    digits: int | None = None
    why: str | None = None
    unknown: bool = False  # there is one, but nobody knows it: people are told so, where else they see nothing


class Column(NamedTuple):
    """One column: its name for programs (unit included), its heading for people, and the kind of its values."""

    key: str
    heading: str
    format: Format = "text"
    group: str = ""  # "headline", "dense": the roof it belongs to
    detail: bool = False  # for machine formats alone
    spare: bool = False  # left out first where a terminal has no room for all


class Report(NamedTuple):
    """What a command found out, in base units, ready for any renderer."""

    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Any]]
    rows_key: str = "rows"  # the list's name in JSON
    layout: Literal["rows", "sheet"] = "rows"  # a sheet shows its single row as one line a column
    single: bool = False  # JSON puts the only row's keys at the top
    title: str | None = None
    lines: Sequence[str] = ()  # the rows in words, which people get in place of a table
    lead: Mapping[str, Any] = _EMPTY  # further top-level keys in JSON
    roofs: Sequence[str] = ()  # the roofs used, in words
    summary: Sequence[str] = ()
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    conventions: Sequence[str] = ()  # what is counted how: a line for people, some more assumptions for JSON
    assumptions: Sequence[str] = ()
    explanation: Sequence[str] = ()
    context: Mapping[str, Any] = _EMPTY


def plain(value: Any) -> Any:
    """A cell's bare value."""
    return value.value if isinstance(value, Value) else value


def finite(value: Any) -> Any:
    """A value that JSON can hold: infinities and NaN become None."""
    bare = plain(value)
    return None if isinstance(bare, float) and not math.isfinite(bare) else bare


def closing(report: Report) -> list[str]:
    """The sentences under a table, in their order: verdict, roofs, notes, what was assumed."""
    conventions = ["; ".join(report.conventions)] if report.conventions else []
    notes = (*report.notes, *conventions, *report.assumptions)
    return [*report.summary, *report.roofs, *(f"note: {note}" for note in notes)]


class Rows(Sequence[Mapping[str, Any]]):
    """Rows that are made from their items when they are asked for, so that a long list of kernels stays small."""

    def __init__(self, items: Sequence[Any], make: Callable[[Any], Mapping[str, Any]]) -> None:
        self._items = items
        self._make = make

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> "Rows": ...
    def __getitem__(self, index: int | slice) -> "Mapping[str, Any] | Rows":
        return Rows(self._items[index], self._make) if isinstance(index, slice) else self._make(self._items[index])

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return map(self._make, self._items)


class Computed(Sequence[Any]):
    """What is computed one by one when it is first asked for, and kept: rows that are written before the last is known.

    Whoever goes through it gets each item as soon as there is one; its length, like any index, waits for all of them.
    """

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = iter(items)
        self._kept: list[Any] = []

    def __len__(self) -> int:
        self._kept.extend(self._items)
        return len(self._kept)

    def __getitem__(self, index: Any) -> Any:
        self._kept.extend(self._items)
        return self._kept[index]

    def __iter__(self) -> Iterator[Any]:
        position = 0
        while True:
            while position < len(self._kept):
                yield self._kept[position]
                position += 1
            try:
                self._kept.append(next(self._items))
            except StopIteration:
                return


def shown(report: Report) -> list[Column]:
    """The columns that people see: no details, and none that has nothing to show in any row."""
    empty = {column.key for column in report.columns if not column.detail and column.format != "answer"}
    for row in report.rows:
        empty = {key for key in empty if _shows_nothing(row.get(key))}
        if not empty:
            break
    return [column for column in report.columns if not column.detail and column.key not in empty]


def _shows_nothing(cell: Any) -> bool:
    """Whether a cell has nothing for people: no value, and not because it is unknown, or a flag that is not set."""
    if isinstance(cell, Value) and cell.unknown:
        return False
    return plain(cell) is None or plain(cell) is False
