"""A hardware file to a Device, with every problem of the file in one report."""

from __future__ import annotations

import os
from typing import Any

from roofline.catalog.fields import DEVICE
from roofline.catalog.findings import Findings, place
from roofline.catalog.schema import HALF_OF_SPARSE
from roofline.core.device import SLOWEST, Ceiling, Device, Headline, Link, Memory, Peak, Source, level_key
from roofline.errors import FileError
from roofline.files import Problem, shown_path
from roofline.text import quote
from roofline.yaml_tree import Node
from roofline.yaml_tree import load as load_yaml


def load(path: str) -> Device:
    """The device of a hardware file.

    Raises:
        FileError: unreadable, or not a hardware file; the first problem is named, with the number of further ones.

    """
    device, problems, _ = inspect(path)
    errors = [problem for problem in problems if problem.level == "error"]
    if device is None or errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        hint = errors[0].hint or f"roofline hw lint {path} shows all"
        raise FileError(f"{errors[0]}{more}", hint=hint if not more else f"roofline hw lint {path} shows all")
    return device


def inspect(path: str) -> tuple[Device | None, list[Problem], dict[str, Any] | None]:
    """The device (None if it cannot be built), all problems, and the raw values for further rules.

    Raises:
        FileError: the file cannot be read as text.

    """
    root, problems = load_yaml(path)
    if root is None:
        return None, problems, None
    report = Findings(shown_path(path), problems)
    try:
        values = DEVICE.read(root, "file", report)
        if values is not None:
            _check_consistency(values, report)
    except FileError as enough:
        problems.append(Problem.of(enough))
        return None, problems, None
    device = None
    if values is not None and not any(problem.level == "error" for problem in problems):
        device = _device(values, path)
    return device, problems, values


def _check_consistency(values: dict[str, Any], report: Findings) -> None:
    """What no single field can tell."""
    levels: dict[str, Node] = {}
    for row in values.get("memory") or []:
        level = row.get("level") or ""
        plain = level_key(level) or level.casefold()  # a name of punctuation alone
        if level and plain in levels:
            first = levels[plain]
            message = f"memory level {quote(level)} is {quote(str(first.text))} of line {first.line} again"
            advice = "case and punctuation do not tell levels apart"
            report.add(place(row, "level"), "duplicate-level", message, hint=advice)
        levels.setdefault(plain, place(row, "level"))
    for row in values.get("peaks") or []:
        if row.get("dense") == HALF_OF_SPARSE and not row.get("sparse"):
            report.add(row[""], "missing-key", f"'dense: {HALF_OF_SPARSE}' needs a 'sparse' rate beside it")
        elif row.get("dense") == HALF_OF_SPARSE and row["sparse"][0] / 2 < SLOWEST:
            report.add(place(row, "dense"), "quantity", f"'dense' must be at least {SLOWEST:g} FLOP/s")
        if row.get("sparse_basis") and not row.get("sparse"):
            report.add(row[""], "missing-key", "'sparse_basis' is the basis of a 'sparse' rate, which is missing")
    for row in values.get("measured") or []:
        value = row.get("value")
        if value is not None and value[1] == "FLOP/s" and "dtype" not in row:
            report.add(row[""], "missing-key", "a measured FLOP/s needs its 'dtype'")
    declared = values.get("sources")
    for row in figures(values):
        for key in row.get("source") or ():
            if declared is None or key not in declared:
                hint = report.nearest(key, declared or {})
                message = f"source {quote(key)} is not among this file's 'sources'"
                report.add(place(row, "source", key), "unknown-source", message, hint=hint)


def figures(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Every row of a file that holds figures and so should name a source."""
    rows = [row for key in ("peaks", "memory", "links", "measured") for row in values.get(key) or []]
    return [*rows, *(values[key] for key in ("headline", "tdp") if values.get(key))]


def _number(row: dict[str, Any], key: str) -> float | None:
    value = row.get(key)
    return value[0] if isinstance(value, tuple) else None


def _common(row: dict[str, Any]) -> dict[str, Any]:
    return {"sources": row.get("source") or (), "note": row.get("note")}


_BASIS_OF_KIND = {
    "vendor": "vendor",
    "vendor-mirror": "vendor",
    "third-party": "third-party",
    "measured": "measured",
    "derived": "derived",
    "software": "third-party",
    "article": "article",
}


def _basis(row: dict[str, Any], sources: dict[str, Any]) -> Any:
    """What kind of figure a row holds: what it says, else what its first source is."""
    if row.get("basis") or not row.get("source"):
        return row.get("basis") or "unsourced"
    kind = (sources.get(row["source"][0]) or {}).get("kind")
    return _BASIS_OF_KIND.get(kind or "", "unsourced")  # a source that does not say what it is vouches for nothing


def _peak(row: dict[str, Any], sources: dict[str, Any]) -> Peak:
    dense, sparse, basis = _number(row, "dense"), _number(row, "sparse"), _basis(row, sources)
    common, sparse_basis = _common(row), row.get("sparse_basis") or basis
    if row.get("dense") == HALF_OF_SPARSE and sparse is not None:
        dense = sparse / 2
        common["note"] = "; ".join(n for n in ("dense is half of the 2:4 rate, as its file asks", common["note"]) if n)
        basis = "derived"
    return Peak(
        dtype=row["dtype"],
        unit=row.get("unit"),
        accumulate=row.get("accumulate") or (),
        clock=row.get("clock"),
        dense=dense,
        sparse=sparse,
        basis=basis,
        sparse_basis=None if sparse is None or sparse_basis == basis else sparse_basis,
        check=row.get("check"),
        check_note=row.get("check_note"),
        **common,
    )


def _device(values: dict[str, Any], path: str) -> Device:
    headline = values.get("headline")
    tdp = values.get("tdp") or {}
    sources = values.get("sources") or {}
    return Device(
        id=os.path.splitext(os.path.basename(path))[0],
        name=values["name"],
        aliases=values.get("aliases") or (),
        vendor=values.get("vendor"),
        kind=values.get("kind"),
        architecture=values.get("architecture"),
        year=values.get("year"),
        scope=values.get("scope"),
        headline=None
        if headline is None
        else Headline(
            peak=headline["peak"][0],
            dtype=headline["dtype"],
            sparsity=headline.get("sparsity") or "dense",
            accumulate=headline.get("accumulate"),
            basis=_basis(headline, sources),
            **_common(headline),
        ),
        peaks=tuple(_peak(row, sources) for row in values["peaks"]),
        memory=tuple(
            Memory(
                level=row["level"],
                bandwidth=_number(row, "bandwidth"),
                capacity=_number(row, "capacity"),
                usable=_number(row, "usable"),
                basis=_basis(row, sources),
                check=row.get("check"),
                check_note=row.get("check_note"),
                **_common(row),
            )
            for row in values["memory"]
        ),
        links=tuple(
            Link(
                name=row["name"],
                bandwidth=row["bandwidth"][0],
                direction=row.get("direction") or "one-way",
                peers=row.get("peers"),
                basis=_basis(row, sources),
                **_common(row),
            )
            for row in values.get("links") or ()
        ),
        tdp=_number(tdp, "value"),
        tdp_sources=tdp.get("source") or (),
        measured=tuple(
            Ceiling(
                what=row["what"],
                value=row["value"][0],
                quantity=row["value"][1],
                dtype=row.get("dtype"),
                level=row.get("level"),
                **_common(row),
            )
            for row in values.get("measured") or ()
        ),
        sources={
            key: Source(key=key, title=row["title"], where=row.get("where") or "", kind=row.get("kind") or "")
            for key, row in sources.items()
        },
        note=values.get("note"),
        origin=path,
    )
