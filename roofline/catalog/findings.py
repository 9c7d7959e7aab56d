"""The problems found in one hardware file, each at its place, and how many are told."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from roofline.errors import FileError, nearest
from roofline.files import Problem
from roofline.text import quote
from roofline.yaml_tree import Node

_MOST: Final = 200  # errors after which a file is given up; warnings after which they are only counted
_MOST_COMPARED: Final = 20_000  # words of a file that its misspelt ones are compared with: half a second's work


class Findings:
    """The problems found so far in one file."""

    def __init__(self, name: str, problems: list[Problem]) -> None:
        self.name = name
        self.problems = problems
        self.errors = sum(problem.level == "error" for problem in problems)
        self.warnings = len(problems) - self.errors
        self._compared = 0

    def where(self, node: Node) -> str:
        """A node's place, as ``file:line:col``."""
        return f"{self.name}:{node.line}:{node.column}"

    def add(self, node: Node, rule: str, message: str, *, hint: str | None = None, level: str = "error") -> None:
        """Record a problem at a node; of very many warnings the rest is counted, after very many errors it ends.

        Raises:
            FileError: there are too many errors.

        """
        at = (node.line, node.column)
        if level == "warning":
            self.warnings += 1
            if self.warnings > _MOST:
                return
        elif self.errors >= _MOST:
            message = f"more than {_MOST} errors; is this a hardware file?"
            raise FileError(message, where=self.where(node), rule="size", at=at)
        else:
            self.errors += 1
        self.problems.append(Problem(where=self.where(node), message=message, rule=rule, hint=hint, level=level, at=at))

    @property
    def untold(self) -> int:
        """How many warnings were counted and not kept."""
        return max(0, self.warnings - _MOST)

    def nearest(self, word: str, known: Collection[str]) -> str | None:
        """The hint that names the known word nearest to a misspelt one; None after very many comparisons."""
        self._compared += len(known)
        near = nearest(word, known) if self._compared <= _MOST_COMPARED else []
        return f"did you mean {quote(near[0])}?" if near else None


def place(row: dict[str, Any], field: str, word: str | None = None) -> Node:
    """The node of a record's field (or of one word of a list there), for messages; else of the record itself."""
    record: Node = row[""]
    node = (record.entries or {}).get(field, record)
    return next((item for item in node.items or () if word is not None and item.text == word), node)
