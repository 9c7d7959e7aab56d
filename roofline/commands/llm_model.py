"""The model on the command line: a name or a file, or its sizes in options."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from roofline.commands.base import option, together
from roofline.commands.shapes import SizeType
from roofline.errors import InputError
from roofline.text import quote

if TYPE_CHECKING:
    from roofline.transformer.architecture import Architecture

    _FloatType = click.ParamType[float]
    _StrType = click.ParamType[str]
else:
    _FloatType = _StrType = click.ParamType

F = TypeVar("F", bound=Callable[..., Any])

_PARAMETERS: Final = re.compile(r"([0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE]\+?[0-9]{1,2})?) ?([KMBT]?)")
_SCALES: Final = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}


class ParametersType(_FloatType):
    """A number of parameters, such as 70e9 or 70B."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ARG002
        """The number; an error names the option."""
        if not isinstance(value, str):
            return float(value)
        match = _PARAMETERS.fullmatch(value.strip().replace("_", ""))
        name = param.opts[-1] if param is not None else "value"
        if match is None:
            raise InputError(f"{name} must be a number of parameters, got {quote(value)}", hint="write 70e9 or 70B")
        return round(float(match[1]) * _SCALES[match[2]], 3)


class ModelType(_StrType):
    """A preset or a file; only completed here, looked up later."""

    name = "MODEL"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG002
        """The ids of the presets and the subcommands, and the aliases where neither fits."""
        from click.shell_completion import CompletionItem

        from roofline.transformer import find, presets

        if find.is_path(incomplete) or incomplete.startswith((".", "/", "~")):
            return [CompletionItem(incomplete, type="file")]
        known = presets.presets()
        names = [name for name in (*known, "list", "show") if name.startswith(incomplete)]
        names = names or sorted(alias for alias, _ in presets.aliases(known) if alias.startswith(incomplete))
        return [CompletionItem(name) for name in names]


_SIZES: Final = {
    "layers": "Layers.",
    "hidden": "Hidden size.",
    "heads": "Query heads.",
    "kv_heads": "Heads of keys and values. Default: as many as query heads.",
    "head_dim": "Size of a head. Default: hidden / heads.",
    "width": "Width of the MLP, or of one expert.",
    "vocab": "Rows of the embedding table.",
    "num_experts": "Experts of each layer.",
    "top_k": "Experts that a token passes.",
}
_NAMES: Final = {"num_experts": "experts", "top_k": "per_token"}  # as by_hand has them
_GROUP: Final = "Model by hand"

by_hand_options: Callable[[F], F] = together(
    option(_GROUP, "--params", type=ParametersType(), help="Parameters, such as 70e9 or 70B."),
    *(
        option(_GROUP, f"--{name.replace('_', '-')}", f"model_{name}", type=SizeType(), help=text)
        for name, text in _SIZES.items()
    ),
    option(_GROUP, "--tied", is_flag=True, help="The LM head is the embedding table."),
    option(_GROUP, "--no-gate", is_flag=True, help="MLP of two matrices instead of three."),
)


def take_model(model: str | None, given: dict[str, Any]) -> Architecture:
    """The architecture that a name, a file or sizes stand for; takes the options of the model out of ``given``.

    Raises:
        InputError: neither, both, or sizes that contradict one another.
        FileError: the file cannot be read, or what it describes is not supported.

    """
    sizes = {name: given.pop(f"model_{name}") for name in _SIZES}
    said = {"params": given.pop("params"), **sizes}
    flags = {"tied": given.pop("tied"), "no_gate": given.pop("no_gate")}
    named = [name for name, value in said.items() if value is not None] + [name for name, on in flags.items() if on]
    if model is not None:
        if named:
            option_name = f"--{named[0].replace('_', '-')}"
            raise InputError(f"{option_name} describes a model by hand, but {quote(model)} is named; leave one out")
        from roofline.transformer import find

        return find.model(model)
    if not named:
        raise InputError("name a MODEL, or give its --params", hint="roofline llm list shows the presets")
    from roofline.transformer.by_hand import by_hand

    return by_hand(
        **{_NAMES.get(name, name): value for name, value in said.items()},
        tied=flags["tied"],
        gated=not flags["no_gate"],
    )
