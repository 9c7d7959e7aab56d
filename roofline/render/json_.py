"""A report as one JSON document: base units, the unit in each key, null with a reason instead of NaN or infinity."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from roofline.render import Style
from roofline.report import SCHEMA_VERSION, Column, Report, Value, finite


def render(report: Report, style: Style) -> str:  # noqa: ARG001  (every renderer takes a style)
    """The document, indented, in ASCII, with a final line break."""
    document: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "context": _plain(dict(report.context))}
    document |= _plain(dict(report.lead))
    if report.single and report.rows:
        document |= record(report.columns, report.rows[0])
    else:
        document[report.rows_key] = [record(report.columns, row) for row in report.rows]
    for key, lines in (("summary", report.summary), ("explanation", report.explanation)):
        if lines:
            document[key] = list(lines)
    document |= {
        "notes": list(report.notes),
        "warnings": list(report.warnings),
        "assumptions": list(report.assumptions),
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def record(columns: Any, row: Mapping[str, Any]) -> dict[str, Any]:
    """One row as an object; why a value is null stands under ``null_reasons``."""
    values: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for column in columns:
        key, value = _entry(column, row)
        values[key] = _plain(value)
        raw = row.get(column.key)
        if values[key] is None and isinstance(raw, Value) and raw.why:
            reasons[key] = raw.why
    if reasons:
        values["null_reasons"] = reasons
    return values


def _entry(column: Column, row: Mapping[str, Any]) -> tuple[str, Any]:
    return column.key, finite(row.get(column.key))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and not isinstance(value, Value):
        return [_plain(item) for item in value]
    return finite(value)
