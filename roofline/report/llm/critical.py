"""From which batch decode is compute-bound, and beyond which context no batch is: as sentences and for JSON."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

from roofline.report import Column, Value
from roofline.transformer.closed_decode import closed_decode
from roofline.transformer.critical import critical_batch_of, crossover_context
from roofline.transformer.setup import Setup

_NEVER: Final = "no batch is compute-bound at this context"
_ALWAYS: Final = "from some batch on decode is compute-bound at any context"
_UNKNOWN: Final = "nothing is known of the layers, and so of the KV cache"

# Beside the figures of a decode step, for machine formats; people get the sentences.
CRITICAL_COLUMNS: Final = (
    Column(key="critical_batch", heading="critical batch", format="count", detail=True),
    Column(key="critical_batch_with_activations", heading="with activations", format="count", detail=True),
    Column(key="critical_batch_at_context_1", heading="at context 1", format="count", detail=True),
    Column(key="crossover_context_tokens", heading="crossover context", format="count", detail=True),
    Column(key="crossover_context_with_activations_tokens", heading="with activations", format="count", detail=True),
)


class Critical(NamedTuple):
    """The critical batch by what is counted, in sequences, and the crossover context, in positions; None: never."""

    batch: float | None  # weights and KV cache
    with_activations: float | None
    at_one: float | None  # at context 1
    crossover: float | None  # beyond it no batch is compute-bound; None: there is none
    crossover_with_activations: float | None
    cached: bool  # whether the KV cache is known


def critical(setup: Setup) -> Critical:
    """The closed forms of :mod:`roofline.transformer.critical` for what is asked of a model.

    Where a layer is split over several devices it is the batch of all of them; their links are left out.

    Raises:
        InputError: devices that cannot share the heads.
        UnknownNameError: the device has no peak of a precision that the model multiplies in.

    """
    model = closed_decode(setup.architecture, setup.formats, setup.conventions, devices=setup.devices)
    roofs = setup.roofs(setup.decode())
    peaks, bandwidth = {dtype: roof.peak for dtype, roof in roofs.by_precision.items()}, roofs.bandwidth
    return Critical(
        batch=critical_batch_of(model, setup.context, peaks, bandwidth),
        with_activations=critical_batch_of(model, setup.context, peaks, bandwidth, activations=True),
        at_one=critical_batch_of(model, 0, peaks, bandwidth),
        crossover=crossover_context(model, peaks, bandwidth),
        crossover_with_activations=crossover_context(model, peaks, bandwidth, activations=True),
        cached=bool(setup.architecture.layers),
    )


def critical_cells(found: Critical) -> dict[str, Any]:
    """The columns above, with a reason where there is no such batch or context."""
    never = _NEVER if found.cached else _UNKNOWN
    ever = _ALWAYS if found.cached else _UNKNOWN
    crossover, with_activations = (found.crossover, found.crossover_with_activations) if found.cached else (None, None)
    return {
        "critical_batch": Value(found.batch if found.cached else None, None, never),
        "critical_batch_with_activations": Value(found.with_activations if found.cached else None, None, never),
        "critical_batch_at_context_1": Value(found.at_one, None, _NEVER),
        "crossover_context_tokens": Value(crossover, None, ever),
        "crossover_context_with_activations_tokens": Value(with_activations, None, ever),
    }


def critical_lines(setup: Setup, found: Critical, *, of: str | None = None) -> list[str]:
    """The same in one or two sentences; ``of`` names the device where there are several."""
    where = f" on {of}" if of else ""
    links = "; links left out" if setup.devices > 1 else ""
    if not found.cached:
        return [f"critical batch{where}: {_batch(found.at_one)} without the KV cache, of which nothing is known{links}"]
    counted = f"{_batch(found.batch)} by weights and KV cache"
    if found.batch is not None:
        counted += f", {_batch(found.with_activations)} with activations"
    counted += f"; {_batch(found.at_one)} at context 1"
    if setup.architecture.is_moe:
        counted += " (solved for the experts that a batch touches)"
    lines = [f"critical batch at context {setup.context}{where}: {counted}{links}"]
    if found.crossover is None:
        lines.append(f"crossover context{where}: none, {_ALWAYS}")
    elif found.crossover < 1:
        lines.append(f"no batch of decode is compute-bound at any context{where}")
    else:
        counted = f"{round(found.crossover)} by weights and KV cache"
        counted += f", {_context(found.crossover_with_activations)} with activations"
        lines.append(f"crossover context{where}: {counted}; beyond it no batch of decode is compute-bound")
    return lines


def _batch(batch: float | None) -> str:
    """The first whole batch that is compute-bound."""
    return "none" if batch is None else str(math.ceil(batch))


def _context(crossover: float | None) -> str:
    """The last whole context at which some batch is compute-bound."""
    return "none" if crossover is None else "0" if crossover < 1 else str(round(crossover))
