"""``roofline ridge``: critical intensity of one device, several, or the whole catalogue."""

from __future__ import annotations

from typing import Any

import click

from roofline.commands.base import command as declare
from roofline.commands.base import option
from roofline.commands.options import device_options, devices, output_options, output_settings, roof_options, roof_query

_SORT_KEYS = {
    "id": "device",
    "name": "name",
    "ridge": "ridge_flop_per_byte",
    "peak": "peak_flop_per_s",
    "bandwidth": "bandwidth_byte_per_s",
    "capacity": "capacity_byte",
}


@declare("ridge")
@device_options
@option("Device", "--vendor", metavar="NAME", help="Only this vendor's devices.")
@roof_options
@option("Output", "--sort", type=click.Choice(list(_SORT_KEYS)), default=None, help="Order of several devices.")
@output_options
def command(hw: tuple[str, ...], peak: float | None, bw: float | None, **given: Any) -> None:
    """Ridge point I* = peak / bandwidth, in FLOP/B.

    \b
    Examples:
      roofline ridge --hw h100
      roofline ridge --vendor NVIDIA --dtype bf16 --sort ridge

    One device: a row for each of its peaks. Several: a row each, the headline and the sourced dense peak side by
    side. None: the whole catalogue.
    """
    from roofline.commands.output import check_output, emit

    settings, query = output_settings(given), roof_query(given)
    check_output(settings)
    wanted = devices(hw, peak, bw, query.dtype)
    if len(wanted) == 1 and not given["vendor"]:
        from roofline.commands.context import context
        from roofline.report.devices import device_context, peaks_report

        emit(peaks_report(wanted[0], query, context("ridge", device=device_context(wanted[0]))), settings)
        return
    _several(wanted, query, given["vendor"], given["sort"], settings)


def _several(wanted: Any, query: Any, vendor: str | None, sort: str | None, settings: Any) -> None:
    from roofline.commands.catalogue import every_device, of_vendor, raise_for_broken
    from roofline.commands.context import context
    from roofline.commands.output import emit
    from roofline.errors import UnknownNameError
    from roofline.report import Report, plain
    from roofline.report.devices import DEVICE_COLUMNS, NAMED_COLUMNS, clock_notes, device_row, headline_notes

    named_by_user = bool(wanted)
    shown, broken = (wanted, []) if named_by_user else every_device()
    rows, kept, left_out = [], [], []
    for device in of_vendor(shown, vendor):
        try:
            rows.append(device_row(device, query))
            kept.append(device)
        except UnknownNameError:
            if named_by_user:
                raise
            left_out.append(device.id)
    if sort is not None:
        key = _SORT_KEYS[sort]
        if not query.named and sort in ("ridge", "peak"):
            key = f"dense_{key}"  # the one column that every device fills
        values = [plain(row[key]) for row in rows]
        known = sorted((i for i, v in enumerate(values) if v is not None), key=lambda i: values[i])
        rows = [rows[i] for i in known] + [row for row, value in zip(rows, values, strict=True) if value is None]
    notes = [*headline_notes(kept), *clock_notes(kept, query)] if named_by_user or len(kept) <= 10 else []
    if left_out:
        notes.append(f"{len(left_out)} devices have no such figure and are left out")
    emit(
        Report(
            columns=NAMED_COLUMNS if query.named or query.sparse else DEVICE_COLUMNS,
            rows=rows,
            rows_key="devices",
            notes=notes,
            warnings=[f"left out: {error}" for error in broken],
            context=context("ridge"),
        ),
        settings,
    )
    raise_for_broken(broken)
