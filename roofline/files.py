"""Reading text files with care: one message for each way in which a file can be unfit."""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, TextIOWrapper
from typing import BinaryIO, NamedTuple, cast

from roofline.errors import FileError, located
from roofline.text import clip

_UTF16_OR_32 = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_PEEK = 4096


class Problem(NamedTuple):
    """Something wrong at one place of a file."""

    where: str  # file:line:col, as far as it is known
    message: str
    rule: str
    level: str = "error"  # or "warning"
    hint: str | None = None
    at: tuple[int, int] = (0, 0)  # line and column, to sort by

    def __str__(self) -> str:
        return located(self.where, self.message, self.rule)

    @classmethod
    def of(cls, error: FileError) -> "Problem":
        """What an error says, as a problem among others."""
        return cls(where=error.where, message=error.message, rule=error.rule or "file", hint=error.hint, at=error.at)

    def error(self) -> FileError:
        """The problem as an error that ends the reading."""
        return FileError(self.message, where=self.where, rule=self.rule, hint=self.hint, at=self.at)


def shown_path(path: str) -> str:
    """A path as messages show it: one line, standard input by its name."""
    return "<stdin>" if path == "-" else clip(path, 300)


@contextmanager
def open_text(path: str) -> Iterator[TextIOWrapper]:
    """A UTF-8 text stream of a file (``-``: standard input), line ends untouched, a byte-order mark removed.

    Raises:
        FileError: missing, a folder, unreadable, binary or in another encoding.

    """
    name = shown_path(path)
    with _open_binary(path) as raw:
        buffered = raw if isinstance(raw, BufferedReader) else BufferedReader(raw)  # type: ignore[type-var]
        stream: TextIOWrapper | None = None
        try:
            head = buffered.peek(_PEEK)[:_PEEK]
            if head.startswith(_UTF16_OR_32):
                raise FileError("is UTF-16 or UTF-32 text, expected UTF-8", where=name, hint="save it as UTF-8")
            if b"\0" in head:
                raise FileError("is a binary file, expected text", where=name)
            # Few files begin with a byte-order mark, and the codec that looks for one has to be loaded.
            marked = head[:1] == b"\xef"
            stream = TextIOWrapper(buffered, encoding="utf-8-sig" if marked else "utf-8", newline="")
            yield stream
        except UnicodeDecodeError as error:
            raise FileError(
                f"is not UTF-8 text (byte 0x{error.object[error.start]:02x})", where=name, hint="save it as UTF-8"
            ) from None
        except IsADirectoryError:
            raise FileError("is a folder, expected a file", where=name) from None
        except OSError as error:
            if isinstance(error, FileError):
                raise
            raise FileError(f"cannot be read: {error.strerror or error}", where=name) from None
        finally:
            if path == "-" and stream is not None:
                stream.detach()  # standard input stays open for whoever else reads it


@contextmanager
def _open_binary(path: str) -> Iterator[BinaryIO]:
    if path == "-":
        if sys.stdin is None:
            raise FileError("is closed", where="<stdin>")
        yield sys.stdin.buffer
        return
    name = shown_path(path)
    try:
        if stat.S_ISDIR(os.stat(path).st_mode):
            raise FileError("is a folder, expected a file", where=name)
        file = open(path, "rb")  # noqa: SIM115  (closed below)
    except FileNotFoundError:
        raise FileError("no such file", where=name) from None
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot be read: {getattr(error, 'strerror', None) or error}", where=name) from None
    with file:
        yield cast("BinaryIO", file)


def read_text(path: str, *, limit: int) -> str:
    """The whole text of a file of at most ``limit`` characters.

    Raises:
        FileError: as :func:`open_text`, or too large.

    """
    name = shown_path(path)
    with open_text(path) as stream:
        text = stream.read(limit + 1)
        if len(text) > limit:
            raise FileError(f"is larger than {limit / 1e6:g} MB, which no such file needs", where=name)
        if "\0" in text:
            raise FileError("is a binary file, expected text", where=name)
        return text
