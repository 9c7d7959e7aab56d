"""The model that a user means: a preset, a config.json or its folder, a GGUF file, or sizes by hand."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from roofline.errors import InputError, UnknownNameError
from roofline.text import clip, quote

if TYPE_CHECKING:
    from roofline.transformer.architecture import Architecture

_SUFFIXES: Final = (".json", ".gguf")
_CONFIG: Final = "config.json"
_FOLDERS: Final = (os.curdir, os.pardir, "~")


def is_path(text: str) -> bool:
    """Whether a file or folder is written; an owner before a model's name (``meta-llama/...``) is no folder.

    >>> is_path("config.json"), is_path("meta-llama/Llama-3.1-8B"), is_path("gpt-2")
    (True, False, False)

    """
    return text.casefold().endswith(_SUFFIXES) or (os.sep in text and os.path.exists(os.path.expanduser(text)))


def model(
    name: str | os.PathLike[str] | None = None,
    *,
    params: float | None = None,
    layers: int | None = None,
    hidden: int | None = None,
    heads: int | None = None,
    kv_heads: int | None = None,
    head_dim: int | None = None,
    width: int | None = None,
    vocab: int | None = None,
    num_experts: int | None = None,
    top_k: int | None = None,
    tied: bool = False,
    gated: bool = True,
) -> Architecture:
    """The architecture of a model: of a preset, which goes before a file or folder of its name, or of sizes by hand.

    Args:
        name: id or alias of a preset, a config.json or its folder, or a GGUF file; None: the sizes say all
        params: number of parameters, such as 70e9; alone, or with layers, hidden and heads
        layers: number of layers
        hidden: hidden size
        heads: query heads
        kv_heads: heads of keys and values; None: as many as query heads
        head_dim: size of a head; None: hidden / heads
        width: width of the MLP, or of one expert
        vocab: rows of the embedding table
        num_experts: experts of each layer; None: one MLP
        top_k: experts that a token passes
        tied: the LM head is the embedding table
        gated: the MLP has a gate, and so three matrices in place of two

    Raises:
        UnknownNameError: no such preset; the nearest are named.
        FileError: the file cannot be read, or what it describes is not supported.
        InputError: neither a name nor sizes, both, or sizes that are impossible or contradict one another.

    >>> model("llama-3.1-8b").parameters, model(params=13e9).parameters
    (8030261248, 13000000000)

    """
    sizes: dict[str, Any] = {
        "params": params,
        "layers": layers,
        "hidden": hidden,
        "heads": heads,
        "kv_heads": kv_heads,
        "head_dim": head_dim,
        "width": width,
        "vocab": vocab,
        "num_experts": num_experts,
        "top_k": top_k,
    }
    if name is None:
        from roofline.transformer.by_hand import by_hand  # noqa: PLC0415  (each way reads no more than it needs)

        return by_hand(**sizes, tied=tied, gated=gated)
    if not isinstance(name, str | os.PathLike):
        raise InputError(f"a model is named by text or a path, such as 'llama-3.1-8b', got {clip(repr(name))}")
    said = [word for word, value in sizes.items() if value is not None]
    said += [word for word, other in (("tied", tied), ("gated", not gated)) if other]
    if said:
        raise InputError(f"{said[0]} describes a model by hand, but {quote(str(name))} is named; leave one out")
    return _load(os.fspath(name)) if isinstance(name, os.PathLike) else _named(name)


def _named(text: str) -> Architecture:
    """The model of a name, or of a path in text."""
    if not is_path(text):
        from roofline.transformer.presets import find  # noqa: PLC0415  (each way reads no more than it needs)

        try:
            found = find(text)
        except UnknownNameError:
            if not _holds_a_model(text):
                raise
        else:
            here = f"{quote(text)} is the preset; ./{clip(text)} would be what is here under this name"
            return found._replace(notes=(*found.notes, here)) if _holds_a_model(text) else found
    return _load(os.path.expanduser(text))


def _holds_a_model(text: str) -> bool:
    """Whether a plain name is that of a file, or of a folder with a model in it; any folder where none else is meant.

    >>> _holds_a_model("."), _holds_a_model("no-such-folder")
    (True, False)

    """
    path = os.path.expanduser(text)
    if text in _FOLDERS:
        return True  # no preset was meant, so that the error is about what the folder lacks
    return os.path.isfile(os.path.join(path, _CONFIG) if os.path.isdir(path) else path)


def _load(path: str) -> Architecture:
    if path.casefold().endswith(".gguf"):
        from roofline.transformer import gguf_model  # noqa: PLC0415  (each way reads no more than it needs)

        return gguf_model.load(path)
    from roofline.transformer import config  # noqa: PLC0415  (as above)

    return config.load(os.path.join(path, _CONFIG) if os.path.isdir(path) else path)
