"""The kinds of value a hardware file may hold; each reads a YAML node and describes itself as JSON Schema.

These are plain classes and not dataclasses, which every start of the program would pay for; see roofline.records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from roofline import units
from roofline.catalog.findings import Findings
from roofline.core.device import FASTEST, SLOWEST
from roofline.errors import UnitError, nearest
from roofline.text import quote
from roofline.units import Quantity
from roofline.yaml_tree import Node

_BASE_60: Final = r"([0-9]+):([0-5]?[0-9])"
_RATES: Final = ("FLOP/s", "B/s")
HALF_OF_SPARSE: Final = "sparse/2"  # the one value a user may ask to have derived, and it says so


class Kind(Protocol):
    """What every kind of value can do."""

    def read(self, node: Node, key: str, report: Findings) -> Any:
        """The value of a node; problems go to the report, and None stands for what could not be read."""

    def json_schema(self) -> dict[str, Any]:
        """The same rule as JSON Schema."""


def _scalar(node: Node, key: str, expected: str, report: Findings) -> str | None:
    if node.text is None or not node.text.strip() or node.empty:
        got = "empty text" if node.text is not None and not node.empty else node.kind
        report.add(node, "kind", f"'{key}' must be {expected}, got {got}")
        return None
    return node.text


class Text:
    """Any text."""

    def __init__(self, what: str = "text") -> None:
        self.what = what

    def read(self, node: Node, key: str, report: Findings) -> str | None:
        """The text, its line breaks folded."""
        text = _scalar(node, key, self.what, report)
        return None if text is None else " ".join(text.split())

    def json_schema(self) -> dict[str, Any]:
        """Text that is not blank, or a scalar that YAML takes for a number, boolean or date."""
        return {"type": ["string", "number", "boolean"], "pattern": r"\S"}


class Choice:
    """One of a few words; ``spellings`` are other names for them that are not accepted, only understood in a hint."""

    def __init__(self, *options: str, spellings: Mapping[str, str] | None = None) -> None:
        self.options = options
        self.spellings = spellings or {}

    def read(self, node: Node, key: str, report: Findings) -> str | None:
        """The word."""
        text = _scalar(node, key, f"one of {', '.join(self.options)}", report)
        if text is not None and text not in self.options:
            message = f"'{key}' is {quote(text)}, expected one of {', '.join(self.options)}"
            report.add(node, "choice", message, hint=self._hint(text.lower()))
            return None
        return text

    def _hint(self, text: str) -> str | None:
        if text in self.spellings:
            return f"write '{self.spellings[text]}'"
        most = 3 if self.spellings else 1  # fp61 may be fp6 or fp16
        near = nearest(text, [*self.options, *self.spellings], most)
        near = list(dict.fromkeys(self.spellings.get(word, word) for word in near))
        if len(near) < 2:
            return f"did you mean '{near[0]}'?" if near else None
        return f"did you mean: {', '.join(near)}?"

    def json_schema(self) -> dict[str, Any]:
        """An enumeration; YAML 1.1 reads an unquoted 2:4 as the base-60 number 124, which editors then compare."""
        base_60 = [match for option in self.options if (match := re.fullmatch(_BASE_60, option))]
        return {"enum": [*self.options, *(60 * int(match[1]) + int(match[2]) for match in base_60)]}


class Whole:
    """A whole number within limits."""

    def __init__(self, least: int, most: int) -> None:
        self.least = least
        self.most = most

    def read(self, node: Node, key: str, report: Findings) -> int | None:
        """The number, always decimal: 010 is ten."""
        expected = f"a whole number from {self.least} to {self.most}"
        text = _scalar(node, key, expected, report)
        if text is None:
            return None
        if not (text.isascii() and text.isdigit() and len(text) <= 9 and self.least <= int(text) <= self.most):
            report.add(node, "number", f"'{key}' is {quote(text)}, expected {expected}")
            return None
        return int(text)

    def json_schema(self) -> dict[str, Any]:
        """An integer, or the same in quotes."""
        quoted = "|".join(map(str, range(self.least, self.most + 1)))
        return {
            "anyOf": [
                {"type": "integer", "minimum": self.least, "maximum": self.most},
                {"type": "string", "pattern": f"^0*(?:{quoted})$"},
            ]
        }


class Amount:
    """A positive quantity of one kind (or of two), as text with a unit or a bare number in base units.

    Rates are those that a roof can be drawn with. JSON Schema says so of bare numbers, and leaves text to the loader.
    """

    def __init__(self, *quantities: Quantity, also: tuple[str, ...] = ()) -> None:
        self.quantities = quantities
        self.also = also

    def read(self, node: Node, key: str, report: Findings) -> tuple[float, Quantity] | str | None:
        """The value in base units with its kind, or one of the words allowed beside."""
        text = _scalar(node, key, f"a quantity such as {units.EXAMPLE[self.quantities[0]]}", report)
        if text is None or text in self.also:
            return text
        read, errors = [], []
        for quantity in self.quantities:
            try:
                read.append((units.parse(text, quantity, name=f"'{key}'", positive=True), quantity))
            except UnitError as error:
                errors.append(error)
        if not read:
            report.add(node, "quantity", str(errors[0]), hint=errors[0].hint)
            return None
        if len(read) > 1:
            report.add(node, "quantity", f"'{key}' needs a unit, {' or '.join(self.quantities)}: got {quote(text)}")
            return None
        value, quantity = read[0]
        if quantity in _RATES and not SLOWEST <= value <= FASTEST:
            allowed = f"between {SLOWEST:g} and {FASTEST:g} {quantity}"
            report.add(node, "quantity", f"'{key}' must be {allowed}, got {quote(text)}")
            return None
        return value, quantity

    def json_schema(self) -> dict[str, Any]:
        """A number, or text that matches the units of its kinds."""
        one_kind = len(self.quantities) == 1  # a bare number says no kind
        limits = {"minimum": SLOWEST, "maximum": FASTEST} if self.quantities[0] in _RATES else {"exclusiveMinimum": 0}
        options: list[dict[str, Any]] = [{"type": "number", **limits}] if one_kind else []
        options += [
            {"type": "string", "pattern": units.pattern(q, bare=one_kind, positive=True)} for q in self.quantities
        ]
        if self.also:
            options.append({"enum": list(self.also)})
        return {"anyOf": options}


class Words:
    """One word or a list of words, each free or out of a choice."""

    def __init__(self, *options: str) -> None:
        self.one: Text | Choice = Choice(*options) if options else Text("a word")

    def read(self, node: Node, key: str, report: Findings) -> tuple[str, ...]:
        """The words."""
        if node.entries is not None or node.empty:
            report.add(node, "kind", f"'{key}' must be a word or a list of words, got {node.kind}")
            return ()
        words = (self.one.read(item, key, report) for item in (node.items if node.items is not None else [node]))
        return tuple(word for word in words if word is not None)

    def json_schema(self) -> dict[str, Any]:
        """A word or an array of them."""
        one = self.one.json_schema()
        return {"anyOf": [one, {"type": "array", "items": one}]}


class Record:
    """A mapping with known keys; keys that start with ``x-`` are the user's own."""

    def __init__(
        self,
        fields: dict[str, Kind],
        *,
        required: tuple[str, ...] = (),
        one_of: tuple[str, ...] = (),
        further: Callable[[], tuple[dict[str, Any], ...]] | None = None,
        short: str | None = None,
    ) -> None:
        self.fields = fields
        self.short = short  # the field that a scalar in place of the mapping stands for
        self.required = required
        self.one_of = one_of  # at least one of these must be there
        self.further = further  # JSON Schema of what the loader checks across fields, which few ask for

    def read(self, node: Node, key: str, report: Findings) -> dict[str, Any] | None:
        """The values by key, with the node itself under ``""`` for later messages."""
        if self.short is not None and node.text is not None and not node.empty:
            return {"": node, self.short: self.fields[self.short].read(node, key, report)}
        if node.entries is None:
            report.add(node, "kind", f"'{key}' must be a mapping, got {node.kind}")
            return None
        values: dict[str, Any] = {"": node}
        for name, child in node.entries.items():
            if name in self.fields:
                values[name] = self.fields[name].read(child, name, report)
            elif not name.startswith("x-"):
                hint = report.nearest(name, self.fields) or f"known here: {', '.join(self.fields)}"
                report.add(node.keys[name], "unknown-key", f"unknown key {quote(name)}", hint=hint)
        for name in self.required:
            if name not in node.entries:
                report.add(node, "missing-key", f"'{name}' is missing" + (f" in '{key}'" if key else ""))
        if self.one_of and not any(name in node.entries for name in self.one_of):
            report.add(node, "missing-key", f"'{key}' needs {' or '.join(repr(name) for name in self.one_of)}")
        return values

    def json_schema(self) -> dict[str, Any]:
        """A closed object that leaves ``x-`` keys free."""
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {name: kind.json_schema() for name, kind in self.fields.items()},
            "patternProperties": {"^x-": {}},
            "additionalProperties": False,
        }
        if self.required:
            schema["required"] = list(self.required)
        if self.one_of:
            schema["anyOf"] = [{"required": [name]} for name in self.one_of]
        if self.further is not None:
            schema["allOf"] = list(self.further())
        return schema if self.short is None else {"anyOf": [self.fields[self.short].json_schema(), schema]}


class Rows:
    """A list of records, of which at least one has the field ``some``."""

    def __init__(self, record: Record, *, least: int = 0, some: str | None = None) -> None:
        self.record = record
        self.least = least
        self.some = some

    def read(self, node: Node, key: str, report: Findings) -> list[dict[str, Any]]:
        """The records that could be read."""
        if node.items is None:
            report.add(node, "kind", f"'{key}' must be a list, got {node.kind}")
            return []
        if len(node.items) < self.least:
            report.add(node, "missing-key", f"'{key}' needs at least {self.least} entry")
        rows = [row for row in (self.record.read(item, key, report) for item in node.items) if row is not None]
        if self.some is not None and rows and not any(self.some in row for row in rows):
            report.add(rows[0][""], "missing-key", f"no {key} has a '{self.some}'")
        return rows

    def json_schema(self) -> dict[str, Any]:
        """An array."""
        some = {} if self.some is None else {"contains": {"type": "object", "required": [self.some]}}
        return {"type": "array", "items": self.record.json_schema(), "minItems": self.least, **some}


class Table:
    """A mapping from free keys to records."""

    def __init__(self, record: Record) -> None:
        self.record = record

    def read(self, node: Node, key: str, report: Findings) -> dict[str, dict[str, Any]]:
        """The records that could be read, by key."""
        if node.entries is None:
            report.add(node, "kind", f"'{key}' must be a mapping, got {node.kind}")
            return {}
        rows = {name: self.record.read(child, name, report) for name, child in node.entries.items()}
        return {name: row for name, row in rows.items() if row is not None}

    def json_schema(self) -> dict[str, Any]:
        """An object with any keys."""
        return {"type": "object", "additionalProperties": self.record.json_schema()}
