"""Operations to a Report: what a shape costs without a device, a row a size for a sweep, the list of them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from roofline import units
from roofline.core.device import Device
from roofline.core.kernel import Kernel
from roofline.core.target import Placed, Target
from roofline.operations.bounds import gemm_lower_bound
from roofline.operations.registry import Operation
from roofline.precision import storage
from roofline.report import Column, Report, Rows, used
from roofline.report.kernels import kernel_list
from roofline.report.tally import Tally

_LIST_COLUMNS: Final = (
    Column(key="operation", heading="operation"),
    Column(key="family", heading="family"),
    Column(key="summary", heading="what it is", format="name"),
    Column(key="arguments", heading="arguments", format="list", detail=True),
)
_COST_COLUMNS: Final = (
    Column(key="name", heading="operation", format="name"),
    Column(key="precision", heading="precision", detail=True),
    Column(key="work_flop", heading="work", format="FLOP"),
    Column(key="traffic_byte", heading="traffic", format="B"),
    Column(key="wire_byte", heading="on the wire", format="B"),
    Column(key="messages", heading="serial steps", format="count"),
    Column(key="arithmetic_intensity_flop_per_byte", heading="intensity I", format="FLOP/B"),
)


def list_report(operations: Sequence[Operation], context: dict[str, Any]) -> Report:
    """A row an operation."""
    rows = [
        {
            "operation": operation.name.replace("_", "-"),
            "family": operation.family,
            "summary": operation.summary.removesuffix("."),
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
    swept = _argument_column(argument)
    rows = [
        {
            "name": kernel.name,
            "precision": kernel.dtype,
            "work_flop": kernel.flops,
            "traffic_byte": kernel.bytes,
            "wire_byte": kernel.wire,
            "messages": kernel.messages or None,
            "arithmetic_intensity_flop_per_byte": kernel.arithmetic_intensity,
        }
        | ({} if argument is None else {argument: _plain(value)})
        for kernel, value in zip(kernels, values, strict=True)
    ]
    single = argument is None
    return Report(
        columns=used([*swept, *_COST_COLUMNS], rows),
        rows=rows,
        rows_key="kernels",
        layout="sheet" if single else "rows",
        single=single,
        title=kernels[0].name if single else None,
        notes=list(dict.fromkeys(note for kernel in kernels for note in kernel.notes)),
        assumptions=list(dict.fromkeys(text for kernel in kernels for text in kernel.assumptions)),
        context=context,
    )


def sweep_report(
    placed: Sequence[Placed], targets: Sequence[Target], argument: str, values: Sequence[Any], context: dict[str, Any]
) -> Report:
    """A row a size (and device), and where the verdict changes from one size to the next."""
    tally = Tally()
    for one in placed:
        tally.add(one)
    report = kernel_list(placed, targets, tally, context)
    each = [value for value in values for _ in targets]
    crossed = _crossings(placed, each, len(targets))
    numbers = {id(one): number for number, one in enumerate(placed)}
    made = report.rows

    def row_of(one: Placed) -> dict[str, Any]:
        number = numbers[id(one)]
        return {**made[number], argument: _plain(each[number]), "crossing": crossed.get(number)}

    columns = [c._replace(detail=c.detail or c.key == "name") for c in report.columns]
    rows = Rows(placed, row_of)
    lines = [
        f"{argument} = {_plain(each[number])} is the first size that is {word}"
        + (f" on {placed[number].device.id}" if len(targets) > 1 else "")
        for number, word in crossed.items()
    ]
    return report._replace(
        columns=used([*_argument_column(argument), *columns, Column(key="crossing", heading="")], rows),
        rows=rows,
        lead={**report.lead, "sweep": argument},
        summary=[*report.summary, *(lines or ["the verdict is the same at every size"])],
    )


def _crossings(placed: Sequence[Placed], values: Sequence[Any], devices: int) -> dict[int, str]:
    """Rows whose verdict differs from that of the size before, on the same device."""
    return {
        number: f"{placed[number].first.bound}-bound"
        for number in range(devices, len(values))
        if placed[number].first.bound != placed[number - devices].first.bound
    }


def _argument_column(argument: str | None) -> list[Column]:
    return [] if argument is None else [Column(key=argument, heading=argument, format="count")]


def _plain(value: Any) -> Any:
    return value[0] if isinstance(value, tuple) else value


def with_lower_bound(report: Report, operation: str, shape: dict[str, Any], device: Device) -> Report:
    """For a product of matrices: what no order of its arithmetic can beat, given the device's largest cache."""
    main = device.main_memory.level
    caches = [m for m in device.memory if m.level != main and m.capacity]
    if operation != "gemm" or not caches:
        return report
    cache = max(caches, key=lambda memory: memory.capacity or 0.0)
    element = storage(shape.get("activations") or shape.get("dtype") or "bf16")
    fast = int((cache.capacity or 0.0) * 8 / element.bits)
    least = shape.get("batch", 1) * element.size_of(
        gemm_lower_bound(m=shape["m"], n=shape["n"], k=shape["k"], fast_memory=fast)
    )
    note = (
        f"no order of these products moves less than {units.show(least, 'B')} past "
        f"{units.show(cache.capacity or 0.0, 'B')} of {cache.level} (Hong and Kung 1981; constant by Smith et al. 2017)"
    )
    return report._replace(notes=[*report.notes, note])
