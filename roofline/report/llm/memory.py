"""Whether a model at work fits into a device, as columns: what it needs, and what more would fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from roofline.report import Column, Value
from roofline.report.llm import Field, cells, columns
from roofline.transformer.memory import Demand
from roofline.transformer.room import Edges, Room

FITS: Final = Column(key="fits", heading="fits", format="answer")
_NO_LIMIT: Final = "memory sets no limit"
DEPENDS: Final = "only if the GB that it is sold with are GiB"


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


# What rows of a grid have of memory in machine formats, under the keys of a sheet.
ROW_COLUMNS: Final = columns([field for field in _FIELDS if field.key in ("memory_usable_byte", "memory_needed_byte")])


def row_cells(usable: float | None, needed: Demand) -> dict[str, Any]:
    """The cells of :data:`ROW_COLUMNS`."""
    usable_cell = Value(usable, None, "the memory capacity is unknown" if usable is None else None)
    return {"memory_usable_byte": usable_cell, "memory_needed_byte": needed.known}


def memory_columns(*, several: bool) -> list[Column]:
    """The columns of :func:`memory_cells`; rows of devices show whether it fits and, with room, how many it needs."""
    found = [column._replace(spare=not column.detail) for column in columns(_FIELDS, short=several)]
    return [FITS._replace(detail=not several), *found]


def memory_cells(found: Room) -> dict[str, Any]:
    """Whether it fits, and all sizes."""
    why = DEPENDS if found.depends else found.why
    if found.why and found.fits is None and found.capacity is not None and found.demand.known > found.capacity:
        why = f"{found.why}; what is known fits {DEPENDS}"
    return {"fits": fits_cell(found.fits, why), **cells(_FIELDS, found)}


def fits_cell(fits: bool | None, why: str | None = None) -> Value:
    """The cell of :data:`FITS`; ``why`` says why nobody knows."""
    return Value(fits, None, (why or "unknown") if fits is None else None, unknown=fits is None)
