"""The model on the command line: a name or a file, or its sizes in options."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from roofline.commands.base import option, together
from roofline.commands.llm_names import naming
from roofline.commands.llm_types import ParametersType
from roofline.commands.sizes import SizeType
from roofline.errors import InputError
from roofline.text import quote

if TYPE_CHECKING:
    from roofline.transformer.architecture import Architecture

F = TypeVar("F", bound=Callable[..., Any])

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
_OPTIONS: Final = {"params": "params", "tied": "tied", "gated": "no_gate"} | {name: name for name in _SIZES}
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


def read_for(model: str | None) -> tuple[str, ...]:
    """The files that a model may be read from, which no output may overwrite: itself, its parts, a folder's config."""
    if model is None:
        return ()
    if model.casefold().endswith(".gguf"):
        from roofline.transformer.gguf_parts import part_names

        return (model, *part_names(model))
    return (model, os.path.join(model, "config.json"))


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

    with naming(_OPTIONS, anywhere=True):
        return by_hand(**said, tied=flags["tied"], gated=not flags["no_gate"])
