"""Figures that cannot be right: a forgotten unit, sparse below dense, a peak given twice, a rate above its peak."""

from __future__ import annotations

from typing import Any, Final

from roofline import units
from roofline.catalog.checks import TOLERANCE
from roofline.catalog.load import figures
from roofline.catalog.schema import Findings, place
from roofline.units import Quantity

# The least that a figure of each kind can plausibly be, and the unit that was probably meant. Bare numbers are base
# units, so that `dense: 819.2` is 819.2 FLOP/s. The slowest shipped peak is 77 GFLOP/s (fp64 of a Raspberry Pi 5).
_LEAST: Final[dict[Quantity, tuple[float, str]]] = {
    "FLOP/s": (1e9, "TFLOP/s"),
    "B/s": (100e6, "GB/s"),
    "B": (1e3, "MB"),
}
_LEAST_MAIN_MEMORY: Final = (1e6, "GB")
_FIELDS: Final = ("peak", "dense", "sparse", "bandwidth", "capacity", "usable", "value")
_MOST_SPARSE: Final = 4.0  # times the dense rate; 2:4 sparsity skips half of the products


def lint_size(values: dict[str, Any], report: Findings) -> None:
    """No figure is so small that its unit must have been forgotten."""
    main = next((row for row in values.get("memory") or () if row.get("bandwidth")), None)
    for row in figures(values):
        for field in _FIELDS:
            figure = row.get(field)
            if not isinstance(figure, tuple) or figure[1] not in _LEAST:
                continue
            value, quantity = figure
            least, unit = _LEAST_MAIN_MEMORY if row is main and quantity == "B" else _LEAST[quantity]
            if value < least:
                report.add(
                    place(row, field),
                    "implausible",
                    f"'{field}' is read as {units.show(value, quantity)}, which is implausibly small",
                    level="warning",
                    hint=f"was a unit such as {unit} forgotten?",
                )


def lint_sparse(values: dict[str, Any], report: Findings) -> None:
    """A 2:4-sparse rate is above the dense one, and not far above it."""
    for row in values.get("peaks") or ():
        dense, sparse = row.get("dense"), row.get("sparse")
        if not isinstance(dense, tuple) or not isinstance(sparse, tuple):
            continue
        node, times = place(row, "sparse"), sparse[0] / dense[0]
        if times < 1:
            message = f"'sparse' is {units.show(*sparse)}, below 'dense' with {units.show(*dense)}"
            report.add(node, "sparse", message, hint="are the two swapped?")
        elif times == 1:
            message = f"'sparse' equals 'dense', {units.show(*dense)}"
            hint = "leave 'sparse' out if 2:4 sparsity brings nothing"
            report.add(node, "sparse", message, level="warning", hint=hint)
        elif times > _MOST_SPARSE:
            message = f"'sparse' is {units.significant(times)} times 'dense'"
            hint = "2:4 sparsity gives about twice the dense rate"
            report.add(node, "sparse", message, level="warning", hint=hint)


def lint_duplicates(values: dict[str, Any], report: Findings) -> None:
    """No two rows give the same peak: precision, unit, an accumulator, clock and density."""
    first: dict[tuple[str | None, ...], int] = {}
    for row in values.get("peaks") or ():
        if not row.get("dtype") or any(field in row and not row[field] for field in ("unit", "accumulate", "clock")):
            continue  # something is unreadable, and so perhaps not the same
        clock = row["clock"].casefold() if "clock" in row else None
        keys = [
            (row.get("dtype"), row.get("unit"), accumulator, clock, density)
            for accumulator in row.get("accumulate") or (None,)
            for density in ("dense", "sparse")
            if density in row
        ]
        twice = next((key for key in keys if key in first), None)
        if twice is not None:
            dtype, unit, accumulator, _, density = twice
            words = (dtype, unit, f"{accumulator}-accumulate" if accumulator else None, clock, density)
            report.add(
                row[""],
                "duplicate-peak",
                f"a second {' '.join(word for word in words if word)} peak (first on line {first[twice]})",
                hint="leave one out, or tell them apart by unit, accumulate or clock",
            )
        for key in keys:
            first.setdefault(key, row[""].line)


def lint_measured(values: dict[str, Any], report: Findings) -> None:
    """A measured ceiling above the specified one is possible (clocks) but worth a word."""
    dense: dict[str, float] = {}
    for row in values["peaks"]:
        if isinstance(row.get("dense"), tuple):
            dense[row["dtype"]] = max(dense.get(row["dtype"], 0.0), row["dense"][0])
    main = next(row for row in values["memory"] if "bandwidth" in row)
    for row in values.get("measured") or []:
        value, quantity = row["value"]
        at_main = (row.get("level") or main["level"]).casefold() == main["level"].casefold()
        spec = dense.get(row.get("dtype")) if quantity == "FLOP/s" else main["bandwidth"][0] if at_main else None
        if spec and value > spec * (1 + TOLERANCE) and not row.get("note"):  # a note is trusted to say why
            share = units.show(value / spec, "1")
            what = " ".join(word for word in (row["what"], row.get("dtype"), row.get("level")) if word)
            report.add(
                row[""],
                "above-spec",
                f"measured {what} of {units.show(value, quantity)} is {share} of the specified "
                f"{units.show(spec, quantity)}",
                level="warning",
                hint="clocks above the data sheet, another precision, or a wrong figure; say which in 'note'",
            )
