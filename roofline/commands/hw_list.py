"""``roofline hw list``: the devices of the catalogue, filtered."""

from __future__ import annotations

from typing import Any

import click

from roofline.commands.base import command as declare
from roofline.commands.base import option
from roofline.commands.options import DtypeType
from roofline.commands.output_flags import output_options, output_settings


@declare("list", "List devices, filtered.")
@click.argument("words", nargs=-1, metavar="[WORD]...")
@option("Filter", "--vendor", metavar="NAME", help="Only this vendor's devices.")
@option("Filter", "--kind", type=click.Choice(["gpu", "cpu", "soc", "tpu", "npu"]), help="Only this kind.")
@option("Filter", "--dtype", type=DtypeType(), help="Only devices with a peak of this precision.")
@output_options
def command(words: tuple[str, ...], vendor: str | None, kind: str | None, dtype: str | None, **given: Any) -> None:
    """List devices; WORDs must all occur in the id, an alias, the name or the architecture.

    \b
    Examples:
      roofline hw list hopper
      roofline hw list --vendor Apple --format csv
    """
    from roofline.commands.base import context
    from roofline.commands.catalogue import every_device, of_vendor, raise_for_broken
    from roofline.commands.output import check_output, emit
    from roofline.report.catalogue import list_report

    settings = output_settings(given)
    check_output(settings)
    devices, broken = every_device()

    def fits(device: Any) -> bool:
        text = " ".join((device.id, *device.aliases, device.name)).casefold()
        starts = (device.architecture or "").casefold().split()  # a100 is no search for GA100
        return (
            all(w in text or any(start.startswith(w) for start in starts) for w in map(str.casefold, words))
            and kind in (None, device.kind)
            and (dtype is None or dtype in device.precisions)
        )

    shown = [device for device in of_vendor(devices, vendor) if fits(device)]
    emit(list_report(shown, context("hw list"), [f"left out: {error}" for error in broken]), settings)
    raise_for_broken(broken)
