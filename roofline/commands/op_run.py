"""One operation as a command: its shape in options, its cost, its place on the roof, a sweep over one of its sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from roofline.commands.base import CONTEXT_SETTINGS, GroupedCommand, option, together
from roofline.commands.op_help import help_text
from roofline.commands.op_roof import (
    default_dtype,
    device_and_roof_options,
    place,
    precision_of,
    refuse_without_device,
    refuse_without_effect,
    target,
)
from roofline.commands.options import QuantityType, device_names, devices, linking
from roofline.commands.output_flags import output_options, output_settings
from roofline.commands.shapes import require, shape_options, take_shape
from roofline.commands.sweeps import kernel_at, sweep
from roofline.errors import InputError

if TYPE_CHECKING:
    from roofline.core.device import Device
    from roofline.core.kernel import Kernel
    from roofline.operations.registry import Operation
    from roofline.report import Report

_options = together(
    option("Measurement", "--time", "seconds", type=QuantityType("s", positive=True), help="Measured time."),
    option(
        "Sweep",
        "--sweep",
        "swept",
        multiple=True,  # so that a second one is refused, not taken for the first
        metavar="ARG=A:B:xF",
        help="A row a size: n=256:16384:x2, n=1:9:+2, n=8,64.",
    ),
    device_and_roof_options,
    option("Output", "--explain", is_flag=True, help="Write out each formula with its numbers and sources."),
    output_options,
)


class OperationCommand(GroupedCommand):
    """The command of an operation, which may have an argument h of its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; ``-h`` alone, which asks for help elsewhere, is told where the help is."""
        if args == ["-h"] and "-h" not in ctx.help_option_names:
            raise click.UsageError(f"-h is a size of {self.name}; {ctx.command_path} --help explains", ctx)
        return super().parse_args(ctx, args)


def operation_command(operation: Operation) -> click.Command:
    """The command of an operation: options and help come from its signature and docstring."""

    def run(**given: Any) -> None:
        _run(operation, given)

    shape: list[click.Parameter] = [*shape_options(operation)]
    taken = {flag for parameter in shape for flag in parameter.opts}
    shared: click.Command = click.command()(_options(run))
    names = [flag for flag in CONTEXT_SETTINGS["help_option_names"] if flag not in taken]
    return OperationCommand(
        operation.name.replace("_", "-"),
        callback=run,
        params=[*shape, *shared.params],
        help=help_text(operation, dashed="-h" in names),
        short_help=operation.title,
        context_settings={**CONTEXT_SETTINGS, "help_option_names": names},
    )


def _run(operation: Operation, given: dict[str, Any]) -> None:
    from roofline.commands.base import context
    from roofline.commands.output import check_output, emit
    from roofline.report.operations import shape_report

    settings = output_settings(given)
    hw, peak, bw = given.pop("hw"), given.pop("peak"), given.pop("bw")
    check_output(settings, device_names(hw))
    shape = take_shape(operation, given)
    found = devices(hw, peak, bw)
    if not found:
        refuse_without_device(given)
    argument, values = _sweep(operation, shape, given.pop("swept"), given)
    computes = any(_kernel(operation, shape, argument, value).flops for value in values)
    note = default_dtype(operation, shape, found, computes=computes)
    kernels = [
        _said(_kernel(operation, shape, argument, value), seconds=given["seconds"], note=note) for value in values
    ]
    refuse_without_effect(operation, kernels, given)
    about = context("op", operation=operation.name, shape=shape)
    if found:
        if peak is not None:  # of whatever precision the kernel has
            found = devices(hw, peak, bw, precision_of(kernels))
        with linking():
            report = _placed(operation, shape, kernels, found, given, about, argument, values)
        emit(report, settings)
    else:
        emit(shape_report(kernels, argument, values, about), settings)


def _kernel(operation: Operation, shape: dict[str, Any], argument: str | None, value: Any) -> Kernel:
    return operation.function(**shape) if argument is None else kernel_at(operation, shape, argument, value)


def _said(kernel: Kernel, *, seconds: float | None, note: str | None) -> Kernel:
    """The kernel with its measured time and what must be said of its format.

    What computes nothing has no precision of arithmetic: any device can move it.
    """
    notes = (*((note,) if note else ()), *kernel.notes)
    return kernel._replace(seconds=seconds, notes=notes, dtype=kernel.dtype if kernel.flops else None)


def _placed(
    operation: Operation,
    shape: dict[str, Any],
    kernels: Sequence[Kernel],
    found: Sequence[Device],
    given: dict[str, Any],
    about: dict[str, Any],
    argument: str | None,
    values: Sequence[Any],
) -> Report:
    """The kernels on each device: a sheet for one on one, a comparison of devices, or a row a size."""
    from roofline.report.kernels import comparison, sheet
    from roofline.report.least_traffic import least_traffic, with_least_traffic
    from roofline.report.operations import argument_cell
    from roofline.report.sweeps import sweep_report

    targets = [target(device, shape, given, precision_of(kernels)) for device in found]
    about["launch_floor_s"] = {one.device.id: one.query.floor for one in targets}
    placed = [place(one, kernel) for kernel in kernels for one in targets]
    shapes = [shape if argument is None else shape | {argument: value} for value in values for _ in targets]
    least = [least_traffic(operation, each, one) for each, one in zip(shapes, placed, strict=True)]
    several = [one.device.id if len(targets) > 1 else "" for one in placed]
    if argument:
        report = sweep_report(placed, targets, argument, values, about)
        sizes = [f"{argument} = {argument_cell(value)}" for value in values for _ in targets]
        return with_least_traffic(report, least, several, sizes=sizes)
    explained = given["explain"]
    if len(placed) > 1:
        return with_least_traffic(comparison(placed, about, settled=True, explained=explained), least, several)
    return with_least_traffic(sheet(placed[0], about, explained=explained), least, several)


def _sweep(
    operation: Operation, shape: dict[str, Any], texts: Sequence[str], given: Mapping[str, Any]
) -> tuple[str | None, list[Any]]:
    """The swept argument and its values; without a sweep one value that stands for nothing."""
    if not texts:
        require(operation, shape)
        return None, [None]
    if len(texts) > 1:
        raise InputError("--sweep is given twice; one argument is swept at a time", hint="leave one out")
    argument, values = sweep(operation, texts[0])
    for name, value in (("--time", given["seconds"]), ("--explain", given["explain"] or None)):
        if value is not None:
            raise InputError(f"{name} is of one size; leave out --sweep")
    if argument in shape:
        raise InputError(f"{argument} is given and swept; leave one out")
    require(operation, shape | {argument: values[0]})
    return argument, values
