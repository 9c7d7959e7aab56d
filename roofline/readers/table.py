"""Kernel lists (csv, tsv, json, jsonl, yaml): one kernel a row, read as a stream, a bad row named and passed over."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Any, Final, TextIO

from roofline.errors import FileError
from roofline.files import Problem, open_text, shown_path
from roofline.readers.rows import Row, from_cells, from_records, meanings_of
from roofline.text import quote

if TYPE_CHECKING:
    from roofline.yaml_tree import Node

_JSON_LIMIT: Final = 200_000_000  # characters of a JSON or YAML list, which is read whole
_LINE: Final = 65_536  # characters of a first line that are looked at to tell the format
_MOST_BLANK: Final = 10_000_000
_FIELD_LIMIT: Final = 10_000_000  # characters of one CSV field
_SUFFIXES: Final = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".yaml": "yaml",
    ".yml": "yaml",
}


@dataclass(slots=True)
class KernelList:
    """A list being read: iterate it once; ``unused`` is filled as columns turn up that mean nothing here."""

    path: str
    time_unit: str | None = None
    unused: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Row | Problem]:
        """The rows, and a Problem in the place of each bad one.

        Raises:
            FileError: the file as a whole is unfit: missing, empty, no header, a needed column absent.

        """
        with open_text(self.path) as stream:
            head = _head(stream, self.name)
            kind = _SUFFIXES.get(os.path.splitext(self.path)[1].lower()) or _sniff(head.text)
            yield from _READERS[kind](self, head)

    @property
    def name(self) -> str:
        """The file's name in messages."""
        return shown_path(self.path)


class _Rewound:
    """A stream whose first characters were looked at and are read again."""

    def __init__(self, text: str, stream: TextIO) -> None:
        self.text = text
        self._stream = stream

    def lines(self) -> Iterator[str]:
        first = list(StringIO(self.text, newline=""))
        last = first.pop() if first and not first[-1].endswith(("\n", "\r")) else ""
        yield from first
        rest = self._stream.readline()
        if last or rest:
            yield last + rest
        for line in self._stream:  # noqa: UP028  ("yield from" would close it when the reading is given up)
            yield line

    def whole(self, name: str) -> str:
        rest = self._stream.read(_JSON_LIMIT + 1)
        if len(rest) > _JSON_LIMIT:
            raise FileError(
                f"is larger than {_JSON_LIMIT / 1e6:g} MB", where=name, hint="use csv or jsonl, which stream"
            )
        return self.text + rest


def _head(stream: TextIO, name: str) -> _Rewound:
    """The blank lines at the start, if any, and the first line that says something."""
    parts = [stream.readline(_LINE)]
    blank = 0
    while parts[-1] and not parts[-1].strip():
        blank += len(parts[-1])
        if blank > _MOST_BLANK:
            raise FileError(f"starts with more than {_MOST_BLANK:,} blank characters", where=name)
        parts.append(stream.readline(_LINE))
    return _Rewound("".join(parts), stream)


def _sniff(text: str) -> str:
    """The format of a list whose name does not tell, from its first line."""
    start = text.lstrip()
    if start.startswith("{") and start.rstrip().endswith("}"):
        try:
            return "json" if "kernels" in json.loads(start) else "jsonl"
        except (ValueError, RecursionError):
            return "jsonl"
    if start.startswith(("[", "{")):
        return "json"
    if start.startswith(("- ", "kernels:", "---")):
        return "yaml"
    return "tsv" if "\t" in start else "csv"


def _read_csv(source: KernelList, head: _Rewound, delimiter: str = ",") -> Iterator[Row | Problem]:
    csv.field_size_limit(_FIELD_LIMIT)
    reader = csv.reader(_without_nul(head.lines(), source.name), delimiter=delimiter, strict=True)
    try:
        header = next((fields for fields in reader if any(f.strip() for f in fields)), None)
        if header is None:
            raise FileError("is empty: no header row", where=source.name)
        meanings = meanings_of(header, source.unused, f"{source.name}:{reader.line_num}")
        start = reader.line_num + 1
        for fields in reader:
            where, start = f"{source.name}:{start}", reader.line_num + 1
            if not any(f.strip() for f in fields):
                continue
            if len(fields) != len(header):
                yield Problem(
                    where=where, message=f"{len(fields)} fields, the header has {len(header)}", rule="ragged-row"
                )
                continue
            cells = dict(zip(header, fields, strict=True))
            yield from_cells(cells, meanings, where, source.time_unit)
    except csv.Error as error:
        raise FileError(f"is not valid CSV: {error}", where=f"{source.name}:{reader.line_num}") from None


def _read_tsv(source: KernelList, head: _Rewound) -> Iterator[Row | Problem]:
    yield from _read_csv(source, head, "\t")


def _without_nul(lines: Iterable[str], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if "\0" in line:
            raise FileError("is a binary file, expected text", where=f"{name}:{number}")
        yield line


def _read_json(source: KernelList, head: _Rewound) -> Iterator[Row | Problem]:
    text = head.whole(source.name)
    if not text.strip():
        raise FileError("is empty", where=source.name)
    document = _parse_json(text, source.name)
    if isinstance(document, dict):
        document = document.get("kernels", [document])
    if not isinstance(document, list):
        raise FileError("expected a list of kernels, or an object with 'kernels'", where=source.name)
    records = ((item, f"{source.name}:kernel {number}") for number, item in enumerate(document, 1))
    yield from from_records(records, source.unused, source.time_unit)


def _read_jsonl(source: KernelList, head: _Rewound) -> Iterator[Row | Problem]:
    def records() -> Iterator[tuple[Any, str]]:
        for number, line in enumerate(head.lines(), 1):
            if line.strip():
                where = f"{source.name}:{number}"
                try:
                    yield _parse_json(line, where), where
                except FileError as error:
                    yield error, where

    yield from from_records(records(), source.unused, source.time_unit)


def _parse_json(text: str, where: str) -> Any:
    """JSON with its numbers as the text that was written, repeated keys and NaN refused."""

    def no_constant(token: str) -> Any:
        raise FileError(f"{token} is not JSON, and no quantity", where=where, rule="syntax")

    def no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated = next(key for key in keys if keys.count(key) > 1)
            raise FileError(f"key {quote(repeated)} is repeated", where=where, rule="duplicate-key")
        return record

    try:
        return json.loads(
            text, parse_int=_Written, parse_float=_Written, parse_constant=no_constant, object_pairs_hook=no_repeats
        )
    except json.JSONDecodeError as error:
        place = f"{where}:{error.lineno}:{error.colno}" if error.lineno > 1 or "\n" in text.strip() else where
        raise FileError(f"is not valid JSON: {error.msg}", where=place, rule="syntax") from None
    except RecursionError:
        raise FileError("is nested too deep", where=where, rule="depth") from None


class _Written(str):
    """A number as it was written; :mod:`roofline.units` reads it once, with the unit of its column."""

    __slots__ = ()


def _read_yaml(source: KernelList, head: _Rewound) -> Iterator[Row | Problem]:
    from roofline.yaml_tree import parse  # noqa: PLC0415  (only YAML lists pay for yaml)

    root, problems = parse(head.whole(source.name), source.name)
    if root is None:
        yield from problems[:-1]
        raise problems[-1].error()  # the one that ended the reading
    yield from problems
    if root.entries is not None and "kernels" in root.entries:
        root = root.entries["kernels"]
    if root.items is None:
        place = f"{source.name}:{root.line}:{root.column}"
        raise FileError(f"expected a list of kernels, got {root.kind}", where=place)

    def records() -> Iterator[tuple[Any, str]]:
        for item in root.items or ():
            where = f"{source.name}:{item.line}"
            if item.entries is None:
                yield FileError(f"expected a kernel with its fields, got {item.kind}", where=where, rule="kind"), where
                continue
            values: dict[str, Any] = {}
            for key, node in item.entries.items():
                if node.entries is not None and key == "bytes":
                    values[key] = {level: _cell(n) for level, n in node.entries.items()}
                else:
                    values[key] = _cell(node)
            yield values, where

    yield from from_records(records(), source.unused, source.time_unit)


def _cell(node: Node) -> Any:
    """A value of YAML as the other formats have it: text, None, or what is refused as no single value."""
    if node.empty:
        return None
    return node.text if node.text is not None else node.items or {}


_READERS: Final = {
    "csv": _read_csv,
    "tsv": _read_tsv,
    "json": _read_json,
    "jsonl": _read_jsonl,
    "yaml": _read_yaml,
}
