"""Operations to a Report: the list of them, and what a shape costs without a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from roofline.core.kernel import Kernel
from roofline.operations.registry import Operation
from roofline.precision import Format
from roofline.report import Column, Report, Value

_LIST_COLUMNS: Final = (
    Column(key="operation", heading="operation"),
    Column(key="family", heading="family", detail=True),
    Column(key="summary", heading="what it is", format="name"),
    Column(key="arguments", heading="arguments", format="list", detail=True),
)
_COST_COLUMNS: Final = (
    Column(key="name", heading="operation", format="name"),
    Column(key="precision", heading="precision"),
    Column(key="work_flop", heading="work", format="FLOP"),
    Column(key="traffic_byte", heading="traffic", format="B"),
    Column(key="wire_byte", heading="on the wire", format="B"),
    Column(key="messages", heading="serial steps", format="count"),
    Column(key="arithmetic_intensity_flop_per_byte", heading="intensity I", format="FLOP/B"),
    Column(key="time_s", heading="time", format="s"),
    Column(key="achieved_flop_per_s", heading="achieved", format="FLOP/s"),
    Column(key="achieved_byte_per_s", heading="achieved bandwidth", format="B/s"),
)


_FORMAT_COLUMNS: Final = (
    Column(key="format", heading="format"),
    Column(key="bit_per_element", heading="bits", format="count"),
    Column(key="arithmetic", heading="computed in"),
    Column(key="aliases", heading="also", format="list"),
    Column(key="source", heading="source", detail=True),
)


def formats_report(formats: Sequence[Format], context: dict[str, Any]) -> Report:
    """A row a number format: bits of an element with its share of the scales, and what arithmetic on it runs in."""
    rows = [
        {
            "format": each.name,
            "bit_per_element": float(each.bits),
            "arithmetic": each.arithmetic,
            "aliases": list(each.aliases),
            "source": each.source or None,
        }
        for each in formats
    ]
    return Report(
        columns=_FORMAT_COLUMNS,
        rows=rows,
        rows_key="formats",
        summary=[f"{len(rows)} format{'' if len(rows) == 1 else 's'}"] if rows else ["no format fits"],
        context=context,
    )


def list_report(operations: Sequence[Operation], context: dict[str, Any]) -> Report:
    """A row an operation."""
    rows = [
        {
            "operation": operation.name.replace("_", "-"),
            "family": operation.family,
            "summary": operation.title,
            "arguments": [parameter.name for parameter in operation.parameters],
        }
        for operation in operations
    ]
    return Report(
        columns=_LIST_COLUMNS,
        rows=rows,
        rows_key="operations",
        summary=[f"{len(rows)} operation{'' if len(rows) == 1 else 's'}"] if rows else ["no operation fits"],
        context=context,
    )


def shape_report(
    kernels: Sequence[Kernel], argument: str | None, values: Sequence[Any], context: dict[str, Any]
) -> Report:
    """What shapes cost, whatever machine they run on."""
    swept = argument_column(argument)
    rows = [
        {
            "name": kernel.name,
            "precision": kernel.dtype or Value(None, None, "it computes nothing"),
            "work_flop": kernel.flops,
            "traffic_byte": kernel.bytes,
            "wire_byte": kernel.wire,
            "messages": kernel.messages or None,
            "arithmetic_intensity_flop_per_byte": kernel.arithmetic_intensity,
            "time_s": kernel.seconds,
            "achieved_flop_per_s": kernel.achieved,
            "achieved_byte_per_s": kernel.achieved_bandwidth,
        }
        | ({} if argument is None else {argument: argument_cell(value)})
        for kernel, value in zip(kernels, values, strict=True)
    ]
    single = argument is None
    return Report(
        columns=[*swept, *_COST_COLUMNS],
        rows=rows,
        rows_key="kernels",
        layout="sheet" if single else "rows",
        single=single,
        title=kernels[0].name if single else None,
        notes=list(dict.fromkeys(note for kernel in kernels for note in kernel.notes)),
        assumptions=in_common(kernels),
        context=context,
    )


def argument_column(argument: str | None) -> list[Column]:
    """The column of a swept argument, if there is one."""
    return [] if argument is None else [Column(key=argument, heading=argument, format="count")]


def argument_cell(value: Any) -> int | str:
    """The value of a swept argument: a number, or several with an x between them."""
    if isinstance(value, tuple):
        return value[0] if len(value) == 1 else "x".join(map(str, value))
    return int(value)


def in_common(kernels: Sequence[Kernel]) -> list[str]:
    """What was counted how at every size of a sweep; what differs from size to size would be a line for each."""
    every = [text for kernel in kernels[:1] for text in kernel.assumptions]
    return [text for text in every if all(text in kernel.assumptions for kernel in kernels)]
