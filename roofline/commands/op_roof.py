"""The roof that an operation is placed on: the number format it takes by default, its unit, its launch floor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from roofline import units
from roofline.commands.base import option, together
from roofline.commands.options import LinkType, QuantityType, device_options, sourced_options
from roofline.errors import InputError

if TYPE_CHECKING:
    from roofline.core.device import Device
    from roofline.core.kernel import Kernel
    from roofline.core.placement import Placed
    from roofline.core.target import Target
    from roofline.operations.registry import Operation

F = TypeVar("F", bound=Callable[..., Any])

LAUNCH_FLOOR: Final = 5e-6  # s; what launching a kernel on an accelerator takes, within a factor of two everywhere
# Where the usual format of an operation is one that a device has no peak for: what is taken in its place, in order.
_INSTEAD: Final = {"bf16": ("bf16", "fp16", "fp32"), "fp32": ("fp32",), "fp64": ("fp64", "fp32")}
_OF_A_DEVICE: Final = ("sparse", "unit", "clock", "level", "link", "latency", "floor", "explain")

device_and_roof_options: Callable[[F], F] = together(
    device_options,
    sourced_options,
    option(
        "Roof",
        "--link",
        type=LinkType(),
        help="Link that communication goes over: a name, or bandwidth one way. Default: the device's first.",
    ),
    option(
        "Roof", "--latency", type=QuantityType("s", most=1.0), help="Of each serial step over the link. Default: 0."
    ),
    option(
        "Roof",
        "--floor",
        type=QuantityType("s"),
        help="Launch latency, below which a kernel is latency-bound. Default: 5 us, 0 on a CPU.",
    ),
)


def refuse_without_device(given: Mapping[str, Any]) -> None:
    """What is said of a roof needs a device.

    Raises:
        InputError: an option of the roof was given.

    """
    said = [name for name in _OF_A_DEVICE if _said(given, name)]
    if given["roof_kind"] != "spec":
        said.append("roof")
    if said:
        raise InputError(f"--{said[0]} needs a device; name one with --hw", hint="roofline hw list shows them")


def refuse_without_effect(operation: Operation, kernels: Sequence[Kernel], given: Mapping[str, Any]) -> None:
    """What is said of a roof must be able to change where these kernels lie.

    Raises:
        InputError: a link where nothing is sent, or the 2:4-sparse peak where no matrices are multiplied.

    """
    name = operation.name.replace("_", "-")
    for link in ("link", "latency"):
        if _said(given, link) and operation.family != "communication":
            raise InputError(
                f"--{link} is for communication between devices; {name} sends nothing", hint="leave it out"
            )
    if given["sparse"] and not any(kernel.flops and kernel.unit is None for kernel in kernels):
        raise InputError(f"--sparse is for products of matrices; {name} has none", hint="leave it out")


def _said(given: Mapping[str, Any], name: str) -> bool:
    return given[name] is not None and given[name] is not False  # a latency of 0 is said too


def default_dtype(
    operation: Operation, shape: dict[str, Any], found: Sequence[Device], *, computes: bool
) -> str | None:
    """Set the number format where none is named, and say which in a note.

    It is the operation's own; where some device has no peak of that, the next one that all of them have, and at last
    the default precision of a device. What computes nothing needs no peak of its format.
    """
    from roofline.core.peaks import default_dtype_of

    usual = next((p.default for p in operation.parameters if p.name == "dtype"), None)
    if usual is None or "dtype" in shape:
        return None
    others = (*_INSTEAD.get(usual, ()), *(default_dtype_of(device) for device in found)) if computes else ()
    common = [dtype for dtype in others if all(_has(device, dtype) for device in found)]
    taken = shape["dtype"] = common[0] if common else usual
    lacking = ", ".join(device.id for device in found if not _has(device, usual))
    return f"no --dtype given: {taken}" + (f", since {lacking} has no {usual} peak" if taken != usual else "")


def _has(device: Device, dtype: str) -> bool:
    return not device.peaks[0].dtype or any(peak.dtype == dtype and peak.dense is not None for peak in device.peaks)


def precision_of(kernels: Sequence[Kernel]) -> str | None:
    """The precision that an operation computes in at some size; None if it computes nothing at any."""
    return next((kernel.dtype for kernel in kernels if kernel.dtype is not None), None)


def target(device: Device, shape: Mapping[str, Any], given: Mapping[str, Any], dtype: str | None) -> Target:
    """The device with the roof that was asked for: one for all sizes, with the rate of the sums that are named.

    Raises:
        InputError: sums in a format of their own, and measured ceilings.

    """
    from roofline.core.choice import RoofQuery
    from roofline.core.link import with_link
    from roofline.core.peaks import default_dtype_of
    from roofline.core.target import Target
    from roofline.precision import storage

    link = given["link"]
    if isinstance(link, float | int):
        device, link = with_link(device, link), None
    floor, sums = given["floor"], shape.get("accumulator")
    if sums and given["roof_kind"] == "measured":
        raise InputError(
            "measured ceilings do not tell accumulators apart", hint="leave out --accumulator, or --roof measured"
        )
    query = RoofQuery(
        dtype=dtype or default_dtype_of(device),  # what only moves bytes has no precision of its own
        sparse=given["sparse"],
        unit=given["unit"],
        clock=given["clock"],
        level=given["level"],
        kind=given["roof_kind"],
        link=link,
        latency=given["latency"] or 0.0,
        floor=floor if floor is not None else 0.0 if device.kind == "cpu" else LAUNCH_FLOOR,
        accumulate=None if sums is None else storage(sums).name,
    )
    return Target(device=device, query=query)


def place(one: Target, kernel: Kernel) -> Placed:
    """The kernel on the device, beside its headline.

    Traffic through a cache is judged if the device has a bandwidth for it; else a note says how much it is. With
    ``--level`` naming that cache, it takes the place of the traffic through main memory.
    """
    from roofline.core.device import level_key

    notes, at = list(kernel.notes), {}
    moved = kernel.bytes
    banded = {level_key(memory.level) for memory in one.device.memory if memory.bandwidth}
    for level, amount in kernel.bytes_at.items():
        if one.query.level is not None and level_key(level) == level_key(one.query.level):
            moved = amount
        elif level_key(level) in banded and one.query.kind == "spec":
            at[level] = amount
        else:
            shown = units.show(amount, "B")
            notes.append(f"{shown} through {level} not judged: {one.device.id} gives no bandwidth for its {level}")
    return one.with_headline(one.place(kernel._replace(bytes=moved, bytes_at=at, notes=tuple(notes))))
