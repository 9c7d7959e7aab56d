"""``roofline check``: the gate for CI, which tells whether kernels meet what is expected of them."""

from __future__ import annotations

from typing import Any

import click

from roofline.commands.base import FILE, option
from roofline.commands.base import command as declare
from roofline.commands.options import QuantityType, device_names, device_options, roof_options, roof_query, targets
from roofline.commands.output_flags import output_options, output_settings


@declare("check")
@click.argument("files", nargs=-1, type=FILE, required=True, metavar="FILE...")
@device_options
@roof_options
@option("Checks", "--expect", metavar="BOUND", help="For kernels without 'expect': memory-bound or compute-bound.")
@option("Checks", "--min-efficiency", type=QuantityType("1"), help="For kernels without 'min_efficiency'.")
@option("Checks", "--max-time", type=QuantityType("s", positive=True), help="For kernels without 'max_time'.")
@option("Checks", "--strict", is_flag=True, help="Fail on any warning too (a kernel above the roof).")
@option("List", "--kernel", "pattern", metavar="REGEX", help="Only kernels whose name matches.")
@option("List", "--time-unit", type=click.Choice(["ps", "ns", "us", "ms", "s"]), help="Unit of a bare time column.")
@output_options
def command(
    files: tuple[str, ...],
    hw: tuple[str, ...],
    peak: float | None,
    bw: float | None,
    expect: str | None,
    min_efficiency: float | None,
    max_time: float | None,
    strict: bool,
    pattern: str | None,
    time_unit: str | None,
    **given: Any,
) -> None:
    """Check kernels against what is expected.

    \b
    Examples:
      roofline check kernels.csv --hw h100 --dtype bf16
      roofline check kernels.yaml --hw a100 --hw h100 --min-efficiency 60%

    Exit status 1 if a kernel falls short. The list may carry the columns expect (memory-bound, compute-bound),
    min_efficiency (60%) and max_time (2 ms). The options stand in where a kernel has no value of its own. A list that
    expects nothing is refused.
    """
    from roofline.commands.base import context
    from roofline.commands.list_flags import ListFlags
    from roofline.commands.lists import read
    from roofline.commands.output import check_output, emit
    from roofline.commands.verdict import finish
    from roofline.core.gate import Expectation, Failure, bound_named, judge
    from roofline.errors import CheckFailedError, InputError
    from roofline.report.checks import check_report
    from roofline.report.sentences import AboveRoof

    settings, query = output_settings(given), roof_query(given)
    check_output(settings, (*files, *device_names(hw)))
    default = Expectation(
        bound=None if expect is None else bound_named(expect, name="--expect"),
        min_efficiency=min_efficiency,
        max_time=max_time,
    )
    where = targets(hw, peak, bw, query)
    flags = ListFlags(pattern=pattern, sort=None, top=None, time_unit=time_unit)
    reading = read(files, where, flags)
    judged, failures, above = [], [], AboveRoof()
    for row, _, one in reading.rows():
        own = row.expectation
        asked = own._replace(
            bound=own.bound or default.bound,
            min_efficiency=default.min_efficiency if own.min_efficiency is None else own.min_efficiency,
            max_time=default.max_time if own.max_time is None else own.max_time,
        )
        found: list[Failure] = judge(one, asked)
        judged.append((row.where, one, asked, found))
        above.add(one)
        failures += [(f"{row.kernel.name} on {one.device.id}", failure) for failure in found]
    reading.tell_problems(settings)
    if not judged and not reading.bad:
        raise InputError("nothing to check: no kernel in the list" + (" matches" if pattern else ""))
    if not any(asked.asked for _, _, asked, _ in judged) and not reading.bad:
        raise InputError(
            "nothing to check: no kernel carries expect, min_efficiency or max_time",
            hint="add such a column, or give --expect, --min-efficiency or --max-time",
        )
    warnings = above.warnings()
    sound = not reading.bad and not (strict and warnings)
    emit(check_report(judged, where, context("check"), warnings, sound=sound), settings)
    reading.raise_if_bad()
    if failures and settings.shown:
        raise CheckFailedError(f"check failed: {len(failures)} expectation{'s' if len(failures) > 1 else ''} not met")
    finish(failures, warnings, strict=strict)
