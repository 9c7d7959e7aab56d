"""From which batch decode is compute-bound, and beyond which context no batch is: as sentences and for JSON."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

from roofline.report import Column, Value
from roofline.transformer.critical import critical_batch_of, crossover_context
from roofline.transformer.decode import decode
from roofline.transformer.setup import Setup

_NEVER: Final = "no batch is compute-bound at this context"
_ALWAYS: Final = "from some batch on decode is compute-bound at any context"
_UNKNOWN: Final = "nothing is known of the layers, and so of the KV cache"

# Beside the figures of a decode step, for machine formats; people get the sentences.
CRITICAL_COLUMNS: Final = (
    Column(key="critical_batch", heading="critical batch", format="count", detail=True),
    Column(key="critical_batch_with_activations", heading="with activations", format="count", detail=True),
    Column(key="critical_batch_without_kv", heading="without KV cache", format="count", detail=True),
    Column(key="crossover_context_tokens", heading="crossover context", format="count", detail=True),
)


class Critical(NamedTuple):
    """The critical batch by what is counted, in sequences, and the crossover context, in positions; None: never."""

    batch: float | None  # weights and KV cache
    with_activations: float | None
    without_cache: float | None
    crossover: float | None  # beyond it no batch is compute-bound; None: there is none
    cached: bool  # whether the KV cache is known


def critical(setup: Setup) -> Critical:
    """The closed forms of :mod:`roofline.transformer.critical` for what is asked of a model.

    Where a layer is split over several devices it is the batch of all of them; their links are left out.

    Raises:
        InputError: devices that cannot share the heads.
        UnknownNameError: the device has no peak of a precision that the model multiplies in.

    """
    model = decode(setup.architecture, setup.formats, setup.conventions, devices=setup.devices)
    roofs = setup.roofs(setup.decode())
    peaks, bandwidth = {dtype: roof.peak for dtype, roof in roofs.by_precision.items()}, roofs.bandwidth
    return Critical(
        batch=critical_batch_of(model, setup.context, peaks, bandwidth),
        with_activations=critical_batch_of(model, setup.context, peaks, bandwidth, activations=True),
        without_cache=critical_batch_of(model, 0, peaks, bandwidth),
        crossover=crossover_context(model, peaks, bandwidth),
        cached=bool(setup.architecture.layers),
    )


def critical_cells(found: Critical) -> dict[str, Any]:
    """The columns above, with a reason where there is no such batch or context."""
    never = _NEVER if found.cached else _UNKNOWN
    crossover = found.crossover if found.cached else None
    return {
        "critical_batch": Value(found.batch if found.cached else None, None, never),
        "critical_batch_with_activations": Value(found.with_activations if found.cached else None, None, never),
        "critical_batch_without_kv": Value(found.without_cache, None, _NEVER),
        "crossover_context_tokens": Value(crossover, None, _ALWAYS if found.cached else _UNKNOWN),
    }


def critical_lines(setup: Setup, found: Critical, *, of: str | None = None) -> list[str]:
    """The same in one or two sentences; ``of`` names the device where there are several."""
    where = f" on {of}" if of else ""
    alone = f"{_batch(found.without_cache)} without the KV cache"
    if not found.cached:
        return [f"critical batch{where}: {alone}, of which nothing is known"]
    if found.batch is None:
        counted = f"none, since no batch of decode is compute-bound there; {alone}"
    else:
        counted = (
            f"{_batch(found.batch)} by weights and KV cache; {_batch(found.with_activations)} with activations, {alone}"
        )
    solved = " (solved for the experts that a batch touches)" if setup.architecture.is_moe else ""
    lines = [f"critical batch at context {setup.context}{where}: {counted}{solved}"]
    if found.crossover is None:
        lines.append(f"crossover context{where}: none, {_ALWAYS}")
    elif found.crossover < 1:
        lines.append(f"no batch of decode is compute-bound at any context{where}")
    else:
        lines.append(
            f"crossover context{where}: {round(found.crossover)}, beyond which no batch of decode is compute-bound"
        )
    return lines


def _batch(batch: float | None) -> str:
    """The first whole batch that is compute-bound."""
    return "none" if batch is None else str(math.ceil(batch))
