"""Where text leaves the program: standard output and standard error; a failure to write is an error, not silence."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from typing import TextIO

from roofline.errors import ClosedPipeError, OutputError
from roofline.text import printable


def write(text: str) -> None:
    """Write to standard output and make sure that it arrived."""
    stream = sys.stdout
    if stream is None:
        raise OutputError("cannot write to standard output: it is closed")
    try:
        raw = getattr(stream, "buffer", None)
        if isinstance(raw, io.RawIOBase):  # unbuffered: what the system did not take at once would be lost in silence
            _write_all(raw, text.encode(stream.encoding or "ascii", "backslashreplace"))
        else:
            stream.write(_encodable(text, stream))
            stream.flush()
    except OutputError:
        raise
    except BrokenPipeError:
        abandon_stdout()
        raise ClosedPipeError("") from None
    except (OSError, ValueError) as error:
        abandon_stdout()
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"cannot write to standard output: {reason}") from None


def _write_all(raw: io.RawIOBase, data: bytes) -> None:
    """Write bytes to a stream that may take some of them at a time."""
    rest = memoryview(data)
    while rest:
        taken = raw.write(rest)
        if taken is None:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        rest = rest[taken:]


def tell(line: str, quiet: bool = False) -> None:
    """A line of talk on standard error; a closed standard error is nobody listening."""
    if quiet or sys.stderr is None:
        return
    with contextlib.suppress(OSError, ValueError):
        print(_encodable(printable(line), sys.stderr), file=sys.stderr, flush=True)  # noqa: T201  (the one place that talks)


def abandon_stdout() -> None:
    """Point standard output at nothing, so that the interpreter's last flush does not complain again."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _encodable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "ascii"
    try:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    except LookupError:
        return text.encode("ascii", "backslashreplace").decode("ascii")
