"""A roof in words and for JSON: which peak, over which memory, and where both come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, get_args

from roofline import units
from roofline.core.roof import Bound, Roof, origin

if TYPE_CHECKING:  # ridge places no kernel and should not pay for it
    from roofline.core.placement import Placed

BOUND_WORDS: Final = {bound: f"{bound}-bound" for bound in get_args(Bound)}


def roof_line(roof: Roof, *, of: str | None = None) -> str:
    """A roof in words: which peak, over which memory, and what kind of figures they are (and of which device)."""
    kind = "headline" if roof.headline else "roof"
    return (
        f"{kind}{f' of {of}' if of else ''}: {units.show(roof.peak, 'FLOP/s')} {roof.label} over "
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
    return {
        "roof": roof_context(roof),
        "dense_roof": None if beside is None else roof_context(beside),
        "sources": _sources([roof] if beside is None else [roof, beside]),
    }


def distinct_roofs(placed: Sequence[Placed]) -> list[Roof]:
    """The roofs under which kernels were placed, each once, in the order of their use."""
    found: dict[int, Roof] = {}  # by identity first: a long list has few roofs
    for one in placed:
        for placement in (one.first, one.beside, one.headline):
            if placement is not None:
                found.setdefault(id(placement.roof), placement.roof)
    return list(dict.fromkeys(found.values()))


def roofs_of_devices(placed: Sequence[Placed]) -> list[tuple[Roof, str]]:
    """The same for kernels on several devices: each roof with the device that it is of."""
    found: dict[tuple[int, str], tuple[Roof, str]] = {}
    for one in placed:
        for placement in (one.first, one.beside, one.headline):
            if placement is not None:
                found.setdefault((id(placement.roof), one.device.id), (placement.roof, one.device.id))
    return list(found.values())


def roofs_contexts(roofs: Sequence[Roof]) -> dict[str, Any]:
    """Several roofs and their sources, for the context of a JSON document."""
    return {"roofs": [roof_context(roof) for roof in roofs], "sources": _sources(roofs)}


def _sources(roofs: Sequence[Roof]) -> dict[str, Any]:
    return {
        source.key: {"title": source.title, "where": source.where, "kind": source.kind}
        for roof in roofs
        for source in (*roof.sources, *roof.memory.sources)
    }
