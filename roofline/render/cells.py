"""Cells as people read them, for the renderers that make tables: one prefix a column, significant figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from roofline import units
from roofline.report import Column, Value, plain
from roofline.text import printable

NUMERIC: Final = frozenset(
    {"count", "parameters", "number", "distance", "FLOP", "FLOP/s", "B", "B/s", "s", "FLOP/B", "1", "W"}
)
_PREFIXED: Final = frozenset({"FLOP", "FLOP/s", "B", "B/s", "s", "W"})
_MISSING: Final = "-"
_UNKNOWN: Final = "unknown"
_LONGEST: Final = 10_000  # from here on a number in the first row's unit gets too long to read
_BILLION: Final = 1e9
_FAR_BELOW: Final = 0.1  # in the unit that a column would share, it has one of its own
_SMALLEST: Final = 0.01  # below this the first row would suffer from another unit


def unit_of(column: Column, rows: Sequence[Mapping[str, Any]], columns: Sequence[Column] = ()) -> tuple[str, int]:
    """The unit of a column and its power of ten, which it shares with columns of the same heading, kind and size.

    The first row with a value chooses, so that numbers can be compared by eye; where that would write 118850 GFLOP/s
    further down, the next prefix is taken.
    """
    if column.format in ("1", "FLOP/B"):
        return units.prefixed(0.0, column.format)
    if column.format not in _PREFIXED:
        return "", 0
    alike = [c.key for c in columns if (c.heading, c.format) == (column.heading, column.format)] or [column.key]
    values = [plain(row.get(key)) for row in rows for key in alike]
    known = [value for value in values if value]
    if not known:
        return column.format, 0
    first, most = units.prefixed(known[0], column.format), units.prefixed(max(known), column.format)  # type: ignore[arg-type]
    too_long = units.scaled(max(known), first[1]) >= _LONGEST and units.scaled(known[0], most[1]) >= _SMALLEST
    unit = most if too_long else first
    own = [value for row in rows if (value := plain(row.get(column.key)))]
    if columns and own and units.scaled(own[0], unit[1]) < _FAR_BELOW:
        return unit_of(column, rows)
    return unit


def cell(column: Column, raw: Any, power: int) -> str:
    """One cell without its unit, which the heading carries."""
    value, digits = (raw.value, raw.digits) if isinstance(raw, Value) else (raw, None)
    if column.format == "flag":
        return "yes" if value else ""
    if value is None:
        if isinstance(raw, Value) and raw.unknown:
            return _UNKNOWN
        return _MISSING if column.format in NUMERIC or column.format == "bound" else ""
    if column.format == "answer":
        return "yes" if value else "no"
    if column.format == "bound":
        return str(value).removesuffix("-bound")
    if column.format == "distance":
        return distance(value)
    if column.format == "FLOP/B":
        return units.intensity(value, digits or units.DIGITS)
    if column.format == "1":
        return units.percent(value) if digits is None else units.significant(100 * value, digits)
    if column.format == "parameters":
        return f"{units.significant(value / 1e9)} B" if value >= _BILLION else f"{units.significant(value / 1e6)} M"
    if column.format == "count":
        return str(value)
    if column.format == "list":
        return printable(", ".join(map(str, value)))
    if column.format in NUMERIC:
        return "inf" if math.isinf(value) else units.significant(units.scaled(value, power), digits or units.DIGITS)
    return printable(str(value))


def measure(column: Column, raw: Any) -> str:
    """One cell with its unit, for a sheet."""
    value = plain(raw)
    if value is None:
        if isinstance(raw, Value) and raw.unknown:
            return _UNKNOWN
        why = raw.why if isinstance(raw, Value) else None
        return f"- ({why})" if why else _MISSING
    if column.format == "bound":
        return str(value)
    unit, power = unit_of(column, [{column.key: raw}])
    text = cell(column, raw, power)
    return f"{text} {unit}" if unit else text


def distance(value: float) -> str:
    """How far a kernel lies from the ridge: ``8.205x below`` or ``1.354x above``."""
    return f"{units.ratio(value)}x below" if value > 1 else f"{units.ratio(1 / value)}x above"
