"""Devices to a Report: the peaks of one with their ridge points, or a row each for several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from roofline.core.choice import RoofChoice, RoofQuery, choose, stream
from roofline.core.device import Device, Peak
from roofline.core.roof import Roof, Stream
from roofline.report import Column, Report, Value, used
from roofline.report.roofs import roof_line, roofs_context

PEAK_COLUMNS: Final = (
    Column(key="roof", heading="roof"),
    Column(key="precision", heading="dtype"),
    Column(key="unit", heading="unit"),
    Column(key="accumulate", heading="accumulate"),
    Column(key="clock", heading="clock"),
    Column(key="peak_flop_per_s", heading="peak", format="FLOP/s", group="dense"),
    Column(key="ridge_flop_per_byte", heading="I*", format="FLOP/B", group="dense"),
    Column(key="sparse_peak_flop_per_s", heading="peak", format="FLOP/s", group="2:4"),
    Column(key="sparse_ridge_flop_per_byte", heading="I*", format="FLOP/B", group="2:4"),
    Column(key="basis", heading="basis"),
    Column(key="sparse_basis", heading="basis", group="2:4"),
    Column(key="sources", heading="sources", format="nested", detail=True),
)
DEVICE_COLUMNS: Final = (
    Column(key="device", heading="device"),
    Column(key="name", heading="name", detail=True),
    Column(key="vendor", heading="vendor", detail=True),
    Column(key="headline_peak_flop_per_s", heading="peak", format="FLOP/s", group="headline"),
    Column(key="headline_ridge_flop_per_byte", heading="I*", format="FLOP/B", group="headline"),
    Column(key="headline_roof", heading="roof", group="headline", detail=True),
    Column(key="dense_peak_flop_per_s", heading="peak", format="FLOP/s", group="dense"),
    Column(key="dense_ridge_flop_per_byte", heading="I*", format="FLOP/B", group="dense"),
    Column(key="dense_precision", heading="dtype", group="dense"),
    Column(key="dense_roof", heading="roof", group="dense", detail=True),
    Column(key="bandwidth_byte_per_s", heading="BW", format="B/s"),
    Column(key="memory_level", heading="memory level", detail=True),
    Column(key="capacity_byte", heading="memory", format="B"),
)
# With a named precision or density there is one roof a device, and no headline to stand beside it.
NAMED_COLUMNS: Final = (
    *DEVICE_COLUMNS[:3],
    Column(key="peak_flop_per_s", heading="peak", format="FLOP/s"),
    Column(key="ridge_flop_per_byte", heading="I*", format="FLOP/B"),
    Column(key="roof", heading="roof"),
    *DEVICE_COLUMNS[10:],
)


def peaks_report(device: Device, query: RoofQuery, context: dict[str, Any]) -> Report:
    """Every peak of one device with its ridge point; the headline first and marked, the default roof marked too."""
    memory = stream(device, query.level, query.kind)
    choice = choose(device, query)
    rows = _measured_rows(device, memory) if query.kind == "measured" else _spec_rows(device, query, choice, memory)
    beside = choice.beside
    lead = {
        "device": device.id,
        "name": device.name,
        "ridge_flop_per_byte": choice.roof.ridge_point,
        "peak_flop_per_s": choice.roof.peak,
        "bandwidth_byte_per_s": memory.bandwidth,
        "memory_level": memory.level,
        "roof": choice.roof.label,
        "headline": choice.roof.headline,
    }
    if beside is not None:
        lead |= {
            "dense_ridge_flop_per_byte": beside.ridge_point,
            "dense_peak_flop_per_s": beside.peak,
            "dense_roof": beside.label,
        }
    roofs = [choice.roof] + ([beside] if beside else [])
    return Report(
        columns=_without_twins(used(PEAK_COLUMNS, rows), rows),
        rows=rows,
        rows_key="peaks",
        title=title_of(device),
        lead=lead,
        roofs=[roof_line(roof) for roof in roofs],
        notes=headline_notes([device]) if choice.roof.headline else scope_notes([device]),
        context=context | roofs_context(choice.roof, beside),
    )


def _without_twins(columns: list[Column], rows: list[dict[str, Any]]) -> list[Column]:
    """The columns; one basis serves both rates in a table unless some 2:4 rate is of another kind than the dense."""
    differs = any(row["sparse_basis"] not in (None, row["basis"]) for row in rows)
    return [c._replace(detail=c.detail or (c.key == "sparse_basis" and not differs)) for c in columns]


def _spec_rows(device: Device, query: RoofQuery, choice: RoofChoice, memory: Stream) -> list[dict[str, Any]]:
    default = choice.beside or choice.roof
    headline = device.headline is not None and query.dtype is None
    return ([_headline_row(device, memory)] if headline else []) + [
        _peak_row(peak, memory, default)
        for peak in device.peaks
        if query.dtype in (None, peak.dtype) and (peak.sparse is not None or not query.sparse)
    ]


def _measured_rows(device: Device, memory: Stream) -> list[dict[str, Any]]:
    return [
        {
            "roof": ceiling.what,
            "precision": ceiling.dtype,
            "unit": None,
            "accumulate": None,
            "clock": None,
            **_rates(ceiling.value, None, memory),
            "basis": "measured",
            "sparse_basis": None,
            "sources": list(ceiling.sources),
        }
        for ceiling in device.measured
        if ceiling.quantity == "FLOP/s"
    ]


def _headline_row(device: Device, memory: Stream) -> dict[str, Any]:
    headline = device.headline
    assert headline is not None  # noqa: S101  (callers look first)
    dense = headline.peak if headline.sparsity == "dense" else None
    sparse = headline.peak if headline.sparsity == "2:4" else None
    kinds = [device.sources[k].kind or "given" for k in headline.sources if k in device.sources]
    basis = ", ".join(kinds) or "given"
    return {
        "roof": "headline",
        "precision": headline.dtype,
        "unit": None,
        "accumulate": headline.accumulate,
        "clock": None,
        **_rates(dense, sparse, memory),
        "basis": basis,
        "sparse_basis": None if sparse is None else basis,
        "sources": list(headline.sources),
    }


def _peak_row(peak: Peak, memory: Stream, default: Roof) -> dict[str, Any]:
    is_default = (
        default.dtype == (peak.dtype or None)
        and default.unit == peak.unit
        and default.clock == peak.clock
        and peak.rate(default.sparsity) == default.peak
        and (default.accumulate is None or default.accumulate in peak.accumulate)
    )
    return {
        "roof": "default" if is_default else None,
        "precision": peak.dtype or None,
        "unit": peak.unit,
        "accumulate": "/".join(peak.accumulate) or None,
        "clock": peak.clock,
        **_rates(peak.dense, peak.sparse, memory),
        "basis": peak.basis,
        "sparse_basis": None if peak.sparse is None else peak.basis_of("2:4"),
        "sources": list(peak.sources),
    }


def _rates(dense: float | None, sparse: float | None, memory: Stream) -> dict[str, Any]:
    return {
        "peak_flop_per_s": Value(dense, None, "no dense rate published" if dense is None else None),
        "ridge_flop_per_byte": Value(
            None if dense is None else dense / memory.bandwidth,
            None,
            "no dense rate published" if dense is None else None,
        ),
        "sparse_peak_flop_per_s": Value(sparse, None, "no 2:4-sparse rate" if sparse is None else None),
        "sparse_ridge_flop_per_byte": Value(
            None if sparse is None else sparse / memory.bandwidth,
            None,
            "no 2:4-sparse rate" if sparse is None else None,
        ),
    }


def device_row(device: Device, query: RoofQuery) -> dict[str, Any]:
    """One device's cells for DEVICE_COLUMNS and NAMED_COLUMNS."""
    choice = choose(device, query)
    headline = choice.roof if choice.roof.headline else None
    dense = choice.beside if headline else choice.roof
    memory = choice.roof.memory
    capacity = next((m.capacity for m in device.memory if m.level == memory.level), None)
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
        "dense_roof": dense and dense.label,
        "peak_flop_per_s": choice.roof.peak,
        "ridge_flop_per_byte": choice.roof.ridge_point,
        "roof": choice.roof.label,
        "bandwidth_byte_per_s": memory.bandwidth,
        "memory_level": memory.level,
        "capacity_byte": Value(capacity, None, "not given"),
    }


def clock_notes(devices: Sequence[Device], query: RoofQuery) -> list[str]:
    """Which clock the compared peaks are at, where that differs: base and boost do not belong in one ranking."""
    clocks: dict[str, list[str]] = {}
    for device in devices:
        choice = choose(device, query)
        clocks.setdefault((choice.beside or choice.roof).clock or "", []).append(device.id)
    if len([clock for clock in clocks if clock]) < 2:
        return []
    told = "; ".join(f"{clock}: {', '.join(ids)}" for clock, ids in clocks.items() if clock)
    return [f"these peaks are at different clocks ({told}); --clock base compares like with like"]


def headline_notes(devices: Sequence[Device]) -> list[str]:
    """What each headline really is, and what part of a product a file covers, in a sentence each."""
    notes = [
        f"the headline of {device.id}: {device.headline.note}"
        for device in devices
        if device.headline is not None and device.headline.note
    ]
    return notes + scope_notes(devices)


def scope_notes(devices: Sequence[Device]) -> list[str]:
    """What part of a product a file covers, where that is not obvious."""
    return [f"{device.id}: {device.scope}" for device in devices if device.scope]


def title_of(device: Device) -> str:
    """A device as titles name it."""
    return f"{device.name} ({device.id})" if device.origin else device.name


def device_context(device: Device) -> dict[str, Any]:
    """A device for the context of a JSON document."""
    return {"id": device.id, "name": device.name, "origin": device.origin, "scope": device.scope}
