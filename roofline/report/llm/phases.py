"""Prefill and decode in columns: what a step costs, its place on the roof, and its three times."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from roofline import units
from roofline.report import Column, Value
from roofline.report.llm import Field, cells, columns
from roofline.report.llm.sentences import counted_by
from roofline.report.roofs import BOUND_WORDS
from roofline.transformer.bounds import Bounds
from roofline.transformer.served import Served
from roofline.transformer.setup import Setup

if TYPE_CHECKING:
    from roofline.transformer.efficiency import Efficiency

PHASES: Final = ("prefill", "decode")


class Seen(NamedTuple):
    """One phase of a setup."""

    setup: Setup
    phase: str
    bounds: Bounds
    rate: float | None = None  # measured tokens/s of this phase, of all sequences together
    measured: "Efficiency | None" = None

    @property
    def digits(self) -> int:
        """Digits of I and I* that tell them apart."""
        return units.digits_apart(self.bounds.intensity, self.bounds.ridge_point)


def _known(size: int, known: int) -> Any:
    """Bytes of what something is known of; of a model by hand nothing may be, which is not zero."""
    return size if known else Value(None, None, "nothing is known of it, so none is counted", unknown=True)


def _link_time(seen: Seen) -> Any:
    """Seconds on the links; of a model whose layers nobody knows, the all-reduces are unknown, which is not zero."""
    if seen.setup.devices == 1:
        return Value(None, None, "one device")
    if seen.setup.architecture.layers:
        return seen.bounds.link
    return Value(None, None, "the all-reduces of unknown layers are unknown, so none is counted", unknown=True)


def _estimate(value: Callable[[Seen, float], float]) -> Callable[[Seen], Any]:
    def get(seen: Seen) -> Any:
        seconds = seen.setup.estimate(seen.bounds)
        return Value(None, None, "no measured efficiency given") if seconds is None else value(seen, seconds)

    return get


def _measured(value: "Callable[[Efficiency], float]") -> Callable[[Seen], Any]:
    return lambda seen: Value(None, None, "not measured") if seen.measured is None else value(seen.measured)


def _intensity(seen: Seen) -> Value:
    return Value(seen.bounds.intensity, seen.digits)


def _ridge(seen: Seen) -> Value:
    return Value(seen.bounds.ridge_point, seen.digits)


# fmt: off
STEP: Final[tuple[Field, ...]] = (
    Field("tokens", "new tokens", "", "count", lambda s: s.bounds.tokens),
    Field("positions", "positions", "", "count",
          lambda s: s.setup.prompt if s.phase == "prefill" else max(s.setup.context, 1)),
    Field("work_flop", "work", "", "FLOP", lambda s: s.bounds.flops),
    Field("weights_byte", "weights", "", "B", lambda s: s.bounds.moved.weights),
    Field("kv_byte", "KV cache", "", "B", lambda s: _known(s.bounds.moved.kv, s.setup.architecture.depth)),
    Field("activations_byte", "activations", "", "B",
          lambda s: _known(s.bounds.moved.activations, s.setup.architecture.depth)),
    Field("traffic_byte", "traffic", "", "B", lambda s: s.bounds.moved.all),
    Field("arithmetic_intensity_flop_per_byte", "intensity I", "I", "FLOP/B", _intensity),
    Field("peak_flop_per_s", "peak", "", "FLOP/s", lambda s: s.bounds.peak),
    Field("bandwidth_byte_per_s", "bandwidth", "", "B/s", lambda s: s.bounds.bandwidth),
    Field("ridge_flop_per_byte", "ridge point I*", "I*", "FLOP/B", _ridge),
    Field("bound", "bound", "bound", "bound", lambda s: BOUND_WORDS[s.bounds.bound]),
    Field("ridge_distance", "I against I*", "", "distance", lambda s: s.bounds.ridge_point / s.bounds.intensity),
    Field("attainable_flop_per_s", "attainable", "", "FLOP/s", lambda s: s.bounds.attainable),
    Field("idle_share", "idle at least", "idle", "1", lambda s: s.bounds.idle_share),
    Field("compute_time_s", "", "", "s", lambda s: s.bounds.compute),
    Field("memory_time_s", "", "", "s", lambda s: s.bounds.memory),
    Field("link_time_s", "links", "", "s", _link_time),
    Field("least_time_s", "least time", "", "s", lambda s: s.bounds.least),
    Field("total_time_s", "total time", "time", "s", lambda s: s.bounds.total),
    Field("operator_time_s", "by operator", "", "s", lambda s: s.bounds.by_operator),
    Field("least_time_tokens_per_s", "tok/s by least", "", "number", lambda s: s.bounds.least_time_tokens_per_s),
    Field("total_time_tokens_per_s", "tok/s by total", "tok/s", "number", lambda s: s.bounds.total_time_tokens_per_s),
)
# Of a run, by what the user measured.
RUN: Final[tuple[Field, ...]] = (
    Field("estimated_time_s", "estimated time", "", "s", _estimate(lambda _, seconds: seconds)),
    Field("estimated_tokens_per_s", "estimated tok/s", "est. tok/s", "number",
          _estimate(lambda s, seconds: s.bounds.tokens / seconds)),
    Field("measured_tokens_per_s", "measured tok/s", "", "number",
          lambda s: Value(s.rate, None, None if s.rate else "not measured")),
    Field("measured_mfu", "MFU", "", "1", _measured(lambda found: found.mfu)),
    Field("measured_mbu", "MBU", "", "1", _measured(lambda found: found.mbu)),
    # The larger of both, which a sheet would tell twice: people have it in a sentence.
    Field("share_of_bound", "", "of least", "1", _measured(lambda found: found.share)),
    Field("above_bound", "above the least", "above", "flag",
          lambda s: s.measured is not None and s.measured.above_bound),
)
# fmt: on
# What a narrow terminal does without: it follows from the rest, or stands below.
_SPARE: Final = frozenset(
    {"decode_arithmetic_intensity_flop_per_byte", "decode_ridge_flop_per_byte", "decode_idle_share"}
)
_OF_PREFILL: Final = frozenset({"bound", "total_time_s"})  # what rows of devices show of it


def sheet_columns() -> list[Column]:
    """The columns of prefill and of decode, side by side in a sheet."""
    return [column for phase in PHASES for column in columns((*STEP, *RUN), group=phase, prefix=f"{phase}_")]


def comparison_columns() -> list[Column]:
    """The columns of a table of several devices, which has room for little of prefill."""
    fields = (*STEP, *RUN)
    prefill = [field if field.key in _OF_PREFILL else field._replace(short="") for field in fields]
    found = [
        *columns(prefill, short=True, group="prefill", prefix="prefill_"),
        *columns(fields, short=True, group="decode", prefix="decode_"),
    ]
    return [column._replace(spare=column.key in _SPARE) for column in found]


def phase_cells(served: Served) -> dict[str, Any]:
    """The cells of both phases; a measured rate is of decode."""
    row: dict[str, Any] = {}
    for phase in PHASES:
        seen = Seen(served.setup, phase, served.bounds[phase])
        if phase == "decode":
            seen = seen._replace(rate=served.rate, measured=served.measured)
        row |= cells((*STEP, *RUN), seen, f"{phase}_")
    return row


def verdict(phase: str, bounds: Bounds) -> str:
    """One sentence: what bounds a phase, and how far it is from the ridge."""
    words, distance = BOUND_WORDS[bounds.bound], bounds.ridge_point / bounds.intensity
    if bounds.bound == "link":
        return f"{phase}: {words}: the links take {units.show(bounds.link, 's')} of {units.show(bounds.total, 's')}"
    if bounds.bound == "compute":
        return f"{phase}: {words}: {units.ratio(1 / distance)}x past the ridge"
    return f"{phase}: {words}: needs {units.ratio(distance)}x more FLOPs per byte to be compute-bound"


def measured_line(served: Served, *, of: str | None = None) -> str:
    """One sentence: what a measured rate is worth against the bound by the least time, at the context asked for."""
    found, setup = served.measured, served.setup
    assert found is not None  # noqa: S101  (asked for of what was measured)
    where = f" on {of}" if of else ""
    taken = f"measured{where}: {units.significant(served.rate or 0.0)} tok/s"
    at = f"context {setup.context}, batch {setup.batch}" if setup.architecture.layers else f"batch {setup.batch}"
    counted = counted_by(setup)
    least = f"the least time of a decode step at {at}" + (f", {counted}" if counted else "")
    share = f"{units.show(found.share, '1')} of the bound"
    if found.above_bound:
        return f"{taken}, {share}: faster than {least}, which {'a run may undercut' if counted else 'cannot be'}"
    return f"{taken}, {share}: takes {units.ratio(1 / found.share)}x {least}"
