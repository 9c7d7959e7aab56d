"""The catalogue itself to a Report: a list of devices, one device in full, the problems of files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from roofline.core.device import Device
from roofline.files import Problem
from roofline.report import Column, Report, used
from roofline.report.devices import title_of
from roofline.units import Quantity, show

LIST_COLUMNS: Final = (
    Column(key="device", heading="device"),
    Column(key="name", heading="name", format="name"),
    Column(key="vendor", heading="vendor", detail=True),
    Column(key="kind", heading="kind"),
    Column(key="architecture", heading="architecture", detail=True),
    Column(key="year", heading="year", format="count"),
    Column(key="aliases", heading="aliases", format="list"),
    Column(key="precisions", heading="precisions", format="list", detail=True),
    Column(key="origin", heading="file", detail=True),
)
SHOW_COLUMNS: Final = (
    Column(key="what", heading="what"),
    Column(key="figure", heading="figure"),
    Column(key="detail", heading="detail"),
    Column(key="basis", heading="basis"),
    Column(key="source_keys", heading="source", format="list"),
    Column(key="value", heading="value", detail=True),
    Column(key="unit", heading="unit", detail=True),
    Column(key="check", heading="check", detail=True),
    Column(key="note", heading="note", detail=True),
)
LINT_COLUMNS: Final = (
    Column(key="where", heading="where"),
    Column(key="level", heading="level"),
    Column(key="message", heading="message"),
    Column(key="rule", heading="rule"),
    Column(key="hint", heading="hint"),
)


def list_report(devices: Sequence[Device], context: dict[str, Any], warnings: Sequence[str]) -> Report:
    """A row a device."""
    rows = [
        {
            "device": device.id,
            "name": device.name,
            "vendor": device.vendor,
            "kind": device.kind,
            "architecture": device.architecture,
            "year": device.year,
            "aliases": list(device.aliases),
            "precisions": list(device.precisions),
            "origin": device.origin,
        }
        for device in devices
    ]
    return Report(
        columns=LIST_COLUMNS,
        rows=rows,
        rows_key="devices",
        summary=[f"{len(rows)} device{'' if len(rows) == 1 else 's'}" if rows else "no device fits"],
        warnings=warnings,
        context=context,
    )


def show_report(device: Device, context: dict[str, Any]) -> Report:
    """A row a figure, then the notes and the sources in words."""
    rows = _figure_rows(device)
    about = {
        "vendor": device.vendor,
        "kind": device.kind,
        "architecture": device.architecture,
        "year": device.year,
        "aliases": ", ".join(device.aliases) or None,
        "scope": device.scope,
        "file": device.origin,
    }
    notes = [f"{row['what']} {row['detail']}: {row['note']}" for row in rows if row["note"]]
    notes += [
        f"{m.level}: more is usable than is quoted, since the vendor's GB are GiB, less a reserve"
        for m in device.memory
        if m.capacity is not None and m.usable is not None and m.usable > m.capacity
    ]
    notes += [f"{row['what']} {row['detail']}: {row['check_note']}" for row in rows if row.get("check_note")]
    checks = [f"check of {row['what']} {row['detail']}: {row['check']}" for row in rows if row["check"]]
    sources = [f"source {s.key}: {s.citation} ({s.kind})" for s in device.sources.values()]
    return Report(
        columns=used(SHOW_COLUMNS, rows),
        rows=rows,
        rows_key="figures",
        title=title_of(device),
        lead={"device": device.id, "name": device.name, **about, "aliases": list(device.aliases)}
        | {"sources": {s.key: {"title": s.title, "where": s.where, "kind": s.kind} for s in device.sources.values()}},
        summary=[f"{key}: {value}" for key, value in about.items() if value is not None],
        notes=[*([device.note] if device.note else []), *notes],
        explanation=[*checks, *sources],
        context=context,
    )


def _figure_rows(device: Device) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []

    def add(what: str, value: float | None, unit: Quantity, detail: str, keys: Sequence[str], **more: Any) -> None:
        if value is not None:
            row = {"what": what, "figure": show(value, unit), "value": value, "unit": unit, "detail": detail}
            rows.append(row | {"source_keys": list(keys), "basis": None, "check": None, "note": None} | more)

    headline = device.headline
    if headline is not None:
        extra = f" {headline.accumulate} accumulation" if headline.accumulate else ""
        detail = f"{headline.dtype} {headline.sparsity}{extra}"
        add("headline", headline.peak, "FLOP/s", detail, headline.sources, basis=headline.basis, note=headline.note)
    for peak in device.peaks:
        accumulate = f"{'/'.join(peak.accumulate)} accumulation" if peak.accumulate else None
        words = (peak.dtype, peak.unit, accumulate, peak.clock and f"{peak.clock} clock")
        detail = " ".join(w for w in words if w)
        more = {"basis": peak.basis, "note": peak.note}
        sparse = {"basis": peak.basis_of("2:4"), "note": None if peak.dense is not None else peak.note}
        checks = {"check": peak.check, "check_note": peak.check_note}
        add("peak", peak.dense, "FLOP/s", f"{detail} dense", peak.sources, **more, **checks)
        add("peak", peak.sparse, "FLOP/s", f"{detail} 2:4", peak.sources, **sparse)
    for memory in device.memory:
        level, keys, basis = memory.level, memory.sources, {"basis": memory.basis}
        checks = {"check": memory.check, "check_note": memory.check_note, "note": memory.note}
        add("bandwidth", memory.bandwidth, "B/s", level, keys, **basis, **checks)
        note = None if memory.bandwidth is not None else memory.note
        add("capacity", memory.capacity, "B", level, keys, **basis, note=note)
        add("usable", memory.usable, "B", level, keys, **basis)
    for link in device.links:
        detail = f"{link.name} {link.direction}"
        add("link", link.bandwidth, "B/s", detail, link.sources, basis=link.basis, note=link.note)
    add("power", device.tdp, "W", "TDP", device.tdp_sources)
    for ceiling in device.measured:
        detail = " ".join(w for w in (ceiling.what, ceiling.dtype, ceiling.level) if w)
        add("measured", ceiling.value, ceiling.quantity, detail, ceiling.sources, basis="measured", note=ceiling.note)
    return rows


def lint_report(problems: Sequence[Problem], files: int, context: dict[str, Any]) -> Report:
    """A row a problem for programs, a line a problem for people, as compilers print them."""
    rows = [
        {"where": p.where, "level": p.level, "message": p.message, "rule": p.rule, "hint": p.hint} for p in problems
    ]
    errors = sum(problem.level == "error" for problem in problems)
    if problems:
        counts = f"{_counted(errors, 'error')}, {_counted(len(problems) - errors, 'warning')}"
        summary = f"{_counted(len(problems), 'problem')}: {counts}"
    else:
        summary = f"{_counted(files, 'file')}: no problems"
    return Report(
        columns=used(LINT_COLUMNS, rows),
        rows=rows,
        rows_key="problems",
        lines=[f"{p.where}: {p.level}: {p.message} [{p.rule}]" + (f"; {p.hint}" if p.hint else "") for p in problems],
        summary=[summary],
        context=context,
    )


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
