"""A report as JSON lines: one record a row, nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator

from roofline.render import Style
from roofline.render.json_ import record
from roofline.report import Report


def render(report: Report, style: Style) -> str:
    """The rows, a line each."""
    return "".join(pieces(report, style))


def pieces(report: Report, style: Style) -> Iterator[str]:  # noqa: ARG001
    """Each row as soon as it is known."""
    return (json.dumps(record(report.columns, row), allow_nan=False) + "\n" for row in report.rows)
