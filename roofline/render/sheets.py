"""A report's single row as a line a heading and a cell a roof or phase, for the renderers that lay sheets out."""

from typing import NamedTuple

from roofline.render.cells import measure
from roofline.report import Column, Report, shown


class Line(NamedTuple):
    """A heading with a cell for each group; one without a group stands under the first."""

    column: Column  # the first of this heading
    texts: list[str]


def groups(report: Report) -> list[str]:
    """The groups in their order; a single one without a name where there are none."""
    return list(dict.fromkeys(column.group for column in shown(report) if column.group)) or [""]


def lines(report: Report) -> list[Line]:
    """A line a heading, without those that have nothing to show; names stand in the title."""
    row, found = report.rows[0], []
    columns = [column for column in shown(report) if column.format != "name"]
    for heading in dict.fromkeys(column.heading for column in columns):
        by_group = {column.group: column for column in columns if column.heading == heading}
        texts = []
        for number, group in enumerate(groups(report)):
            column = by_group.get(group) or (by_group.get("") if number == 0 else None)
            texts.append("" if column is None else measure(column, row.get(column.key)))
        if any(texts):
            found.append(Line(next(iter(by_group.values())), texts))
    return found
