"""The levers of decode as one table: what each does alone, what it adds to all others, and all of them together."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from roofline import units
from roofline.report import Column, Report, Value
from roofline.report.devices import title_of
from roofline.report.llm import Field, cells, columns
from roofline.report.llm.gains import GAIN, next_line, no_lever_line, prefill_line, together_line
from roofline.report.llm.links import link_lines
from roofline.report.llm.memory import FITS, fits_cell
from roofline.report.llm.roofs import device_lines, peak_lines, roof_lines, roofs_of_steps
from roofline.report.llm.sentences import assumptions, more_experts_than_touched, narrower_products, of_memory
from roofline.report.roofs import BOUND_WORDS
from roofline.transformer.bounds import Bounds
from roofline.transformer.levers import Effect, effects, joined_devices, without_levers
from roofline.transformer.setup import Setup
from roofline.transformer.table import Table

_ENDS: Final = ("no lever", "all together")  # rows that are no levers


class _Row(NamedTuple):
    """A lever that applies."""

    effect: Effect
    bounds: Bounds

    @property
    def digits(self) -> int:
        """Digits of I and I* that tell them apart."""
        return units.digits_apart(self.bounds.intensity, self.bounds.ridge_point)

    @property
    def last(self) -> Value:
        """What it adds to all others, or why it is not among them."""
        why = "no lever" if self.effect.name in _ENDS else "another lever of its kind goes further"
        return Value(self.effect.last, None, why)


# fmt: off
_FIELDS: Final[tuple[Field, ...]] = (
    Field("weights_byte", "", "", "B", lambda r: r.bounds.moved.weights),
    Field("kv_byte", "", "", "B", lambda r: r.bounds.moved.kv),
    Field("traffic_byte", "traffic", "", "B", lambda r: r.bounds.moved.all),
    Field("work_flop", "", "", "FLOP", lambda r: r.bounds.flops),
    Field("arithmetic_intensity_flop_per_byte", "I", "", "FLOP/B", lambda r: Value(r.bounds.intensity, r.digits)),
    Field("ridge_flop_per_byte", "", "", "FLOP/B", lambda r: Value(r.bounds.ridge_point, r.digits)),
    Field("bound", "bound", "", "bound", lambda r: BOUND_WORDS[r.bounds.bound]),
    Field("total_time_s", "", "", "s", lambda r: r.bounds.total),
    Field("total_time_tokens_per_s", "tok/s", "", "number", lambda r: r.bounds.total_time_tokens_per_s),
)
_GAINS: Final[tuple[Field, ...]] = (
    Field("gain", "alone", "", "number", lambda r: r.effect.gain),
    Field("gain_added_last", "last", "", "number", lambda r: r.last),
)
# fmt: on
_COLUMNS: Final = (
    Column(key="device", heading="device"),
    Column(key="lever", heading="lever"),
    *columns(_FIELDS),
    *columns(_GAINS, group="gain"),
    FITS,
)
_RATES: Final = (
    "tokens/s are by the total time, which kernels that fuse more than is counted can beat, and of all sequences and "
    "devices together; traffic is of one device",
    "fits: weights, KV cache and activations in the memory of a device; where they do not, the row is hypothetical",
)


def levers_report(setups: Sequence[Setup], context: dict[str, Any]) -> Report:
    """A row a lever (and device); of a lever that does not apply, why.

    Raises:
        UnknownNameError: a device has no peak of a precision that the model multiplies in.

    """
    several = len(setups) > 1
    found = [(setup, effect) for setup in setups for effect in effects(setup)]
    flash = [_prefill(setup) for setup in setups if setup.architecture.layers]
    first = setups[0]
    at = f"{first.architecture.name}: levers of decode at context {first.context}"
    return Report(
        columns=[
            column._replace(detail=column.detail or (column.key == "device" and not several)) for column in _COLUMNS
        ],
        rows=[_row(setup, effect) for setup, effect in found],
        rows_key="levers",
        title=at if several else f"{at} on {title_of(first.target.device)}",
        lead={"model": first.architecture.name, "context_tokens": first.context, "prefill_attention": flash},
        roofs=[*roof_lines(setups), *peak_lines(setups, phases=["decode"]), *_links(setups)],
        summary=[
            GAIN,
            *(next_line(setup, several) for setup in setups),
            *(together_line(setup, effect, several) for setup, effect in found if effect.name == "all together"),
            *(prefill_line(cells, several) for cells in flash),
        ],
        notes=[
            *dict.fromkeys(f"{effect.name} does not apply: {effect.why}" for _, effect in found if effect.why),
            *dict.fromkeys(note for setup in setups for note in _notes(setup)),
            *device_lines(setups),
        ],
        conventions=[*_counted(first), *of_memory(first)],
        assumptions=[no_lever_line(first), "; ".join(_RATES)],
        context=context | {"model_source": first.architecture.source} | roofs_of_steps(setups),
    )


def _notes(setup: Setup) -> list[str]:
    """What must be said of the formats, of the model, and of the experts of the one token without levers."""
    start = without_levers(setup).decode
    joined = not setup.architecture.layers and bool(setup.target.device.links)  # several devices are a lever
    served = setup.with_(devices=max(setup.devices, 2)) if joined else setup
    said = [*setup.notes, *served.decode.notes, *more_experts_than_touched(start)]
    return [*said, *narrower_products(setup)]


def _links(setups: Sequence[Setup]) -> list[str]:
    """The link of each device that joins as many as the lever does."""
    return link_lines([setup.with_(devices=joined_devices(setup) or 1) for setup in setups], "decode step")


def _row(setup: Setup, effect: Effect) -> dict[str, Any]:
    row: dict[str, Any] = {"device": setup.target.device.id, "lever": effect.name}
    if effect.bounds is None:
        return row | {column.key: Value(None, None, effect.why) for column in _COLUMNS if column.key not in row}
    return row | cells((*_FIELDS, *_GAINS), _Row(effect, effect.bounds)) | {"fits": fits_cell(effect.fits)}


def _prefill(setup: Setup) -> dict[str, Any]:
    """What FlashAttention does where scores are many: in prefill, as the model is served otherwise."""
    cells: dict[str, Any] = {"device": setup.target.device.id, "prompt_tokens": setup.prompt}
    for way in ("flash", "unfused"):
        one = setup.with_(conventions=setup.conventions._replace(attention=way))
        table = one.prefill
        cells |= {f"{way}_byte": _attention(table), f"{way}_operator_time_s": one.bounds(table).by_operator}
    return cells


def _attention(table: Table) -> int:
    return sum(operator.bytes for operator in table.operators if operator.core)


def _counted(setup: Setup) -> list[str]:
    """What is counted how at every lever; fused or not is what one of them is about."""
    return [text for text in assumptions([setup.decode]) if not text.startswith(("flash", "unfused"))]
