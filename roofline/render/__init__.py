"""Renderers: a Report to text. None of them prints, computes or invents a unit.

A renderer is a module with ``render(report, style) -> str``; adding one is that module and a line in FORMATS. One that
writes a line a row has ``pieces`` too, which gives the lines one by one.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Final, NamedTuple

from roofline.errors import InputError
from roofline.report import Report
from roofline.text import quote


class Style(NamedTuple):
    """How the text will be seen: columns of the terminal (None: no limit) and whether it may be coloured."""

    width: int | None = None
    color: bool = False


# format: (module, file suffixes that choose it, whether notes are part of the text)
FORMATS: Final[dict[str, tuple[str, tuple[str, ...], bool]]] = {
    "table": ("roofline.render.table", (".txt",), True),
    "json": ("roofline.render.json_", (".json",), True),
    "jsonl": ("roofline.render.jsonl", (".jsonl", ".ndjson"), False),
    "csv": ("roofline.render.csv_", (".csv",), False),
    "markdown": ("roofline.render.markdown", (".md", ".markdown"), True),
}


def render(report: Report, format_name: str, style: Style | None = None) -> str:
    """The text of a report in one of the FORMATS; ends with a line break unless empty."""
    text: str = import_module(FORMATS[format_name][0]).render(report, style or Style())
    return text


def pieces(report: Report, format_name: str, style: Style | None = None) -> Iterator[str]:
    """The same text bit by bit: formats of a line a row give each row as soon as it is known, others all at once."""
    module = import_module(FORMATS[format_name][0])
    of_rows: Iterator[str] | None = module.pieces(report, style or Style()) if hasattr(module, "pieces") else None
    yield from of_rows or (render(report, format_name, style),)


def format_of(path: str) -> str:
    """The format that a file's suffix asks for.

    Raises:
        InputError: no format has this suffix.

    """
    suffixes = {suffix: name for name, (_, endings, _) in FORMATS.items() for suffix in endings}
    for suffix, name in suffixes.items():
        if path.lower().endswith(suffix):
            return name
    raise InputError(f"-o {quote(path)}: its suffix names no format", hint=f"use {' '.join(suffixes)}, or add --format")
