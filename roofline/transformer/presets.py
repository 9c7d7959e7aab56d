"""The models that come with the package: ``models/<id>.json``, each an excerpt of its config.json, with its source.

Adding a model means adding one file. Only the file that is asked for is parsed; aliases are found in the text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from roofline.errors import UnknownNameError, nearest
from roofline.text import quote

if TYPE_CHECKING:
    from roofline.transformer.architecture import Architecture

_FOLDER: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")
_ALIASES: Final = r'[{,]\s*"aliases"\s*:\s*\[([^\]]*)\]'  # compiled where it is used: an id needs none
_HEAD: Final = 1000  # characters of a file that are searched for its aliases
_TUNED: Final = ("-instruct", "-chat", "-it", "-hf", "-base")  # the same architecture after further training
_SIZE: Final = 100_000  # characters
_SIZE_ALONE: Final = r"[0-9.]+[bmt]"  # such as 13B
_NEAREST: Final = 4  # ids that are suggested


def presets() -> dict[str, str]:
    """The file of every preset by its id, in order of id."""
    return {
        name.removesuffix(".json"): os.path.join(_FOLDER, name)
        for name in sorted(os.listdir(_FOLDER))
        if name.endswith(".json")
    }


def aliases(known: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Every alias with the id that it leads to, read from the text without parsing it."""
    for id_, path in known.items():
        with open(path, encoding="utf-8") as stream:
            match = re.search(_ALIASES, stream.read(_HEAD))
        for word in match[1].split(",") if match and match[1] else ():
            yield word.strip().strip('"'), id_


def find(name: str) -> Architecture:
    """The architecture that an id or an alias names, in any case, with or without owner and suffixes of fine-tuning.

    Raises:
        UnknownNameError: no such model; the nearest are named.

    >>> find("meta-llama/Llama-3.1-8B-Instruct").parameters, find("llama3-70b").name
    (8030261248, 'Llama-3.1-70B')

    """
    known = presets()
    wanted = _plain(name)
    if wanted in known:
        return _read(known[wanted])
    leads = dict(aliases(known))
    if wanted in leads:
        return _read(known[leads[wanted]])
    # Aliases are compared too, but ids are named, as roofline llm list has them.
    near = [leads.get(word, word) for word in nearest(wanted, [*known, *leads], 2 * _NEAREST)]
    near += [id_ for id_ in known if wanted and wanted in id_]
    near = list(dict.fromkeys(near))[:_NEAREST]
    hint = f"did you mean: {', '.join(near)}?" if near else "a preset, a config.json or a GGUF file is wanted"
    if re.fullmatch(_SIZE_ALONE, wanted):
        hint = "a model by its size has no name: give its number of parameters in place of one"
    raise UnknownNameError(f"unknown model {quote(name)}", hint=hint)


def _plain(name: str) -> str:
    """A name as ids are written: small, with hyphens, without owner, and without what training adds to it."""
    plain = "-".join(name.casefold().replace("_", " ").split()).rpartition("/")[2].removeprefix("meta-")
    for suffix in _TUNED:
        plain = plain.removesuffix(suffix)
    return plain


def _read(path: str) -> Architecture:
    from roofline.files import read_text  # noqa: PLC0415  (whoever lists names reads no file)
    from roofline.transformer.config import architecture, parse_json  # noqa: PLC0415  (as above)

    said = parse_json(read_text(path, limit=_SIZE), path)
    return architecture(said["config"], name=said["name"], where=path, source=said["source"])
