"""The options of the output that all commands share: its format, its place, its colour."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

import click

from roofline.commands.base import FILE, option, together

READ: Final = "roofline.read"  # in the meta of a command: files that were read, whatever named them
F = TypeVar("F", bound=Callable[..., Any])

output_options: Callable[[F], F] = together(
    option(
        "Output",
        "--format",
        "format_name",
        type=click.Choice(["table", "json", "jsonl", "csv", "markdown"]),
        help="Default: table, or what the suffix of -o says.",
    ),
    option("Output", "-o", "--output", type=FILE, metavar="FILE", help="Write to a file; - is standard output."),
    option("Output", "-q", "--quiet", is_flag=True, help="No notices on standard error."),
    option(
        "Output",
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        help="Colour; auto: only on a terminal.",
    ),
)


class OutputSettings(NamedTuple):
    """Where a report goes and how it is told."""

    format_name: str | None
    output: str | None
    quiet: bool
    color: str

    @property
    def shown(self) -> bool:
        """Whether people read the result on standard output, and need not be told it again."""
        return self.output in (None, "-") and self.format_name in (None, "table", "markdown")


def output_settings(given: dict[str, Any]) -> OutputSettings:
    """Take the output options out of a command's arguments."""
    output = given.pop("output")
    if output == "/dev/stdout":  # which may be a redirected file: it is written to, not replaced
        output = "-"
    return OutputSettings(output=output, **{key: given.pop(key) for key in ("format_name", "quiet", "color")})
