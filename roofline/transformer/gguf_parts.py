"""A GGUF model in several files: the first has the key-values, and all of them tensors.

llama.cpp (src/llama.cpp, llama_split_path) calls them ``NAME-00001-of-00003.gguf`` and so on.
"""

from __future__ import annotations

import os
import re
from typing import Final

from roofline.errors import FileError
from roofline.files import shown_path
from roofline.text import clip
from roofline.transformer.gguf_header import MOST_TENSORS, Header, Tensor, Value, read_header

_NAME: Final = re.compile(r"(.*)-(\d{5})-of-(\d{5})\.gguf", re.DOTALL | re.IGNORECASE)
_MOST: Final = 1000  # parts
_TOTAL: Final = "split.tensors.count"  # of all parts together
_FOREIGN: Final = "a part is of another model or renamed, or damaged: download them again"


def part_names(path: str) -> tuple[str, ...]:
    """The files that a model is in, as far as their names say it: all parts of a split one.

    >>> part_names("a-00001-of-00002.gguf"), part_names("b.gguf")
    (('a-00001-of-00002.gguf', 'a-00002-of-00002.gguf'), ('b.gguf',))

    """
    match = _NAME.fullmatch(path)
    if match is None or int(match[3]) > _MOST:
        return (path,)
    return tuple(f"{match[1]}-{part:05}-of-{match[3]}.gguf" for part in range(1, int(match[3]) + 1))


def read_parts(path: str) -> tuple[Header, tuple[str, ...]]:
    """The header of a model with the tensors of all its parts, and a note where not all of them are there.

    Raises:
        FileError: one of them cannot be read or is broken, is of another model, or another than the first is named.

    """
    header, where = read_header(path), shown_path(path)
    count, match = header.values.get("split.count", 1), _NAME.fullmatch(path)
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= _MOST:
        raise FileError(
            f"{where}: split.count must be a whole number from 1 to {_MOST}, got {clip(repr(count))}",
            hint="the file is damaged",
        )
    if match and int(match[3]) != max(count, 1):
        own = f"split.count is {count}" if "split.count" in header.values else "it has no split.count"
        raise FileError(
            f"{where}: its name says part {int(match[2])} of {int(match[3])}, but {own}",
            hint="give it the name that it was made with, or one without -NNNNN-of-NNNNN",
        )
    if count <= 1:
        _hold_total(header, len(header.tensors), "the file has", where)
        return header, ()
    if match:
        _demand(where, header, "split.no", int(match[2]) - 1, f"its name says part {int(match[2])}")
    number = header.values.get("split.no", 0)
    if number != 0:
        first = f"{match[1]}-00001-of-{match[3]}.gguf" if match else "the one with split.no 0"
        raise FileError(
            f"{where}: split.no is {clip(repr(number))}: not the first of {count} parts, which has the shapes",
            hint=f"name {shown_path(first) if match else first}",
        )
    others = part_names(path)[1:]
    absent = [other for other in others if not os.path.exists(other)]
    if absent or not match:
        lacks = (
            f"{shown_path(absent[0])} is not there" if absent else f"its name does not end in -00001-of-{count:05}.gguf"
        )
        return header, (
            f"the first of {count} parts, and {lacks}: the types of the other tensors are not known, and all weights"
            " are priced as most of these; put the parts side by side",
        )
    return header._replace(tensors=_together(header, others, where)), ()


def _together(first: Header, others: tuple[str, ...], where: str) -> tuple[Tensor, ...]:
    """The tensors of all parts, each of which must say that it is one of these, as llama.cpp's gguf-split writes it."""
    tensors = list(first.tensors)
    for number, other in enumerate(others, 1):
        part, its = read_header(other), shown_path(other)
        _demand(its, part, "split.no", number, f"its name says part {number + 1}")
        for key in ("split.count", _TOTAL):
            _demand(its, part, key, first.values.get(key), f"that of {where}")
        tensors += part.tensors
        if len(tensors) > MOST_TENSORS:
            raise FileError(f"{its}: with it the parts have {len(tensors)} tensors, at most {MOST_TENSORS} are read")
    _hold_total(first, len(tensors), f"its {len(others) + 1} parts have", where)
    return tuple(tensors)


def _hold_total(first: Header, found: int, whose: str, where: str) -> None:
    """Refuse another number of tensors than the file says, where it says one."""
    total = first.values.get(_TOTAL)
    if total is not None and (type(total) is not int or total != found):
        raise FileError(f"{where}: {_TOTAL} is {clip(repr(total))}, but {whose} {found}", hint=_FOREIGN)


def _demand(where: str, part: Header, key: str, wanted: Value | None, why: str) -> None:
    """Refuse a part that says another number than the one it must."""
    found = part.values.get(key)
    if type(found) is not type(wanted) or found != wanted:
        said = f"there is no {key}" if found is None else f"{key} is {clip(repr(found))}"
        other = "none" if wanted is None else clip(repr(wanted))
        raise FileError(f"{where}: {said}, where {other} is wanted: {why}", hint=_FOREIGN)
