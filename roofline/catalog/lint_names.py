"""Names and order: a plain id, aliases that are nobody else's, keys in the order of hardware/README.md."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any, Final

from roofline.catalog import find
from roofline.catalog.fields import DEVICE
from roofline.catalog.schema import Findings, Kind, Record, Rows, Table
from roofline.units import quote
from roofline.yaml_tree import Node

_ID: Final = re.compile(r"[a-z0-9][a-z0-9.-]*")


def _id_of(path: str) -> str | None:
    """The id that a file's name gives; standard input has none."""
    return None if path == "-" else os.path.splitext(os.path.basename(path))[0]


def _alias_nodes(values: dict[str, Any]) -> list[Node]:
    node = values[""].entries.get("aliases")
    nodes = [] if node is None else node.items if node.items is not None else [node]
    return [node for node in nodes if node.text]


def lint_id(values: dict[str, Any], path: str, report: Findings) -> None:
    """The id is easy to type and the same on every file system."""
    stem = _id_of(path)
    if stem is None or _ID.fullmatch(stem):
        return
    plain = re.sub(r"[^a-z0-9.]+", "-", stem.lower()).strip("-.")
    report.add(
        values[""],
        "id",
        f"the id {quote(stem)}, which is the file's name, should be lower case letters, digits, '-' and '.'",
        level="warning",
        hint=f"call the file {plain}.yaml" if plain else None,
    )


def lint_aliases(values: dict[str, Any], path: str, report: Findings) -> None:
    """No alias is said twice, or says the id again."""
    stem = _id_of(path)
    seen = {stem.casefold(): "the id of this file"} if stem is not None else {}
    for node in _alias_nodes(values):
        alias = str(node.text).casefold()
        if alias in seen:
            message = f"alias {quote(str(node.text))} is {seen[alias]} already"
            report.add(node, "duplicate-alias", message, level="warning", hint="leave it out")
        seen.setdefault(alias, "an alias")


def lint_shadows(values: dict[str, Any], path: str, report: Findings) -> None:
    """No name takes a shipped device's place unsaid; a copy of the catalogue may hold that very device."""
    shipped = find.shipped_names()
    stem = _id_of(path)
    itself = shipped.get(stem.casefold()) if stem is not None else None
    if itself is not None and _place_in_catalogue(itself.path) != _place_in_catalogue(path):
        _add_shadow(values[""], f"the id {quote(itself.id)}", itself, report)
    for node in _alias_nodes(values):
        other = shipped.get(str(node.text).casefold())
        if other is not None and other != itself:
            _add_shadow(node, f"the alias {quote(str(node.text))}", other, report)


def _place_in_catalogue(path: str) -> list[str]:
    """``hardware/<vendor>/<id>.yaml``, which is the same in a checkout and in an installed copy."""
    return os.path.realpath(path).split(os.sep)[-3:]


def _add_shadow(node: Node, what: str, shipped: find.Entry, report: Findings) -> None:
    message = f"{what} hides the shipped device {shipped.id}"
    report.add(node, "shadows", message, level="warning", hint="choose another, unless it is meant to")


def lint_key_order(values: dict[str, Any], report: Findings) -> None:
    """The keys of each mapping stand in the order of hardware/README.md, so that files can be compared."""
    seen: set[int] = set()  # an alias brings the same mapping again
    for record, node in _mappings(DEVICE, values[""]):
        # Keys from another mapping (`<<`) stand before this one and have an order of their own.
        own = [key for key, at in node.keys.items() if (at.line, at.column) >= (node.line, node.column)]
        keys = [key for key in own if key in record.fields]
        order = [key for key in record.fields if key in keys]
        if keys != order and id(node) not in seen:
            wrong = next(key for key, right in zip(keys, order, strict=True) if key != right)
            right = order[keys.index(wrong)]
            message = f"'{wrong}' stands before '{right}'; the order here is {', '.join(order)}"
            report.add(node.keys[wrong], "key-order", message, level="warning")
        seen.add(id(node))


def _mappings(kind: Kind, node: Node) -> Iterator[tuple[Record, Node]]:
    """Every mapping of a file that has known keys, with the record that knows them."""
    if isinstance(kind, Rows):
        for item in node.items or ():
            yield from _mappings(kind.record, item)
    elif isinstance(kind, Table):
        for child in (node.entries or {}).values():
            yield from _mappings(kind.record, child)
    elif isinstance(kind, Record) and node.entries is not None:
        yield kind, node
        for name, child in node.entries.items():
            if name in kind.fields:
                yield from _mappings(kind.fields[name], child)
