"""What a hardware file should be beyond readable: every figure sourced, every check true, nothing doubtful unsaid."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from roofline import units
from roofline.catalog.load import figures, inspect
from roofline.catalog.schema import Findings
from roofline.errors import FileError, UnitError
from roofline.files import Problem, shown_path

_TOLERANCE: Final = 0.01  # a check must come out within 1 % of its figure, or say why not
_BITS: Final = re.compile(r"^([0-9]+(?:\.[0-9]+)?)\s*bits?$")
_PLACE: Final = re.compile(r"^(?P<where>.+?:\d+:\d+): (?P<message>.*?)(?:   \[(?P<rule>[a-z-]+)\])?$")


def lint(path: str, *, sourced: bool = False) -> list[Problem]:
    """All problems of a hardware file; with ``sourced`` a figure without a source is an error, else a warning."""
    try:
        device, problems, values = inspect(path)
    except FileError as error:
        place = _PLACE.match(str(error))
        if place:
            return [
                Problem(where=place["where"], message=place["message"], rule=place["rule"] or "file", hint=error.hint)
            ]
        message = str(error).removeprefix(shown_path(path)).lstrip(": ")
        return [Problem(where=shown_path(path), message=message, rule="file", hint=error.hint)]
    if values is not None:
        report = Findings(shown_path(path), problems)
        _lint_sources(values, report, "error" if sourced else "warning")
        _lint_checks(values, report)
        if device is not None:
            _lint_measured(values, report)
    return sorted(problems, key=_position)


def _position(problem: Problem) -> tuple[int, ...]:
    return tuple(int(part) for part in problem.where.split(":")[-2:] if part.isdigit())


def _lint_sources(values: dict[str, Any], report: Findings, level: str) -> None:
    for row in figures(values):
        if not row.get("source"):
            report.add(row[""], "no-source", "this figure names no source", level=level, hint="add 'source: KEY'")
    used = {key for row in figures(values) for key in row.get("source") or ()}
    for key, row in (values.get("sources") or {}).items():
        if key not in used:
            report.add(row[""], "unused-source", f"source '{key}' is used by no figure", level="warning")


def _lint_checks(values: dict[str, Any], report: Findings) -> None:
    for rows, field, quantity in (("peaks", "dense", "FLOP/s"), ("memory", "bandwidth", "B/s")):
        for row in values.get(rows) or []:
            check, figure = row.get("check"), row.get(field)
            if check is None:
                continue
            if not isinstance(figure, tuple):
                report.add(row[""], "check", f"'check' is the second witness of '{field}', which is missing")
                continue
            try:
                witness = evaluate(check, quantity)
            except UnitError as error:
                report.add(row[""], "check", str(error), hint=error.hint)
                continue
            off = witness / figure[0] - 1
            if abs(off) > _TOLERANCE and not row.get("check_note"):
                report.add(
                    row[""],
                    "check",
                    f"'check' gives {units.show(witness, figure[1])}, {100 * off:+.1f} % off {units.show(*figure)}",
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

    """
    total = 0.0
    for product in check.split("+"):
        value, dimensions = 1.0, []
        for factor in product.split("*"):
            number, dimension = _factor(factor.strip(), check)
            value *= number
            dimensions += [dimension] if dimension else []
        if dimensions != [{"FLOP/s": "Hz", "B/s": "B/s"}[quantity]]:
            got = " * ".join(dimensions) or "a bare number"
            raise UnitError(f"'check' is {units.quote(check)}, which gives {got}, expected {quantity}")
        total += value
    if not 0 < total < math.inf:
        raise UnitError(f"'check' is {units.quote(check)}, which gives no finite figure")
    return total


def _factor(text: str, check: str) -> tuple[float, str | None]:
    pins = _BITS.match(text)
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
        f"'check' is {units.quote(check)}; {units.quote(text)} is no factor",
        hint="for example 132 * 4096 * 1.83 GHz, or 5120 bit * 5.238 Gbit/s",
    )


def _lint_measured(values: dict[str, Any], report: Findings) -> None:
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
        if spec and value > spec * (1 + _TOLERANCE):
            share = units.show(value / spec, "1")
            report.add(
                row[""],
                "above-spec",
                f"measured {row['what']} of {units.show(value, quantity)} is {share} of the specified "
                f"{units.show(spec, quantity)}",
                level="warning",
                hint="clocks above the data sheet, another precision, or a wrong figure; say which in 'note'",
            )
