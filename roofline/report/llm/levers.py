"""The levers of decode as one table: what each does alone, what it adds to all others, and all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from roofline import units
from roofline.core.link import port
from roofline.report import Column, Report, Value
from roofline.report.devices import title_of
from roofline.report.llm.memory import VERDICT_COLUMNS, verdict_cells
from roofline.report.llm.roofs import device_lines, roof_lines, roofs_of_steps
from roofline.report.llm.sentences import assumptions, more_experts_than_touched, of_memory
from roofline.report.placements import BOUND_WORDS
from roofline.report.sentences import link_line
from roofline.text import counted
from roofline.transformer.levers import Effect, effects, without_levers
from roofline.transformer.setup import Setup
from roofline.transformer.table import Table

_COLUMNS: Final = (
    Column(key="device", heading="device"),
    Column(key="lever", heading="lever"),
    Column(key="weights_byte", heading="weights", format="B", detail=True),
    Column(key="kv_byte", heading="KV cache", format="B", detail=True),
    Column(key="traffic_byte", heading="traffic", format="B"),
    Column(key="work_flop", heading="work", format="FLOP", detail=True),
    Column(key="arithmetic_intensity_flop_per_byte", heading="I", format="FLOP/B"),
    Column(key="ridge_flop_per_byte", heading="I*", format="FLOP/B", detail=True),
    Column(key="bound", heading="bound", format="bound"),
    Column(key="total_time_s", heading="total time", format="s", detail=True),
    Column(key="total_time_tokens_per_s", heading="tok/s", format="number"),
    Column(key="gain", heading="alone", format="number", group="gain"),
    Column(key="gain_added_last", heading="last", format="number", group="gain"),
    *VERDICT_COLUMNS,
)
_MHA: Final = "no lever: MHA (keys and values for each query head, all matrices as they are), 16-bit weights and cache,"
_WAYS: Final = (
    f"{_MHA} attention unfused, batch 1, one device",
    "alone: tokens/s over those of no lever; last: of all together over those without this one",
    "tokens/s are upper bounds by the total time, of all sequences and devices together; traffic is of one device",
    "fits: weights, KV cache and activations in the memory of a device; where they do not, the bound is hypothetical",
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
        roofs=[*roof_lines(setups), *dict.fromkeys(line for setup in setups for line in _link(setup))],
        summary=[
            *(_together(setup, effect, several) for setup, effect in found if effect.name == "all together"),
            *(_of_prefill(cells, several) for cells in flash),
        ],
        notes=[
            *dict.fromkeys(f"{effect.name} does not apply: {effect.why}" for _, effect in found if effect.why),
            *dict.fromkeys(note for setup in setups for note in _notes(setup)),
            *device_lines(setups),
        ],
        assumptions=[*_WAYS, *_counted(first), *of_memory(first)],
        context=context | {"model_source": first.architecture.source} | roofs_of_steps(setups),
    )


def _notes(setup: Setup) -> list[str]:
    """What must be said of the formats, of the model, and of the experts of the one token without levers."""
    start = without_levers(setup).decode()
    joined = not setup.architecture.layers and bool(setup.target.device.links)  # several devices are a lever
    served = setup.with_(devices=max(setup.devices, 2)) if joined else setup
    return [*setup.notes, *served.decode().notes, *more_experts_than_touched(start)]


def _link(setup: Setup) -> list[str]:
    """The link that joins several devices, if there is one."""
    device = setup.target.device
    return [f"link of {device.id}: {link_line(port(device, setup.link, setup.latency))}"] if device.links else []


def _row(setup: Setup, effect: Effect) -> dict[str, Any]:
    cells: dict[str, Any] = {"device": setup.target.device.id, "lever": effect.name}
    bounds = effect.bounds
    if bounds is None:
        return cells | {column.key: Value(None, None, effect.why) for column in _COLUMNS if column.key not in cells}
    digits = units.digits_apart(bounds.intensity, bounds.ridge_point)
    why = "another lever of its kind goes further" if effect.name not in ("no lever", "all together") else "no lever"
    return cells | {
        "weights_byte": bounds.moved.weights,
        "kv_byte": bounds.moved.kv,
        "traffic_byte": bounds.moved.all,
        "work_flop": bounds.flops,
        "arithmetic_intensity_flop_per_byte": Value(bounds.intensity, digits),
        "ridge_flop_per_byte": Value(bounds.ridge_point, digits),
        "bound": BOUND_WORDS[bounds.bound],
        "total_time_s": bounds.total,
        "total_time_tokens_per_s": bounds.total_time_tokens_per_s,
        "gain": effect.gain,
        "gain_added_last": Value(effect.last, None, why),
        **verdict_cells(effect.fits),
    }


def _together(setup: Setup, effect: Effect, several: bool) -> str:
    bounds = effect.bounds
    assert bounds is not None  # noqa: S101  (all together always applies)
    of = f" on {setup.target.device.id}" if several else ""
    intensity, ridge = units.intensity(bounds.intensity), units.intensity(bounds.ridge_point)
    because = f"I {intensity} FLOP/B is {'below' if bounds.intensity < bounds.ridge_point else 'past'} I* {ridge}"
    if bounds.bound == "link":
        because = f"the links take {units.show(bounds.link, 's')} of {units.show(bounds.total, 's')}"
    gain = units.significant(effect.gain or 0.0)
    return f"all together{of}: {gain}x the tokens/s, {BOUND_WORDS[bounds.bound]}: {because}"


def _prefill(setup: Setup) -> dict[str, Any]:
    """What FlashAttention does where scores are many: in prefill, as the model is served otherwise."""
    cells: dict[str, Any] = {"device": setup.target.device.id, "prompt_tokens": setup.prompt}
    for way in ("flash", "unfused"):
        one = setup.with_(conventions=replace(setup.conventions, attention=way))
        table = one.prefill()
        cells |= {f"{way}_byte": _attention(table), f"{way}_operator_time_s": one.bounds(table).by_operator}
    return cells


def _attention(table: Table) -> int:
    return sum(operator.bytes for operator in table.operators if operator.core)


def _of_prefill(cells: dict[str, Any], several: bool) -> str:
    of = f" on {cells['device']}" if several else ""
    moved, unfused = (units.show(cells[f"{way}_byte"], "B") for way in ("flash", "unfused"))
    fast, slow = (cells[f"{way}_operator_time_s"] for way in ("flash", "unfused"))
    prompt = counted(cells["prompt_tokens"], "token")
    return (
        f"FlashAttention in a prefill of {prompt}{of}: attention moves {moved} in place of {unfused}; "
        f"by operator {units.show(fast, 's')} in place of {units.show(slow, 's')} ({units.significant(slow / fast)}x)"
    )


def _counted(setup: Setup) -> list[str]:
    """What is counted how at every lever; fused or not is what one of them is about."""
    return [text for text in assumptions([setup.decode()]) if not text.startswith(("flash", "unfused"))]
