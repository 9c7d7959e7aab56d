"""A sweep over one size of an operation: ``n=256:16384:x2``, ``n=1:9:+2`` or ``n=128,256,1000``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from roofline.commands.shapes import flag, size
from roofline.errors import InputError
from roofline.operations.registry import Operation, Parameter
from roofline.text import clip, quote

if TYPE_CHECKING:
    from roofline.core.kernel import Kernel

_MOST_ROWS: Final = 10_000
_FIRST, _LAST = 256, 1_048_576  # of an example: from below a launch to well past every ridge


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
    if parameter.kind == "sizes":
        return tuple(size(part, name=told) for part in text.lower().split("x"))
    return size(text, name=told)


def size_range(text: str, told: str) -> list[int]:
    """The sizes of FIRST:LAST:xFACTOR or FIRST:LAST:+STEP; without a step each is twice the one before it.

    Raises:
        InputError: no such range, one that does not rise, or too many sizes; ``told`` names the option.

    >>> size_range("1:9:+4", "--sweep batch"), size_range("256:1024", "--sweep context")
    ([1, 5, 9], [256, 512, 1024])

    """
    parts = text.split(":")
    step = parts[2].strip() if len(parts) == 3 else "x2"
    if len(parts) not in (2, 3) or step[:1] not in ("x", "+"):
        raise InputError(f"{told} takes FIRST:LAST:xFACTOR or FIRST:LAST:+STEP, got {clip(text)}")
    first, last = size(parts[0], name=told), size(parts[1], name=told)
    amount = size(step[1:], name=f"{told} step")
    if first < 1 or last < first or amount < (2 if step[0] == "x" else 1):
        raise InputError(f"{told} must rise from 1 or more, got {clip(text)}", hint="for example 256:16384:x2")
    values = []
    while first <= last:
        values.append(first)
        first = first * amount if step[0] == "x" else first + amount
        if len(values) > _MOST_ROWS:
            raise InputError(f"{told} gives more than {_MOST_ROWS} sizes", hint="take a larger step")
    return values


def examples(operation: Operation) -> tuple[str, str]:
    """The call of the docstring as options, and what is required of it with its largest size swept."""
    shape = operation.example
    required = [p for p in operation.parameters if p.required]
    swept = _largest_that_may_vary(operation, {p.name: shape[p.name] for p in required})
    values = f"{_FIRST}:{_LAST}:x8"
    if swept is None:
        swept = required[0].name
        values = ",".join("x".join(str(scale * part) for part in shape[swept]) for scale in (1, 2, 4))
    others = {p.name: shape[p.name] for p in required if p.name != swept}
    return _words(shape), f"{_words(others)} --sweep {swept.replace('_', '-')}={values}".strip()


def _largest_that_may_vary(operation: Operation, shape: dict[str, Any]) -> str | None:
    """The largest size of a shape that may be small and large beside the others; None if there is none."""
    single = [name for name, value in shape.items() if isinstance(value, int)]
    for name in sorted(single, key=lambda name: shape[name], reverse=True):
        try:
            for value in (_FIRST, _LAST):
                operation.function(**shape | {name: value})
        except InputError:
            continue
        return name
    return None


def _words(shape: dict[str, Any]) -> str:
    """Arguments as options."""
    words = []
    for name, value in shape.items():
        if isinstance(value, bool):
            words.append(flag(name) if value else f"--no-{name.replace('_', '-')}")
        else:
            text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
            words.append(f"{flag(name)} {text}")
    return " ".join(words)
