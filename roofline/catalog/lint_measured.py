"""Measured rows that cannot be right, or that no command will use: a rate above its peak, a level that is not there."""

from __future__ import annotations

from typing import Any, Final

from roofline import units
from roofline.catalog.checks import TOLERANCE
from roofline.catalog.findings import Findings, place
from roofline.catalog.schema import HALF_OF_SPARSE
from roofline.core.choice import CEILINGS
from roofline.core.device import level_key
from roofline.errors import nearest
from roofline.text import quote

# What others call a ceiling, without case and punctuation. Names that are merely near are found by their letters.
_OTHER_NAMES: Final = {
    **dict.fromkeys(("mm", "gemm", "sgemm", "dgemm", "hgemm", "matrixmultiply", "matrixmultiplication"), "matmul"),
    **dict.fromkeys(("fma", "fmaloop", "peakfma"), "vector-fma"),
}


def lint_measured(values: dict[str, Any], report: Findings) -> None:
    """Each measured row is of a level and a precision of this device, and of a name that commands know."""
    levels = {level_key(row["level"]): row for row in values["memory"]}
    names = [row["level"] for row in values["memory"]]
    main = next(row for row in values["memory"] if "bandwidth" in row)
    dense = _dense_rates(values)
    for row in values.get("measured") or []:
        level = row.get("level")
        memory = main if level is None else levels.get(level_key(level))
        if memory is None:
            _lint_level(row, names, report)
        if row["value"][1] == "B/s":
            _lint_above(row, memory["bandwidth"][0] if memory is not None and "bandwidth" in memory else None, report)
            continue
        _lint_ceiling(row, report)
        if row["dtype"] not in dense:
            message = f"measured in {row['dtype']}, of which the device has no peak"
            hint = f"its peaks: {', '.join(dense)}"
            report.add(place(row, "dtype"), "no-peak", message, level="warning", hint=hint)
        _lint_above(row, dense.get(row["dtype"]), report)


def _dense_rates(values: dict[str, Any]) -> dict[str, float | None]:
    """The fastest dense rate of each precision in FLOP/s; None where only a sparse one is known."""
    rates: dict[str, float | None] = {}
    for row in values["peaks"]:
        dense, sparse = row.get("dense"), row.get("sparse")
        rate = sparse[0] / 2 if dense == HALF_OF_SPARSE else None if dense is None else dense[0]
        known = rates.setdefault(row["dtype"], rate)
        if rate is not None:
            rates[row["dtype"]] = max(rate, known or 0.0)
    return rates


def _lint_level(row: dict[str, Any], names: list[str], report: Findings) -> None:
    """A cache may be measured of which nothing else is known, so that only a misspelt level is one too many."""
    hint = report.nearest(row["level"], names)
    if hint is None and row["what"].casefold().startswith("dram-"):
        hint = "leave 'level' out: the row is then of the main memory"
    if hint is not None:
        message = f"measured at {quote(row['level'])}, which is no memory level of this file"
        report.add(place(row, "level"), "unknown-level", message, level="warning", hint=hint)


def _lint_ceiling(row: dict[str, Any], report: Findings) -> None:
    """Only the words of :data:`CEILINGS` stand as a roof; one that looks like them was meant to."""
    what = row["what"]
    if what in CEILINGS or what.casefold().startswith(tuple(f"{name}-" for name in CEILINGS)):
        return  # vector-fma-lower-bound says on purpose that it is another thing
    word, plain = level_key(what), {level_key(name): name for name in CEILINGS}
    near = _OTHER_NAMES.get(word) or next((plain[other] for other in nearest(word, plain)), None)
    if near is not None:
        report.add(
            place(row, "what"),
            "ceiling",
            f"measured {quote(what)} stands as no roof of arithmetic; {' and '.join(CEILINGS)} do",
            level="warning",
            hint=f"did you mean '{near}'?",
        )


def _lint_above(row: dict[str, Any], spec: float | None, report: Findings) -> None:
    """A measured rate above the specified one is possible (clocks) but worth a word."""
    value, quantity = row["value"]
    if spec is None or value <= spec * (1 + TOLERANCE) or row.get("note"):  # a note is trusted to say why
        return
    what = " ".join(word for word in (row["what"], row.get("dtype"), row.get("level")) if word)
    report.add(
        row[""],
        "above-spec",
        f"measured {what} of {units.show(value, quantity)} is {units.show(value / spec, '1')} of the specified "
        f"{units.show(spec, quantity)}",
        level="warning",
        hint="clocks above the data sheet, another precision, or a wrong figure; say which in 'note'",
    )
