"""Whether a model at work fits into a device, as columns and in sentences: what it needs, and what more would fit."""

from __future__ import annotations

from typing import Any, Final

from roofline import units
from roofline.report import Column, Value
from roofline.report.llm.fields import Field, cells, columns
from roofline.text import counted
from roofline.transformer.room import Room
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
    Field("longest_context", "", "", "count", lambda r: _edge(r.context, r)),
    Field("largest_batch", "", "", "count", lambda r: _edge(r.batch, r)),
    Field("widest_weights", "", "", "text", lambda r: _weights(r.weights, r)),
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
    line += f" of {units.show(found.capacity, 'B')} {'as sold' if sold else 'usable'}: "
    if found.depends and found.possible is not None:
        most = f"{units.show(found.possible, 'B')}, less what the driver keeps"
        return [f"{line}fits {_DEPENDS} ({most})", _room(setup, found)]
    if found.fits is None:
        return [f"{line}what is known fits; whether the rest does is unknown: {found.why}"]
    if found.fits:
        return [f"{line}fits", _room(setup, found)]
    lines = [f"{line}does not fit; the bounds are hypothetical, of such a device with enough memory"]
    return lines if found.why else [*lines, _room(setup, found)]


def _room(setup: Setup, found: Room) -> str:
    """How far each of four sizes can go, the others being as they are."""
    return f"what fits: {_devices(found)}; {_lengths(setup, found)}; widest weights: {_widest(found)}"


def _devices(found: Room) -> str:
    if found.devices:
        return f"{counted(found.devices, 'device')} at least"
    most, each = found.split or (1, found.demand.known)
    where = f"each of {most:,}" if most > 1 else "1"
    return f"no number of devices (on {where}, the most that can share the heads, {units.show(each, 'B')})"


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


def _widest(found: Room) -> str:
    """The widest format; below 16 bits that of serving engines and that of GGUF files, of which most use one."""
    if found.served == found.gguf:
        return found.weights or "none"
    return f"{found.served or 'none'} as served, {found.gguf or 'none'} in GGUF"
