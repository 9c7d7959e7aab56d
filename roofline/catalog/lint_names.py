"""Names and order: a plain id, aliases that can be typed and are nobody else's, keys in the order of the README."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any, Final

from roofline.catalog import find
from roofline.catalog.fields import DEVICE
from roofline.catalog.findings import Findings
from roofline.catalog.schema import Kind, Record, Rows, Table
from roofline.files import shown_path
from roofline.text import quote
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
    """Each alias leads to this file when it is typed behind ``--hw``, and is said once."""
    stem = _id_of(path)
    seen = {find.name_key(stem): "the id of this file"} if stem is not None else {}
    for node in _alias_nodes(values):
        alias = find.name_key(str(node.text))
        taken = _taken_for(alias)
        if taken is not None:
            message = f"alias {quote(str(node.text))} can never be used: --hw takes it for {taken}"
            report.add(node, "alias", message, level="warning", hint="choose letters, digits, '-' and '.'")
        if alias in seen:
            message = f"alias {quote(str(node.text))} is {seen[alias]} already"
            report.add(node, "duplicate-alias", message, level="warning", hint="leave it out")
        seen.setdefault(alias, "an alias")


def _taken_for(alias: str) -> str | None:
    """What ``--hw`` sees in a name in place of an alias."""
    if find.is_path(alias):
        return "a path"
    if alias.startswith("-"):
        return "an option"
    return "a list of devices" if "," in alias else None


def lint_clashes(values: dict[str, Any], path: str, names: dict[str, str], report: Findings) -> None:
    """No other file claims the same name: one with the other suffix beside this one, or one that is linted with it.

    Args:
        values: what the file holds.
        path: where it is.
        names: ids and aliases of the files linted before with their paths; those of this file are added.
        report: where problems go.

    """
    stem, twins = _id_of(path), _twins(path)
    for twin in twins:
        name = os.path.basename(twin)
        first = min(os.path.basename(path), name)
        message = f"the id {quote(str(stem))} is that of {quote(name)} beside it too; only {quote(first)} is found"
        report.add(values[""], "clash", message, level="warning", hint="rename one of them")
    claims = [] if stem is None else [(f"the id {quote(stem)}", stem, values[""])]
    claims += [(f"the alias {quote(str(node.text))}", str(node.text), node) for node in _alias_nodes(values)]
    for what, name, node in claims:
        other = names.setdefault(find.name_key(name), path)
        if os.path.realpath(other) not in map(os.path.realpath, (path, *twins)):  # twins have been named
            hint = "choose another; the first in the search order is found"
            report.add(node, "clash", f"{what} is a name of {shown_path(other)} too", level="warning", hint=hint)


def _twins(path: str) -> list[str]:
    """The other hardware files in the folder of one that give the same id."""
    stem, folder = _id_of(path), os.path.dirname(path)
    if stem is None:
        return []
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        return []  # a folder may be entered that cannot be listed
    alike = (n for n in names if n.endswith(find.SUFFIXES) and find.name_key(str(_id_of(n))) == find.name_key(stem))
    return [p for p in (os.path.join(folder, n) for n in alike) if os.path.realpath(p) != os.path.realpath(path)]


def lint_shadows(values: dict[str, Any], path: str, report: Findings) -> None:
    """No name takes a shipped device's place unsaid; a copy of the catalogue may hold that very device."""
    shipped = find.shipped_names()
    stem = _id_of(path)
    itself = shipped.get(find.name_key(stem)) if stem is not None else None
    if itself is not None and _place_in_catalogue(itself.path) != _place_in_catalogue(path):
        _add_shadow(values[""], f"the id {quote(itself.id)}", itself, report)
    for node in _alias_nodes(values):
        other = shipped.get(find.name_key(str(node.text)))
        if other is None or other == itself:
            continue
        if find.name_key(str(node.text)) == find.name_key(other.id):
            message = f"alias {quote(str(node.text))} can never be used: a shipped device has that id"
            report.add(node, "alias", message, level="warning", hint="choose another; ids go before aliases")
        else:
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
        # Keys from another mapping (`<<`) have an order of their own.
        keys = [key for key in node.keys if key in record.fields and key not in node.merged]
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
