"""A sweep over batches, lengths, formats and devices to a Report, whose rows are computed one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from roofline.report import Column, Computed, Report
from roofline.report.crossings import crossing_line, mark, side
from roofline.report.devices import title_of
from roofline.report.llm import cells, columns
from roofline.report.llm import sentences as said
from roofline.report.llm.alike import critical_summary
from roofline.report.llm.critical import CRITICAL_COLUMNS, critical_cells
from roofline.report.llm.links import link_lines
from roofline.report.llm.memory import FITS, ROW_COLUMNS, fits_cell, row_cells
from roofline.report.llm.phases import STEP, Seen
from roofline.report.llm.roofs import device_lines, peak_lines, roof_lines, roofs_of_steps
from roofline.text import counted
from roofline.transformer.choices import CONVENTIONS
from roofline.transformer.grid import SIZES, Grid, Point
from roofline.transformer.setup import Setup

# The keys under which rows have what can be swept, with the unit of what has one; as in the report of one setup.
_KEYS: Final = {
    "batch": "batch",
    "context": "context_tokens",
    "prompt": "prompt_tokens",
    "devices": "device_count",
    "weights": "weights_format",
    "kv": "kv_format",
    "compute": "compute_precision",
    **{name: name for name in CONVENTIONS},
}
_FORMATS: Final = ("weights", "kv", "compute")
_HIDDEN: Final = frozenset({"idle_share"})  # of what rows of devices show
_TOLD: Final = 8  # crossings that are told one by one
_BY_TOTAL: Final = (
    "time and tok/s are by the total time, which kernels that fuse more than is counted can beat; where a model does "
    "not fit they are hypothetical"
)


def sweep_report(grid: Grid, context: dict[str, Any]) -> Report:
    """A row a point, none of them computed yet; what cannot be computed at all is found out before.

    Raises:
        InputError: sizes out of bounds, or devices that cannot share the heads.
        UnknownNameError: a format, a peak or a link that does not exist.

    """
    corners = grid.corners()
    tables = [grid.table(setup) for setup in corners]
    for setup, table in zip(corners, tables, strict=True):
        _ = setup.roofs(table)  # says which peak a device lacks
    first = grid.setups[0]
    points = Computed(grid.points())
    return Report(
        columns=_columns(grid),
        rows=Computed(_row(grid, point) for point in points),
        rows_key="setups",
        title=f"{first.architecture.name}: {grid.phase} on {_devices(grid)}",
        lead={"sweep": [_KEYS[name] for name in grid.axes], "phase": grid.phase},
        roofs=[
            *roof_lines(corners),
            *peak_lines(corners, phases=[grid.phase]),
            *link_lines(corners, "prefill" if grid.phase == "prefill" else "decode step"),
        ],
        summary=Computed(_summary(grid, points)),
        notes=[
            *dict.fromkeys(
                note for setup, table in zip(corners, tables, strict=True) for note in said.notes(setup, [table])
            ),
            *said.devices_notes(corners),
            *device_lines(grid.setups),
        ],
        conventions=[*said.assumptions(tables), *said.of_memory(first), *said.of_capacity(grid.setups), _BY_TOTAL],
        context=context | {"model_source": first.architecture.source} | roofs_of_steps(corners),
    )


def _devices(grid: Grid) -> str:
    return title_of(grid.setups[0].target.device) if len(grid.setups) == 1 else f"{len(grid.setups)} devices"


def _columns(grid: Grid) -> list[Column]:
    of_phase = [column._replace(detail=column.detail or column.key in _HIDDEN) for column in columns(STEP, short=True)]
    given = {
        name: Column(key=key, heading=name, format="count" if name in SIZES else "text", detail=True)
        for name, key in {"model": "model", "device": "device", **_KEYS}.items()
        if name in grid.axes or name not in CONVENTIONS  # which are said once for all where they are not swept
    }
    device = given.pop("device")._replace(detail=len(grid.setups) == 1)
    swept = [given.pop(name)._replace(detail=False) for name in grid.axes]
    more = CRITICAL_COLUMNS if grid.has_critical else ()
    return [
        device,
        *swept,
        *given.values(),
        *of_phase,
        FITS,
        *ROW_COLUMNS,
        Column(key="crossing", heading="crosses"),
        *more,
    ]


def _row(grid: Grid, point: Point) -> dict[str, Any]:
    setup, crossing = point.setup, point.crossing
    return {
        "model": setup.architecture.name,
        "device": setup.target.device.id,
        **{_KEYS[name]: getattr(setup.formats, name) for name in _FORMATS},
        **{_KEYS[name]: getattr(setup, name) for name in SIZES},
        **{name: setup.said(name) for name in grid.axes if name in CONVENTIONS},
        **cells(STEP, Seen(setup, grid.phase, point.bounds)),
        "fits": fits_cell(point.fits),
        **row_cells(setup.target.device.main_memory.available, point.needed),
        "crossing": None if crossing is None else mark(crossing.before, crossing.after),
        **({} if point.critical is None else critical_cells(point.critical)),
    }


def _summary(grid: Grid, points: Sequence[Point]) -> Iterator[str]:
    """What the rows show, once they are all there."""
    if grid.along is not None:
        crossed = [_crossed(grid, grid.along, point) for point in points if point.crossing is not None]
        yield from crossed[:_TOLD] or ["the bound is the same at every size"]
        if crossed[_TOLD:]:
            yield f"and {counted(len(crossed) - _TOLD, 'more crossing')}, marked in the table"
    yield from critical_summary(grid, points)


def _crossed(grid: Grid, along: str, point: Point) -> str:
    crossing = point.crossing
    assert crossing is not None  # noqa: S101  (for the type checker)
    where, on = side(crossing.before, crossing.after), ", ".join(_names(grid, point.setup, (along,)))
    return crossing_line(along, getattr(point.setup, along), where, crossing.size, on=on)


def _names(grid: Grid, setup: Setup, but: Sequence[str]) -> list[str]:
    """What tells a line of the grid from the others."""
    device = [setup.target.device.id] if len(grid.setups) > 1 else []
    others = [name for name, values in grid.axes.items() if name not in but and len(values) > 1]
    return [*device, *(f"{name} {setup.said(name)}" for name in others)]
