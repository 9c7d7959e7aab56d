"""A sweep over batches, lengths, formats and devices to a Report, whose rows are computed one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from roofline.report import Column, Computed, Report
from roofline.report.devices import title_of
from roofline.report.llm import sentences as said
from roofline.report.llm.critical import CRITICAL_COLUMNS
from roofline.report.llm.grid import KEYS, SIZES, Grid
from roofline.report.llm.memory import VERDICT_COLUMNS
from roofline.report.llm.phases import sheet_columns
from roofline.report.llm.roofs import device_lines, roof_lines, roofs_of_steps
from roofline.transformer.choices import CONVENTIONS

_SHOWN: Final = {
    "arithmetic_intensity_flop_per_byte": "I",
    "ridge_flop_per_byte": "I*",
    "bound": "bound",
    "total_time_s": "time",
    "total_time_tokens_per_s": "tok/s",
}


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
    rows = Computed(grid.rows())

    def summary() -> Iterator[str]:
        for _ in rows:  # the crossings are known when all rows are
            pass
        yield from grid.summary()

    return Report(
        columns=_columns(grid),
        rows=rows,
        rows_key="setups",
        title=f"{first.architecture.name}: {grid.phase} on {_devices(grid)}",
        lead={"sweep": [KEYS[name] for name in grid.axes], "phase": grid.phase},
        roofs=[
            *roof_lines(corners),
            *dict.fromkeys(line for setup in corners for line in said.link_lines(setup, several=len(grid.setups) > 1)),
        ],
        summary=Computed(summary()),
        notes=[
            *dict.fromkeys(
                note for setup, table in zip(corners, tables, strict=True) for note in said.notes(setup, [table])
            ),
            *device_lines(grid.setups),
        ],
        assumptions=[
            *said.assumptions(tables),
            *said.of_memory(first),
            "time and tok/s are bounds by the total time; where a model does not fit they are hypothetical",
        ],
        context=context | {"model_source": first.architecture.source} | roofs_of_steps(corners),
    )


def _devices(grid: Grid) -> str:
    return title_of(grid.setups[0].target.device) if len(grid.setups) == 1 else f"{len(grid.setups)} devices"


def _columns(grid: Grid) -> list[Column]:
    of_phase = [
        column._replace(key=key, heading=_SHOWN.get(key, column.heading), group="", detail=key not in _SHOWN)
        for column in sheet_columns()
        if column.group == grid.phase and not _of_a_run(column.key)
        for key in [column.key.removeprefix(f"{grid.phase}_")]
    ]
    given = {
        name: Column(key=key, heading=name, format="count" if name in SIZES else "text", detail=True)
        for name, key in {"model": "model", "device": "device", **KEYS}.items()
        if name in grid.axes or name not in CONVENTIONS  # which are said once for all where they are not swept
    }
    device = given.pop("device")._replace(detail=len(grid.setups) == 1)
    swept = [given.pop(name)._replace(detail=False) for name in grid.axes]
    ends = [*VERDICT_COLUMNS, Column(key="crossing", heading="crosses")]
    more = CRITICAL_COLUMNS if "batch" in grid.axes and grid.phase == "decode" else ()
    return [device, *swept, *given.values(), *of_phase, *ends, *more]


def _of_a_run(key: str) -> bool:
    """Whether a column is of a measured run, of which a grid has none."""
    return any(word in key for word in ("measured", "estimated", "share_of_bound", "above_bound"))
