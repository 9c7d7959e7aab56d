"""The operations by name: a decorated function registers itself; its signature and docstring say the rest.

A parameter's annotation says what may be given for it, from Python and on the command line: ``int`` a size, ``bool`` a
switch, ``float`` a number, a ``Literal`` one of a few words, ``str`` a number format, ``tuple[int, ...]`` a list of
sizes. Its help is its line under ``Args:``.
"""

import ast
import importlib
import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar

from roofline.core.kernel import Kernel
from roofline.errors import UnknownNameError, nearest
from roofline.operations.typed import Kind, hints, typed
from roofline.text import quote

F = TypeVar("F", bound=Callable[..., Kernel])

# Compiled where they are used: most commands read no docstring.
_ARGUMENT: Final = r"^ {4}(\w+): (.+)$"  # a line that goes on is indented further
_REFERENCE: Final = r":func:`(\w+)`"


class Parameter(NamedTuple):
    """One argument of an operation."""

    name: str
    kind: Kind
    required: bool
    default: Any
    words: tuple[str, ...]  # what a "word" may be
    optional: bool  # None is allowed: the docstring says what it stands for
    help: str


class Operation(NamedTuple):
    """One closed form."""

    name: str
    family: str
    function: Callable[..., Kernel]

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return self._doc.partition("\n")[0]

    @property
    def title(self) -> str:
        """What it is, without what is counted of it: the summary up to its first colon or its units."""
        return re.split(r", in FLOP\b|: ", self.summary, maxsplit=1)[0].removesuffix(".")

    @property
    def explanation(self) -> str:
        """The paragraphs between the first line and the arguments: formula, source, conventions."""
        return self._doc.partition("\n")[2].partition("\nArgs:\n")[0].strip()

    @property
    def example(self) -> dict[str, Any]:
        """The arguments of the first call in its doctest, which are literals."""
        call = ast.parse(self._doc.partition(">>> ")[2].partition("\n")[0]).body[0]
        found = next(node for node in ast.walk(call) if isinstance(node, ast.Call) and node.keywords)
        return {word.arg: ast.literal_eval(word.value) for word in found.keywords if word.arg is not None}

    @property
    def _doc(self) -> str:
        """The docstring, in which a reference to another operation is its bare name."""
        return re.sub(_REFERENCE, r"\1", inspect.getdoc(self.function) or "")

    @property
    def parameters(self) -> list[Parameter]:
        """Its arguments, in the order of its signature."""
        allowed = hints(self.function)
        texts = _argument_texts(self._doc)
        found = []
        for parameter in inspect.signature(self.function).parameters.values():
            hint = allowed[parameter.name]
            required = parameter.default is inspect.Parameter.empty
            found.append(
                Parameter(
                    name=parameter.name,
                    kind=hint.kind,
                    required=required,
                    default=None if required else parameter.default,
                    words=hint.words,
                    optional=hint.optional,
                    help=texts.get(parameter.name, ""),
                )
            )
        return found


_FOUND: dict[str, Operation] = {}
# What people call operations that have another name here.
EVERYDAY: Final = {
    **dict.fromkeys(("matmul", "mm", "bmm", "linear", "dense", "dgemm", "sgemm", "hgemm"), "gemm"),
    **dict.fromkeys(("mha", "gqa", "mqa", "sdpa", "flash_attention", "decode"), "attention"),
    **dict.fromkeys(("conv", "convolution"), "conv2d"),
    **dict.fromkeys(("all_reduce", "nccl"), "allreduce"),
    "all_gather": "allgather",
    "reduce_scatter": "reducescatter",
    "all_to_all": "alltoall",
    "adam": "optimizer_adam",
    "adamw": "optimizer_adam",
    "sgd": "optimizer_sgd",
    "triad": "stream_triad",
    "copy": "stream_copy",
    "sum": "reduce",
    "gather": "embedding",
    "batchnorm": "layernorm",
}


def operation(family: str) -> Callable[[F], F]:
    """Register the decorated function as an operation of a family, which checks the types of its arguments.

    Raises:
        ValueError: another module has an operation of this name.

    """

    def register(function: F) -> F:
        name = function.__name__
        there = _FOUND.get(name)
        if there and there.function.__module__ != function.__module__:
            raise ValueError(f"operation {name} is in {there.function.__module__} and in {function.__module__}")
        kept = typed(function)
        _FOUND[name] = Operation(name, family, kept)
        return kept

    return register


@cache
def operations() -> dict[str, Operation]:
    """All operations by name: every module of this package is looked through."""
    import pkgutil  # noqa: PLC0415  (whoever calls an operation by name pays for the list of them)

    package = importlib.import_module("roofline.operations")
    for module in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
        importlib.import_module(f"{package.__name__}.{module}")
    return dict(_FOUND)


def families() -> dict[str, list[Operation]]:
    """The operations by family, both in alphabetical order."""
    ordered = sorted(operations().values(), key=lambda operation: (operation.family, operation.name))
    found: dict[str, list[Operation]] = {}
    for operation in ordered:
        found.setdefault(operation.family, []).append(operation)
    return found


def find(name: str) -> Operation:
    """The operation of a name; ``-`` and ``_`` are alike.

    Raises:
        UnknownNameError: there is none; the nearest are named.

    """
    known = operations()
    wanted = name.strip().lower().replace("-", "_")
    found = known.get(wanted)
    if found is None:
        near = [EVERYDAY[wanted]] if wanted in EVERYDAY else nearest(wanted, known, 3)
        raise UnknownNameError(
            f"unknown operation {quote(name)}",
            hint=f"did you mean: {', '.join(near)}?" if near else "roofline op list shows them",
        )
    return found


def _argument_texts(doc: str) -> dict[str, str]:
    """The lines under ``Args:``, by argument."""
    section = doc.partition("\nArgs:\n")[2].split("\n\n")[0]
    texts: dict[str, str] = {}
    name = ""
    for line in section.splitlines():
        start = re.match(_ARGUMENT, line)
        if start:
            name = start[1]
            texts[name] = start[2]
        elif name:
            texts[name] += f" {line.strip()}"
    return texts
