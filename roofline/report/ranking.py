"""Several devices to a Report: a row each, the headline and the sourced dense peak side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from roofline.core.choice import RoofChoice, RoofQuery
from roofline.core.device import Device, level_key
from roofline.report import Column, Report, Value, plain
from roofline.report.devices import device_context, headline_notes, scope_notes
from roofline.report.roofs import roof_line, roofs_contexts

_FEW: Final = 10  # devices whose roofs and notes are told one by one
SORT_KEYS: Final = {
    "id": "device",
    "name": "name",
    "ridge": "ridge_flop_per_byte",
    "peak": "peak_flop_per_s",
    "bandwidth": "bandwidth_byte_per_s",
    "capacity": "capacity_byte",
}
_COLUMNS: Final = (
    Column(key="device", heading="device"),
    Column(key="name", heading="name", detail=True),
    Column(key="vendor", heading="vendor", detail=True),
    Column(key="headline_peak_flop_per_s", heading="peak", format="FLOP/s", group="headline"),
    Column(key="headline_ridge_flop_per_byte", heading="I*", format="FLOP/B", group="headline"),
    Column(key="headline_roof", heading="roof", group="headline", detail=True),
    Column(key="dense_peak_flop_per_s", heading="peak", format="FLOP/s", group="dense"),
    Column(key="dense_ridge_flop_per_byte", heading="I*", format="FLOP/B", group="dense"),
    Column(key="dense_precision", heading="dtype", group="dense"),
    Column(key="dense_basis", heading="basis", group="dense"),
    Column(key="dense_roof", heading="roof", group="dense", detail=True),
    Column(key="bandwidth_byte_per_s", heading="BW", format="B/s"),
    Column(key="memory_level", heading="memory level", detail=True),
    Column(key="capacity_byte", heading="memory", format="B"),
)
# Where one roof a device was asked for, no headline stands beside it.
_SETTLED_COLUMNS: Final = (
    *_COLUMNS[:3],
    Column(key="peak_flop_per_s", heading="peak", format="FLOP/s"),
    Column(key="ridge_flop_per_byte", heading="I*", format="FLOP/B"),
    Column(key="roof", heading="roof"),
    *_COLUMNS[11:],
)


def ranking(
    chosen: Sequence[tuple[Device, RoofChoice]],
    query: RoofQuery,
    context: dict[str, Any],
    *,
    sort: str | None = None,
    top: int | None = None,
    left_out: int = 0,
    warnings: Sequence[str] = (),
) -> Report:
    """A row a device, in the order asked for: names from a to z, figures from the largest down, unknown ones last.

    ``left_out`` devices lack the figure that was asked for.

    """
    if sort is not None:
        chosen = _sorted(chosen, sort, query)
    chosen = chosen[:top]
    rows = [_row(device, choice) for device, choice in chosen]
    roofs = [(roof, device) for device, choice in chosen for roof in (choice.roof, choice.beside) if roof is not None]
    few = len(chosen) <= _FEW
    kept = [device for device, _ in chosen]
    notes = _clock_notes(chosen)
    if few:
        notes = [n for d, c in chosen for n in (headline_notes if c.roof.headline else scope_notes)([d])] + notes
    elif not query.settled:
        notes.append(
            "dense: the faster of fp16 and bf16 (CPU: fp32), on the matrix unit with fp32 accumulation where the "
            "device has one; json and csv name each roof"
        )
    if left_out:
        many = f"{left_out} devices have no such figure and are"
        them = "1 device has no such figure and is" if left_out == 1 else many
        notes.append(f"{them} left out")
    return Report(
        columns=_SETTLED_COLUMNS if query.settled else _COLUMNS,
        rows=rows,
        rows_key="devices",
        roofs=[roof_line(roof, of=device.id) for roof, device in roofs] if few and not query.settled else (),
        notes=notes,
        warnings=warnings,
        context=context
        | {"devices": [device_context(device) for device in kept]}
        | roofs_contexts([roof for roof, _ in roofs]),
    )


def _sorted(
    chosen: Sequence[tuple[Device, RoofChoice]], sort: str, query: RoofQuery
) -> list[tuple[Device, RoofChoice]]:
    key = SORT_KEYS[sort]
    if not query.settled and sort in ("ridge", "peak"):
        key = f"dense_{key}"  # the one column that every device fills
    values = {id(one): plain(_row(*one)[key]) for one in chosen}
    known = [one for one in chosen if values[id(one)] is not None]
    known.sort(key=lambda one: values[id(one)], reverse=sort not in ("id", "name"))
    return known + [one for one in chosen if values[id(one)] is None]


def _row(device: Device, choice: RoofChoice) -> dict[str, Any]:
    """One device's cells."""
    headline = choice.roof if choice.roof.headline else None
    dense = choice.beside if headline else choice.roof
    memory = choice.roof.memory
    capacity = next((m.capacity for m in device.memory if level_key(m.level) == level_key(memory.level)), None)
    return {
        "device": device.id,
        "name": device.name,
        "vendor": device.vendor,
        "headline_peak_flop_per_s": Value(headline and headline.peak, None, "no headline kept"),
        "headline_ridge_flop_per_byte": Value(headline and headline.ridge_point, None, "no headline kept"),
        "headline_roof": headline and headline.label,
        "dense_peak_flop_per_s": dense and dense.peak,
        "dense_ridge_flop_per_byte": dense and dense.ridge_point,
        "dense_precision": dense and dense.dtype,
        "dense_basis": dense and dense.basis,
        "dense_roof": dense and dense.label,
        "peak_flop_per_s": choice.roof.peak,
        "ridge_flop_per_byte": choice.roof.ridge_point,
        "roof": choice.roof.label,
        "bandwidth_byte_per_s": memory.bandwidth,
        "memory_level": memory.level,
        "capacity_byte": Value(capacity, None, "not given"),
    }


def _clock_notes(chosen: Sequence[tuple[Device, RoofChoice]]) -> list[str]:
    """Which clock the compared peaks are at, where that differs: base and boost do not belong in one ranking."""
    clocks: dict[str, list[str]] = {}
    for device, choice in chosen:
        clocks.setdefault((choice.beside or choice.roof).clock or "", []).append(device.id)
    named = {clock: ids for clock, ids in clocks.items() if clock}
    if len(named) < 2:
        return []
    told = "; ".join(f"{clock}: {', '.join(ids)}" for clock, ids in named.items())
    return [f"these peaks are at different clocks ({told}); --clock base compares like with like"]
