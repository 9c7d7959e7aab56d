"""Prefill and decode of a model to a Report: a sheet for one device, a row a device for several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from roofline.core.roof import TOLERANCE
from roofline.report import Column, Report
from roofline.report.devices import title_of
from roofline.report.llm import Field, cells, columns
from roofline.report.llm import sentences as said
from roofline.report.llm.critical import CRITICAL_COLUMNS, critical_cells, critical_lines
from roofline.report.llm.fits import memory_lines, room_line
from roofline.report.llm.generation import generation_cells, generation_columns, generation_lines
from roofline.report.llm.memory import memory_cells, memory_columns
from roofline.report.llm.phases import PHASES, comparison_columns, measured_line, phase_cells, sheet_columns, verdict
from roofline.report.llm.roofs import device_lines, peak_lines, roof_lines, roofs_of_steps
from roofline.transformer.served import Served
from roofline.transformer.setup import Setup

_FEW: Final = 3  # devices whose critical batches and room are told; machine formats have those of all
_BY_TOTAL: Final = "time, idle and tok/s are by the total time, which kernels that fuse more than is counted can beat"
_BY_LEAST: Final = "of least: the measured rate over the one by the least time, which it is judged by"
_SAME_RATE: Final = "--measured is one number, by which each of these devices is judged; a run was on one of them"
# fmt: off
_SETUP: Final[tuple[Field, ...]] = (
    Field("model", "", "", "text", lambda s: s.setup.architecture.name),
    Field("device", "", "device", "text", lambda s: s.setup.target.device.id),
)
_ASKED: Final[tuple[Field, ...]] = (
    Field("weights_format", "", "", "text", lambda s: s.setup.formats.weights),
    Field("kv_format", "", "", "text", lambda s: s.setup.formats.kv),
    Field("compute_precision", "", "", "text", lambda s: s.setup.formats.compute),
    Field("parameters", "", "", "count", lambda s: s.setup.architecture.parameters),
    Field("batch", "", "", "count", lambda s: s.setup.batch),
    Field("prompt_tokens", "", "", "count", lambda s: s.setup.prompt),
    Field("context_tokens", "", "", "count", lambda s: s.setup.context),
    Field("generated_tokens", "", "", "count", lambda s: s.setup.generate),
    Field("device_count", "", "", "count", lambda s: s.setup.devices),
    Field("headline_ridge_flop_per_byte", "", "", "FLOP/B", lambda s: said.headline_ridge(s.setup.target.device)),
)
# fmt: on


def served_columns(*, several: bool = False, generated: bool = False) -> list[Column]:
    """The columns of :func:`served_cells`."""
    fits, *memory = memory_columns(several=several)
    phases = comparison_columns() if several else sheet_columns()
    return [
        *columns(_SETUP, short=several),
        fits,
        *columns(_ASKED),
        *phases,
        *memory,
        *CRITICAL_COLUMNS,
        *(generation_columns(short=several) if generated else ()),
    ]


def served_cells(served: Served) -> dict[str, Any]:
    """All that is known of a setup, under the keys of JSON."""
    return {
        **cells((*_SETUP, *_ASKED), served),
        **phase_cells(served),
        **memory_cells(served.room),
        **critical_cells(served.critical),
        **generation_cells(served),
    }


def sheet(served: Served, context: dict[str, Any]) -> Report:
    """One device: prefill and decode side by side, the verdicts and the memory below."""
    setup, device = served.setup, served.setup.target.device
    tables = list(served.tables.values())
    hypothetical = " (hypothetical: it does not fit)" if served.room.fits is False else ""
    return Report(
        columns=served_columns(generated=served.generation is not None),
        rows=[served_cells(served)],
        rows_key="setups",
        layout="sheet",
        single=True,
        title=said.title([setup], on=title_of(device)) + hypothetical,
        summary=[
            said.work_line([setup]),
            *(verdict(phase, served.bounds[phase]) for phase in PHASES),
            *_of_runs(served),
            *critical_lines(setup, served.critical),
            *memory_lines(setup, served.room),
        ],
        roofs=[*roof_lines([setup]), *peak_lines([setup]), *_links([setup])],
        notes=[*_notes(served), *said.devices_notes([setup]), *device_lines([setup])],
        conventions=[*said.assumptions(tables), *said.of_memory(setup)],
        warnings=_warnings(served),
        context=context_of(context, [served]),
    )


def comparison(served: Sequence[Served], context: dict[str, Any]) -> Report:
    """Several devices: a row each; what does not fit says so."""
    first, setups, few = served[0].setup, [one.setup for one in served], len(served) <= _FEW
    first_rate = served[0].rate
    tables = [table for one in served for table in one.tables.values()]
    notes = [note for one in served for note in _notes(one)]
    if first_rate is not None:
        notes.append(_SAME_RATE)
    small = [one.setup.target.device.id for one in served if one.room.fits is False]
    if small:
        whose = "their" if small[1:] else "its"
        notes.append(f"too small, so that {whose} bounds are hypothetical: {', '.join(small)}")
    return Report(
        columns=served_columns(several=True, generated=first.generate > 0),
        rows=[served_cells(one) for one in served],
        rows_key="setups",
        title=said.title(setups, on=f"{len(served)} devices"),
        summary=[said.work_line(setups), *(line for one in served for line in _of_device(one, few=few))],
        roofs=[*roof_lines(setups), *peak_lines(setups), *_links(setups)],
        notes=[*dict.fromkeys(notes), *said.devices_notes(setups), *device_lines(setups)],
        conventions=[
            *said.assumptions(tables),
            *said.of_memory(first),
            *said.of_capacity(setups, needs=True),
            _BY_TOTAL,
            *(() if first_rate is None else (_BY_LEAST,)),
        ],
        warnings=[warning for one in served for warning in _warnings(one)],
        context=context_of(context, served),
    )


def _links(setups: Sequence[Setup]) -> list[str]:
    """The links that join several devices."""
    if setups[0].devices == 1:  # as all of them
        return []
    from roofline.report.llm.links import link_lines  # noqa: PLC0415  (one device sends nothing)

    return link_lines(setups, "decode step")


def _of_runs(served: Served, *, of: str | None = None) -> list[str]:
    """What generating takes, and what a measured rate is worth."""
    measured = [] if served.measured is None else [measured_line(served, of=of)]
    return [*generation_lines(served, of=of), *measured]


def _of_device(served: Served, *, few: bool) -> list[str]:
    """What is said of one device among several, beyond its row; of many devices less."""
    name = served.setup.target.device.id
    if not few:
        return _of_runs(served, of=name)
    setup = served.setup
    return [
        *_of_runs(served, of=name),
        *critical_lines(setup, served.critical, of=name),
        *room_line(setup, served.room, of=name),
    ]


def _notes(served: Served) -> list[str]:
    """What must be said beside the figures, also of a measurement that is above one bound and not the other."""
    notes = said.notes(served.setup, list(served.tables.values()))
    most = served.bounds["decode"].total_time_tokens_per_s
    if served.rate is None or _warnings(served) or served.rate <= TOLERANCE * most:
        return notes
    name = served.setup.target.device.id
    return [
        *notes,
        f"measured tok/s on {name} are above those by total, which counts activations that fused kernels do not "
        "move and links that may overlap; they are judged by the least time",
    ]


def _warnings(served: Served) -> list[str]:
    """A measurement above its bound by the least time, which no software that does what is counted can beat."""
    warning = served.measured and served.measured.warning
    counted = said.counted_by(served.setup)
    more = f"; the bound is {counted}, which a run may undercut" if counted else ""
    return [f"decode on {served.setup.target.device.id} was measured at {warning}{more}"] if warning else []


def context_of(context: dict[str, Any], served: Sequence[Served]) -> dict[str, Any]:
    """What travels with a JSON document: the model's source, the devices, the roofs and theirs."""
    setups = [one.setup for one in served]
    return {**context, "model_source": setups[0].architecture.source, **roofs_of_steps(setups)}
