"""A report as CSV: one header with the unit in each name, base units in full precision, names verbatim."""

from __future__ import annotations

import csv
from io import StringIO
from typing import Any

from roofline.render import Style
from roofline.report import Report, plain


def render(report: Report, style: Style) -> str:  # noqa: ARG001
    """The header and the rows; unknown is empty and infinite is ``inf``."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    quoting = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    columns = [column for column in report.columns if column.format != "nested"]
    writer.writerow(column.key for column in columns)
    for row in report.rows:
        fields = [_field(plain(row.get(column.key))) for column in columns]
        # csv quotes a line feed by itself, but not a lone carriage return, which readers take for the end of a row.
        (quoting if any("\r" in field for field in fields) else writer).writerow(fields)
    return out.getvalue()


def _field(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ";".join(map(str, value))
    return repr(value) if isinstance(value, float) else str(value)
