"""The options that pick and order the rows of a kernel list."""

import re
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from roofline.errors import InputError
from roofline.text import quote


class ListFlags(NamedTuple):
    """The options that pick and order the rows of a list."""

    pattern: str | None
    sort: str | None
    top: int | None
    time_unit: str | None

    @classmethod
    def take(cls, given: dict[str, Any]) -> "ListFlags":
        """Take the list options out of a command's arguments."""
        return cls(**{name: given.pop(name) for name in cls._fields})

    def refuse_without_files(self) -> None:
        """These options make no sense for a single kernel.

        Raises:
            InputError: one of them was given.

        """
        for option, value in (
            ("--kernel", self.pattern),
            ("--sort", self.sort),
            ("--top", self.top),
            ("--time-unit", self.time_unit),
        ):
            if value is not None:
                raise InputError(f"{option} is for a list of kernels", hint="give a FILE, or - for standard input")

    def matcher(self) -> Callable[[str], object]:
        """Whether a name is wanted.

        Raises:
            InputError: no regular expression.

        """
        try:
            with warnings.catch_warnings():  # of constructs that a future Python may read otherwise
                warnings.simplefilter("ignore")
                return re.compile(self.pattern or "").search
        except (re.error, RecursionError, OverflowError) as error:
            raise InputError(f"--kernel {quote(self.pattern or '')} is no regular expression: {error}") from None
