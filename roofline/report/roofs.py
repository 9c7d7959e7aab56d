"""A roof in words and for JSON: which peak, over which memory, and where both come from."""

from __future__ import annotations

from typing import Any

from roofline import units
from roofline.core.roof import Roof, origin


def roof_line(roof: Roof) -> str:
    """A roof in words: which peak, over which memory, and what kind of figures they are."""
    kind = "headline" if roof.headline else "roof"
    return (
        f"{kind}: {units.show(roof.peak, 'FLOP/s')} {roof.label} over "
        f"{units.show(roof.bandwidth, 'B/s')} {roof.memory.level} ({origin(roof.memory)})"
    )


def roof_context(roof: Roof) -> dict[str, Any]:
    """A roof for JSON: its figures and the keys of their sources."""
    return {
        "peak_flop_per_s": roof.peak,
        "bandwidth_byte_per_s": roof.bandwidth,
        "ridge_flop_per_byte": roof.ridge_point,
        "memory_level": roof.memory.level,
        "headline": roof.headline,
        "precision": roof.dtype,
        "sparsity": roof.sparsity,
        "unit": roof.unit,
        "accumulate": roof.accumulate,
        "peak_basis": roof.basis,
        "bandwidth_basis": roof.memory.basis,
        "peak_sources": [source.key for source in roof.sources],
        "bandwidth_sources": [source.key for source in roof.memory.sources],
        "note": roof.note,
    }


def roofs_context(roof: Roof, beside: Roof | None) -> dict[str, Any]:
    """The roof used, the dense one beside it, and the sources of both, for the context of a JSON document."""
    roofs = [roof] if beside is None else [roof, beside]
    sources = {
        source.key: {"title": source.title, "where": source.where, "kind": source.kind}
        for one in roofs
        for source in (*one.sources, *one.memory.sources)
    }
    return {
        "roof": roof_context(roof),
        "dense_roof": None if beside is None else roof_context(beside),
        "sources": sources,
    }
