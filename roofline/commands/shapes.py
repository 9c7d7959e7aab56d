"""The shape of an operation on the command line: one option for each argument, its type from the registry."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import click

from roofline import precision
from roofline.commands.base import GroupedOption
from roofline.errors import InputError
from roofline.text import quote

if TYPE_CHECKING:
    from roofline.operations.registry import Operation, Parameter

    _IntType = click.ParamType[int]
    _SizesType = click.ParamType[tuple[int, ...]]
    _StrType = click.ParamType[str]
else:
    _IntType = _SizesType = _StrType = click.ParamType

_DIGITS: Final = re.compile(r"[0-9]{1,40}")  # ASCII alone
_WHOLE_FLOAT: Final = re.compile(r"([0-9]{1,18})[eE]\+?([0-9]{1,2})")  # 1e6 is a size too


def size(text: str, *, name: str) -> int:
    """A whole number of at most 1e15, in digits or as 1e6; from where on is the operation's to judge.

    Raises:
        InputError: anything else; the message names the argument and quotes the text.

    >>> size("4096", name="-m"), size("1e6", name="-m"), size("16_384", name="-m")
    (4096, 1000000, 16384)

    """
    from roofline.operations.shapes import LARGEST

    digits = text.strip().replace("_", "")
    power = _WHOLE_FLOAT.fullmatch(digits)
    number = None
    if power:
        number = int(power[1]) * int(10 ** int(power[2]))
    elif _DIGITS.fullmatch(digits.removeprefix("-")):
        number = int(digits)
    if number is not None and number <= LARGEST:
        return number
    counted = text.strip()[:1].isdigit() and text.strip()[-1:].isalpha()
    raise InputError(
        f"{name} must be a whole number from 1 to 1e15, got {quote(text)}",
        hint="sizes count elements, without a unit: 16 MB of bf16 are 8e6" if counted else None,
    )


class SizeType(_IntType):
    """A size."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ARG002
        """The number; an error names the option."""
        return value if isinstance(value, int) else size(value, name=param.opts[0] if param else "size")


class SizesType(_SizesType):
    """Sizes with commas or x between them."""

    name = "N,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:  # noqa: ARG002
        """The numbers; an error names the option."""
        if isinstance(value, tuple):
            return value
        name = param.opts[0] if param else "sizes"
        return tuple(size(part, name=name) for part in re.split(r"[,xX]", value.strip()))


class FormatType(_StrType):
    """A number format, of arithmetic or of storage."""

    name = "FORMAT"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG002
        """The standard names."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in precision.FORMATS if name.startswith(incomplete)]


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
    kinds: dict[str, Any] = {
        "size": SizeType(),
        "sizes": SizesType(),
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
