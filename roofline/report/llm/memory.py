"""Whether a model at work fits into a device, as columns and in sentences: what it needs, and what more would fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from roofline import units
from roofline.report import Column, Value
from roofline.report.llm.fields import Field, cells, columns
from roofline.text import counted
from roofline.transformer.room import Edges, Room
from roofline.transformer.setup import Setup

FITS: Final = Column(key="fits", heading="fits", format="answer")
_NO_LIMIT: Final = "memory sets no limit"
_DEPENDS: Final = "only if the GB that it is sold with are GiB"


def _known(value: Any, found: Room) -> Value:
    """A size, or why nobody knows it."""
    return Value(value, None, found.why or "unknown")


def _edge(value: int | None, found: Room) -> Any:
    """A largest number; there may be none because memory sets no limit."""
    return Value(value, None, found.why or _NO_LIMIT) if value is None else value


def _weights(value: str | None, found: Room) -> Value:
    return Value(value, None, found.why or "no format is narrow enough")


def _bound(found: Room, get: Callable[[Edges], Any]) -> Value:
    """What follows from what is known, where not all is."""
    if found.bounds is not None:
        return Value(get(found.bounds), None, "none is known to do")
    return Value(None, None, "the memory capacity is unknown" if found.capacity is None else "no mere bound is needed")


# fmt: off
_FIELDS: Final[tuple[Field, ...]] = (
    Field("hypothetical", "", "", "flag", lambda r: r.fits is False),
    Field("memory_usable_byte", "", "", "B", lambda r: _known(r.capacity, r)),
    Field("memory_possible_byte", "", "", "B", lambda r: _known(r.possible, r)),
    Field("memory_needed_byte", "", "", "B", lambda r: r.demand.known),
    Field("memory_weights_byte", "", "", "B", lambda r: r.demand.weights),
    Field("memory_kv_byte", "", "", "B", lambda r: _known(r.demand.kv, r)),
    Field("memory_live_kv_byte", "", "", "B", lambda r: _known(r.demand.live, r)),
    Field("memory_activations_byte", "", "", "B", lambda r: _known(r.demand.activations, r)),
    Field("memory_reserve_byte", "", "", "B", lambda r: r.demand.reserve),
    Field("memory_step_tokens", "", "", "count",
          lambda r: _known(None if r.demand.activations is None else r.tokens, r)),
    Field("smallest_devices", "", "needs", "count",
          lambda r: Value(r.devices, None, r.why or "not on any number of them")),
    Field("smallest_devices_bound", "", "", "count", lambda r: _bound(r, lambda edges: edges.devices)),
    Field("longest_context", "", "", "count", lambda r: _edge(r.context, r)),
    Field("largest_batch", "", "", "count", lambda r: _edge(r.batch, r)),
    Field("widest_weights", "", "", "text", lambda r: _weights(r.weights, r)),
    Field("widest_weights_bound", "", "", "text", lambda r: _bound(r, lambda edges: edges.weights)),
    Field("widest_served_weights", "", "", "text", lambda r: _weights(r.served, r)),
    Field("widest_gguf_weights", "", "", "text", lambda r: _weights(r.gguf, r)),
)
# fmt: on


def memory_columns(*, several: bool) -> list[Column]:
    """The columns of :func:`memory_cells`; rows of devices show whether it fits and, with room, how many it needs."""
    found = [column._replace(spare=not column.detail) for column in columns(_FIELDS, short=several)]
    return [FITS._replace(detail=not several), *found]


def memory_cells(found: Room) -> dict[str, Any]:
    """Whether it fits, and all sizes."""
    return {"fits": fits_cell(found.fits, _DEPENDS if found.depends else found.why), **cells(_FIELDS, found)}


def fits_cell(fits: bool | None, why: str | None = None) -> Value:
    """The cell of :data:`FITS`; ``why`` says why nobody knows."""
    return Value(fits, None, (why or "unknown") if fits is None else None, unknown=fits is None)


def memory_lines(setup: Setup, found: Room) -> list[str]:
    """What is needed and whether it fits, in a sentence; and what more, or less, would fit."""
    needed = found.demand
    held = f"activations of {counted(found.tokens, 'token')} at once"
    sizes = [("weights", needed.weights), ("KV cache", needed.kv), (held, needed.activations)]
    sizes += [("reserve", needed.reserve)] if needed.reserve else []
    parts = [f"{units.show(size, 'B')} {name}" for name, size in sizes if size is not None]
    total = f" = {units.show(needed.known, 'B')}" if len(parts) > 1 else ""
    each = f" of each of {setup.devices} devices" if setup.devices > 1 else ""
    line = f"memory{each}: {' + '.join(parts)}{total}"
    if found.capacity is None:
        return [f"{line}; whether it fits is unknown: {found.why}"]
    sold = found.possible != found.capacity  # no driver was asked
    line += f" of {units.show(found.capacity, 'B')} {'as sold' if sold else _usable(setup, found.capacity)}: "
    if found.depends and found.possible is not None:
        most = f"{units.show(found.possible, 'B')}, less what the driver keeps"
        return [f"{line}fits {_DEPENDS} ({most})", _room(setup, found)]
    if found.fits is None:
        return [f"{line}what is known fits; whether the rest does is unknown: {found.why}"]
    if found.fits:
        return [f"{line}fits", _room(setup, found)]
    lines = [f"{line}does not fit; the bounds are hypothetical, of such a device with enough memory"]
    return [*lines, *_bounds(found)] if found.why else [*lines, _room(setup, found)]


def _usable(setup: Setup, capacity: float) -> str:
    """What a driver shows, which is not the number that a device is sold by."""
    printed = setup.target.device.main_memory.capacity
    if printed is None or units.show(printed, "B") == units.show(capacity, "B"):
        return "usable"
    return f"usable (sold as {units.show(printed, 'B')})"


def _bounds(found: Room) -> list[str]:
    """What follows from the weights, and the KV cache if that is known, before anything else is counted."""
    if found.bounds is None:
        return []
    edges, alone = found.bounds, "weights" if found.demand.kv is None else "weights and KV cache"
    devices = f"{counted(edges.devices, 'device')} at least" if edges.devices else "no number of devices is enough"
    kinds = {"as served": edges.served, "in GGUF": edges.gguf} if edges.served != edges.gguf else {"": edges.weights}
    widest = " and ".join(f"{name} {kind}".strip() for kind, name in kinds.items() if name)
    none = " and ".join(f"no format {kind}".strip() for kind, name in kinds.items() if not name)
    said = [f"weights no wider than {widest}"] * bool(widest) + [f"{none} is narrow enough"] * bool(none)
    return [f"from the {alone} alone, as bounds: {'; '.join([devices, *said])}"]


def _room(setup: Setup, found: Room) -> str:
    """How far each of four sizes can go, the others being as they are."""
    widest = _too_large(found) or _widest(found)
    return f"what fits: {_devices(setup, found)}; {_lengths(setup, found)}; widest weights: {widest}"


def _devices(setup: Setup, found: Room) -> str:
    if found.devices:
        return f"{counted(found.devices, 'device')} at least{_uneven(setup, found)}"
    most, each = found.split or (1, found.demand.known)
    where = f"each of {most:,}" if most > 1 else "1"
    return f"no number of devices (on {where}, the most that can share the heads, {units.show(each, 'B')})"


def _uneven(setup: Setup, found: Room) -> str:
    """Why fewer devices are not enough, though their memory would be."""
    if found.uneven is None or found.devices is None:
        return ""
    fewer = range(found.uneven, found.devices)
    which = f"{fewer[0]} to {fewer[-1]}" if fewer[1:] else str(fewer[0])
    heads = {layer.attention.heads for _, layer in setup.architecture.layers}
    uneven = all(any(number % devices for number in heads) for devices in fewer)  # else KV heads are what some cannot
    shared = counted(heads.pop(), "head") if uneven and len(heads) == 1 else "heads"
    return f" ({which} cannot share the {shared} evenly)"


def _too_large(found: Room) -> str:
    """Why no weights fit, however narrow; empty where they would decide."""
    rest = {"KV cache": found.demand.kv or 0, "activations": found.demand.activations or 0}
    rest |= {"reserve": found.demand.reserve}
    capacity = found.capacity or 0.0
    for part, size in rest.items():
        if size > capacity:
            verb = "do" if part == "activations" else "does"
            return f"none, since the {part} alone ({units.show(size, 'B')}) {verb} not fit"
    if sum(rest.values()) <= capacity:
        return ""
    parts = " and ".join(part for part, size in rest.items() if size)
    return f"none, since {parts} alone ({units.show(sum(rest.values()), 'B')}) do not fit"


def _lengths(setup: Setup, found: Room) -> str:
    """The longest context and the largest batch, one sentence where the weights leave room for neither."""
    load, made = setup.load, setup.architecture.longest_context
    if not found.weights_fit:
        return "no context and no batch, since the weights alone do not fit"
    context = "any" if found.context is None else counted(found.context, "position") if found.context else "none"
    if made is not None and (found.context is None or found.context > made):
        context += f" (made for {made:,})"
    batch = "any" if found.batch is None else f"{found.batch:,}" if found.batch else "none"
    return (
        f"longest context at batch {load.batch:,}: {context}; "
        f"largest batch at {counted(load.positions, 'position')}: {batch}"
    )


def _widest(found: Room | Edges) -> str:
    """The widest format; below 16 bits that of serving engines and that of GGUF files, of which most use one."""
    if found.served == found.gguf:
        return found.weights or "none"
    return f"{found.served or 'none'} as served, {found.gguf or 'none'} in GGUF"
