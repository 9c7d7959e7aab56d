"""One operation as a command: its shape, the roof it is placed on, a sweep over one of its sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from roofline.commands.base import CONTEXT_SETTINGS, GroupedCommand, option, together
from roofline.commands.options import QuantityType, device_options, output_options, output_settings
from roofline.commands.shapes import examples, require, shape_options, sweep, take_shape
from roofline.errors import InputError

if TYPE_CHECKING:
    from roofline.core.device import Device
    from roofline.core.target import Target
    from roofline.operations.registry import Operation

LAUNCH_FLOOR: Final = 5e-6  # s; what launching a kernel on an accelerator takes, within a factor of two everywhere
_DEFAULT_DTYPES: Final = ("bf16", "fp16", "fp32")  # the first that every device has, where none is named
_ACCUMULATORS: Final = ("fp16", "fp32", "int32")

_options = together(
    option("Measurement", "--time", "seconds", type=QuantityType("s", positive=True), help="Measured time."),
    option("Sweep", "--sweep", "swept", metavar="ARG=A:B:xF", help="A row a size: n=256:16384:x2, n=1:9:+2, n=8,64."),
    device_options,
    option("Roof", "--sparse", is_flag=True, help="The 2:4-sparse peak instead of the dense one."),
    option("Roof", "--unit", type=click.Choice(["matrix", "vector"]), help="Execution unit."),
    option("Roof", "--clock", type=click.Choice(["base", "boost"]), help="Clock of a CPU's peak."),
    option("Roof", "--level", metavar="LEVEL", help="Memory level, such as L2. Default: main memory."),
    option(
        "Roof",
        "--roof",
        "roof_kind",
        type=click.Choice(["spec", "measured"]),
        default="spec",
        help="Specified figures (default) or measured ceilings.",
    ),
    option("Roof", "--link", metavar="NAME", help="Link that communication goes over. Default: the device's first."),
    option("Roof", "--latency", type=QuantityType("s"), default="0 s", help="Of each serial step over the link."),
    option(
        "Roof",
        "--floor",
        type=QuantityType("s"),
        help="Launch latency, below which a kernel is latency-bound. Default: 5 us, 0 on a CPU.",
    ),
    option("Output", "--explain", is_flag=True, help="Write out each formula with its numbers and sources."),
    output_options,
)


def operation_command(operation: Operation) -> click.Command:
    """The command of an operation: options and help come from its signature and docstring."""
    name = operation.name.replace("_", "-")

    def run(**given: Any) -> None:
        _run(operation, given)

    shape = shape_options(operation)
    shared = click.command()(_options(run))
    taken = {flag for parameter in shape for flag in parameter.opts}
    names = [flag for flag in CONTEXT_SETTINGS["help_option_names"] if flag not in taken]
    return GroupedCommand(
        name,
        callback=run,
        params=[*shape, *shared.params],
        help=_help(operation),
        short_help=operation.summary,
        context_settings={**CONTEXT_SETTINGS, "help_option_names": names},
    )


def _help(operation: Operation) -> str:
    lines = "\n".join(
        f"  roofline op {operation.name.replace('_', '-')} {words} --hw h100" for words in examples(operation)
    )
    return f"{operation.summary}\n\n\b\nExamples:\n{lines}\n\n{operation.explanation}"


def _run(operation: Operation, given: dict[str, Any]) -> None:
    from roofline.commands.context import context
    from roofline.commands.options import devices
    from roofline.commands.output import check_output, emit
    from roofline.report.kernels import comparison, sheet
    from roofline.report.operations import shape_report, sweep_report, with_lower_bound

    settings = output_settings(given)
    check_output(settings)
    shape = take_shape(operation, given)
    seconds, explained = given.pop("seconds"), given.pop("explain")
    found = devices(given.pop("hw"), given.pop("peak"), given.pop("bw"))
    argument, values = _sweep(operation, shape, given.pop("swept"), seconds)
    notes = _default_dtype(operation, shape, found)
    kernels = [
        replace(kernel, seconds=seconds, notes=(*notes, *kernel.notes))
        for kernel in (
            operation.function(**shape, **more) for more in ({argument: v} if argument else {} for v in values)
        )
    ]
    about = context("op", operation=operation.name)
    if not found:
        emit(shape_report(kernels, argument, values, about), settings)
        return
    targets = [_target(device, shape, given, kernels[0].dtype) for device in found]
    placed = [target.with_headline(target.place(kernel)) for kernel in kernels for target in targets]
    if argument:
        report = sweep_report(placed, targets, argument, values, about)
    elif len(placed) == 1:
        report = with_lower_bound(sheet(placed[0], about, explained=explained), operation.name, shape, found[0])
    else:
        report = comparison(placed, about, settled=True, explained=explained)
    emit(report, settings)


def _sweep(
    operation: Operation, shape: dict[str, Any], text: str | None, seconds: float | None
) -> tuple[str | None, list[Any]]:
    """The swept argument and its values; without a sweep one value that stands for nothing."""
    argument, values = (None, [None]) if text is None else sweep(operation, text)
    if argument is not None and seconds is not None:
        raise InputError("--time is of one size; leave out --sweep")
    if argument is not None and argument in shape:
        raise InputError(f"{argument} is given and swept; leave one out")
    require(operation, shape if argument is None else shape | {argument: values[0]})
    return argument, values


def _default_dtype(operation: Operation, shape: dict[str, Any], found: Sequence[Device]) -> tuple[str, ...]:
    """Where no format is named and a device lacks the usual one: the first that all of them have, and a note of it."""
    usual = next((p.default for p in operation.parameters if p.name == "dtype"), None)
    if "dtype" in shape or usual != _DEFAULT_DTYPES[0]:
        return ()
    common = [dtype for dtype in _DEFAULT_DTYPES if all(_has(device, dtype) for device in found)]
    if not common or common[0] == usual:
        return ()
    shape["dtype"] = common[0]
    lacking = ", ".join(device.id for device in found if not _has(device, usual))
    return (f"{common[0]}, since {lacking} has no {usual} peak",)


def _has(device: Device, dtype: str) -> bool:
    return not device.peaks[0].dtype or any(peak.dtype == dtype and peak.dense is not None for peak in device.peaks)


def _target(device: Device, shape: dict[str, Any], given: dict[str, Any], dtype: str | None) -> Target:
    """The device with the roof that was asked for; sums in fp16 take the rate with fp16 accumulation."""
    from roofline.core.choice import RoofQuery
    from roofline.core.target import Target

    floor = given["floor"]
    accumulator = shape.get("accumulator")
    query = RoofQuery(
        dtype=dtype or device.default_dtype,  # what only moves bytes has no precision of its own
        sparse=given["sparse"],
        unit=given["unit"],
        clock=given["clock"],
        level=given["level"],
        kind=given["roof_kind"],
        link=given["link"],
        latency=given["latency"],
        floor=floor if floor is not None else 0.0 if device.kind == "cpu" else LAUNCH_FLOOR,
        accumulate=accumulator if accumulator in _ACCUMULATORS else None,
    )
    return Target(device=device, query=query)
