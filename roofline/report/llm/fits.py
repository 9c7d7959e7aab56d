"""Whether a model at work fits into a device, in sentences: what it needs, and what more or less would fit."""

from __future__ import annotations

from roofline import units
from roofline.report.llm.memory import DEPENDS
from roofline.text import counted
from roofline.transformer.room import Edges, Room
from roofline.transformer.setup import Setup


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
    line += f" of {units.show(found.capacity, 'B')} {_sold(setup, found)}: "
    only = ""
    if needed.known > found.capacity and found.fits is None:
        only = f" {DEPENDS} ({units.show(found.possible or 0.0, 'B')}, less what the driver keeps)"
    if found.depends:
        return [f"{line}fits{only}", _room(setup, found)]
    if found.fits is None:
        return [f"{line}what is known fits{only}; whether the rest does is unknown: {found.why}"]
    if found.fits:
        return [f"{line}fits", _room(setup, found)]
    lines = [f"{line}does not fit; the bounds are hypothetical, of such a device with enough memory"]
    return [*lines, *_bounds(found)] if found.why else [*lines, _room(setup, found)]


def _sold(setup: Setup, found: Room) -> str:
    """Whose number the capacity is, and whether all of it is the model's."""
    shared = ", with the system's share" if setup.target.device.kind == "soc" else ""
    if found.possible != found.capacity:  # no driver was asked
        return f"as sold{shared}"
    return f"{_usable(setup, found.capacity or 0.0)}{shared}"


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


def room_line(setup: Setup, found: Room, *, of: str) -> list[str]:
    """What fits on one device of several; nothing where that is not known."""
    return [] if found.why else [_room(setup, found, where=f" on {of}")]


def _room(setup: Setup, found: Room, *, where: str = "") -> str:
    """How far each of four sizes can go, the others being as they are."""
    widest = _too_large(found) or _widest(found)
    # Where nobody knows whether GB are GiB, the edges are those of the smaller, which fit in either case.
    into = f" into {units.show(found.capacity or 0.0, 'B')}" if found.possible != found.capacity else ""
    reserve = found.demand.reserve
    into += f" beside {units.show(reserve, 'B')} of reserve" if reserve else ""
    return f"what fits{where}{into}: {_devices(setup, found)}; {_lengths(setup, found)}; widest weights: {widest}"


def _devices(setup: Setup, found: Room) -> str:
    if found.devices:
        return f"{counted(found.devices, 'device')} at least{_uneven(setup, found)}{_apart(setup, found.devices)}"
    most, each = found.split or (1, found.demand.known)
    where = f"each of {most:,}" if most > 1 else "1"
    return f"no number of devices (on {where}, the most that can share the heads, {units.show(each, 'B')})"


def _apart(setup: Setup, devices: int) -> str:
    """That nothing is known to join them, where several are needed."""
    return "" if devices == 1 or setup.target.device.links else ", though no link between them is known"


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
