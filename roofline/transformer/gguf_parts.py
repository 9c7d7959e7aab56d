"""A GGUF model in several files: the first has the key-values, and all of them tensors.

llama.cpp (src/llama.cpp, llama_split_path) calls them ``NAME-00001-of-00003.gguf`` and so on.
"""

from __future__ import annotations

import os
import re
from typing import Final

from roofline.errors import FileError
from roofline.files import shown_path
from roofline.transformer.gguf_header import Header, read_header

_NAME: Final = re.compile(r"(.*)-(\d{5})-of-(\d{5})\.gguf", re.DOTALL | re.IGNORECASE)
_MOST: Final = 1000  # parts


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
        FileError: one of them cannot be read or is broken, or another than the first is named.

    """
    header, where = read_header(path), shown_path(path)
    count = header.values.get("split.count", 1)
    if count in (0, 1):
        return header, ()
    if isinstance(count, bool) or not isinstance(count, int) or not 1 < count <= _MOST:
        raise FileError(f"{where}: split.count must be a whole number from 1 to {_MOST}", hint="the file is damaged")
    match = _NAME.fullmatch(path)
    if header.values.get("split.no", 0) != 0:
        first = f"{match[1]}-00001-of-{match[3]}.gguf" if match else "the one with split.no 0"
        number = header.values["split.no"]
        raise FileError(
            f"{where}: split.no is {number}: not the first of {count} parts, which has the shapes",
            hint=f"name {shown_path(first) if match else first}",
        )
    others = [f"{match[1]}-{part:05}-of-{count:05}.gguf" for part in range(2, count + 1)] if match else []
    absent = [other for other in others if not os.path.exists(other)]
    if absent or not match:
        lacks = (
            f"{shown_path(absent[0])} is not there" if absent else f"its name does not end in -00001-of-{count:05}.gguf"
        )
        return header, (
            f"the first of {count} parts, and {lacks}: the types of the other tensors are not known, and all weights"
            " are priced as most of these; put the parts side by side",
        )
    more = [read_header(other).tensors for other in others]
    return header._replace(tensors=(*header.tensors, *(tensor for part in more for tensor in part))), ()
