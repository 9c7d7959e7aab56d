"""Prefill and decode in columns: what a step costs, its place on the roof, and its three time bounds."""

from __future__ import annotations

from typing import Any, Final

from roofline import units
from roofline.report import Column, Format, Value
from roofline.report.placements import BOUND_WORDS
from roofline.transformer.bounds import Bounds
from roofline.transformer.efficiency import efficiency, estimate
from roofline.transformer.setup import Setup

PHASES: Final = ("prefill", "decode")
_FIELDS: Final[tuple[tuple[str, str, Format], ...]] = (
    ("tokens", "new tokens", "count"),
    ("positions", "positions", "count"),
    ("work_flop", "work", "FLOP"),
    ("weights_byte", "weights", "B"),
    ("kv_byte", "KV cache", "B"),
    ("activations_byte", "activations", "B"),
    ("traffic_byte", "traffic", "B"),
    ("arithmetic_intensity_flop_per_byte", "intensity I", "FLOP/B"),
    ("peak_flop_per_s", "peak", "FLOP/s"),
    ("bandwidth_byte_per_s", "bandwidth", "B/s"),
    ("ridge_flop_per_byte", "ridge point I*", "FLOP/B"),
    ("bound", "bound", "bound"),
    ("ridge_distance", "I against I*", "distance"),
    ("attainable_flop_per_s", "attainable", "FLOP/s"),
    ("idle_share", "idle at least", "1"),
    ("compute_time_s", "compute", "s"),
    ("memory_time_s", "memory", "s"),
    ("link_time_s", "links", "s"),
    ("least_time_s", "least time", "s"),
    ("total_time_s", "total time", "s"),
    ("operator_time_s", "by operator", "s"),
    ("least_time_tokens_per_s", "tok/s by least", "number"),
    ("total_time_tokens_per_s", "tok/s by total", "number"),
    ("estimated_time_s", "estimated time", "s"),
    ("estimated_tokens_per_s", "estimated tok/s", "number"),
    ("measured_tokens_per_s", "measured tok/s", "number"),
    ("measured_mfu", "MFU", "1"),
    ("measured_mbu", "MBU", "1"),
    ("share_of_bound", "of tok/s by least", "1"),
    ("above_bound", "above the least", "flag"),
)
_DETAILS: Final = frozenset({"compute_time_s", "memory_time_s"})
_IN_COMPARISON: Final = {
    "prefill": {"bound", "total_time_s"},
    "decode": {
        *("arithmetic_intensity_flop_per_byte", "ridge_flop_per_byte", "bound", "idle_share"),
        *("total_time_s", "total_time_tokens_per_s", "estimated_tokens_per_s", "share_of_bound", "above_bound"),
    },
}
_SHORT: Final = {
    "intensity I": "I",
    "ridge point I*": "I*",
    "idle at least": "idle",
    "total time": "time",
    "tok/s by total": "tok/s",
    "estimated tok/s": "est. tok/s",
    "of tok/s by least": "of least",
    "above the least": "above",
}


def sheet_columns() -> list[Column]:
    """The columns of prefill and of decode, side by side in a sheet."""
    return [
        Column(key=f"{phase}_{key}", heading=heading, format=form, group=phase, detail=key in _DETAILS)
        for phase in PHASES
        for key, heading, form in _FIELDS
    ]


def comparison_columns() -> list[Column]:
    """The columns of a table of several devices."""
    return [
        column._replace(
            heading=_SHORT.get(column.heading, column.heading),
            detail=column.key.removeprefix(f"{column.group}_") not in _IN_COMPARISON[column.group],
        )
        for column in sheet_columns()
    ]


def phase_cells(setup: Setup, phase: str, bounds: Bounds, measured: float | None = None) -> dict[str, Any]:
    """The cells of one phase; ``measured`` are tokens/s of all sequences together, of decode."""
    digits = units.digits_apart(bounds.intensity, bounds.ridge_point)
    cells: dict[str, Any] = {
        "tokens": bounds.tokens,
        "positions": setup.prompt if phase == "prefill" else max(setup.context, 1),
        "work_flop": bounds.flops,
        "weights_byte": bounds.moved.weights,
        "kv_byte": _known(bounds.moved.kv, setup.architecture.depth),
        "activations_byte": _known(bounds.moved.activations, setup.architecture.vocab),
        "traffic_byte": bounds.moved.all,
        "arithmetic_intensity_flop_per_byte": Value(bounds.intensity, digits),
        "peak_flop_per_s": bounds.peak,
        "bandwidth_byte_per_s": bounds.bandwidth,
        "ridge_flop_per_byte": Value(bounds.ridge_point, digits),
        "bound": BOUND_WORDS[bounds.bound],
        "ridge_distance": bounds.ridge_point / bounds.intensity,
        "attainable_flop_per_s": bounds.attainable,
        "idle_share": bounds.idle_share,
        "compute_time_s": bounds.compute,
        "memory_time_s": bounds.memory,
        "link_time_s": _link_time(setup, bounds),
        "least_time_s": bounds.least,
        "total_time_s": bounds.total,
        "operator_time_s": bounds.by_operator,
        "least_time_tokens_per_s": bounds.least_time_tokens_per_s,
        "total_time_tokens_per_s": bounds.total_time_tokens_per_s,
    }
    cells |= _estimated(setup, bounds) | _measured(bounds, measured if phase == "decode" else None)
    return {f"{phase}_{key}": value for key, value in cells.items()}


def _known(size: int, known: int) -> Any:
    """Bytes of what something is known of; of a model by hand nothing may be, which is not zero."""
    return size if known else Value(None, None, "nothing is known of it, so none is counted", unknown=True)


def _link_time(setup: Setup, bounds: Bounds) -> Any:
    """Seconds on the links; of a model whose layers nobody knows, the all-reduces are unknown, which is not zero."""
    if setup.devices == 1:
        return Value(None, None, "one device")
    if setup.architecture.layers:
        return bounds.link
    return Value(None, None, "the all-reduces of unknown layers are unknown, so none is counted", unknown=True)


def _estimated(setup: Setup, bounds: Bounds) -> dict[str, Any]:
    """Time and rate at efficiencies that the user measured; without them there are bounds alone."""
    if setup.mfu is None and setup.mbu is None:
        absent = Value(None, None, "no measured efficiency given")
        return {"estimated_time_s": absent, "estimated_tokens_per_s": absent}
    seconds = estimate(bounds, mfu=setup.mfu, mbu=setup.mbu)
    return {"estimated_time_s": seconds, "estimated_tokens_per_s": bounds.tokens / seconds}


def _measured(bounds: Bounds, rate: float | None) -> dict[str, Any]:
    keys = ("measured_tokens_per_s", "measured_mfu", "measured_mbu", "share_of_bound")
    if rate is None:
        return dict.fromkeys(keys, Value(None, None, "not measured")) | {"above_bound": False}
    found = efficiency(bounds, tokens_per_s=rate)
    values = (rate, found.mfu, found.mbu, found.share)
    return dict(zip(keys, values, strict=True)) | {"above_bound": found.above_bound}


def verdict(phase: str, bounds: Bounds) -> str:
    """One sentence: what bounds a phase, and how far it is from the ridge."""
    words, distance = BOUND_WORDS[bounds.bound], bounds.ridge_point / bounds.intensity
    if bounds.bound == "link":
        return f"{phase}: {words}: the links take {units.show(bounds.link, 's')} of {units.show(bounds.total, 's')}"
    if bounds.bound == "compute":
        return f"{phase}: {words}: {units.ratio(1 / distance)}x past the ridge"
    return f"{phase}: {words}: needs {units.ratio(distance)}x more FLOPs per byte to be compute-bound"
