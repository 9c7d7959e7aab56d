"""YAML text to a tree of located text: every scalar stays the text that was written, with its line and column.

YAML 1.1 readers turn ``1e12`` into text, ``no`` into false, ``3:35`` into 215, let a repeated key win in silence and
expand nested aliases without end. Here nothing is converted, and what is repeated, nested or aliased too much is
refused. Whoever asked for the file knows what each scalar should be.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import yaml

from roofline.errors import FileError
from roofline.files import Problem, read_text, shown_path
from roofline.units import clip, quote

SIZE_LIMIT: Final = 2_000_000  # characters; the largest catalogue file has some 6,000
_DEPTH_LIMIT: Final = 20
_ALIAS_LIMIT: Final = 1_000
_NODE_LIMIT: Final = 500_000
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE_TAGS: Final = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "timestamp", "seq", "map")
)


class Node:
    """A scalar, list or mapping, and where it starts (from 1)."""

    __slots__ = ("column", "entries", "items", "keys", "line", "plain", "text")

    def __init__(
        self,
        line: int,
        column: int,
        *,
        text: str | None = None,
        plain: bool = False,
        items: list[Node] | None = None,
        entries: dict[str, Node] | None = None,
    ) -> None:
        self.line = line
        self.column = column
        self.text = text
        self.plain = plain  # an unquoted scalar
        self.items = items
        self.entries = entries
        self.keys: dict[str, Node] = {}  # the key nodes of a mapping, for their places

    @property
    def kind(self) -> str:
        """What it is, in words."""
        if self.entries is not None:
            return "a mapping"
        if self.items is not None:
            return "a list"
        return "nothing" if self.empty else "text"

    @property
    def empty(self) -> bool:
        """Whether it is a scalar without a value (``key:``, ``~`` or ``null``)."""
        return self.text is not None and self.plain and self.text in ("", "~", "null", "Null", "NULL")


def load(path: str, *, limit: int = SIZE_LIMIT) -> tuple[Node, list[Problem]]:
    """The tree of a YAML file and the problems that did not stop it from being read.

    Raises:
        FileError: it cannot be read, or is no YAML; the message starts with ``file:line:col``.

    """
    return parse(read_text(path, limit=limit), shown_path(path))


def parse(text: str, name: str) -> tuple[Node, list[Problem]]:
    """The tree of YAML text; ``name`` is the file's, for messages."""
    problems = [
        Problem(
            where=f"{name}:{number}:{line.index(chr(9)) + 1}",
            message="a tab in the indentation; YAML indents with spaces",
            rule="tab",
        )
        for number, line in enumerate(text.split("\n"), 1)
        if "\t" in line and "\t" in line[: len(line) - len(line.lstrip())] and line.strip()
    ]
    if problems:
        raise FileError(str(problems[0]))
    try:
        root = _Composer(name, problems).compose(yaml.parse(text, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        raise FileError(f"{where}: is not valid YAML: {error.problem or error.context}   [syntax]") from None
    except yaml.YAMLError as error:
        raise FileError(f"{name}: is not valid YAML: {clip(str(error).splitlines()[0], 200)}   [syntax]") from None
    if root is None or root.empty:
        raise FileError(f"{name} is empty")
    return root, problems


class _Composer:
    """Builds the tree from parser events without recursion, counting what could run away."""

    def __init__(self, name: str, problems: list[Problem]) -> None:
        self.name = name
        self.problems = problems
        self.anchors: dict[str, Node] = {}
        self.aliases = self.nodes = 0

    def compose(self, events: Iterator[Any]) -> Node | None:
        root: Node | None = None
        stack: list[tuple[Node, Node | None]] = []  # open collections, each with a pending key
        documents = 0
        for event in events:
            kind = type(event).__name__
            if kind == "DocumentStartEvent":
                documents += 1
                if documents > 1:
                    raise self._refusal(event, "more than one document; one file holds one", "documents")
            if kind in ("SequenceEndEvent", "MappingEndEvent"):
                node, _ = stack.pop()
                if node.entries is not None:
                    self._merge(node)
            elif kind in ("ScalarEvent", "AliasEvent", "SequenceStartEvent", "MappingStartEvent"):
                node = self._node(event, kind)
                if not stack:
                    root = node
                else:
                    self._attach(stack, node, event)
                if kind in ("SequenceStartEvent", "MappingStartEvent"):
                    stack.append((node, None))
                    if len(stack) > _DEPTH_LIMIT:
                        raise self._refusal(event, f"nested deeper than {_DEPTH_LIMIT} levels", "depth")
        return root

    def _node(self, event: Any, kind: str) -> Node:
        self.nodes += 1
        if self.nodes > _NODE_LIMIT:
            raise self._refusal(event, f"more than {_NODE_LIMIT} values", "size")
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        if kind == "AliasEvent":
            self.aliases += 1
            if self.aliases > _ALIAS_LIMIT:
                raise self._refusal(event, f"too many aliases (more than {_ALIAS_LIMIT})", "aliases")
            if event.anchor not in self.anchors:
                raise self._refusal(event, f"alias {quote('*' + event.anchor)} refers to nothing before it", "aliases")
            return self.anchors[event.anchor]
        if event.tag is not None and event.tag not in _CORE_TAGS and event.tag != "!":
            raise self._refusal(event, f"tag {quote(event.tag)} is not used here", "tag")
        if kind == "ScalarEvent":
            node = Node(line, column, text=event.value, plain=not event.style)
        elif kind == "SequenceStartEvent":
            node = Node(line, column, items=[])
        else:
            node = Node(line, column, entries={})
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def _attach(self, stack: list[tuple[Node, Node | None]], node: Node, event: Any) -> None:
        parent, key = stack[-1]
        if parent.items is not None:
            parent.items.append(node)
        elif key is None:
            if node.text is None:
                raise self._refusal(event, f"a key must be text, got {node.kind}", "key")
            stack[-1] = (parent, node)
        elif parent.entries is not None and key.text is not None:
            if key.text in parent.entries:
                first = parent.keys[key.text]
                self.problems.append(
                    Problem(
                        where=f"{self.name}:{key.line}:{key.column}",
                        message=f"key {quote(key.text)} is repeated (first on line {first.line})",
                        rule="duplicate-key",
                    )
                )
            else:
                parent.entries[key.text] = node
                parent.keys[key.text] = key
            stack[-1] = (parent, None)

    def _merge(self, node: Node) -> None:
        """Apply ``<<``: the keys of the mappings it names, where the mapping has none of its own."""
        assert node.entries is not None  # noqa: S101  (callers look first)
        if "<<" not in node.entries:
            return
        merged = node.entries.pop("<<")
        mark = node.keys.pop("<<")
        for source in merged.items if merged.items is not None else [merged]:
            if source.entries is None or source is node:
                self.problems.append(
                    Problem(
                        where=f"{self.name}:{mark.line}:{mark.column}",
                        message=f"'<<' merges mappings, got {source.kind if source is not node else 'itself'}",
                        rule="merge",
                    )
                )
                continue
            self.nodes += len(source.entries)
            if self.nodes > _NODE_LIMIT:
                raise FileError(f"{self.name}:{mark.line}:{mark.column}: more than {_NODE_LIMIT} values   [size]")
            for key, value in source.entries.items():
                if key not in node.entries:
                    node.entries[key] = value
                    node.keys[key] = source.keys[key]

    def _refusal(self, event: Any, message: str, rule: str) -> FileError:
        mark = event.start_mark
        return FileError(f"{self.name}:{mark.line + 1}:{mark.column + 1}: {message}   [{rule}]")
