"""A report as JSON lines: one record a row, nothing else."""

from __future__ import annotations

import json

from roofline.render import Style
from roofline.render.json_ import record
from roofline.report import Report


def render(report: Report, style: Style) -> str:  # noqa: ARG001
    """The rows, a line each."""
    return "".join(json.dumps(record(report.columns, row), allow_nan=False) + "\n" for row in report.rows)
