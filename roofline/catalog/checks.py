"""Second witnesses: a figure's ``check`` evaluated (units x FLOP/clk x clock, bus width x data rate) and compared."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from roofline import units
from roofline.catalog.findings import Findings, place
from roofline.catalog.schema import HALF_OF_SPARSE
from roofline.errors import UnitError
from roofline.text import quote
from roofline.units import Quantity

_FAR: Final = 10  # times the figure; a unit is wrong or missing then, and no per cent help
TOLERANCE: Final = 0.01  # a check must come out within 1 % of its figure, or say why not
_BITS: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*bits?")
_PLUS: Final = re.compile(r"(?<![0-9.][eE])\+")  # between products, and not the sign of an exponent
_CHECKED: Final[tuple[tuple[str, str, Quantity], ...]] = (("peaks", "dense", "FLOP/s"), ("memory", "bandwidth", "B/s"))


def lint_checks(values: dict[str, Any], report: Findings) -> None:
    """Every ``check`` can be evaluated, and comes out at its figure or says why not."""
    for rows, field, quantity in _CHECKED:
        for row in values.get(rows) or []:
            if row.get("check") is not None:
                _lint_check(row, field, quantity, report)


def _lint_check(row: dict[str, Any], field: str, quantity: Quantity, report: Findings) -> None:
    node = place(row, "check")
    figure = row.get(field)
    if field in row and figure is None:
        return  # it is there and could not be read, which has been said
    if figure == HALF_OF_SPARSE:
        if not row.get("sparse"):
            return  # ditto
        figure = (row["sparse"][0] / 2, quantity)
    if figure is None:
        report.add(node, "check", f"'check' is the second witness of '{field}', which is missing")
        return
    try:
        witness = evaluate(row["check"], quantity)
    except UnitError as error:
        report.add(node, "check", str(error), hint=error.hint)
        return
    off = witness / figure[0] - 1
    if abs(off) > TOLERANCE and not row.get("check_note"):
        by = f"{100 * off:+.1f} % off" if abs(off) < _FAR else "far off"
        report.add(
            node,
            "check",
            f"'check' gives {units.show(witness, quantity)}, {by} {units.show(*figure)}",
            hint="mend one of them, or say why they differ in 'check_note'",
        )


def evaluate(check: str, quantity: str) -> float:
    """A check's value in base units: sums of products such as ``132 * 4096 * 1.83 GHz`` or ``384 bit * 21 Gbit/s``.

    A bus width in bits counts its pins, so that pins times bits per second and pin is a bandwidth.

    Raises:
        UnitError: a factor is no number, or the units do not give the wanted quantity.

    >>> round(evaluate("132 * 4096 * 1.83 GHz", "FLOP/s") / 1e12, 1)
    989.4
    >>> evaluate("384 bit * 21 Gbit/s", "B/s")
    1008000000000.0
    >>> evaluate("1.0e+03 bit * 8 Gbit/s + 1 TB/s", "B/s")
    2000000000000.0

    """
    total = 0.0
    for product in _PLUS.split(check):
        value, dimensions = 1.0, []
        for factor in product.split("*"):
            number, dimension = _factor(factor.strip(), check)
            value *= number
            dimensions += [dimension] if dimension else []
        if dimensions != [{"FLOP/s": "Hz", "B/s": "B/s"}[quantity]]:
            got = " * ".join(dimensions) or "a bare number"
            raise UnitError(f"'check' is {quote(check)}, which gives {got}, expected {quantity}")
        total += value
    if not 0 < total < math.inf:
        raise UnitError(f"'check' is {quote(check)}, which gives no finite figure")
    return total


def _factor(text: str, check: str) -> tuple[float, str | None]:
    pins = _BITS.fullmatch(text)
    if pins:
        return float(pins[1]), None
    try:
        return units.parse(text, "1", positive=True), None
    except UnitError:
        pass
    for quantity in ("Hz", "B/s"):
        try:
            return units.parse(text, quantity, positive=True), quantity
        except UnitError:
            continue
    raise UnitError(
        f"'check' is {quote(check)}; {quote(text)} is no factor",
        hint="for example 132 * 4096 * 1.83 GHz, or 5120 bit * 5.238 Gbit/s",
    )
