"""The columns of placed kernels and their cells, for one roof or for the headline and the dense roof side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from roofline import units
from roofline.core.placement import Placement
from roofline.report import Column, Format, Value
from roofline.report.roofs import BOUND_WORDS

# What a kernel has whatever roof it is under.
KERNEL_COLUMNS: Final = (
    Column(key="name", heading="kernel", format="name"),
    Column(key="precision", heading="precision", detail=True),
    Column(key="work_flop", heading="work", format="FLOP"),
    Column(key="traffic_byte", heading="traffic", format="B"),
    Column(key="arithmetic_intensity_flop_per_byte", heading="intensity I", format="FLOP/B"),
    Column(key="arithmetic_intensity_infinite", heading="I infinite", format="flag", detail=True),
    Column(key="time_s", heading="time", format="s"),
    Column(key="achieved_flop_per_s", heading="achieved", format="FLOP/s"),
    Column(key="achieved_byte_per_s", heading="achieved bandwidth", format="B/s"),
)

# What depends on the roof: key, heading, format.
_ROOF_FIELDS: Final[tuple[tuple[str, str, Format], ...]] = (
    ("roof", "roof", "text"),
    ("peak_flop_per_s", "peak", "FLOP/s"),
    ("bandwidth_byte_per_s", "bandwidth", "B/s"),
    ("memory_level", "memory", "text"),
    ("ridge_flop_per_byte", "ridge point I*", "FLOP/B"),
    ("bound", "bound", "bound"),
    ("binding_level", "binding level", "text"),
    ("ridge_distance", "I against I*", "distance"),
    ("attainable_flop_per_s", "attainable", "FLOP/s"),
    ("share_of_peak", "share of peak", "1"),
    ("idle_share", "idle at least", "1"),
    ("least_time_s", "least time", "s"),
    ("achieved_share_of_peak", "achieved / peak", "1"),
    ("achieved_share_of_bandwidth", "achieved / bandwidth", "1"),
    ("share_of_roof", "share of roof", "1"),
    ("above_roof", "above the roof", "flag"),
)
_SHORT: Final = {
    "intensity I": "I",
    "ridge point I*": "I*",
    "achieved bandwidth": "achieved",
    "share of peak": "of peak",
    "share of roof": "of roof",
    "least time": "least",
    "above the roof": "above",
}
_SHOWN_IN_ROWS: Final = frozenset({"bound", "attainable_flop_per_s", "least_time_s", "share_of_roof", "above_roof"})
_SHOWN_IN_COMPARISON: Final = frozenset(
    {
        "peak_flop_per_s",
        "ridge_flop_per_byte",
        "bound",
        "attainable_flop_per_s",
        "share_of_peak",
        "least_time_s",
        "share_of_roof",
    }
)


def roof_columns(prefix: str = "", group: str = "", *, shown: frozenset[str] | None = None) -> tuple[Column, ...]:
    """The columns of one roof; those not in ``shown`` are for machine formats alone (None: all but words are shown)."""
    hidden = {"roof", "memory_level", "binding_level"}
    return tuple(
        Column(
            key=prefix + key,
            heading=heading,
            format=form,
            group=group,
            detail=key in hidden if shown is None else key not in shown,
        )
        for key, heading, form in _ROOF_FIELDS
    )


def row_columns(prefix: str = "", group: str = "") -> tuple[Column, ...]:
    """The roof columns of a kernel list; of the headline only its verdict, the rest is what can be reached."""
    shown = frozenset({"bound", "above_roof"}) if group == "headline" else _SHOWN_IN_ROWS
    return shortened(roof_columns(prefix, group, shown=shown))


def shortened(columns: Sequence[Column]) -> tuple[Column, ...]:
    """The columns under the short headings of a table with many of them."""
    return tuple(column._replace(heading=_SHORT.get(column.heading, column.heading)) for column in columns)


def comparison_columns(prefix: str = "", group: str = "") -> tuple[Column, ...]:
    """The roof columns of a comparison of devices."""
    shown = (
        frozenset({"peak_flop_per_s", "ridge_flop_per_byte", "bound"}) if group == "headline" else _SHOWN_IN_COMPARISON
    )
    return shortened(roof_columns(prefix, group, shown=shown))


def kernel_cells(placement: Placement) -> dict[str, Any]:
    """The cells of :data:`KERNEL_COLUMNS`."""
    kernel, intensity = placement.kernel, placement.intensity
    infinite = intensity is not None and math.isinf(intensity)
    why = "infinite: no traffic" if infinite else why_unknown(placement)
    return {
        "name": kernel.name,
        "precision": _precision(placement),
        "work_flop": _or_why(kernel.flops, "no FLOP count given"),
        "traffic_byte": _or_why(kernel.bytes, "no traffic given"),
        "arithmetic_intensity_flop_per_byte": Value(intensity, _digits(placement), why),
        "arithmetic_intensity_infinite": infinite,
        "time_s": _or_why(kernel.seconds, "not measured"),
        "achieved_flop_per_s": _or_why(kernel.achieved, "not measured, or no FLOP count"),
        "achieved_byte_per_s": _or_why(kernel.achieved_bandwidth, "not measured, or no traffic given"),
    }


def _precision(placement: Placement) -> Any:
    """The precision that the kernel computes in: its own, or that of the roof; none where it computes nothing."""
    kernel = placement.kernel
    if kernel.dtype is None and kernel.flops == 0:
        return Value(None, None, "it computes nothing")
    return kernel.dtype or placement.roof.dtype


def roof_cells(placement: Placement, prefix: str = "") -> dict[str, Any]:
    """The cells of :func:`roof_columns`."""
    roof, unknown = placement.roof, why_unknown(placement)
    distance_why = "no finite intensity above 0" if unknown is None else unknown
    unmeasured = "not measured"
    cells: dict[str, Any] = {
        "roof": roof.label,
        "peak_flop_per_s": roof.peak,
        "bandwidth_byte_per_s": roof.bandwidth,
        "memory_level": roof.memory.level,
        "ridge_flop_per_byte": Value(roof.ridge_point, _digits(placement)),
        "bound": Value(BOUND_WORDS[placement.bound] if placement.bound else None, None, unknown),
        "binding_level": _or_why(placement.binding_level, unknown or "compute binds"),
        "ridge_distance": _or_why(placement.ridge_distance, distance_why),
        "attainable_flop_per_s": _or_why(placement.attainable, unknown),
        "share_of_peak": _or_why(placement.peak_share, unknown),
        "idle_share": _or_why(placement.idle_share, unknown),
        "least_time_s": _or_why(placement.least_time, "neither work nor traffic is known"),
        "achieved_share_of_peak": _or_why(placement.achieved_share, unmeasured),
        "achieved_share_of_bandwidth": _or_why(placement.bandwidth_share, unmeasured),
        "share_of_roof": _or_why(placement.efficiency, unmeasured),
        "above_roof": placement.above_roof,
    }
    return {prefix + key: value for key, value in cells.items()}


def levels(placement: Placement) -> list[dict[str, Any]]:
    """One record a memory level, for JSON: bytes, bandwidth and the time they take at least."""
    kernel = placement.kernel
    moved = {placement.roof.memory.level: (kernel.bytes, placement.roof)}
    moved |= {roof.memory.level: (kernel.bytes_at[roof.memory.level], roof) for roof in placement.levels}
    return [
        {
            "memory_level": level,
            "traffic_byte": amount,
            "bandwidth_byte_per_s": roof.bandwidth,
            "arithmetic_intensity_flop_per_byte": kernel.flops / amount
            if kernel.flops is not None and amount
            else None,
            "ridge_flop_per_byte": roof.ridge_point,
            "least_time_s": None if amount is None else amount / roof.bandwidth,
        }
        for level, (amount, roof) in moved.items()
    ]


def why_unknown(placement: Placement) -> str | None:
    """Why a kernel has no intensity; None if it has one."""
    if placement.intensity is not None:
        return None
    missing = [w for w, v in (("FLOP count", placement.kernel.flops), ("traffic", placement.kernel.bytes)) if v is None]
    return f"no {' and no '.join(missing)}" if missing else "no traffic through this memory"


def _or_why(value: Any, why: str | None) -> Any:
    return Value(None, None, why) if value is None else value


def _digits(placement: Placement) -> int | None:
    """More digits where rounding would hide on which side of the ridge the kernel lies."""
    if placement.intensity is None or math.isinf(placement.intensity):
        return None
    digits = units.digits_apart(placement.intensity, placement.roof.ridge_point)
    return digits if digits > units.DIGITS else None
