"""The options that several commands share, as text to values: the device and the roof."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from roofline import precision, units
from roofline.commands.base import option, together
from roofline.commands.output_flags import READ
from roofline.errors import InputError, NoLinkError, RooflineError
from roofline.text import clip, quote
from roofline.units import Quantity

if TYPE_CHECKING:
    from roofline.core.choice import RoofQuery
    from roofline.core.device import Device
    from roofline.core.target import Target

F = TypeVar("F", bound=Callable[..., Any])

if TYPE_CHECKING:  # click's types became generic in 8.4; older ones cannot be subscripted
    _FloatType = click.ParamType[float]
    _StrType = click.ParamType[str]
    _IntType = click.ParamType[int]
    _LinkType = click.ParamType[str | float]
else:
    _FloatType = _StrType = _IntType = _LinkType = click.ParamType


class QuantityType(_FloatType):
    """Text to a quantity in base units."""

    def __init__(self, quantity: Quantity, *, positive: bool = False, most: float = math.inf) -> None:
        self.quantity = quantity
        self.positive = positive
        self.most = most
        self.name = {"1": "PERCENT", "s": "TIME"}.get(quantity, quantity)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """The unit as it is written; click would make it FLOP/S."""
        return self.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ARG002
        """The value; an error names the option."""
        if not isinstance(value, str):
            return float(value)
        name = param.opts[-1] if param is not None else "value"
        if self.quantity == "1":
            return units.fraction(value, name=name)
        parsed = units.parse(value, self.quantity, name=name, positive=self.positive)
        if self.quantity == "s" and parsed and units.is_bare(value):  # 21 s in place of 21 us passes for a slow kernel
            raise InputError(
                f"{name} is a bare {clip(value.strip())}: in which unit?", hint="for example 21us or 2.5ms"
            )
        if parsed > self.most:
            raise InputError(f"{name} must be at most {self.most:g} {self.quantity}, got {clip(value)}")
        return parsed


class LinkType(_LinkType):
    """A link by its name, or by its bandwidth one way, which has a unit; 24x200GbE and 100GbE are names."""

    name = "LINK"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | float:  # noqa: ARG002
        """The name, or B/s; an error names the option."""
        text = str(value).strip()
        match = re.fullmatch(r"[+-]?[0-9][0-9._eE+-]*\s*([A-Za-z]*(?:/s)?)", text)
        if match is None or (match[1] and match[1] not in units.UNITS and not match[1].endswith("/s")):
            return text
        name = param.opts[-1] if param is not None else "link"
        if not match[1]:
            raise InputError(f"{name} is a bare {clip(text)}: in which unit?", hint="for example 450GB/s or 400Gbit/s")
        return units.parse(text, "B/s", name=name, positive=True)


@contextmanager
def linking() -> Iterator[None]:
    """Tell with which option a device gets a link, where none of it is known.

    Raises:
        NoLinkError: the same error, with that hint.

    """
    try:
        yield
    except NoLinkError as error:
        hint = "--link 64GB/s gives one, with its bandwidth one way; or add one to a file of your own"
        raise NoLinkError(str(error), hint=hint) from None


class AtLeastOne(_IntType):
    """A whole number from 1 on, in the digits 0 to 9."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ARG002
        """The number; an error names the option."""
        text = str(value).strip()
        if not (text.isascii() and text.isdigit() and int(text[:20]) > 0):
            name = param.opts[-1] if param is not None else "value"
            raise InputError(f"{name} must be a whole number from 1 on, got {quote(text)}")
        return int(text[:20])


class DtypeType(_StrType):
    """A precision by any of its names."""

    name = "DTYPE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        """The standard name."""
        return precision.parse(value, name=param.opts[-1] if param is not None else "precision")

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG002
        """The standard names."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in precision.PRECISIONS if name.startswith(incomplete)]


class DeviceType(_StrType):
    """A device id, alias or path; only completed here, looked up later."""

    name = "ID"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG002
        """The ids of the catalogue, and the aliases where no id fits."""
        from click.shell_completion import CompletionItem

        from roofline.catalog import find

        if find.is_path(incomplete):
            return [CompletionItem(incomplete, type="file")]
        try:
            known = find.entries()
        except RooflineError:
            return []  # said when a command is run; here it would be printed into the prompt
        ids = [entry.id for entry in known.values() if entry.id.startswith(incomplete)]
        if not ids:
            ids = sorted(alias for alias in find.aliases(known) if alias.startswith(incomplete))
        return [CompletionItem(name) for name in ids]


_HW = option(
    "Device",
    "--hw",
    type=DeviceType(),
    multiple=True,
    help="Device id, alias or hardware file; repeat to compare. Default: $ROOFLINE_HW.",
)
_GIVEN = (
    option("Device", "--peak", type=QuantityType("FLOP/s", positive=True), help="Peak rate, in place of a device."),
    option("Device", "--bw", type=QuantityType("B/s", positive=True), help="Bandwidth, in place of a device."),
)
device_options: Callable[[F], F] = together(_HW, *_GIVEN)

ACCUMULATORS = ("fp16", "fp32", "fp64", "int32")  # what peaks are told apart by
_SPARSE = option("Roof", "--sparse", is_flag=True, help="Its 2:4-sparse peak instead of the dense one.")
_UNIT = option("Roof", "--unit", type=click.Choice(["matrix", "vector"]), help="Execution unit.")
_CLOCK = option(
    "Roof", "--clock", type=click.Choice(["base", "boost"]), help="Clock of a CPU's peak, where both are known."
)
_LEVEL = option("Roof", "--level", metavar="LEVEL", help="Memory level, such as L2. Default: main memory.")
_KIND = option(
    "Roof",
    "--roof",
    "roof_kind",
    type=click.Choice(["spec", "measured"]),
    default="spec",
    help="Specified figures (default) or measured ceilings.",
)
roof_options: Callable[[F], F] = together(
    option("Roof", "--dtype", type=DtypeType(), help="Precision: its sourced dense peak is the roof."),
    _SPARSE,
    option("Roof", "--headline", is_flag=True, help="The headline on purpose, so that gates need not ask."),
    _UNIT,
    option("Roof", "--accumulate", type=click.Choice(ACCUMULATORS), help="Accumulator precision."),
    _CLOCK,
    _LEVEL,
    _KIND,
)
# What can be said of a roof whose precision the kernel brings along.
sourced_options: Callable[[F], F] = together(_SPARSE, _UNIT, _CLOCK, _LEVEL, _KIND)


def roof_query(given: dict[str, Any]) -> RoofQuery:
    """Take the roof options out of a command's arguments."""
    from roofline.core.choice import RoofQuery

    keys = ("dtype", "sparse", "headline", "unit", "accumulate", "clock", "level")
    return RoofQuery(kind=given.pop("roof_kind"), **{key: given.pop(key) for key in keys})


def device_names(hw: tuple[str, ...]) -> tuple[str, ...]:
    """The names given by ``--hw``, or by ``$ROOFLINE_HW`` where there are none; a file among them is read."""
    return hw or tuple(name for name in (os.environ.get("ROOFLINE_HW", ""),) if name)


def devices(hw: tuple[str, ...], peak: float | None, bw: float | None, dtype: str | None = None) -> list[Device]:
    """The devices named by ``--hw``, by ``--peak`` and ``--bw``, or by ``$ROOFLINE_HW``; empty if none is.

    Raises:
        InputError: both ways at once, or only one of peak and bandwidth.

    """
    from roofline.core.device import given_device

    if peak is not None or bw is not None:
        if hw:
            raise InputError("--peak and --bw stand in for a device; leave out --hw")
        if peak is None or bw is None:
            raise InputError(f"{'--bw' if peak is None else '--peak'} needs {'--peak' if peak is None else '--bw'} too")
        return [given_device(peak, bw, dtype)]
    names = device_names(hw)
    if not names:
        return []
    from roofline.catalog import find

    found: list[Device] = []
    for name in names:
        if "," in name and not find.is_path(name):
            repeated = " ".join(f"--hw {part.strip()}" for part in name.split(",") if part.strip())
            raise InputError(f"--hw takes one device, got {quote(name)}", hint=f"repeat it: {repeated}")
        device = find.device(name)
        hidden = find.taken_over(name, device)
        if hidden is not None:
            from roofline.commands.streams import tell

            tell(f"note: {quote(name)} is {device.origin} here, and not the shipped {hidden}")
        click.get_current_context().meta.setdefault(READ, []).append(device.origin)
        file = os.path.realpath(device.origin)
        if all(file != os.path.realpath(other.origin) for other in found):  # an id, its alias and its path are one
            found.append(device)
    return found


def targets(hw: tuple[str, ...], peak: float | None, bw: float | None, query: RoofQuery) -> list[Target]:
    """The devices with the roof that was asked for.

    Raises:
        InputError: no device was named.

    """
    from roofline.core.target import Target

    found = devices(hw, peak, bw, query.dtype)
    if not found:
        raise InputError("name a device with --hw", hint="roofline hw list shows them; or give --peak and --bw")
    return [Target(device=device, query=query) for device in found]
