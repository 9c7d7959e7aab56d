"""Where hardware files are, and which one an id, an alias or a path means; only the wanted file is parsed."""

import os
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from roofline.errors import FileError, InputError, UnknownNameError, nearest
from roofline.text import clip, quote

if TYPE_CHECKING:
    from roofline.core.device import Device

SUFFIXES: Final = (".yaml", ".yml")
_ALIASES: Final = "\naliases: ["
_HEAD: Final = 20_000  # characters of a file that are searched for its aliases


class Entry(NamedTuple):
    """One hardware file: its id is the stem of its name."""

    id: str
    path: str
    shipped: bool
    rank: int  # of its folder in the search order


def shipped_folder() -> str:
    """The catalogue that comes with the package: inside it when installed, beside it in a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.join(package, "hardware")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(package), "hardware")


def folders() -> list[tuple[str, bool]]:
    """The folders that are searched, nearest first, each with whether it is the shipped one.

    ``$ROOFLINE_HARDWARE`` (folders), then ``$XDG_CONFIG_HOME/roofline/hardware``, then the shipped catalogue.
    """
    own = _named_folders()
    config = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(config):  # the XDG specification ignores relative values
        config = os.path.join(os.path.expanduser("~"), ".config")
    return [
        *((folder, False) for folder in (*own, os.path.join(config, "roofline", "hardware"))),
        (shipped_folder(), True),
    ]


def _named_folders() -> list[str]:
    """The folders of ``$ROOFLINE_HARDWARE``, with the ``~`` that a shell leaves behind a colon and in quotes."""
    named = os.environ.get("ROOFLINE_HARDWARE", "").split(os.pathsep)
    return [os.path.expanduser(folder) for folder in named if folder]


def name_key(name: str) -> str:
    """An id or alias as it is compared: in one case, spaces as hyphens, none at its ends.

    >>> name_key(" RTX 4090 ")
    'rtx-4090'
    """
    return "-".join(name.casefold().split())


def entries() -> dict[str, Entry]:
    """Every hardware file by id, in order of id; a user's file hides a shipped one of the same id.

    Raises:
        FileError: a folder named in ``$ROOFLINE_HARDWARE`` does not exist, or is a file.

    """
    found: dict[str, Entry] = {}
    named = len(_named_folders())
    for rank, (folder, shipped) in enumerate(folders()):
        if rank < named and not os.path.isdir(folder):
            if os.path.exists(folder):
                hint = "name the folder that holds it, or give the file itself to --hw"
                raise FileError(f"$ROOFLINE_HARDWARE: {quote(folder)} is a file, a folder is wanted", hint=hint)
            raise FileError(f"$ROOFLINE_HARDWARE: no such folder: {quote(folder)}")
        for entry in _entries_in(folder, shipped, rank):
            found.setdefault(name_key(entry.id), entry)
    return dict(sorted(found.items()))


@cache
def shipped_names() -> dict[str, Entry]:
    """Every shipped id and alias, folded to one case, and the device it leads to, whatever the user's files say."""
    known = {name_key(entry.id): entry for entry in _entries_in(shipped_folder(), True, 0)}
    return aliases(known) | known


def _entries_in(folder: str, shipped: bool, rank: int) -> list[Entry]:
    return [Entry(os.path.splitext(os.path.basename(path))[0], path, shipped, rank) for path in _files(folder)]


def _files(folder: str) -> list[str]:
    """The hardware files of a folder and of the folders right below it (one a vendor)."""
    paths: list[str] = []
    for child in _children(folder):
        if _is(child.is_dir):
            paths += [file.path for file in _children(child.path) if file.name.endswith(SUFFIXES) and _is(file.is_file)]
        elif child.name.endswith(SUFFIXES) and _is(child.is_file):
            paths.append(child.path)
    return paths


def _children(folder: str) -> list[os.DirEntry[str]]:
    try:
        return sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return []


def _is(kind: Callable[[], bool]) -> bool:
    """Whether an entry is a folder or a regular file; a link that leads nowhere is neither."""
    try:
        return kind()
    except OSError:
        return False


def is_path(text: str) -> bool:
    """Whether ``--hw`` names a file and not an id."""
    return os.sep in text or (os.altsep is not None and os.altsep in text) or text.endswith(SUFFIXES)


def device(name: "str | os.PathLike[str]") -> "Device":
    """The device that an id, an alias (any case) or a path names.

    Raises:
        InputError: neither text nor a path.
        UnknownNameError: no such device; the nearest ids are named.
        FileError: its file is unreadable or invalid.

    """
    from roofline.catalog.load import load  # noqa: PLC0415  (completion only needs the names)

    if not isinstance(name, str | os.PathLike):
        raise InputError(f"a device is named by text or a path, such as 'h100', got {clip(repr(name))}")
    if isinstance(name, os.PathLike) or is_path(name):
        return load(os.path.expanduser(name))
    known = entries()
    wanted = name_key(name)
    if wanted in known:
        return load(known[wanted].path)
    # A shipped alias is unique and most often the start of its id, so those files are looked into first; most are
    # never opened. Of two files of the user's the first one wins, as in aliases().
    for entry in sorted(known.values(), key=lambda e: (e.rank, e.shipped and not name_key(e.id).startswith(wanted))):
        if wanted in map(name_key, _aliases_in(entry)):
            return load(entry.path)
    raise unknown(name, [*known, *aliases(known)])


def taken_over(name: str, device: "Device") -> str | None:
    """The shipped device that a name leads to where no file of the user's takes it over; None if none does."""
    if is_path(name) or device.origin.startswith(shipped_folder()):
        return None
    shipped = shipped_names().get(name_key(name))
    return None if shipped is None else shipped.id


def aliases(known: dict[str, Entry]) -> dict[str, Entry]:
    """Every alias and the entry it leads to, read from the text without parsing it; the nearest folder wins."""
    found: dict[str, Entry] = {}
    for entry in sorted(known.values(), key=lambda entry: entry.rank):
        for alias in _aliases_in(entry):
            found.setdefault(name_key(alias), entry)
    return found


def _aliases_in(entry: Entry) -> list[str]:
    """The aliases of a file: a shipped one is scanned as text, since its form is known, any other is parsed."""
    if not entry.shipped:
        return _parsed_aliases(entry.path)
    with open(entry.path, encoding="utf-8") as stream:
        listed, closed, _ = stream.read(_HEAD).partition(_ALIASES)[2].partition("]")
    return [word.strip().strip("'\"") for word in listed.split(",")] if closed else []


def _parsed_aliases(path: str) -> list[str]:
    from roofline.yaml_tree import load as load_yaml  # noqa: PLC0415  (few have files of their own)

    try:
        root, _ = load_yaml(path)
    except FileError:
        return []  # said when it is asked for, or when the whole catalogue is walked
    node = (root.entries or {}).get("aliases") if root is not None else None
    return [n.text for n in (node.items if node.items is not None else [node]) if n.text] if node else []


def unknown(name: str, names: list[str]) -> UnknownNameError:
    """The error for a device that is nowhere, with the nearest names."""
    wanted = name.strip().casefold()
    near = nearest(wanted, names, 4)
    near += [n for n in sorted(names, key=len) if wanted and (wanted in n or n in wanted) and n not in near][
        : 4 - len(near)
    ]
    hint = f"did you mean: {', '.join(near)}?" if near else "roofline hw list shows all"
    return UnknownNameError(f"unknown device {quote(clip(name))}", hint=hint)
