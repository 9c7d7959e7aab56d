"""``roofline analyze``: place one kernel, or a list of them, on the roofs of one device or several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from roofline.commands.base import FILE, option, together
from roofline.commands.base import command as declare
from roofline.commands.options import (
    AtLeastOne,
    QuantityType,
    device_names,
    device_options,
    roof_options,
    roof_query,
    targets,
)
from roofline.commands.output_flags import output_options, output_settings

if TYPE_CHECKING:
    from roofline.commands.kernel_flags import KernelFlags
    from roofline.commands.list_flags import ListFlags
    from roofline.commands.output_flags import OutputSettings
    from roofline.core.gate import Expectation, Failure
    from roofline.core.placement import Placed
    from roofline.core.target import Target

_KERNEL = "Kernel"
kernel_options = together(
    option(_KERNEL, "--flops", type=QuantityType("FLOP"), help="Work."),
    option(_KERNEL, "--macs", type=QuantityType("MAC"), help="Work in multiply-accumulates; each counts 2 FLOP."),
    option(_KERNEL, "--bytes", "moved", type=QuantityType("B"), help="Traffic through main memory (or --level)."),
    option(_KERNEL, "--bytes-read", type=QuantityType("B"), help="Traffic, the read part."),
    option(_KERNEL, "--bytes-write", type=QuantityType("B"), help="Traffic, the written part."),
    option(_KERNEL, "--bytes-at", multiple=True, metavar="LEVEL=B", help="Traffic through a memory level; repeatable."),
    option(_KERNEL, "--write-allocate", is_flag=True, help="CPU caches: each written line is read first."),
    option(_KERNEL, "--intensity", type=QuantityType("FLOP/B"), help="Arithmetic intensity, in place of the bytes."),
    option(_KERNEL, "--time", "seconds", type=QuantityType("s", positive=True), help="Measured time."),
    option(
        _KERNEL,
        "--achieved",
        type=QuantityType("FLOP/s", positive=True),
        help="Measured rate, in place of the time.",
    ),
    option(_KERNEL, "--name", default="kernel", help="What to call it."),
)
list_options = together(
    option("List", "--kernel", "pattern", metavar="REGEX", help="Only kernels whose name matches."),
    option(
        "List",
        "--sort",
        type=click.Choice(["name", "work", "traffic", "intensity", "time", "least", "efficiency", "savings"]),
        help="Order; amounts and times: largest first.",
    ),
    option("List", "--top", type=AtLeastOne(), help="Only so many rows; the summary still counts all."),
    option("List", "--time-unit", type=click.Choice(["ps", "ns", "us", "ms", "s"]), help="Unit of a bare time column."),
)
gate_options = together(
    option("Checks", "--expect", metavar="BOUND", help="memory-bound or compute-bound; otherwise exit 1."),
    option("Checks", "--min-efficiency", type=QuantityType("1"), help="Least share of the roof; otherwise exit 1."),
    option("Checks", "--strict", is_flag=True, help="Exit 1 on any warning."),
)


@declare("analyze")
@click.argument("files", nargs=-1, type=FILE, metavar="[FILE | -]...")
@kernel_options
@device_options
@roof_options
@list_options
@gate_options
@option("Output", "--explain", is_flag=True, help="Write out each formula with its numbers and sources.")
@output_options
def command(
    files: tuple[str, ...],
    hw: tuple[str, ...],
    peak: float | None,
    bw: float | None,
    expect: str | None,
    min_efficiency: float | None,
    strict: bool,
    explain: bool,
    **given: Any,
) -> None:
    """Place kernels on the roof of a device.

    \b
    Examples:
      roofline analyze --flops 2e12 --bytes 1.4e11 --hw m4max
      roofline analyze kernels.csv --hw h100 --dtype bf16 --sort savings --top 10

    Shows what binds a kernel, memory or compute, by how much, and the least time it takes.

    FILE is a list of kernels (csv, tsv, json, jsonl, yaml; - is standard input) with the columns name, flops or macs,
    bytes (or bytes_read, bytes_write, bytes_l2), time_ms, dtype. Units stand in the cell (1.4 GB) or in the column
    name: gflop, bytes_mb, time_us, Time (us).

    Without --dtype the roof is the device's headline if it has one, with the sourced dense peak beside it.
    """
    from roofline.commands.kernel_flags import KernelFlags
    from roofline.commands.list_flags import ListFlags
    from roofline.commands.output import check_output
    from roofline.core.gate import Expectation, bound_named
    from roofline.errors import InputError

    settings, query = output_settings(given), roof_query(given)
    check_output(settings, (*files, *device_names(hw)))
    expectation = Expectation(
        bound=None if expect is None else bound_named(expect, name="--expect"), min_efficiency=min_efficiency
    )
    kernel, wanted = KernelFlags.take(given), ListFlags.take(given)
    if files:
        kernel.refuse_with_files(files)
        _lists(files, targets(hw, peak, bw, query), wanted, expectation, settings, strict=strict, explained=explain)
        return
    wanted.refuse_without_files()
    if peak is not None and bw is None and not hw and kernel.only_achieved:
        if query.sparse or query.headline or query.unit or query.accumulate or query.clock or query.level or explain:
            raise InputError("a bare --peak takes no further options of the roof", hint="give --bw too, or --hw")
        _rate_against_peak(kernel, peak, query.dtype, expectation, settings, strict=strict)
        return
    _one_kernel(kernel, targets(hw, peak, bw, query), expectation, settings, strict=strict, explained=explain)


def _one_kernel(
    flags: KernelFlags,
    where: Sequence[Target],
    expectation: Expectation,
    settings: OutputSettings,
    *,
    strict: bool,
    explained: bool,
) -> None:
    """One kernel: a sheet on one device, a row a device on several."""
    from roofline.commands.base import context
    from roofline.commands.output import emit
    from roofline.commands.verdict import finish
    from roofline.core.gate import judge
    from roofline.report.kernels import comparison, sheet

    placed = [target.place(flags.kernel(target.device)) for target in where]
    failures = [
        (f"{one.first.kernel.name} on {one.device.id}", failure)
        for one in placed
        for failure in judge(one, expectation)
    ]
    if len(placed) == 1:
        report = sheet(placed[0], context("analyze"), explained=explained)
    else:
        report = comparison(placed, context("analyze"), settled=where[0].query.settled, explained=explained)
    emit(report, settings)
    finish(failures, report.warnings, strict=strict)


def _rate_against_peak(
    flags: KernelFlags,
    peak: float,
    dtype: str | None,
    expectation: Expectation,
    settings: OutputSettings,
    *,
    strict: bool,
) -> None:
    from roofline.commands.base import context
    from roofline.commands.output import emit
    from roofline.commands.verdict import finish
    from roofline.core.gate import Failure
    from roofline.errors import InputError
    from roofline.report.kernels import rate_against_peak
    from roofline.units import show

    if expectation.bound is not None:
        raise InputError("--expect needs a bandwidth and the traffic", hint="give --bw and --bytes too")
    achieved = flags.achieved or 0.0
    report = rate_against_peak(flags.name, achieved, peak, dtype, context("analyze"))
    emit(report, settings)
    least, failures = expectation.min_efficiency, []
    if least is not None and achieved / peak < least:
        text = f"reaches {show(achieved / peak, '1')} of the peak, {show(least, '1')} is required"
        failures.append((flags.name, Failure("min_efficiency", text)))
    finish(failures, report.warnings, strict=strict)


def _lists(
    files: Sequence[str],
    where: Sequence[Target],
    wanted: ListFlags,
    expectation: Expectation,
    settings: OutputSettings,
    *,
    strict: bool,
    explained: bool,
) -> None:
    """Lists of kernels: one row a kernel (and device), and a summary."""
    from roofline.commands.base import context
    from roofline.commands.lists import pick, read
    from roofline.commands.output import emit
    from roofline.commands.streams import tell
    from roofline.commands.verdict import finish
    from roofline.core.gate import judge
    from roofline.errors import InputError
    from roofline.report.kernels import kernel_list
    from roofline.report.sentences import AboveRoof
    from roofline.report.tally import Tallies

    reading, tallies, above = read(files, where, wanted), Tallies(), AboveRoof()
    failures: list[tuple[str, Failure]] = []
    unjudged = 0

    def placed() -> Iterator[Placed]:
        nonlocal unjudged
        for row, _, one in reading.rows():
            unjudged += row.expectation.asked
            tallies.add(one)
            above.add(one)
            found = judge(one, expectation)
            failures.extend((f"{row.where}: {row.kernel.name}", failure) for failure in found)
            yield one

    shown = pick(placed(), wanted)
    reading.tell_problems(settings)
    if unjudged:
        tell("note: expectations in the list are not judged here; roofline check judges them", settings.quiet)
    warnings = above.warnings()
    emit(kernel_list(shown, where, tallies, context("analyze"), warnings=warnings, explained=explained), settings)
    if not tallies.of and not reading.problems:
        none = "no kernels in the list" if wanted.pattern is None else "no kernel matches"
        if expectation.asked:
            raise InputError(f"nothing to check: {none}")
        tell(f"note: {none}", settings.quiet)
        warnings.append(none)
    reading.raise_if_bad()
    finish(failures, warnings, strict=strict)
