"""``roofline op formats``: the number formats that operands may be held in."""

from __future__ import annotations

from typing import Any

import click

from roofline.commands.base import command as declare
from roofline.commands.output_flags import output_options, output_settings


@declare("formats")
@click.argument("words", nargs=-1, metavar="[WORD]...")
@output_options
def command(words: tuple[str, ...], **given: Any) -> None:
    """List number formats with their bits, scales included; WORDs must all occur in a name.

    \b
    Examples:
      roofline op formats
      roofline op formats int4
    """
    from roofline.commands.base import context
    from roofline.commands.output import check_output, emit
    from roofline.precision import FORMATS
    from roofline.report.operations import formats_report

    settings = output_settings(given)
    check_output(settings)
    shown = [
        each
        for each in FORMATS.values()
        if all(word.casefold() in " ".join((each.name, *each.aliases)) for word in words)
    ]
    emit(formats_report(shown, context("op formats")), settings)
