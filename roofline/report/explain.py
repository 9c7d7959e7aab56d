"""The formulas of a placement written out: each with the numbers in it and where each number came from."""

from __future__ import annotations

import math

from roofline.core.device import Source
from roofline.core.link import Port
from roofline.core.placement import Placement, Term
from roofline.core.roof import Roof, origin
from roofline.units import intensity as show_intensity
from roofline.units import show


def explain(placement: Placement, *, title: str = "") -> list[str]:
    """One line a formula, then the origin of the peak and of the bandwidth."""
    kernel, roof = placement.kernel, placement.roof
    lines = [title] if title else []
    if kernel.known_intensity is not None:
        lines.append(f"I = {show_intensity(kernel.known_intensity)} FLOP/B (given)")
    elif kernel.flops is not None and kernel.bytes is not None and placement.intensity is not None:
        doubled = " (2 FLOP per MAC)" if kernel.from_macs else ""
        lines.append(
            f"I = FLOPs / bytes = {show(kernel.flops, 'FLOP')}{doubled} / {show(kernel.bytes, 'B')}"
            f" = {show_intensity(placement.intensity)} FLOP/B"
        )
    lines.append(
        f"I* = P_max / BW = {show(roof.peak, 'FLOP/s')} / {show(roof.bandwidth, 'B/s')}"
        f" = {show_intensity(roof.ridge_point)} FLOP/B"
    )
    lines += _attainable(placement)
    if placement.terms:
        formulas = [f"{_formula(term)} = {show(term.seconds, 's')}" for term in placement.terms]
        least = show(placement.least_time or 0.0, "s")
        lines.append(f"least time = max({', '.join(formulas)}) = {least}")
    if placement.below_floor:
        lines.append(f"least time < launch floor = {show(placement.floor, 's')}: latency-bound")
    lines += _measured(placement)
    return [*lines, *provenance(roof), *(_link(placement.link) if placement.link else ())]


def _formula(term: Term) -> str:
    match term.resource:
        case "compute":
            return "FLOPs / P_max"
        case "memory":
            return f"bytes / BW of {term.name}"
        case "link":
            return f"messages x latency + wire / BW of {term.name}"


def _attainable(placement: Placement) -> list[str]:
    roof, intensity = placement.roof, placement.intensity
    if intensity is None or placement.attainable is None or placement.peak_share is None:
        return ["bound: unknown, since I is"]
    relation = "<" if intensity < roof.ridge_point else ">="
    compared = f"I = {show_intensity(intensity)} {relation} I* = {show_intensity(roof.ridge_point)}"
    reached = f"{compared}: {roof.bound(intensity)}-bound over {roof.memory.level}"
    product = "infinite" if math.isinf(intensity) else show(intensity * roof.bandwidth, "FLOP/s")
    lines = [
        reached,
        f"attainable = min(P_max, I * BW) = min({show(roof.peak, 'FLOP/s')}, {product})"
        f" = {show(roof.attainable(intensity), 'FLOP/s')}",
    ]
    if placement.several:
        lines = [reached, *_several(placement)]
    lines.append(
        f"share of peak = attainable / P_max = {show(placement.attainable, 'FLOP/s')} / {show(roof.peak, 'FLOP/s')}"
        f" = {show(placement.peak_share, '1')}"
    )
    return lines


def _several(placement: Placement) -> list[str]:
    """With several memory levels or a link the slowest term decides, not one ridge."""
    kernel, lines = placement.kernel, []
    for level in placement.levels:
        moved = kernel.bytes_at[level.memory.level]
        lines.append(f"{level.memory.level}: {show(moved, 'B')} at {show(level.bandwidth, 'B/s')}")
    if placement.link is not None:
        port = placement.link
        lines.append(
            f"{port.name}: {kernel.messages} messages of {show(port.latency, 's')} latency, "
            f"{show(kernel.wire or 0.0, 'B')} at {show(port.bandwidth, 'B/s')}"
        )
    by = f" by {placement.binding_level}" if placement.binding_level else ""
    lines.append(f"the largest least time below binds: {placement.roof_bound}-bound{by}")
    if kernel.flops and placement.least_time and placement.attainable is not None:
        lines.append(
            f"attainable = FLOPs / least time = {show(kernel.flops, 'FLOP')} / {show(placement.least_time, 's')}"
            f" = {show(placement.attainable, 'FLOP/s')}"
        )
    return lines


def _measured(placement: Placement) -> list[str]:
    kernel, lines = placement.kernel, []
    if kernel.seconds is not None and kernel.flops is not None and kernel.achieved is not None:
        lines.append(
            f"achieved = FLOPs / time = {show(kernel.flops, 'FLOP')} / {show(kernel.seconds, 's')}"
            f" = {show(kernel.achieved, 'FLOP/s')}"
        )
    if placement.achieved_share is not None and kernel.achieved is not None:
        lines.append(
            f"achieved / peak = {show(kernel.achieved, 'FLOP/s')} / {show(placement.roof.peak, 'FLOP/s')}"
            f" = {show(placement.achieved_share, '1')}"
        )
    if placement.efficiency is not None and kernel.seconds is not None and placement.least_time is not None:
        lines.append(
            f"share of roof = least time / time = {show(placement.least_time, 's')} / {show(kernel.seconds, 's')}"
            f" = {show(placement.efficiency, '1')}"
        )
    return lines


def provenance(roof: Roof) -> list[str]:
    """Where a roof's peak and bandwidth come from, a line each."""
    kind = "headline, " if roof.headline else ""
    note = f"; {roof.note}" if roof.note else ""
    return [
        f"P_max = {show(roof.peak, 'FLOP/s')}: {kind}{roof.label}; {_cite(roof.sources)}{note}",
        f"BW = {show(roof.bandwidth, 'B/s')}: {roof.memory.level} ({origin(roof.memory)}); {_cite(roof.memory.sources)}"
        + (f"; {roof.memory.note}" if roof.memory.note else ""),
    ]


def _link(port: Port) -> list[str]:
    note = f"; {port.note}" if port.note else ""
    return [f"link = {show(port.bandwidth, 'B/s')} one way: {port.name} ({port.basis}); {_cite(port.sources)}{note}"]


def _cite(sources: tuple[Source, ...]) -> str:
    if not sources:
        return "no source given"
    return "source: " + " | ".join(source.citation for source in sources)
