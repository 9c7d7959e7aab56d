"""The roofs of a model's steps in words and for JSON: those of its precisions, and the headline's ridge beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from roofline import units
from roofline.core.choice import RoofQuery, choose
from roofline.core.device import Device
from roofline.core.roof import Roof
from roofline.report.devices import device_context, headline_notes, scope_notes
from roofline.report.roofs import roof_line, roofs_contexts
from roofline.transformer.setup import Setup


def roof_lines(setups: Sequence[Setup]) -> list[str]:
    """Each roof that decode runs under, and of each device with a headline what that is and where its ridge lies."""
    several = len({setup.target.device.id for setup in setups}) > 1
    lines = []
    for setup in setups:
        device = setup.target.device
        lines += [roof_line(roof, of=device.id if several else None) for roof in _roofs(setup)]
        if device.headline is not None:
            headline = _headline(device)
            line = roof_line(headline, of=device.id if several else None)
            lines.append(f"{line}: I* {units.intensity(headline.ridge_point)} FLOP/B")
    return list(dict.fromkeys(lines))


def peak_lines(setups: Sequence[Setup], *, phases: Sequence[str] = ("prefill", "decode")) -> list[str]:
    """Of which peaks that of a step is made whose products run in several precisions."""
    several = len({setup.target.device.id for setup in setups}) > 1
    lines = []
    for setup in setups:
        roofs: dict[str, Roof] = {}
        for table in (setup.prefill if phase == "prefill" else setup.decode for phase in phases):
            if len(table.flops_by_precision) > 1:
                roofs |= setup.roofs(table).by_precision
        if len({roof.peak for roof in roofs.values()}) > 1:
            peaks = " and ".join(f"{units.show(roof.peak, 'FLOP/s')} {dtype}" for dtype, roof in roofs.items())
            of = f" of {setup.target.device.id}" if several else ""
            lines.append(f"peak and I*{of}: of {peaks}, weighted by FLOP (harmonic mean)")
    return list(dict.fromkeys(lines))


def device_lines(setups: Sequence[Setup]) -> list[str]:
    """What each headline really is, and what part of a product each file covers."""
    notes = [
        note for device in _devices(setups) for note in (headline_notes if device.headline else scope_notes)([device])
    ]
    return list(dict.fromkeys(notes))


def roofs_of_steps(setups: Sequence[Setup]) -> dict[str, Any]:
    """Devices and roofs for the context of a JSON document, headlines among them and marked."""
    devices = _devices(setups)
    roofs = [roof for setup in setups for roof in _roofs(setup)]
    roofs += [_headline(device) for device in devices if device.headline is not None]
    return {"devices": [device_context(device) for device in devices]} | roofs_contexts(list(dict.fromkeys(roofs)))


def _devices(setups: Sequence[Setup]) -> list[Device]:
    """Each device once."""
    return list({setup.target.device.id: setup.target.device for setup in setups}.values())


def _roofs(setup: Setup) -> list[Roof]:
    return list(setup.roofs(setup.decode).by_precision.values())


def _headline(device: Device) -> Roof:
    return choose(device, RoofQuery(headline=True)).roof
