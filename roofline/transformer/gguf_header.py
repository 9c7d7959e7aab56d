"""The header of a GGUF file: its key-values and the names, shapes and types of its tensors, never their data.

The format: ggml, docs/gguf.md (versions 2 and 3). Read here and not with the gguf package, which takes seconds to make
an array of each of the 400,000 words of a vocabulary, and refuses a file that ends after its header. Here words are
skipped, and every length is held against the size of the file before anything is read.
"""

import mmap
import os
import stat
import struct
from typing import Final, NamedTuple

from roofline.errors import FileError
from roofline.files import shown_path
from roofline.text import quote
from roofline.transformer import limits

_MAGIC: Final = b"GGUF"
_SCALARS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_LENGTH: Final = struct.Struct("<Q")
_STRING, _ARRAY = 8, 9
MOST_TENSORS: Final = 100_000  # DeepSeek-V3 has 1,025, and 45,000 with a tensor for each expert
_MOST: Final = {"key-values": 10_000, "tensors": MOST_TENSORS, "dimensions": 8, "values of a list": 16_000_000}
_AGAIN: Final = "the file is cut off or damaged: download or convert it again"
_ELEMENTS: Final = limits.VOCAB * limits.SIZE  # of one tensor
_KEPT: Final = 100_000  # values of a list; longer ones are vocabularies, of which the length is enough

Value = int | float | bool | str | list["Value"]


class Tensor(NamedTuple):
    """One tensor as the header describes it."""

    name: str
    shape: tuple[int, ...]  # the fastest dimension first
    type: int  # of ggml
    at: int = 0  # byte of the file where its description begins
    where: str = ""  # the file, as messages show it

    @property
    def elements(self) -> int:
        """Number of elements."""
        product = 1
        for size in self.shape:
            product *= size
        return product


class Header(NamedTuple):
    """Key-values and tensors; of long lists and of lists of words, ``lengths`` alone."""

    values: dict[str, Value]
    lengths: dict[str, int]
    tensors: tuple[Tensor, ...]


def read_header(path: str) -> Header:
    """The header of a GGUF file, whose tensors may be missing.

    Raises:
        FileError: it cannot be read, is no GGUF file, of another version or byte order, or its header is broken.

    """
    where = shown_path(path)
    try:
        if stat.S_ISFIFO(os.stat(path).st_mode):  # to open it would wait for somebody who writes
            raise ValueError(path)
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Reader(data, where).header()
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(f"{where}: no such file") from None
    except (OSError, ValueError) as error:  # an empty file cannot be mapped
        reason = getattr(error, "strerror", None)
        hint = None if reason else "a GGUF file is wanted, or its first few megabytes: the header is enough"
        raise FileError(
            f"{where}: cannot be read as GGUF: {reason or 'is empty or no regular file'}", hint=hint
        ) from None


class _Reader:
    """A place in the bytes of a file, which never goes beyond its end."""

    def __init__(self, data: mmap.mmap, where: str) -> None:
        self.data, self.where = data, where
        self.size, self.at = len(data), 0
        self.within = "its first 24 bytes"  # what is being read

    def header(self) -> Header:
        if self.data[:4] != _MAGIC:
            raise self.broken("is no GGUF file: its first 4 bytes are not GGUF", "name a .gguf file, or a config.json")
        self.at = 4
        self.version()
        self.at = 8
        tensors, pairs = self.count("tensors"), self.count("key-values")
        values: dict[str, Value] = {}
        lengths: dict[str, int] = {}
        for number in range(pairs):
            self.within = f"key-value {number + 1} of {pairs}"
            start, key = self.at, self.text()
            if key in values or key in lengths:
                raise self.broken(f"key {quote(key)} is repeated at byte {start}", _AGAIN)
            self.within += f", {quote(key)}"
            value = self.value(self.number("I"))
            if isinstance(value, _Skipped):
                lengths[key] = value.length
            else:
                values[key] = value
        return Header(values, lengths, tuple(self.tensor(number, tensors) for number in range(tensors)))

    def version(self) -> None:
        """Refuse what is not version 2 or 3, or of another byte order."""
        version = self.number("I")
        if version in (2, 3):
            return
        if version.to_bytes(4, "little") in (b"\0\0\0\2", b"\0\0\0\3"):
            hint = "the gguf package turns it round: gguf-convert-endian FILE little"
            raise self.broken("is big-endian, by its version at byte 4", hint)
        old = "convert it again with llama.cpp" if version < 2 else "it is damaged, or newer than this program"
        raise self.broken(f"has version {version} of GGUF at byte 4; 2 and 3 are read", old)

    def tensor(self, number: int, of: int) -> Tensor:
        self.within, start = f"tensor {number + 1} of {of}", self.at
        name = self.text()
        self.within += f", {quote(name)}"
        shape = tuple(self.number("Q") for _ in range(self.count("dimensions", "I")))
        kind = self.number("I")
        self.skip(8)  # where its data begin
        tensor = Tensor(name, shape, kind, start, self.where)
        if max(shape, default=0) > limits.VOCAB or tensor.elements > _ELEMENTS:
            most = f"at most {limits.VOCAB:,} in a dimension and {_ELEMENTS:,} elements are believed"
            sizes = " x ".join(map(str, shape))
            raise self.broken(f"says that tensor {quote(name)} at byte {start} has the shape {sizes}; {most}", _AGAIN)
        return tensor

    def value(self, kind: int) -> "Value | _Skipped":
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            return self.listed()
        if kind not in _SCALARS:
            raise self.broken(f"has a value of unknown type {kind} at byte {self.at - 4}, in {self.within}", _AGAIN)
        return self.scalar(_SCALARS[kind])

    def listed(self) -> "Value | _Skipped":
        start, kind, length = self.at, self.number("I"), self.count("values of a list")
        if kind == _STRING:
            self.skip_words(length)
            return _Skipped(length)
        if kind not in _SCALARS:
            raise self.broken(f"has a list of unknown type {kind} at byte {start}, in {self.within}", _AGAIN)
        code = _SCALARS[kind]
        if length > _KEPT:
            self.skip(length * struct.calcsize("<" + code))
            return _Skipped(length)
        return list(self.unpack(f"{length}{code}"))

    def skip_words(self, number: int) -> None:
        """Pass so many words without a call for each: a vocabulary has hundreds of thousands."""
        at, size, length_at = self.at, self.size, _LENGTH.unpack_from
        for _ in range(number):
            at += 8
            if at > size:
                break
            at += length_at(self.data, at - 8)[0]
        self.skip(at - self.at)

    def text(self) -> str:
        length = self.number("Q")
        start = self.at
        self.skip(length)
        return self.data[start : self.at].decode("utf-8", errors="replace")

    def count(self, of: str, code: str = "Q") -> int:
        found = self.number(code)
        if found > _MOST[of]:
            start = self.at - struct.calcsize("<" + code)
            raise self.broken(f"says at byte {start} that it has {found} {of}, at most {_MOST[of]} are read", _AGAIN)
        return found

    def number(self, code: str) -> int:
        found = self.scalar(code)
        assert isinstance(found, int)  # noqa: S101  (I and Q are whole numbers)
        return found

    def scalar(self, code: str) -> int | float | bool:
        found: int | float | bool = self.unpack(code)[0]
        return found

    def unpack(self, code: str) -> tuple[int | float | bool, ...]:
        start = self.at
        self.skip(struct.calcsize("<" + code))
        return struct.unpack_from("<" + code, self.data, start)

    def skip(self, length: int) -> None:
        if length > self.size - self.at:
            at = f"{length} B wanted at byte {self.at} of {self.size}"
            raise self.broken(f"ends within its header, in {self.within}: {at}", _AGAIN)
        self.at += length

    def broken(self, message: str, hint: str) -> FileError:
        return FileError(f"{self.where}: {message}", hint=hint)


class _Skipped(NamedTuple):
    """A list of which the length alone was read."""

    length: int
