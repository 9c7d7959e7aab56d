"""The shape of an operation on the command line: one option for each argument, its type from the registry."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import click

from roofline import precision
from roofline.commands.base import GroupedOption
from roofline.errors import InputError
from roofline.operations.registry import Operation, Parameter
from roofline.units import clip, quote

if TYPE_CHECKING:
    _IntType = click.ParamType[int]
    _SizesType = click.ParamType[tuple[int, ...]]
    _StrType = click.ParamType[str]
else:
    _IntType = _SizesType = _StrType = click.ParamType

_DIGITS: Final = re.compile(r"[0-9]{1,40}")
_WHOLE_FLOAT: Final = re.compile(r"([0-9]{1,18})[eE]\+?([0-9]{1,2})")  # 1e6 is a size too
_MOST_ROWS: Final = 10_000


def size(text: str, *, name: str) -> int:
    """A whole number, in digits or as 1e6; its domain is the operation's to judge.

    Raises:
        InputError: anything else; the message names the argument.

    >>> size("4096", name="-m"), size("1e6", name="-m"), size("16_384", name="-m")
    (4096, 1000000, 16384)

    """
    digits = text.strip().replace("_", "")
    power = _WHOLE_FLOAT.fullmatch(digits)
    if power:
        return int(power[1]) * int(10 ** int(power[2]))
    if digits.removeprefix("-").isascii() and _DIGITS.fullmatch(digits.removeprefix("-")):
        return int(digits)
    raise InputError(f"{name} must be a whole number from 1 to 1e15, got {quote(text)}")


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
        return tuple(size(part, name=name) for part in re.split(r"[,x]", value.strip()))


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
    text = parameter.help[:1].upper() + parameter.help[1:]
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
    shown = parameter.default not in (None, 1, (1,), (0,)) and not parameter.required
    default = parameter.default if parameter.kind != "sizes" else ",".join(map(str, parameter.default or ()))
    if shown:
        text += f". Default: {default}" if not text.endswith(".") else f" Default: {default}"
    return GroupedOption(
        [*flags, _variable(parameter)], group="Shape", type=kinds[parameter.kind], default=None, help=text
    )


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
        named = ", ".join(_flag(name) for name in missing)
        raise InputError(
            f"{operation.name} needs {named}", hint=f"roofline op {operation.name.replace('_', '-')} --help explains"
        )


def _flag(name: str) -> str:
    return f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"


def sweep(operation: Operation, text: str) -> tuple[str, list[Any]]:
    """The argument that is swept and its values: ``n=256:16384:x2``, ``n=1:9:+2`` or ``n=128,256,1000``.

    Raises:
        InputError: no such argument, or no such range.

    """
    name, equals, values = text.partition("=")
    name = name.strip().lstrip("-").replace("-", "_")
    known = {p.name: p for p in operation.parameters if p.kind in ("size", "sizes")}
    if not equals or name not in known:
        raise InputError(
            f"--sweep takes ARGUMENT=FIRST:LAST:xFACTOR, got {quote(text)}",
            hint=f"arguments of {operation.name}: {', '.join(known)}; for example {next(iter(known))}=256:16384:x2",
        )
    numbers = (
        _range(values, f"--sweep {name}")
        if ":" in values
        else [size(part, name=f"--sweep {name}") for part in values.split(",")]
    )
    return name, [(value,) for value in numbers] if known[name].kind == "sizes" else numbers


def _range(text: str, name: str) -> list[int]:
    parts = text.split(":")
    step = parts[2].strip() if len(parts) == 3 else "x2"
    if len(parts) not in (2, 3) or step[:1] not in ("x", "+"):
        raise InputError(f"{name} takes FIRST:LAST:xFACTOR or FIRST:LAST:+STEP, got {clip(text)}")
    first, last = size(parts[0], name=name), size(parts[1], name=name)
    amount = size(step[1:], name=f"{name} step")
    if first < 1 or last < first or amount < (2 if step[0] == "x" else 1):
        raise InputError(f"{name} must rise from 1 or more, got {clip(text)}", hint="for example 256:16384:x2")
    values = []
    while first <= last:
        values.append(first)
        first = first * amount if step[0] == "x" else first + amount
        if len(values) > _MOST_ROWS:
            raise InputError(f"{name} gives more than {_MOST_ROWS} sizes", hint="take a larger step")
    return values


def examples(operation: Operation) -> tuple[str, str]:
    """The call of the docstring as options, and the same with its first size swept."""
    shape = operation.example
    kinds = {p.name: p.kind for p in operation.parameters}
    swept = next(name for name in shape if kinds[name] == "size")
    others = {name: value for name, value in shape.items() if name != swept}
    first = shape[swept]
    return _words(shape), f"{_words(others)} --sweep {swept.replace('_', '-')}={first}:{16 * first}:x2".strip()


def _words(shape: dict[str, Any]) -> str:
    """Arguments as options."""
    words = []
    for name, value in shape.items():
        if isinstance(value, bool):
            words.append(_flag(name) if value else f"--no-{name.replace('_', '-')}")
        else:
            text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
            words.append(f"{_flag(name)} {text}")
    return " ".join(words)
