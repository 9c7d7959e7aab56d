"""The help of an operation: its docstring, and two calls of it that can be run as they stand."""

from __future__ import annotations

import re
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final

from roofline.commands.shapes import flag
from roofline.errors import InputError

if TYPE_CHECKING:
    from roofline.operations.registry import Operation

_FIRST: Final = 256  # of a size that is swept: from below a launch ...
_LAST: Final = 1_048_576  # ... to well past every ridge


def help_text(operation: Operation, *, dashed: bool) -> str:
    """Summary, two examples and what is counted how; ``dashed``: -h asks for help, and is no size."""
    if not operation.summary:
        return "The help of operations is made of their docstrings, which python -OO leaves out."
    name = operation.name.replace("_", "-")
    lines = "\n".join(_example(f"  roofline op {name} {words}") for words in examples(operation))
    text = f"{operation.summary}\n\n\b\nExamples:\n{lines}\n\n{operation.explanation}"
    paragraphs = [_as_list(part) if part.startswith("- ") else part for part in text.split("\n\n")]
    return "\n\n".join(paragraphs if dashed else [*paragraphs, "-h is a size here; help is --help alone."])


def _example(line: str) -> str:
    """A command on a device, or without one where that would be too long for a terminal."""
    return f"{line} --hw h100" if len(line) <= 68 else line


def _as_list(paragraph: str) -> str:
    """A list whose items click leaves alone; it would make one paragraph of them."""
    items = re.split(r"\n(?=- )", paragraph)
    return "\b\n" + "\n".join(fill(" ".join(item.split()), 76, subsequent_indent="  ") for item in items)


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
