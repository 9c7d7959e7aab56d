"""Where hardware files are, and which one an id, an alias or a path means; only the wanted file is parsed."""

from __future__ import annotations

import os
import re
from typing import Final, NamedTuple

from roofline.catalog.load import load
from roofline.core.device import Device
from roofline.errors import FileError, UnknownNameError, nearest
from roofline.units import clip, quote

_SUFFIXES: Final = (".yaml", ".yml")
_ALIASES: Final = re.compile(r"^aliases:[ \t]*(?:\[([^\]]*)\]|\n((?:[ \t]*-.*\n?)+))", re.MULTILINE)
_HEAD: Final = 20_000  # characters of a file that are searched for its aliases


class Entry(NamedTuple):
    """One hardware file: its id is the stem of its name."""

    id: str
    path: str
    shipped: bool


def shipped_folder() -> str:
    """The catalogue that comes with the package: inside it when installed, beside it in a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.join(package, "hardware")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(package), "hardware")


def folders() -> list[tuple[str, bool]]:
    """The folders that are searched, nearest first, each with whether it is the shipped one.

    ``$ROOFLINE_HARDWARE`` (folders), then ``$XDG_CONFIG_HOME/roofline/hardware``, then the shipped catalogue.
    """
    own = [folder for folder in os.environ.get("ROOFLINE_HARDWARE", "").split(os.pathsep) if folder]
    config = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(config):  # the XDG specification ignores relative values
        config = os.path.join(os.path.expanduser("~"), ".config")
    return [
        *((folder, False) for folder in (*own, os.path.join(config, "roofline", "hardware"))),
        (shipped_folder(), True),
    ]


def entries() -> dict[str, Entry]:
    """Every hardware file by id, in order of id; a user's file hides a shipped one of the same id.

    Raises:
        FileError: a folder named in ``$ROOFLINE_HARDWARE`` does not exist.

    """
    found: dict[str, Entry] = {}
    for folder, shipped in folders():
        named = folder in os.environ.get("ROOFLINE_HARDWARE", "").split(os.pathsep)
        if named and not os.path.isdir(folder):
            raise FileError(f"$ROOFLINE_HARDWARE: no such folder: {quote(folder)}")
        for path in _files(folder):
            stem = os.path.splitext(os.path.basename(path))[0]
            found.setdefault(stem.casefold(), Entry(stem, path, shipped))
    return dict(sorted(found.items()))


def _files(folder: str) -> list[str]:
    """The hardware files of a folder and of the folders right below it (one a vendor)."""
    paths: list[str] = []
    try:
        children = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return paths
    for child in children:
        if child.is_dir():
            try:
                paths += sorted(e.path for e in os.scandir(child.path) if e.name.endswith(_SUFFIXES) and e.is_file())
            except OSError:
                continue
        elif child.name.endswith(_SUFFIXES):
            paths.append(child.path)
    return paths


def is_path(text: str) -> bool:
    """Whether ``--hw`` names a file and not an id."""
    return os.sep in text or (os.altsep is not None and os.altsep in text) or text.endswith(_SUFFIXES)


def device(name: str) -> Device:
    """The device that an id, an alias (any case) or a path names.

    Raises:
        UnknownNameError: no such device; the nearest ids are named.
        FileError: its file is unreadable or invalid.

    """
    if is_path(name):
        return load(os.path.expanduser(name))
    known = entries()
    wanted = name.strip().casefold()
    if wanted in known:
        return load(known[wanted].path)
    # An alias is most often the start of its id, so those files are looked into first; most are never opened.
    for entry in sorted(known.values(), key=lambda e: (e.shipped, not e.id.casefold().startswith(wanted))):
        if wanted in map(str.casefold, _aliases_in(entry.path)):
            return load(entry.path)
    raise unknown(name, [*known, *aliases(known)])


def aliases(known: dict[str, Entry]) -> dict[str, Entry]:
    """Every alias and the entry it leads to, read from the text without parsing it; the nearest folder wins."""
    found: dict[str, Entry] = {}
    for entry in sorted(known.values(), key=lambda entry: entry.shipped):
        for alias in _aliases_in(entry.path):
            found.setdefault(alias.casefold(), entry)
    return found


def _aliases_in(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            match = _ALIASES.search(stream.read(_HEAD))
    except OSError:
        return []
    if match is None:
        return []
    flow, block = match.groups()
    words = flow.split(",") if flow is not None else [line.strip().removeprefix("-") for line in block.splitlines()]
    return [word.partition(" #")[0].strip().strip("'\"") for word in words if word.strip()]


def unknown(name: str, names: list[str]) -> UnknownNameError:
    """The error for a device that is nowhere, with the nearest names."""
    wanted = name.strip().casefold()
    near = nearest(wanted, names, 4)
    near += [n for n in sorted(names, key=len) if wanted and (wanted in n or n in wanted) and n not in near][
        : 4 - len(near)
    ]
    hint = f"did you mean: {', '.join(near)}?" if near else "roofline hw list shows all"
    return UnknownNameError(f"unknown device {quote(clip(name))}", hint=hint)
