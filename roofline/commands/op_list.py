"""``roofline op list``: the operations, by family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from roofline.commands.base import command as declare
from roofline.commands.output_flags import output_options, output_settings

if TYPE_CHECKING:
    from roofline.operations.registry import Operation


@declare("list")
@click.argument("words", nargs=-1, metavar="[WORD]...")
@output_options
def command(words: tuple[str, ...], **given: Any) -> None:
    """List operations; WORDs must all occur in a name, the family or the summary.

    \b
    Examples:
      roofline op list
      roofline op list stream
    """
    from roofline.commands.base import context
    from roofline.commands.output import check_output, emit
    from roofline.operations import registry
    from roofline.report.operations import list_report

    settings = output_settings(given)
    check_output(settings)
    shown = [
        operation
        for found in registry.families().values()
        for operation in found
        if all(w.casefold() in _text(operation) for w in words)
    ]
    emit(list_report(shown, context("op list")), settings)


def _text(operation: Operation) -> str:
    """What an operation is found by: its names, family and summary."""
    from roofline.operations.registry import EVERYDAY

    usual = " ".join(word for word, name in EVERYDAY.items() if name == operation.name)
    return f"{operation.name} {usual} {operation.family} {operation.summary}".casefold()
