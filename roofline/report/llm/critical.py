"""From which batch decode is compute-bound, and beyond which context no batch is: as sentences and for JSON."""

from __future__ import annotations

import math
from typing import Any, Final

from roofline.report import Value
from roofline.report.llm import Field, cells, columns
from roofline.transformer.served import Critical
from roofline.transformer.setup import Setup

_NEVER: Final = "no batch is compute-bound at this context"
_ALWAYS: Final = "from some batch on decode is compute-bound at any context"
_UNKNOWN: Final = "nothing is known of the layers, and so of the KV cache"


def _cached(value: float | None, found: Critical, why: str) -> Value:
    """A value that depends on the cache, or why there is none."""
    return Value(value if found.cached else None, None, why if found.cached else _UNKNOWN)


# fmt: off
_FIELDS: Final[tuple[Field, ...]] = (
    Field("critical_batch", "", "", "count", lambda c: _cached(c.batch, c, _NEVER)),
    Field("critical_batch_with_activations", "", "", "count", lambda c: _cached(c.with_activations, c, _NEVER)),
    Field("critical_batch_at_context_1", "", "", "count", lambda c: Value(c.at_one, None, _NEVER)),
    Field("critical_batch_at_context_1_with_activations", "", "", "count",
          lambda c: Value(c.at_one_with_activations, None, _NEVER)),
    Field("crossover_context_tokens", "", "", "count", lambda c: _cached(c.crossover, c, _ALWAYS)),
    Field("crossover_context_with_activations_tokens", "", "", "count",
          lambda c: _cached(c.crossover_with_activations, c, _ALWAYS)),
)
# fmt: on
# Beside the figures of a decode step, for machine formats; people get the sentences.
CRITICAL_COLUMNS: Final = tuple(columns(_FIELDS))


def critical_cells(found: Critical) -> dict[str, Any]:
    """The columns above, with a reason where there is no such batch or context."""
    return cells(_FIELDS, found)


def critical_lines(setup: Setup, found: Critical, *, of: str | None = None) -> list[str]:
    """The same in one or two sentences; ``of`` names the device where there are several."""
    where = f" on {of}" if of else ""
    links = "; links left out" if setup.devices > 1 else ""
    if not found.cached:
        return [f"critical batch{where}: {_batch(found.at_one)} without the KV cache, of which nothing is known{links}"]
    counted = f"{_batch(found.batch)} by weights and KV cache"
    if found.batch is not None:
        counted += f", {_batch(found.with_activations)} with activations (as in the verdicts)"
    counted += f"; at context 1: {_batch(found.at_one)}, {_batch(found.at_one_with_activations)} with activations"
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
