"""One device to a Report: its peaks with their ridge points; and what its headline and its scope are, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from roofline.core.choice import RoofChoice, RoofQuery, choose, stream
from roofline.core.device import Device, Peak
from roofline.core.roof import Roof, Stream
from roofline.report import Column, Report, Value
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


def peaks_report(device: Device, query: RoofQuery, context: dict[str, Any]) -> Report:
    """Every peak of one device with its ridge point; the headline first and marked, the default roof marked too."""
    memory = stream(device, query.level, query.kind)
    choice = choose(device, query)
    rows = (
        _measured_rows(device, choice.roof, memory, query.dtype)
        if query.kind == "measured"
        else _spec_rows(device, query, choice, memory)
    )
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
        columns=_without_twins(PEAK_COLUMNS, rows),
        rows=rows,
        rows_key="peaks",
        title=title_of(device),
        lead=lead,
        roofs=[roof_line(roof) for roof in roofs],
        notes=headline_notes([device]) if choice.roof.headline else scope_notes([device]),
        context=context | roofs_context(choice.roof, beside),
    )


def _without_twins(columns: Sequence[Column], rows: list[dict[str, Any]]) -> list[Column]:
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


def _measured_rows(device: Device, roof: Roof, memory: Stream, dtype: str | None) -> list[dict[str, Any]]:
    return [
        {
            "roof": f"{ceiling.what}, default" if ceiling is roof.row else ceiling.what,
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
        if ceiling.quantity == "FLOP/s" and dtype in (None, ceiling.dtype)
    ]


def _headline_row(device: Device, memory: Stream) -> dict[str, Any]:
    headline = device.headline
    assert headline is not None  # noqa: S101  (callers look first)
    dense = headline.peak if headline.sparsity == "dense" else None
    sparse = headline.peak if headline.sparsity == "2:4" else None
    return {
        "roof": "headline",
        "precision": headline.dtype,
        "unit": None,
        "accumulate": headline.accumulate,
        "clock": None,
        **_rates(dense, sparse, memory),
        "basis": headline.basis,
        "sparse_basis": None if sparse is None else headline.basis,
        "sources": list(headline.sources),
    }


def _peak_row(peak: Peak, memory: Stream, default: Roof) -> dict[str, Any]:
    return {
        "roof": "default" if peak is default.row else None,
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
