"""One operation as a command: its shape in options, its cost, its place on the roof, a sweep over one of its sizes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from roofline.commands.base import CONTEXT_SETTINGS, GroupedCommand, option, together
from roofline.commands.op_roof import default_dtype, device_and_roof_options, place, refuse_without_device, target
from roofline.commands.options import QuantityType, output_options, output_settings
from roofline.commands.shapes import require, shape_options, take_shape
from roofline.commands.sweeps import examples, sweep
from roofline.errors import InputError

if TYPE_CHECKING:
    from roofline.core.device import Device
    from roofline.core.kernel import Kernel
    from roofline.operations.registry import Operation
    from roofline.report import Report

_options = together(
    option("Measurement", "--time", "seconds", type=QuantityType("s", positive=True), help="Measured time."),
    option("Sweep", "--sweep", "swept", metavar="ARG=A:B:xF", help="A row a size: n=256:16384:x2, n=1:9:+2, n=8,64."),
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
        help=_help(operation, dashed="-h" in names),
        short_help=operation.title,
        context_settings={**CONTEXT_SETTINGS, "help_option_names": names},
    )


def _help(operation: Operation, *, dashed: bool) -> str:
    name = operation.name.replace("_", "-")
    lines = "\n".join(f"  roofline op {name} {words} --hw h100" for words in examples(operation))
    text = f"{operation.summary}\n\n\b\nExamples:\n{lines}\n\n{operation.explanation}"
    paragraphs = [_as_list(part) if part.startswith("- ") else part for part in text.split("\n\n")]
    return "\n\n".join(paragraphs if dashed else [*paragraphs, "-h is a size here; help is --help alone."])


def _as_list(paragraph: str) -> str:
    """A list whose items click leaves alone; it would make one paragraph of them."""
    items = re.split(r"\n(?=- )", paragraph)
    return "\b\n" + "\n".join(fill(" ".join(item.split()), 76, subsequent_indent="  ") for item in items)


def _run(operation: Operation, given: dict[str, Any]) -> None:
    from roofline.commands.context import context
    from roofline.commands.options import devices
    from roofline.commands.output import check_output, emit
    from roofline.report.operations import shape_report

    settings = output_settings(given)
    check_output(settings)
    shape = take_shape(operation, given)
    hw, peak, bw = given.pop("hw"), given.pop("peak"), given.pop("bw")
    found = devices(hw, peak, bw)
    if not found:
        refuse_without_device(given)
    argument, values = _sweep(operation, shape, given.pop("swept"), given["seconds"])
    note = default_dtype(operation, shape, found)
    kernels = [
        _kernel(operation, shape if argument is None else shape | {argument: value}, given["seconds"], note)
        for value in values
    ]
    about = context("op", operation=operation.name, shape=shape)
    if found:
        if peak is not None:  # of whatever precision the kernel has
            found = devices(hw, peak, bw, kernels[0].dtype)
        emit(_placed(operation, shape, kernels, found, given, about, argument, values), settings)
    else:
        emit(shape_report(kernels, argument, values, about), settings)


def _kernel(operation: Operation, shape: dict[str, Any], seconds: float | None, note: str | None) -> Kernel:
    kernel = operation.function(**shape)
    notes = (*((note,) if note else ()), *kernel.notes)
    # What computes nothing has no precision of arithmetic: any device can move it.
    return replace(kernel, seconds=seconds, notes=notes, dtype=kernel.dtype if kernel.flops else None)


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
    from roofline.report.operations import with_lower_bound
    from roofline.report.sweeps import sweep_report

    targets = [target(device, shape, given, kernels[0].dtype) for device in found]
    about["launch_floor_s"] = {one.device.id: one.query.floor for one in targets}
    placed = [place(one, kernel) for kernel in kernels for one in targets]
    if argument:
        return sweep_report(placed, targets, argument, values, about)
    if len(placed) > 1:
        return comparison(placed, about, settled=True, explained=given["explain"])
    return with_lower_bound(sheet(placed[0], about, explained=given["explain"]), operation, shape, placed[0])


def _sweep(
    operation: Operation, shape: dict[str, Any], text: str | None, seconds: float | None
) -> tuple[str | None, list[Any]]:
    """The swept argument and its values; without a sweep one value that stands for nothing."""
    if text is None:
        require(operation, shape)
        return None, [None]
    argument, values = sweep(operation, text)
    if seconds is not None:
        raise InputError("--time is of one size; leave out --sweep")
    if argument in shape:
        raise InputError(f"{argument} is given and swept; leave one out")
    require(operation, shape | {argument: values[0]})
    return argument, values
