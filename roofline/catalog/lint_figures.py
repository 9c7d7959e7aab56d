"""Figures that cannot be right: a forgotten unit or a wrong prefix, sparse below dense, a peak given twice."""

from __future__ import annotations

from typing import Any, Final

from roofline import units
from roofline.catalog.findings import Findings, place
from roofline.catalog.load import figures
from roofline.units import Quantity

# The least and the most that a figure of each kind can plausibly be, and the unit that was probably meant. Bare
# numbers are base units, so that `dense: 819.2` is 819.2 FLOP/s. The slowest shipped peak is 77 GFLOP/s (fp64 of a
# Raspberry Pi 5); above 1e20 FLOP/s no single device will be for long, the fastest shipped one has 2e16.
_PLAUSIBLE: Final[dict[Quantity, tuple[float, float, str]]] = {
    "FLOP/s": (1e9, 1e20, "TFLOP/s"),
    "B/s": (100e6, 1e17, "GB/s"),
    "B": (1e3, 1e17, "MB"),
}
_LEAST_MAIN_MEMORY: Final = (1e6, "GB")
_FIELDS: Final = ("peak", "dense", "sparse", "bandwidth", "capacity", "usable", "value")
_MOST_SPARSE: Final = 4.0  # times the dense rate; 2:4 sparsity skips half of the products


def lint_size(values: dict[str, Any], report: Findings) -> None:
    """No figure is so small that its unit must have been forgotten, or so large that its prefix must be wrong."""
    main = next((row for row in values.get("memory") or () if row.get("bandwidth")), None)
    for row in figures(values):
        for field in _FIELDS:
            figure = row.get(field)
            if not isinstance(figure, tuple) or figure[1] not in _PLAUSIBLE:
                continue
            value, quantity = figure
            least, most, unit = _PLAUSIBLE[quantity]
            if row is main and quantity == "B":
                least, unit = _LEAST_MAIN_MEMORY
            if least <= value <= most:
                continue
            size, hint = "small", f"was a unit such as {unit} forgotten?"
            if value > most:
                size, hint = "large", f"is the prefix too much? A bare number is in {quantity}"
            message = f"'{field}' is read as {units.show(value, quantity)}, which is implausibly {size}"
            report.add(place(row, field), "implausible", message, level="warning", hint=hint)


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
