"""The model that a user names: a preset, a config.json, the folder that holds one, or a GGUF file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from roofline.transformer.architecture import Architecture

_SUFFIXES: Final = (".json", ".gguf")


def is_path(text: str) -> bool:
    """Whether a file or folder is named; an owner before a model's name (``meta-llama/...``) is no folder.

    >>> is_path("config.json"), is_path("meta-llama/Llama-3.1-8B"), is_path("gpt-2")
    (True, False, False)

    """
    return text.casefold().endswith(_SUFFIXES) or (os.sep in text and os.path.exists(os.path.expanduser(text)))


def model(text: str) -> Architecture:
    """The architecture of a model.

    Raises:
        UnknownNameError: no such preset; the nearest are named.
        FileError: the file cannot be read, or what it describes is not supported.

    """
    if not is_path(text):
        from roofline.transformer.presets import find  # noqa: PLC0415  (each way reads no more than it needs)

        return find(text)
    path = os.path.expanduser(text)
    if path.casefold().endswith(".gguf"):
        from roofline.transformer import gguf_model  # noqa: PLC0415

        return gguf_model.load(path)
    from roofline.transformer import config  # noqa: PLC0415

    return config.load(os.path.join(path, "config.json") if os.path.isdir(path) else path)
