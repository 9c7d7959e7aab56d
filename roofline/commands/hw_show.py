"""``roofline hw show``: everything known about a device, each figure with its sources."""

from __future__ import annotations

from typing import Any

import click

from roofline.commands.base import command as declare
from roofline.commands.options import DeviceType
from roofline.commands.output_flags import output_options, output_settings


@declare("show", "Show a device with all sources.")
@click.argument("device", type=DeviceType(), metavar="ID")
@output_options
def command(device: str, **given: Any) -> None:
    """Show a device: peaks, memory, links, measured ceilings, sources, and the file they come from.

    \b
    Examples:
      roofline hw show h100
      roofline hw show ./my-chip.yaml --format json
    """
    from roofline.catalog import find
    from roofline.commands.base import context
    from roofline.commands.output import check_output, emit
    from roofline.report.catalogue import show_report

    settings = output_settings(given)
    check_output(settings, (device,))
    emit(show_report(find.device(device), context("hw show")), settings)
