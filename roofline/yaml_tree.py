"""YAML text to a tree of located text: every scalar stays the text that was written, with its line and column.

YAML 1.1 readers turn ``1e12`` into text, ``no`` into false, ``3:35`` into 215, let a repeated key win in silence and
expand nested aliases without end. Here nothing is converted, and what is repeated, nested or aliased too much is
refused. Whoever asked for the file knows what each scalar should be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import yaml

from roofline.errors import FileError
from roofline.files import Problem, read_text, shown_path
from roofline.text import clip, quote

SIZE_LIMIT: Final = 2_000_000  # characters; the largest catalogue file has some 6,000
_DEPTH_LIMIT: Final = 20
_ALIAS_LIMIT: Final = 1_000
_NODE_LIMIT: Final = 500_000
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BREAK: Final = "\\n\\r\\x85\\u2028\\u2029"  # what ends a line in YAML 1.1
_LINE: Final = f"[^{_BREAK}]*(?:\\r\\n|[{_BREAK}]|\\Z)"  # compiled where it is used: few files have tabs
_CORE_TAGS: Final = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "timestamp", "seq", "map")
)


class Node:
    """A scalar, list or mapping, and where it starts (from 1)."""

    __slots__ = ("column", "entries", "items", "keys", "line", "merged", "plain", "text")

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
        self.merged: frozenset[str] = frozenset()  # the keys that `<<` brought

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


def load(path: str, *, limit: int = SIZE_LIMIT) -> tuple[Node | None, list[Problem]]:
    """The tree of a YAML file and everything that is wrong with it as YAML; see :func:`parse`.

    Raises:
        FileError: it cannot be read as text.

    """
    return parse(read_text(path, limit=limit), shown_path(path))


def parse(text: str, name: str) -> tuple[Node | None, list[Problem]]:
    """The tree of YAML text and its problems; ``name`` is the file's, for messages.

    What leaves no doubt about the rest (an indenting tab, a second document, a tag, a repeated key) is a problem
    beside the tree. Where nothing can be read, there is no tree, and the last problem says why.
    """
    tree = _Composer(name)
    tree.read(text)
    tabs, widened, added = _indenting_tabs(text)
    if not tabs:
        return tree.root, tree.problems
    strictly_yaml = tree.root is not None
    if not strictly_yaml:  # read on as if each tab were the two spaces that these files indent with
        tree = _Composer(name, added)
        tree.read(widened)
    outside = [place for place in tabs if not tree.within_scalar(place)]  # text may hold any tabs
    if not strictly_yaml and not outside:  # a tab that ended a text too early, or made a key part of one
        broken = {problem.at[0] for problem in tree.problems if problem.rule == "syntax"}
        outside = tabs if tree.root is not None else [place for place in tabs if place[0] in broken]
    if outside:
        line, column = outside[0]
        others = len(outside) - 1
        more = f" of this line and of {others} more line{'s' if others > 1 else ''}" if others else ""
        tree.add(line, column, f"a tab in the indentation{more}; YAML indents with spaces", "tab", first=True)
    return tree.root, tree.problems


def _indenting_tabs(text: str) -> tuple[list[tuple[int, int]], str, dict[int, list[int]]]:
    """The tabs in the indentation of lines, and the text with two spaces in place of each.

    Returns:
        line and column of the first such tab of each line that is not blank; the text; by line the columns there of
        the second one of each two spaces, from which the columns that were written follow.

    """
    if "\t" not in text:
        return [], text, {}
    places, lines, added = [], [], {}
    for number, line in enumerate(re.findall(_LINE, text), 1):
        rest = line.lstrip(" \t")
        indentation = line[: len(line) - len(rest)]
        tabs = [column for column, character in enumerate(indentation, 1) if character == "\t"]
        if tabs and rest.strip():
            places.append((number, tabs[0]))
        if tabs:
            added[number] = [column + before for before, column in enumerate(tabs, 1)]
        lines.append(indentation.replace("\t", "  ") + rest)
    return places, "".join(lines), added


class _Composer:
    """Builds the tree from parser events without recursion, counting what could run away."""

    def __init__(self, name: str, added: dict[int, list[int]] | None = None) -> None:
        self.name = name
        self.added = added or {}  # by line the columns of spaces that the file has not
        self.root: Node | None = None  # stays None if the text cannot be read to its end
        self.problems: list[Problem] = []
        self.anchors: dict[str, Node] = {}
        self.aliases = self.nodes = 0
        self.texts: list[tuple[tuple[int, int], tuple[int, int]]] = []  # start and end of scalars of several lines

    def read(self, text: str) -> None:
        """Read a text to its end, or to the problem that allows no further reading."""
        try:
            root = self._compose(yaml.parse(text, Loader=_LOADER))
        except FileError as error:
            self.problems.append(Problem.of(error))
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line, column = self._place(mark) if mark else (0, 0)
            self.add(line, column, f"is not valid YAML: {error.problem or error.context}", "syntax")
        except yaml.YAMLError as error:
            self.add(0, 0, f"is not valid YAML: {clip(str(error).splitlines()[0], 200)}", "syntax")
        else:
            if root is None or root.empty:
                self.add(0, 0, "is empty", "empty")
            else:
                self.root = root

    def add(self, line: int, column: int, message: str, rule: str, *, first: bool = False) -> None:
        """Record a problem at a place (line 0: of the whole file)."""
        where = f"{self.name}:{line}:{column}" if line else self.name
        problem = Problem(where=where, message=message, rule=rule, at=(line, column))
        self.problems.insert(0 if first else len(self.problems), problem)

    def within_scalar(self, place: tuple[int, int]) -> bool:
        """Whether a line and column lie inside a scalar of several lines."""
        from bisect import bisect  # noqa: PLC0415  (few files have tabs)

        before = bisect(self.texts, place, key=lambda text: text[0])
        return before > 0 and place < self.texts[before - 1][1]

    def _place(self, mark: Any) -> tuple[int, int]:
        """Line and column of a parser's mark, from 1, as they are in the file."""
        line, column = mark.line + 1, mark.column + 1
        if not self.added:
            return line, column
        from bisect import bisect  # noqa: PLC0415  (few files have tabs)

        return line, column - bisect(self.added.get(line, ()), column)

    def _compose(self, events: Iterator[Any]) -> Node | None:
        root: Node | None = None
        stack: list[tuple[Node, Node | None]] = []  # open collections, each with a pending key
        documents = 0
        for event in events:
            kind = type(event).__name__
            if kind == "DocumentStartEvent":
                documents += 1
                if documents > 1:
                    line, column = self._place(event.start_mark)
                    self.add(line, column, "more than one document; one file holds one", "documents")
                    break
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
        line, column = self._place(event.start_mark)
        if kind == "AliasEvent":
            self.aliases += 1
            if self.aliases > _ALIAS_LIMIT:
                raise self._refusal(event, f"too many aliases (more than {_ALIAS_LIMIT})", "aliases")
            if event.anchor not in self.anchors:
                raise self._refusal(event, f"alias {quote('*' + event.anchor)} refers to nothing before it", "aliases")
            return self.anchors[event.anchor]
        if event.tag is not None and event.tag not in _CORE_TAGS and event.tag != "!":
            self.add(line, column, f"tag {quote(event.tag)} is not used here", "tag")  # and read on without it
        if kind == "ScalarEvent":
            if event.end_mark.line > event.start_mark.line:
                self.texts.append(((line, column), self._place(event.end_mark)))
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
                line, column = self._place(event.start_mark)
                self.add(line, column, f"a key must be text, got {node.kind}", "key")
            stack[-1] = (parent, node)
        else:
            stack[-1] = (parent, None)
            if parent.entries is None or key.text is None:
                return  # a key that is no text has been named already
            if key.text in parent.entries:
                message = f"key {quote(key.text)} is repeated (first on line {parent.keys[key.text].line})"
                self.add(key.line, key.column, message, "duplicate-key")
            else:
                parent.entries[key.text] = node
                parent.keys[key.text] = key

    def _merge(self, node: Node) -> None:
        """Apply ``<<``: the keys of the mappings it names, where the mapping has none of its own."""
        assert node.entries is not None  # noqa: S101  (callers look first)
        if "<<" not in node.entries:
            return
        merged = node.entries.pop("<<")
        mark, brought = node.keys.pop("<<"), set()
        for source in merged.items if merged.items is not None else [merged]:
            if source.entries is None or source is node:
                got = source.kind if source is not node else "itself"
                self.add(mark.line, mark.column, f"'<<' merges mappings, got {got}", "merge")
                continue
            self.nodes += len(source.entries)
            if self.nodes > _NODE_LIMIT:
                raise self._refusal_at(mark.line, mark.column, f"more than {_NODE_LIMIT} values", "size")
            for key, value in source.entries.items():
                if key not in node.entries:
                    node.entries[key] = value
                    node.keys[key] = source.keys[key]
                    brought.add(key)
        node.merged = frozenset(brought)

    def _refusal(self, event: Any, message: str, rule: str) -> FileError:
        return self._refusal_at(*self._place(event.start_mark), message, rule)

    def _refusal_at(self, line: int, column: int, message: str, rule: str) -> FileError:
        return FileError(message, where=f"{self.name}:{line}:{column}", rule=rule, at=(line, column))
