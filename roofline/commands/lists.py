"""Kernel lists as commands read them: which rows are wanted, in which order, and which were bad."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from roofline.commands.list_flags import ListFlags
from roofline.commands.output_flags import OutputSettings
from roofline.commands.streams import tell
from roofline.core.placement import Placed
from roofline.core.target import Target
from roofline.errors import FileError, InputError, RooflineError
from roofline.files import Problem
from roofline.readers.columns import renamed
from roofline.readers.rows import Row
from roofline.readers.table import KernelList
from roofline.text import clip

_TOLD: Final = 20  # bad rows that are named one by one

_SORT: Final[dict[str, Callable[[Placed], Any]]] = {
    "name": lambda p: p.first.kernel.name,
    "work": lambda p: p.first.kernel.flops,
    "traffic": lambda p: p.first.kernel.bytes,
    "intensity": lambda p: p.first.intensity,
    "time": lambda p: p.first.kernel.seconds,
    "least": lambda p: p.first.least_time,
    "efficiency": lambda p: p.first.efficiency,
    "savings": lambda p: p.reachable.savings,
}


@dataclass(slots=True)
class Reading:
    """Lists being read and placed: rows come out, problems and unused columns stay."""

    files: Sequence[str]
    targets: Sequence[Target]
    flags: ListFlags
    problems: list[str] = field(default_factory=list)  # the first ones in words
    bad: int = 0  # all of them
    unused: dict[str, None] = field(default_factory=dict)
    own_dtype: bool = False  # some kernel names its own precision

    def rows(self) -> Iterator[tuple[Row, Target, Placed]]:
        """Each wanted kernel on each device; a row that cannot be placed becomes a problem.

        Raises:
            FileError: a file as a whole is unfit.

        """
        wanted = self.flags.matcher()
        for path in self.files:
            source, started = KernelList(path, self.flags.time_unit), False
            try:
                for row in source:
                    started = True
                    if isinstance(row, Problem):
                        self._note(str(row), row.hint)
                    elif wanted(row.kernel.name):
                        self.own_dtype = self.own_dtype or row.kernel.dtype is not None
                        yield from self._place(row)
            except FileError as error:
                if not started:
                    raise
                self._note(f"{error}; the rest of it is not read", error.hint)  # what came before is still reported
            self.unused |= dict.fromkeys(source.unused)

    def _note(self, problem: str, hint: str | None) -> None:
        self.bad += 1
        if self.bad <= _TOLD:
            self.problems.append(f"{problem}; {hint}" if hint else problem)

    def _place(self, row: Row) -> Iterator[tuple[Row, Target, Placed]]:
        for target in self.targets:
            try:
                yield row, target, target.place(row.kernel)
            except RooflineError as error:
                self._note(str(Problem(where=row.where, message=str(error), rule="roof")), error.hint)

    def tell_problems(self, settings: OutputSettings) -> None:
        """Name each bad row on standard error, and the columns that were not used."""
        for problem in self.problems:
            tell(f"error: {problem}")
        if self.bad > _TOLD:
            tell(f"error: and {self.bad - _TOLD} more bad rows")
        if self.unused:
            tell(f"note: columns not used: {', '.join(map(_unused, self.unused))}", settings.quiet)
        if self.own_dtype and any(target.query.dtype for target in self.targets):
            tell("note: the list's own precisions go before --dtype", settings.quiet)

    def raise_if_bad(self) -> None:
        """After the good rows were reported: exit 3 if there were bad ones.

        Raises:
            FileError: some row could not be read.

        """
        if self.bad:
            raise FileError(f"{self.bad} row{'s' if self.bad > 1 else ''} could not be used; the others are reported")


def _unused(heading: str) -> str:
    """A column that means nothing here, and what to call it if it looks like something."""
    better = renamed(heading)
    return f"{clip(heading)} (call it {better} if it is one)" if better else clip(heading)


def read(files: Sequence[str], targets: Sequence[Target], flags: ListFlags) -> Reading:
    """Lists to be read once, on these devices.

    Raises:
        InputError: standard input is named twice.

    """
    if list(files).count("-") > 1:
        raise InputError("standard input can be read once; '-' is given twice")
    return Reading(files, targets, flags)


def pick(placed: Iterator[Placed], flags: ListFlags) -> list[Placed]:
    """The rows in the wanted order, at most ``top`` of them; only those are kept in memory."""
    if flags.sort is None:
        if flags.top is None:
            return list(placed)
        kept: list[Placed] = []
        for one in placed:  # all are counted, the first ones are kept
            if len(kept) < flags.top:
                kept.append(one)
        return kept
    key = _SORT[flags.sort]
    if flags.sort == "name":
        ordered = sorted(placed, key=key)
        return ordered[: flags.top]

    def largest_first(numbered: tuple[int, Placed]) -> tuple[bool, float, int]:
        value = key(numbered[1])
        return (value is not None, value if value is not None else 0.0, -numbered[0])

    if flags.top is not None:
        return [one for _, one in heapq.nlargest(flags.top, enumerate(placed), key=largest_first)]
    return [one for _, one in sorted(enumerate(placed), key=largest_first, reverse=True)]
