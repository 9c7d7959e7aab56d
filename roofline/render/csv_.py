"""A report as CSV: one header with the unit in each name, base units in full precision, names verbatim."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO
from typing import Any

from roofline.render import Style
from roofline.report import Report, plain


def render(report: Report, style: Style) -> str:
    """The header and the rows; unknown is empty and infinite is ``inf``."""
    return "".join(pieces(report, style))


def pieces(report: Report, style: Style) -> Iterator[str]:  # noqa: ARG001
    """The header, then each row as soon as it is known."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    quoting = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    columns = [column for column in report.columns if column.format != "nested"]
    writer.writerow(column.key for column in columns)
    yield _taken(out)
    for row in report.rows:
        fields = [_field(plain(row.get(column.key))) for column in columns]
        # csv quotes a line feed by itself, but not a lone carriage return, which readers take for the end of a row.
        (quoting if any("\r" in field for field in fields) else writer).writerow(fields)
        yield _taken(out)


def _taken(out: StringIO) -> str:
    """What was written, taken away."""
    text = out.getvalue()
    out.seek(0)
    out.truncate()
    return text


def _field(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ";".join(map(str, value))
    return repr(value) if isinstance(value, float) else str(value)
