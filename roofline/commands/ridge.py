"""``roofline ridge``: critical intensity of one device, several, or the whole catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from roofline.commands.base import command as declare
from roofline.commands.base import option
from roofline.commands.options import AtLeastOne, device_names, device_options, devices, roof_options, roof_query
from roofline.commands.output_flags import output_options, output_settings
from roofline.errors import InputError

if TYPE_CHECKING:
    from roofline.commands.output_flags import OutputSettings
    from roofline.core.choice import RoofQuery
    from roofline.core.device import Device

_SORTS = ["id", "name", "ridge", "peak", "bandwidth", "capacity"]


@declare("ridge")
@device_options
@option("Device", "--vendor", metavar="NAME", help="Only this vendor's devices.")
@roof_options
@option("List", "--sort", type=click.Choice(_SORTS), help="Order of several devices; figures: largest first.")
@option("List", "--top", type=AtLeastOne(), help="Only so many of them.")
@output_options
def command(hw: tuple[str, ...], peak: float | None, bw: float | None, **given: Any) -> None:
    """Ridge point I* = peak / bandwidth, in FLOP/B.

    \b
    Examples:
      roofline ridge --hw h100
      roofline ridge --vendor NVIDIA --dtype bf16 --sort ridge --top 5

    One device: a row for each of its peaks. Several: a row each, the headline and the sourced dense peak side by
    side. None: the whole catalogue. A headline is kept only where the field quotes a figure that kernels cannot reach.
    """
    from roofline.commands.output import check_output, emit

    settings, query = output_settings(given), roof_query(given)
    check_output(settings, device_names(hw))
    wanted = devices(hw, peak, bw, query.dtype)
    if len(wanted) == 1 and not given["vendor"]:
        from roofline.commands.base import context
        from roofline.report.devices import device_context, peaks_report

        if given["sort"] or given["top"]:
            raise InputError("--sort and --top order several devices", hint="name more with --hw, or none for all")
        emit(peaks_report(wanted[0], query, context("ridge", device=device_context(wanted[0]))), settings)
        return
    _several(wanted, query, settings, **given)


def _several(
    wanted: list[Device],
    query: RoofQuery,
    settings: OutputSettings,
    *,
    vendor: str | None,
    sort: str | None,
    top: int | None,
) -> None:
    """A row a device; of the whole catalogue those that have the roof that was asked for."""
    from roofline.commands.base import context
    from roofline.commands.catalogue import every_device, of_vendor, raise_for_broken
    from roofline.commands.output import emit
    from roofline.core.choice import choose
    from roofline.errors import UnknownNameError
    from roofline.report.ranking import ranking

    shown, broken = (wanted, []) if wanted else every_device()
    of_this, kept = of_vendor(shown, vendor), []
    for device in of_this:
        try:
            kept.append((device, choose(device, query)))
        except (UnknownNameError, InputError):
            if wanted:
                raise
    left_out = len(of_this) - len(kept)
    warnings = [f"left out: {error}" for error in broken]
    emit(ranking(kept, query, context("ridge"), sort=sort, top=top, left_out=left_out, warnings=warnings), settings)
    raise_for_broken(broken)
