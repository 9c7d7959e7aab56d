"""Whether a model at work fits into a device: what it needs, and how much more of what would fit."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from roofline import units
from roofline.errors import InputError
from roofline.report import Column, Value
from roofline.text import counted
from roofline.transformer.fit import (
    largest_batch,
    longest_context,
    smallest_devices,
    usable_capacity,
    widest_weights,
)
from roofline.transformer.memory import Demand
from roofline.transformer.setup import Setup

VERDICT_COLUMNS: Final = (
    Column(key="memory", heading="fits"),  # in words, since "no" is worth as much as "yes"
    Column(key="fits", heading="fits", format="flag", detail=True),
)
COLUMNS: Final = (
    *VERDICT_COLUMNS,
    Column(key="hypothetical", heading="hypothetical", format="flag", detail=True),
    *(
        Column(key=f"memory_{key}_byte", heading=key, format="B", detail=True)
        for key in ("usable", "needed", "weights", "kv", "live_kv", "activations", "reserve")
    ),
    Column(key="memory_step_tokens", heading="step", format="count", detail=True),
    *(
        Column(key=key, heading=key, format="count", detail=True)
        for key in ("smallest_devices", "longest_context", "largest_batch", "widest_weights")
    ),
)
_NO_LIMIT: Final = "memory sets no limit"


class Fit(NamedTuple):
    """What a device holds, and the edges of what it could; None is not known, or for a largest number: no limit."""

    demand: Demand
    capacity: float | None  # B that programs can have
    why: str | None  # it is not known whether it fits
    tokens: int  # of the step whose activations are held
    devices: int | None  # the fewest
    context: int | None
    batch: int | None
    weights: str | None  # the widest format

    @property
    def fits(self) -> bool | None:
        """Whether it fits; None where that is not known."""
        return None if self.capacity is None else self.demand.fits(self.capacity)


def fit(setup: Setup) -> Fit:
    """The memory of a setup.

    Raises:
        InputError: devices that cannot share the heads.

    """
    model, formats, load = setup.architecture, setup.formats, setup.load
    needed = setup.demand()
    try:
        capacity = usable_capacity(setup.target.device)
    except InputError as error:
        return Fit(needed, None, str(error), load.tokens, None, None, None, None)
    if not needed.complete:
        unknown = " and ".join(
            word for word, size in (("KV cache", needed.kv), ("activations", needed.activations)) if size is None
        )
        verb = "are" if needed.activations is None else "is"
        return Fit(needed, capacity, f"{unknown} {verb} unknown", load.tokens, None, None, None, None)
    return Fit(
        needed,
        capacity,
        None,
        load.tokens,
        smallest_devices(model, formats, load, capacity),
        longest_context(model, formats, load, capacity),
        largest_batch(model, formats, load, capacity),
        widest_weights(model, formats, load, capacity),
    )


def fit_cells(found: Fit) -> dict[str, Any]:
    """The cells of :data:`COLUMNS`."""
    needed, why = found.demand, found.why
    unknown = why or "unknown"

    def edge(value: int | None) -> Any:
        return Value(value, None, unknown if why else _NO_LIMIT) if value is None else value

    return {
        **verdict_cells(found.fits, unknown),
        "hypothetical": found.fits is False,
        "memory_usable_byte": Value(found.capacity, None, unknown),
        "memory_needed_byte": needed.known,
        "memory_weights_byte": needed.weights,
        "memory_kv_byte": Value(needed.kv, None, unknown),
        "memory_live_kv_byte": Value(needed.live, None, unknown),
        "memory_activations_byte": Value(needed.activations, None, unknown),
        "memory_reserve_byte": needed.reserve,
        "memory_step_tokens": Value(None if needed.activations is None else found.tokens, None, unknown),
        "smallest_devices": Value(found.devices, None, why or "not on any number of them"),
        "longest_context": edge(found.context),
        "largest_batch": edge(found.batch),
        "widest_weights": Value(found.weights, None, why or "no format is narrow enough"),
    }


def verdict_cells(fits: bool | None, unknown: str = "unknown") -> dict[str, Any]:
    """The cells of :data:`VERDICT_COLUMNS`; ``unknown`` says why nobody knows."""
    return {
        "memory": "unknown" if fits is None else "yes" if fits else "no",
        "fits": Value(fits, None, unknown if fits is None else None),
    }


def fit_lines(setup: Setup, found: Fit) -> list[str]:
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
    line += f" of {units.show(found.capacity, 'B')} usable: "
    if found.fits is None:
        return [f"{line}what is known fits; whether the rest does is unknown: {found.why}"]
    if found.fits:
        return [f"{line}fits", _room(setup, found)]
    lines = [f"{line}does not fit; the bounds are hypothetical, of such a device with enough memory"]
    return lines if found.why else [*lines, _room(setup, found)]


def _room(setup: Setup, found: Fit) -> str:
    """How far each of four sizes can go, the others being as they are."""
    load = setup.load
    context = "any" if found.context is None else counted(found.context, "position") if found.context else "none"
    batch = "any" if found.batch is None else f"{found.batch:,}" if found.batch else "none"
    devices = f"{counted(found.devices, 'device')} at least" if found.devices else "not on any number of devices"
    return (
        f"what fits: {devices}; longest context at batch {load.batch:,}: {context}; "
        f"largest batch at {counted(load.positions, 'position')}: {batch}; widest weights: {found.weights or 'none'}"
    )
