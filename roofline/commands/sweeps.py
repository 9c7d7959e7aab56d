"""A sweep over one size of an operation: ``n=256:16384:x2``, ``n=1:9:+2`` or ``n=128,256,1000``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from roofline.commands.sizes import bytes_of, refuse_thousands, size, size_range
from roofline.errors import InputError
from roofline.operations.registry import Operation, Parameter
from roofline.text import quote

if TYPE_CHECKING:
    from roofline.core.kernel import Kernel


def sweep(operation: Operation, text: str) -> tuple[str, list[Any]]:
    """The argument that is swept and its values, of which several numbers have an x between them (64x64x64).

    Raises:
        InputError: no such argument, or no such range.

    """
    written, equals, values = text.partition("=")
    name = written.strip().lstrip("-").replace("-", "_")
    known = {p.name: p for p in operation.parameters if p.kind in ("size", "sizes")}
    if not equals or name not in known:
        raise InputError(
            f"--sweep takes ARGUMENT=FIRST:LAST:xFACTOR, got {quote(text)}",
            hint=f"arguments of {operation.name}: {', '.join(known)}; for example {next(iter(known))}=256:16384:x2",
        )
    told = f"--sweep {name}"
    if ":" in values:
        numbers = size_range(values, told)
        return name, [(number,) for number in numbers] if known[name].kind == "sizes" else numbers
    refuse_thousands(values, told)
    return name, [_value(known[name], part, told) for part in values.split(",")]


def kernel_at(operation: Operation, shape: dict[str, Any], argument: str, value: Any) -> Kernel:
    """The kernel at one size of a sweep.

    Raises:
        InputError: the operation refuses it; names the sweep and the size.

    """
    try:
        return operation.function(**shape | {argument: value})
    except InputError as error:
        text = "x".join(map(str, value)) if isinstance(value, tuple) else value
        raise InputError(f"--sweep {argument} at {text}: {error}", hint=error.hint) from None


def _value(parameter: Parameter, text: str, told: str) -> int | tuple[int, ...]:
    if parameter.help.startswith("B "):
        return bytes_of(text, name=told)
    if parameter.kind == "sizes":
        return tuple(size(part, name=told) for part in text.lower().split("x"))
    return size(text, name=told)
