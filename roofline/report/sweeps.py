"""A sweep to a Report: a row a size (and device), marked where it crosses the ridge or the launch floor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from roofline import units
from roofline.core.placement import Placed, Placement
from roofline.core.target import Target
from roofline.report import Column, Report
from roofline.report.crossings import crossing_line, mark, side
from roofline.report.kernels import kernel_list
from roofline.report.operations import argument_cell, argument_column, in_common
from roofline.report.tally import Tallies


def sweep_report(
    placed: Sequence[Placed], targets: Sequence[Target], argument: str, values: Sequence[Any], context: dict[str, Any]
) -> Report:
    """A row a size and device; ``placed`` holds the devices of the first size, then those of the next."""
    tallies = Tallies()
    for one in placed:
        tallies.add(one)
    report = kernel_list(placed, targets, tallies, context)
    several = len(targets)
    each = [argument_cell(value) for value in values for _ in targets]
    crossings = [
        _crossing(placed[number - several].first, one.first) if number >= several else []
        for number, one in enumerate(placed)
    ]
    rows = [
        {**row, argument: value, "crossing": ", ".join(what for what, _ in crossing) or None}
        for row, value, crossing in zip(report.rows, each, crossings, strict=True)
    ]
    columns = [c._replace(detail=c.detail or c.key == "name") for c in report.columns]
    lines = [
        crossing_line(argument, value, where, before, on=one.device.id if several > 1 else "")
        for one, value, before, crossing in zip(placed, each, [*each[:several], *each], crossings, strict=False)
        for _, where in crossing
    ]
    return report._replace(
        columns=[*argument_column(argument), *columns, Column(key="crossing", heading="crosses")],
        rows=rows,
        lead={**report.lead, "sweep": argument},
        summary=[*report.summary, *(lines or ["the verdict is the same at every size"])],
        assumptions=[*in_common([one.first.kernel for one in placed]), *_of_links(report, placed)],
    )


def _crossing(before: Placement, after: Placement) -> list[tuple[str, str]]:
    """What lies between a size and the next, each as a word for the row and words for a sentence."""
    marks = []
    if before.below_floor != after.below_floor:
        where = "below" if after.below_floor else "above"
        marks.append(("launch floor", f"{where} the launch floor of {units.show(after.floor, 's')}"))
    first, second = before.roof_bound, after.roof_bound
    if first is not None and second is not None and first != second:
        marks.append((mark(first, second), side(first, second)))
    return marks


def _of_links(report: Report, placed: Sequence[Placed]) -> list[str]:
    """What the links of a report are taken to do: the assumptions that are of no kernel."""
    counted = {text for one in placed for text in one.first.kernel.assumptions}
    return [text for text in report.assumptions if text not in counted]
