"""Placed kernels to a Report: a sheet for one, a row a device for a comparison, a row a kernel for a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from roofline import units
from roofline.core.kernel import Kernel
from roofline.core.placement import Placed, Placement
from roofline.core.roof import TOLERANCE, Roof, Stream
from roofline.core.target import Target
from roofline.report import Column, Report, Rows, Value
from roofline.report import placements as cells
from roofline.report import sentences as said
from roofline.report.devices import device_context, headline_notes, scope_notes, title_of
from roofline.report.links import link_cells, link_columns
from roofline.report.roofs import distinct_roofs, roof_line, roofs_context, roofs_contexts, roofs_of_devices

if TYPE_CHECKING:
    from roofline.report.tally import Tallies

_DEVICE: Final = Column(key="device", heading="device")
_LEVELS: Final = Column(key="levels", heading="levels", format="nested", detail=True)
_ROOF_KEYS: Final = frozenset(column.key for column in cells.roof_columns())
_LIST_KERNEL_COLUMNS: Final = frozenset(
    {"name", "arithmetic_intensity_flop_per_byte", "time_s", "achieved_flop_per_s", "achieved_byte_per_s"}
)


def sheet(placed: Placed, context: dict[str, Any], *, explained: bool = False) -> Report:
    """One kernel on one device; the sourced dense roof stands beside the headline."""
    first, beside = placed.first, placed.beside
    row = {"device": placed.device.id, "levels": cells.levels(first)}
    row |= cells.kernel_cells(first) | link_cells(first) | cells.roof_cells(first)
    group = "headline" if first.roof.headline else ""
    columns = [_DEVICE._replace(detail=True), *cells.KERNEL_COLUMNS, *link_columns([placed])]
    columns += [*cells.roof_columns("", group), _LEVELS]
    if beside is not None:
        row |= cells.roof_cells(beside, "dense_")
        columns += cells.roof_columns("dense_", f"dense {beside.roof.dtype}")
    if placed.headline is not None:
        row |= cells.roof_cells(placed.headline, "headline_")
        columns = [c._replace(group=_sourced([placed])) if c.key in _ROOF_KEYS else c for c in columns]
        columns += cells.roof_columns("headline_", "headline")
    if first.levels:
        columns = [c._replace(detail=False) if c.heading == "binding level" else c for c in columns]
    roofs = [placement.roof for placement in (first, beside, placed.headline) if placement is not None]
    return Report(
        columns=columns,
        rows=[row],
        layout="sheet",
        single=True,
        title=f"{first.kernel.name} on {title_of(placed.device)}",
        roofs=[roof_line(roof) for roof in roofs],
        summary=[said.verdict(first), *said.levels(first), *([text] if (text := said.measured(placed)) else [])],
        notes=[
            *said.disagreements([placed]),
            *first.kernel.notes,
            *said.doubts([placed]),
            *said.device_notes([placed]),
        ],
        warnings=said.warnings_of([placed]),
        assumptions=said.assumptions([placed]),
        explanation=said.explanation([placed]) if explained else (),
        context=context
        | {"device": device_context(placed.device)}
        | roofs_context(first.roof, None if beside is None else beside.roof),
    )


def comparison(placed: Sequence[Placed], context: dict[str, Any], *, settled: bool, explained: bool = False) -> Report:
    """One kernel on several devices, a row each; ``settled``: no headline can stand beside but one put there."""
    beside = any(one.headline is not None for one in placed)
    rows = [
        {"device": one.device.id}
        | cells.kernel_cells(one.first)
        | link_cells(one.first)
        | (_headline_of(one.headline) if beside else {})
        | _roofs_of(one, settled=settled)
        for one in placed
    ]
    columns = [_DEVICE, *(column._replace(detail=True) for column in cells.KERNEL_COLUMNS)]
    columns += [c._replace(detail=c.key != "link_bandwidth_byte_per_s") for c in link_columns(placed)]
    if settled:
        columns += cells.comparison_columns("headline_", "headline") if beside else ()
        columns += cells.comparison_columns("", _sourced(placed) if beside else "")
    else:
        columns += [*cells.comparison_columns("headline_", "headline"), *cells.comparison_columns("dense_", "dense")]
    return Report(
        columns=columns,
        rows=rows,
        rows_key="devices",
        title=_kernel_in_words(placed[0]),
        roofs=[roof_line(roof, of=device) for roof, device in roofs_of_devices(placed)],
        notes=[
            *said.disagreements(placed, with_device=True),
            *dict.fromkeys(text for one in placed for text in one.first.kernel.notes),
            *said.doubts(placed),
            *said.device_notes(placed),
        ],
        warnings=said.warnings_of(placed),
        assumptions=said.assumptions(placed),
        explanation=said.explanation(placed) if explained else (),
        context=context
        | {"devices": [device_context(one.device) for one in placed]}
        | roofs_contexts(distinct_roofs(placed)),
    )


def kernel_list(
    shown: Sequence[Placed],
    targets: Sequence[Target],
    tallies: Tallies,
    context: dict[str, Any],
    *,
    warnings: Sequence[str] = (),
    explained: bool = False,
) -> Report:
    """A list of kernels, a row each (and a device, if there are several)."""
    several = len(targets) > 1
    beside = any(one.beside is not None for one in shown)
    # Headline and dense figures of different devices never share a column.
    apart = several and not targets[0].query.settled
    put_beside = any(one.headline is not None for one in shown)

    def row_of(one: Placed) -> dict[str, Any]:
        row = {"device": one.device.id, "levels": cells.levels(one.first)} | cells.kernel_cells(one.first)
        row |= link_cells(one.first) | _roofs_of(one, settled=not apart)
        if one.beside is not None and not apart:
            row |= cells.roof_cells(one.beside, "dense_")
        return row | _headline_of(one.headline) if put_beside else row

    rows = Rows(shown, row_of)
    name, *others = (
        c if c.key in _LIST_KERNEL_COLUMNS else c._replace(detail=True) for c in cells.shortened(cells.KERNEL_COLUMNS)
    )
    columns = [name, _DEVICE if several else _DEVICE._replace(detail=True), *others, _LEVELS]
    columns += link_columns(shown, detail=True)
    if apart:
        columns += [*cells.row_columns("headline_", "headline"), *cells.row_columns("dense_", "dense")]
    elif put_beside:
        columns += [*cells.row_columns("headline_", "headline"), *cells.row_columns("", _sourced(shown))]
    else:
        columns += cells.row_columns("", "headline" if beside else "")
        columns += cells.row_columns("dense_", "dense") if beside else ()
    if len({one.first.kernel.dtype for one in shown}) > 1:
        columns = [c._replace(detail=False) if c.key == "precision" else c for c in columns]
    if tallies.timed:  # the share of the roof says more than what could have been attained
        columns = [c._replace(detail=c.detail or c.key.endswith("attainable_flop_per_s")) for c in columns]
    devices, roofs = [target.device for target in targets], distinct_roofs(shown)
    return Report(
        columns=columns,  # a long list is not gone through once more to find the empty ones; tables do
        rows=rows,
        rows_key="kernels",
        lead={"totals": tallies.as_json()},
        roofs=(
            [roof_line(roof, of=device) for roof, device in roofs_of_devices(shown)]
            if several
            else [roof_line(roof) for roof in roofs]
        ),
        summary=tallies.lines(),
        assumptions=said.counted(shown),
        notes=said.list_notes(shown) + (headline_notes(devices) if beside else scope_notes(devices)),
        warnings=warnings,
        explanation=said.explanation(shown) if explained else (),
        context=context | {"devices": [device_context(device) for device in devices]} | roofs_contexts(roofs),
    )


def rate_against_peak(name: str, achieved: float, peak: float, dtype: str | None, context: dict[str, Any]) -> Report:
    """An achieved rate (FLOP/s) against a bare peak: its share, and nothing that needs a bandwidth."""
    Kernel(name=name, rate=achieved)  # both are checked for their range
    share = achieved / Roof(peak=peak, memory=Stream(bandwidth=1.0)).peak
    causes = "units, another precision, a 2:4-sparse run against a dense peak, the FLOP count"
    above = f"{name} is above the roof: {units.significant(share)}x the given peak; likely causes: {causes}"
    row = {
        "name": name,
        "precision": dtype,
        "achieved_flop_per_s": achieved,
        "peak_flop_per_s": peak,
        "achieved_share_of_peak": share,
        "above_roof": share > TOLERANCE,
    }
    columns = [column for column in (*cells.KERNEL_COLUMNS, *cells.roof_columns()) if column.key in row]
    return Report(
        columns=columns,
        rows=[row],
        layout="sheet",
        single=True,
        title=f"{name} against a given peak",
        warnings=[above] if share > TOLERANCE else [],
        assumptions=["no bandwidth given: judged against the peak alone"],
        context=context,
    )


def _roofs_of(one: Placed, *, settled: bool) -> dict[str, Any]:
    """The cells of the one roof that was asked for, or of headline and dense roof, each under its own prefix."""
    if settled:
        return cells.roof_cells(one.first)
    headline = one.first if one.first.roof.headline else None
    dense = one.beside if headline else one.first
    row = _headline_of(headline)
    return row if dense is None else row | cells.roof_cells(dense, "dense_")


def _headline_of(headline: Placement | None) -> dict[str, Any]:
    """The cells of the headline columns, empty for a device that has none."""
    if headline is not None:
        return cells.roof_cells(headline, "headline_")
    absent = Value(None, None, "no headline kept")
    return {column.key: absent for column in cells.comparison_columns("headline_")}


def _sourced(placed: Sequence[Placed]) -> str:
    """What the columns of a sourced roof are headed beside those of the headline."""
    kernel, roof = placed[0].first.kernel, placed[0].first.roof
    if all(one.first.kernel.flops == 0 for one in placed):  # any peak would do, so none is named
        return roof.sparsity
    return f"{roof.sparsity} {kernel.dtype or roof.dtype}"


def _kernel_in_words(placed: Placed) -> str:
    kernel, parts = placed.first.kernel, []
    if kernel.flops is not None:
        parts.append(f"work {units.show(kernel.flops, 'FLOP')}")
    if kernel.bytes is not None:
        parts.append(f"traffic {units.show(kernel.bytes, 'B')}")
    if placed.first.intensity is not None:
        parts.append(f"intensity I {units.show(placed.first.intensity, 'FLOP/B')}")
    return f"{kernel.name}: {', '.join(parts)}" if parts else kernel.name
