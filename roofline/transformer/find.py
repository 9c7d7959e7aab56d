"""The model that a user names: a preset, a config.json, the folder that holds one, or a GGUF file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from roofline.errors import UnknownNameError

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


def model(text: str) -> Architecture:
    """The architecture of a model: a preset goes before a file or folder of the same name.

    Raises:
        UnknownNameError: no such preset; the nearest are named.
        FileError: the file cannot be read, or what it describes is not supported.

    """
    if not is_path(text):
        from roofline.transformer.presets import find  # noqa: PLC0415  (each way reads no more than it needs)

        try:
            return find(text)
        except UnknownNameError:
            if not _holds_a_model(text):
                raise
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
        from roofline.transformer import gguf_model  # noqa: PLC0415

        return gguf_model.load(path)
    from roofline.transformer import config  # noqa: PLC0415

    return config.load(os.path.join(path, _CONFIG) if os.path.isdir(path) else path)
