"""``roofline hw``: the catalogue; its subcommands have modules of their own."""

from __future__ import annotations

from typing import ClassVar

import click

from roofline.commands.base import CONTEXT_SETTINGS, LazyGroup


class Commands(LazyGroup):
    """The subcommands of ``hw`` and the modules they live in."""

    not_found = "roofline hw show ID shows a device"

    modules: ClassVar[dict[str, str]] = {
        "list": "roofline.commands.hw_list",
        "show": "roofline.commands.hw_show",
        "lint": "roofline.commands.hw_lint",
        "schema": "roofline.commands.hw_schema",
    }


@click.group("hw", cls=Commands, context_settings=CONTEXT_SETTINGS)
def command() -> None:
    """List, show and lint the hardware catalogue.

    \b
    Examples:
      roofline hw list --vendor AMD
      roofline hw show h100

    Files are searched in $ROOFLINE_HARDWARE (folders), $XDG_CONFIG_HOME/roofline/hardware and the shipped catalogue;
    the first of an id wins.
    """
