"""Reports out of the program: rendered, to standard output or whole into a file, with their notices beside them."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterable, Sequence

import click

from roofline.commands.output_flags import READ, OutputSettings
from roofline.commands.streams import tell, write
from roofline.errors import FileError, InputError
from roofline.render import FORMATS, Style, format_of, pieces, render
from roofline.report import Computed, Report
from roofline.text import quote


def emit(report: Report, settings: OutputSettings) -> None:
    """Render a report and write it; what the format cannot hold goes to standard error.

    Raises:
        InputError: the file is that of a device which was read, by whatever name.
        FileError: the file cannot be written.
        OutputError: standard output is closed or full.

    """
    to_file = settings.output not in (None, "-")
    name = settings.format_name or (format_of(settings.output or "") if to_file else "table")
    if to_file:
        _refuse_to_overwrite(settings.output or "", click.get_current_context().meta.get(READ, ()))
        text = render(report, name, Style())
        _write_file(settings.output or "", text)
    else:
        whole = not isinstance(report.rows, Computed)
        for text in (render(report, name, _style(settings)),) if whole else pieces(report, name, _style(settings)):
            write(text)
    holds_notes = FORMATS[name][2]
    for warning in report.warnings:
        tell(f"warning: {warning}", settings.quiet)
    if not holds_notes:
        for note in (*report.notes, *report.assumptions):
            tell(f"note: {note}", settings.quiet)


def check_output(settings: OutputSettings, inputs: Sequence[str] = ()) -> None:
    """Fail before the work if the result could not be written, or would destroy what is read.

    Raises:
        InputError: the name is empty, its suffix names no format, or it is one of the inputs.
        FileError: a folder, no such folder, or no permission.

    """
    if settings.output in (None, "-"):
        return
    path = settings.output or ""
    if not path.strip():
        raise InputError("-o needs the name of a file")
    if settings.format_name is None:
        format_of(path)
    _refuse_to_overwrite(path, inputs)
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise FileError(f"-o {quote(path)}: is a folder, expected a file")
    if not os.path.isdir(folder):
        raise FileError(f"-o {quote(path)}: no such folder: {quote(folder)}")
    target = path if os.path.exists(path) else folder
    if not os.access(target, os.W_OK):
        raise FileError(f"-o {quote(path)}: cannot be written: no permission")


def _refuse_to_overwrite(path: str, inputs: Iterable[str]) -> None:
    if any(_same_file(path, source) for source in inputs):
        raise InputError(f"-o {quote(path)} would overwrite what is read", hint="write to another file")


def _same_file(path: str, source: str) -> bool:
    """Whether the output is a file that is read; ``-`` is standard input, a device id is no file."""
    try:
        read = os.fstat(sys.stdin.fileno()) if source == "-" else os.stat(os.path.expanduser(source))
        written = os.stat(path)
    except (OSError, ValueError, AttributeError):
        return False
    return stat.S_ISREG(written.st_mode) and os.path.samestat(read, written)


def _write_file(path: str, text: str) -> None:
    """Write a file whole or not at all; what is no regular file (a device, a pipe) is written to as it is."""
    data = text.encode("utf-8", "backslashreplace")
    real = os.path.realpath(path)  # a link stays a link to the new contents
    partial = os.path.join(os.path.dirname(real), f".{os.getpid()}.part")
    try:
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "wb") as stream:
                stream.write(data)
            return
        with open(partial, "xb") as stream:
            stream.write(data)
            if os.path.exists(real):
                os.fchmod(stream.fileno(), stat.S_IMODE(os.stat(real).st_mode))
        os.replace(partial, real)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        if isinstance(error, OSError):
            raise FileError(f"-o {quote(path)}: cannot be written: {error.strerror or error}") from None
        raise


def _style(settings: OutputSettings) -> Style:
    """How standard output is seen. A pipe has no width unless $COLUMNS gives one."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    width: int | None = None
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit():
        width = int(columns[:6]) or 80
    elif terminal:
        with contextlib.suppress(OSError, ValueError):
            width = os.get_terminal_size(sys.stdout.fileno()).columns or 80
    return Style(width=width, color=_colored(settings.color, terminal=terminal))


def _colored(choice: str, *, terminal: bool) -> bool:
    """A flag beats NO_COLOR, which beats FORCE_COLOR; both count only when not empty (no-color.org)."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return terminal and os.environ.get("TERM") != "dumb"
