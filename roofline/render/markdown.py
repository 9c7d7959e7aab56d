"""A report as a Markdown table, for issues, pull requests and job summaries."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roofline.render import Style, sheets
from roofline.render.cells import NUMERIC, cell, unit_of
from roofline.report import Column, Report, closing, shown
from roofline.text import printable

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~&])")


def render(report: Report, style: Style) -> str:  # noqa: ARG001
    """The table, then roofs, summary and notes as paragraphs."""
    columns = shown(report)
    parts = [f"**{escape(report.title)}**"] if report.title else []
    if report.rows:
        parts.append(_sheet(report) if report.layout == "sheet" else _table(report, columns))
    # A file of Markdown travels alone, without the standard error that tells the warnings.
    lines = [*closing(report), *(f"warning: {warning}" for warning in report.warnings), *report.explanation]
    if lines:
        parts.append("\n".join(f"- {escape(line)}" for line in lines))
    return "\n\n".join(parts) + "\n" if parts else ""


def escape(text: str) -> str:
    """Text that Markdown shows as it is written.

    >>> escape("k<float, 4>|x")
    'k\\\\<float, 4\\\\>\\\\|x'
    """
    return _SPECIAL.sub(r"\\\1", printable(text))


def _table(report: Report, columns: Sequence[Column]) -> str:
    scales = [unit_of(column, report.rows, columns) for column in columns]
    headings = [
        " ".join(w for w in (column.group, column.heading, f"({unit})" if unit else "") if w)
        for column, (unit, _) in zip(columns, scales, strict=True)
    ]
    body = [
        [cell(column, row.get(column.key), power) for column, (_, power) in zip(columns, scales, strict=True)]
        for row in report.rows
    ]
    return _lay_out(headings, ["---:" if column.format in NUMERIC else "---" for column in columns], body)


def _sheet(report: Report) -> str:
    groups = [group or "value" for group in sheets.groups(report)]
    body = [[column.heading, *texts] for column, texts in sheets.lines(report)]
    return _lay_out(["", *groups], ["---", *("---:" for _ in groups)], body)


def _lay_out(headings: Sequence[str], rules: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    rows = [[escape(h) for h in headings], list(rules), *([escape(text) for text in texts] for texts in body)]
    return "\n".join(f"| {' | '.join(texts)} |" for texts in rows)
