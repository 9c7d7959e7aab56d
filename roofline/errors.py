"""The errors a user can cause; each class owns its exit status, and its hint says what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

_LONGEST_WORD: Final = 100  # characters; the time to compare two texts grows with the product of their lengths


class RooflineError(Exception):
    """Base of everything this package raises on purpose: one line of text, and perhaps a hint.

    >>> str(UnknownNameError("unknown device 'h10'", hint="did you mean: h100?"))
    "unknown device 'h10'"
    """

    exit_status = 2

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), str(self), {"hint": self.hint}))


def nearest(word: str, known: Iterable[str], most: int = 1) -> list[str]:
    """The known words that a mistyped one is nearest to, best first; what is longer than any word is near to none.

    >>> nearest("bandwith", ["bandwidth", "capacity"])
    ['bandwidth']
    """
    import difflib  # noqa: PLC0415  (only mistakes pay for it)

    return difflib.get_close_matches(word, list(known), n=most) if len(word) <= _LONGEST_WORD else []


def _rebuild(kind: type[RooflineError], message: str, keywords: dict[str, Any]) -> RooflineError:
    return kind(message, **keywords)


class InputError(RooflineError, ValueError):
    """A value that means nothing here: negative, not finite, contradictory, missing."""


class OutOfRangeError(InputError):
    """An amount that is finite, and yet larger or smaller than anything real."""


class UnitError(InputError):
    """Text that is no quantity, or a quantity of another kind (a rate for an amount)."""


class UnknownNameError(RooflineError, LookupError):
    """A device, precision, memory level or format that does not exist."""


class NoLinkError(UnknownNameError):
    """A device of which no link to other devices is known; it may have one all the same."""


class AmbiguousVerdictError(InputError):
    """A gate whose answer depends on which peak is meant; it is refused, not guessed."""


class FileError(RooflineError, OSError):
    """A file that cannot be read, is not what it should be, or cannot be written.

    What is wrong, where and by which rule are kept apart for whoever lists problems; the text of the error joins them.

    >>> str(FileError("is not valid YAML", where="chip.yaml:3:1", rule="syntax"))
    'chip.yaml:3:1: is not valid YAML   [syntax]'
    """

    exit_status = 3

    def __init__(
        self, message: str, *, hint: str | None = None, where: str = "", rule: str = "", at: tuple[int, int] = (0, 0)
    ) -> None:
        super().__init__(located(where, message, rule), hint=hint)
        self.message = message
        self.where = where  # file, file:line or file:line:col, as far as it is known
        self.rule = rule
        self.at = at  # line and column, to sort by

    def __reduce__(self) -> tuple[object, ...]:
        keywords = {"hint": self.hint, "where": self.where, "rule": self.rule, "at": self.at}
        return (_rebuild, (type(self), self.message, keywords))


def located(where: str, message: str, rule: str) -> str:
    """A problem in one line: its place before it and its rule behind it, as far as they are known."""
    return (f"{where}: " if where else "") + message + (f"   [{rule}]" if rule else "")


class OutputError(FileError):
    """Standard output that is closed or full."""


class ClosedPipeError(OutputError):
    """The reader of standard output went away; nobody is left to be told."""

    exit_status = 141


class CheckFailedError(RooflineError):
    """A check that the user asked for did not hold; the full result has been printed already."""

    exit_status = 1
