"""Judged kernels to a Report: what was asked of each, whether it held, and why not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from roofline.core.gate import Expectation, Failure
from roofline.core.placement import Placed
from roofline.core.target import Target
from roofline.report import Column, Report
from roofline.report.devices import device_context, headline_notes, scope_notes
from roofline.report.placements import kernel_cells, roof_cells
from roofline.report.roofs import distinct_roofs, roof_line, roofs_contexts

COLUMNS: Final = (
    Column(key="result", heading="result", format="result"),
    Column(key="name", heading="kernel", format="name"),
    Column(key="device", heading="device"),
    Column(key="where", heading="where", detail=True),
    Column(key="bound", heading="bound", format="bound"),
    Column(key="expected_bound", heading="expected", format="bound"),
    Column(key="share_of_roof", heading="share of roof", format="1"),
    Column(key="above_roof", heading="above", format="flag"),
    Column(key="min_efficiency", heading="at least", format="1"),
    Column(key="time_s", heading="time", format="s"),
    Column(key="max_time_s", heading="at most", format="s"),
    Column(key="arithmetic_intensity_flop_per_byte", heading="I", format="FLOP/B", detail=True),
    Column(key="ridge_flop_per_byte", heading="I*", format="FLOP/B", detail=True),
    Column(key="least_time_s", heading="least time", format="s", detail=True),
    Column(key="roof", heading="roof", detail=True),
    Column(key="failures", heading="failures", format="nested", detail=True),
)

Judged = tuple[str, Placed, Expectation, Sequence[Failure]]


def check_report(
    judged: Sequence[Judged],
    targets: Sequence[Target],
    context: dict[str, Any],
    warnings: Sequence[str],
    *,
    sound: bool = True,
) -> Report:
    """One row a kernel and device; what fails is said again below, in words.

    ``sound`` is false where something beside the kernels judged fails the check, such as a row that could not be read.
    """
    rows = [_row(*one) for one in judged]
    failed = [f"FAIL {p.first.kernel.name} on {p.device.id}: {f.text}" for _, p, _, found in judged for f in found]
    bad = sum(bool(found) for _, _, _, found in judged)
    unasked = sum(not asked.asked for _, _, asked, _ in judged)
    parts = [f"{len(judged) - bad - unasked} passed", f"{bad} failed"]
    parts += [f"{unasked} without an expectation"] if unasked else []
    above = sum(_above(placed) for _, placed, _, _ in judged)
    parts += [f"{above} above the roof, which cannot be"] if above else []
    devices = [target.device for target in targets]
    roofs = distinct_roofs([placed for _, placed, _, _ in judged])
    beside = any(placed.beside is not None for _, placed, _, _ in judged)
    return Report(
        columns=COLUMNS,
        rows=rows,
        rows_key="checks",
        lead={
            "passed": sound and not bad and len(judged) > unasked,
            "failed_count": bad,
            "checked_count": len(judged) - unasked,
        },
        roofs=[roof_line(roof) for roof in roofs],
        summary=[*failed, ", ".join(parts)],
        notes=headline_notes(devices) if beside else scope_notes(devices),
        warnings=warnings,
        context=context | {"devices": [device_context(device) for device in devices]} | roofs_contexts(roofs),
    )


def _row(where: str, placed: Placed, asked: Expectation, failures: Sequence[Failure]) -> dict[str, Any]:
    row = kernel_cells(placed.first) | roof_cells(placed.first)
    return row | {
        "above_roof": _above(placed),
        "result": "FAIL" if failures else "ok" if asked.asked else "-",
        "device": placed.device.id,
        "where": where,
        "expected_bound": f"{asked.bound}-bound" if asked.bound else None,
        "min_efficiency": asked.min_efficiency,
        "max_time_s": asked.max_time,
        "failures": [failure.text for failure in failures],
    }


def _above(placed: Placed) -> bool:
    """Whether a measurement is above any roof that it is held against, as the warnings say."""
    return placed.first.above_roof or (placed.beside is not None and placed.beside.above_roof)
