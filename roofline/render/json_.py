"""A report as one JSON document: base units, the unit in each key, null with a reason instead of NaN or infinity."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from roofline.render import Style
from roofline.report import SCHEMA_VERSION, Report, Value, finite

_ROWS: Final = "\x00rows"  # where they go; no text of a user holds a zero byte
_BREAK, _DEEPER = "\n", "\n    "


def render(report: Report, style: Style) -> str:  # noqa: ARG001  (every renderer takes a style)
    """The document, indented, in ASCII, with a final line break."""
    document: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "context": _plain(dict(report.context))}
    document |= _plain(dict(report.lead))
    if report.single and report.rows:
        document |= record(report.columns, report.rows[0])
    else:
        document[report.rows_key] = _ROWS
    for key, lines in (("summary", report.summary), ("explanation", report.explanation)):
        if lines:
            document[key] = list(lines)
    document |= {
        "notes": list(report.notes),
        "warnings": list(report.warnings),
        "assumptions": [*report.conventions, *report.assumptions],
    }
    text = json.dumps(document, indent=2, allow_nan=False)
    before, _, after = text.partition(json.dumps(_ROWS))
    return "".join((before, *_rows(report), after, "\n")) if after else f"{text}\n"


def _rows(report: Report) -> Iterator[str]:
    """The rows as a list in the document, made one by one: all of them as objects would take ten times the memory."""
    mark = "["
    for row in report.rows:
        text = json.dumps(record(report.columns, row), indent=2, allow_nan=False)
        yield f"{mark}\n    {text.replace(_BREAK, _DEEPER)}"
        mark = ","
    yield "[]" if mark == "[" else "\n  ]"


def record(columns: Any, row: Mapping[str, Any]) -> dict[str, Any]:
    """One row as an object; why a value is null stands under ``null_reasons``."""
    values: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for column in columns:
        raw = row.get(column.key)
        value = values[column.key] = _plain(raw)
        if value is None and isinstance(raw, Value) and raw.why:
            reasons[column.key] = raw.why
    if reasons:
        values["null_reasons"] = reasons
    return values


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and not isinstance(value, Value):
        return [_plain(item) for item in value]
    return finite(value)
