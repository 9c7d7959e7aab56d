"""The operators of a step to a Report: each by itself on the roof, with its share of the time, by type of layer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from roofline import units
from roofline.report import Column, Report, Value
from roofline.report.devices import title_of
from roofline.report.llm import sentences as said
from roofline.report.llm.fits import memory_lines
from roofline.report.llm.links import link_lines
from roofline.report.llm.phases import verdict
from roofline.report.llm.roofs import device_lines, peak_lines, roof_lines
from roofline.report.llm.steps import context_of, served_cells
from roofline.report.placements import kernel_cells, roof_cells
from roofline.transformer.architecture import Architecture
from roofline.transformer.bounds import Roofs, shares
from roofline.transformer.operator import Operator
from roofline.transformer.served import Served
from roofline.transformer.table import Table
from roofline.transformer.tensors import difference

_EXACT: Final = 3  # decades below the largest figure of a column in which others have all their digits
COLUMNS: Final = (
    Column(key="phase", heading="phase", detail=True),
    Column(key="layers", heading="layers"),
    Column(key="name", heading="operator", format="name"),
    Column(key="group", heading="group", detail=True),
    Column(key="times", heading="runs", format="count"),
    Column(key="precision", heading="precision", detail=True),
    Column(key="work_flop", heading="work", format="FLOP"),
    Column(key="traffic_byte", heading="traffic", format="B"),
    *(
        Column(key=f"{key}_byte", heading=key, format="B", detail=True)
        for key in ("weights", "kv", "activations", "wire")
    ),
    Column(key="arithmetic_intensity_flop_per_byte", heading="I", format="FLOP/B"),
    Column(key="arithmetic_intensity_infinite", heading="I infinite", format="flag", detail=True),
    Column(key="ridge_flop_per_byte", heading="I*", format="FLOP/B", detail=True),
    Column(key="bound", heading="bound", format="bound"),
    Column(key="least_time_s", heading="least", format="s"),
    Column(key="share_of_time", heading="share", format="1"),
)


def operators_report(served: Served, phase: str, context: dict[str, Any]) -> Report:
    """A row an operator of one phase; work, traffic and time are of all its runs in the step."""
    setup, device, table = served.setup, served.setup.target.device, served.tables[phase]
    pairs = list(zip(table.operators, shares(table, served.roofs), strict=True))
    # Layers first: what stands before and behind them is small, and the first row chooses the units.
    pairs.sort(key=lambda pair: pair[0].layer is None)
    rows = [
        {**_cells(setup.architecture, operator, served.roofs), "phase": phase, "share_of_time": share}
        for operator, share in pairs
    ]
    for key in ("work_flop", "traffic_byte", "least_time_s", "share_of_time"):
        _round_small(rows, key)
    return Report(
        columns=COLUMNS,
        rows=rows,
        rows_key="operators",
        title=f"{said.title([setup], on=title_of(device))}: operators of {phase}",
        lead=served_cells(served),
        summary=[
            said.work_line([setup]),
            verdict(phase, served.bounds[phase]),
            _by_group(pairs, served.bounds[phase].by_operator),
            *memory_lines(setup, served.room),
        ],
        roofs=[
            *roof_lines([setup]),
            *peak_lines([setup], phases=[phase]),
            *link_lines([setup], "prefill" if phase == "prefill" else "decode step"),
        ],
        notes=[*said.notes(setup, [table]), *said.devices_notes([setup]), *device_lines([setup]), *_joined(table)],
        conventions=[*said.assumptions([table]), *said.of_memory(setup)],
        context=context_of(context, [served]),
    )


def _joined(table: Table) -> list[str]:
    """Whose traffic the totals of a step leave out."""
    if not any(operator.kernel.communicates for operator in table.operators):
        return []
    return ["the traffic of all-reduces is in the time of the links, and not among the bytes of the step"]


def _cells(model: Architecture, operator: Operator, roofs: Roofs) -> dict[str, Any]:
    placement, times = roofs.place(operator), operator.times
    one = kernel_cells(placement) | roof_cells(placement)
    kept = ("arithmetic_intensity_flop_per_byte", "arithmetic_intensity_infinite", "ridge_flop_per_byte", "bound")
    return {
        "layers": None if operator.layer is None else layers(model, operator.layer),
        "name": operator.name,
        "group": operator.group,
        "times": times,
        "precision": operator.kernel.dtype,
        "work_flop": operator.flops,
        "traffic_byte": operator.bytes,
        "weights_byte": times * operator.weights,
        "kv_byte": times * operator.kv,
        "activations_byte": times * operator.activations,
        "wire_byte": times * (operator.kernel.wire or 0),
        **{key: one[key] for key in kept},
        "least_time_s": times * max(roofs.times(operator)),
    }


def _round_small(rows: Sequence[dict[str, Any]], key: str) -> None:
    """Give people fewer digits of what hardly adds to the largest figure of a column, and names more room."""
    most = max(row[key] for row in rows)
    for row in rows:
        if row[key]:
            small = math.floor(math.log10(row[key] / most)) + _EXACT  # below 0: decades under the smallest exact figure
            row[key] = Value(row[key], max(1, min(units.DIGITS, units.DIGITS + small)))


def layers(model: Architecture, index: int) -> str:
    """A type of layer by number and by what tells it from others.

    >>> from roofline.transformer.presets import find
    >>> layers(find("llama-3.1-8b"), 0), layers(find("deepseek-v3"), 1)
    ('32', '58 MoE')

    """
    count, layer = model.layers[index]
    words = [str(count)]
    if layer.kind != "dense" or any(other.kind != layer.kind for _, other in model.layers):
        words.append(layer.kind)
    if layer.attention.window is not None:
        words.append(f"window {layer.attention.window}")
    differs = difference(layer, [other for _, other in model.layers])
    if differs:
        words.append(f"({differs})")
    return " ".join(words)


def _by_group(pairs: Sequence[tuple[Operator, float]], seconds: float) -> str:
    """Where the time goes by kind of operator, the most first."""
    sums: dict[str, float] = {}
    for operator, share in pairs:
        sums[operator.group] = sums.get(operator.group, 0.0) + share
    told = ", ".join(f"{group} {units.show(share, '1')}" for group, share in sorted(sums.items(), key=lambda s: -s[1]))
    return f"by operator {units.show(seconds, 's')}: {told}"
