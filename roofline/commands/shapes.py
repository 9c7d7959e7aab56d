"""The shape of an operation on the command line: one option for each argument, its type from the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from roofline.commands.base import GroupedOption
from roofline.commands.sizes import BytesType, FormatType, SizesType, SizeType
from roofline.errors import InputError

if TYPE_CHECKING:
    from roofline.operations.registry import Operation, Parameter


def shape_options(operation: Operation) -> list[click.Option]:
    """The options that give an operation its arguments."""
    return [_option(parameter) for parameter in operation.parameters]


def _option(parameter: Parameter) -> click.Option:
    dashed = parameter.name.replace("_", "-")
    flags = [f"-{dashed}", f"--{dashed}"] if len(dashed) == 1 else [f"--{dashed}"]
    text = _explained(parameter)
    if parameter.kind == "switch":
        flags = [f"--{dashed}/--no-{dashed}"] if parameter.default else flags
        return GroupedOption(
            [*flags, _variable(parameter)], group="Shape", is_flag=True, default=parameter.default, help=text
        )
    least = 0 if parameter.default in (0, (0,)) else None  # what may be nothing, such as a padding, is so by default
    kinds: dict[str, Any] = {
        "size": BytesType() if parameter.help.startswith("B ") else SizeType(least, swept=True),
        "sizes": SizesType(least),
        "number": click.FLOAT,
        "format": FormatType(),
        "word": click.Choice(list(parameter.words)),
    }
    return GroupedOption(
        [*flags, _variable(parameter)], group="Shape", type=kinds[parameter.kind], default=None, help=text
    )


def _explained(parameter: Parameter) -> str:
    """The line of the docstring as help: what None stands for, and any other default worth a word, is the default."""
    text, none, stands_for = parameter.help.partition("; None: ")
    if not none:
        text, none, stands_for = parameter.help.partition(". None: ")
    text = f"{text[:1].upper()}{text[1:]}".rstrip(".")
    if none:
        default = {"dtype": "that of --dtype", "there are none": "none"}.get(stands_for, stands_for)
    elif parameter.required or parameter.kind == "switch" or parameter.default in (None, 1, (1,), (0,)):
        return f"{text}."
    else:
        default = ",".join(map(str, parameter.default)) if parameter.kind == "sizes" else str(parameter.default)
    return f"{text}. Default: {default}."


def _variable(parameter: Parameter) -> str:
    return f"shape_{parameter.name}"


def take_shape(operation: Operation, given: dict[str, Any]) -> dict[str, Any]:
    """Take the arguments of an operation out of a command's; those that were not given keep their default."""
    taken = {parameter.name: given.pop(_variable(parameter)) for parameter in operation.parameters}
    return {name: value for name, value in taken.items() if value is not None}


def require(operation: Operation, shape: dict[str, Any]) -> None:
    """Refuse a shape that lacks an argument.

    Raises:
        InputError: names what is missing.

    """
    missing = [p.name for p in operation.parameters if p.required and p.name not in shape]
    if missing:
        named = ", ".join(flag(name) for name in missing)
        raise InputError(
            f"{operation.name} needs {named}", hint=f"roofline op {operation.name.replace('_', '-')} --help explains"
        )


def flag(name: str) -> str:
    """The option of an argument; one letter has one dash."""
    return f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"
