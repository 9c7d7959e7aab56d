"""Prefill and decode of a model to a Report: a sheet for one device, a row a device for several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from roofline.core.placement import TOLERANCE
from roofline.report import Column, Report
from roofline.report.devices import title_of
from roofline.report.llm import sentences as said
from roofline.report.llm.critical import CRITICAL_COLUMNS, Critical, critical, critical_cells, critical_lines
from roofline.report.llm.memory import COLUMNS as MEMORY_COLUMNS
from roofline.report.llm.memory import Fit, fit, fit_cells, fit_lines
from roofline.report.llm.phases import PHASES, comparison_columns, phase_cells, sheet_columns, verdict
from roofline.report.llm.roofs import device_lines, roof_lines, roofs_of_steps
from roofline.transformer.bounds import Bounds, Roofs, bounds
from roofline.transformer.efficiency import efficiency
from roofline.transformer.generation import Generation, generation
from roofline.transformer.setup import Setup
from roofline.transformer.table import Table

_FEW: Final = 3  # devices whose critical batches are told; machine formats have those of all
_BY_TOTAL: Final = "time, idle and tok/s are bounds by the total time"
_BY_LEAST: Final = "of least: the measured rate over the one by the least time, which it is judged by"
_SETUP_COLUMNS: Final = (
    Column(key="model", heading="model", detail=True),
    Column(key="device", heading="device", detail=True),
    *(Column(key=key, heading=key, detail=True) for key in ("weights_format", "kv_format", "compute_precision")),
    *(
        Column(key=key, heading=key, format="count", detail=True)
        for key in ("parameters", "batch", "prompt_tokens", "context_tokens", "generated_tokens", "device_count")
    ),
    Column(key="headline_ridge_flop_per_byte", heading="headline I*", format="FLOP/B", detail=True),
)


class Served(NamedTuple):
    """A setup with all that follows from it."""

    setup: Setup
    tables: dict[str, Table]  # by phase
    roofs: Roofs
    bounds: dict[str, Bounds]
    fit: Fit
    critical: Critical
    generation: Generation | None
    measured: float | None  # tokens/s of decode, of all sequences together

    @classmethod
    def of(cls, setup: Setup, measured: float | None = None) -> Served:
        """Compute it.

        Raises:
            InputError: devices that cannot share the heads, a step out of bounds.
            UnknownNameError: a peak, a link or a format that does not exist.

        """
        tables = {"prefill": setup.prefill(), "decode": setup.decode()}
        every = [setup.roofs(table) for table in tables.values()]
        roofs = Roofs(by_precision={**every[0].by_precision, **every[1].by_precision}, link=every[0].link)
        generated = None
        if setup.generate:
            generated = generation(setup.table, roofs, prompt=setup.prompt, generated=setup.generate, batch=setup.batch)
        return cls(
            setup=setup,
            tables=tables,
            roofs=roofs,
            bounds={phase: bounds(table, roofs) for phase, table in tables.items()},
            fit=fit(setup),
            critical=critical(setup),
            generation=generated,
            measured=measured,
        )

    @property
    def cells(self) -> dict[str, Any]:
        """All that is known of it, under the keys of JSON."""
        setup, formats = self.setup, self.setup.formats
        row: dict[str, Any] = {
            "model": setup.architecture.name,
            "device": setup.target.device.id,
            "weights_format": formats.weights,
            "kv_format": formats.kv,
            "compute_precision": formats.compute,
            "parameters": setup.architecture.parameters,
            "batch": setup.batch,
            "prompt_tokens": setup.prompt,
            "context_tokens": setup.context,
            "generated_tokens": setup.generate,
            "device_count": setup.devices,
            "headline_ridge_flop_per_byte": said.headline_ridge(setup.target.device),
        }
        for phase in PHASES:
            row |= phase_cells(setup, phase, self.bounds[phase], self.measured)
        return row | fit_cells(self.fit) | critical_cells(self.critical) | said.generation_cells(self.generation)

    @property
    def lines(self) -> list[str]:
        """Verdicts, what generating takes, and the memory, a sentence each."""
        lines = [verdict(phase, self.bounds[phase]) for phase in PHASES]
        if self.generation is not None:
            lines.append(said.generation_line(self.generation, self.setup.generate))
        return [*lines, *critical_lines(self.setup, self.critical), *fit_lines(self.setup, self.fit)]

    def lines_of_device(self, *, few: bool) -> list[str]:
        """What is said of one device among several, beyond its row; of many devices less."""
        name, lines = self.setup.target.device.id, []
        if self.generation is not None:
            lines.append(said.generation_line(self.generation, self.setup.generate, of=name))
        return [*lines, *(critical_lines(self.setup, self.critical, of=name) if few else ())]

    @property
    def notes(self) -> list[str]:
        """What must be said beside the figures, also of a measurement that is above one bound and not the other."""
        notes = said.notes(self.setup, list(self.tables.values()))
        most = self.bounds["decode"].total_time_tokens_per_s
        if self.measured is None or self.warnings or self.measured <= TOLERANCE * most:
            return notes
        name = self.setup.target.device.id
        return [
            *notes,
            f"measured tok/s on {name} are above those by total, which counts activations that fused kernels do not "
            "move and links that may overlap; they are judged by the least time",
        ]

    @property
    def warnings(self) -> list[str]:
        """A measurement above its bound by the least time, which no software can beat."""
        if self.measured is None:
            return []
        found = efficiency(self.bounds["decode"], tokens_per_s=self.measured).warning
        return [f"decode on {self.setup.target.device.id} was measured at {found}"] if found else []


def columns(*, several: bool = False, generated: bool = False) -> list[Column]:
    """The columns of :attr:`Served.cells`."""
    model, device, *others = _SETUP_COLUMNS
    phases = comparison_columns() if several else sheet_columns()
    memory, *details = (column._replace(detail=column.detail or not several) for column in MEMORY_COLUMNS)
    more = said.GENERATION_COLUMNS if generated else ()
    return [model, device._replace(detail=not several), memory, *others, *phases, *details, *CRITICAL_COLUMNS, *more]


def sheet(served: Served, context: dict[str, Any]) -> Report:
    """One device: prefill and decode side by side, the verdicts and the memory below."""
    setup, device = served.setup, served.setup.target.device
    tables = list(served.tables.values())
    hypothetical = " (hypothetical: it does not fit)" if served.fit.fits is False else ""
    return Report(
        columns=columns(generated=served.generation is not None),
        rows=[served.cells],
        rows_key="setups",
        layout="sheet",
        single=True,
        title=said.title(setup, on=title_of(device)) + hypothetical,
        summary=[said.work_line(setup), *served.lines],
        roofs=[*roof_lines([setup]), *said.link_lines(setup)],
        notes=served.notes + device_lines([setup]),
        assumptions=[*said.assumptions(tables), *said.of_memory(setup)],
        warnings=served.warnings,
        context=context_of(context, [served]),
    )


def comparison(served: Sequence[Served], context: dict[str, Any]) -> Report:
    """Several devices: a row each; what does not fit says so."""
    first, setups, few = served[0].setup, [one.setup for one in served], len(served) <= _FEW
    tables = [table for one in served for table in one.tables.values()]
    notes = [note for one in served for note in one.notes]
    small = [one.setup.target.device.id for one in served if one.fit.fits is False]
    if small:
        notes.append(f"too small, so that its bounds are hypothetical: {', '.join(small)}")
    return Report(
        columns=columns(several=True, generated=first.generate > 0),
        rows=[one.cells for one in served],
        rows_key="setups",
        title=said.title(first, on=f"{len(served)} devices"),
        summary=[said.work_line(first), *(line for one in served for line in one.lines_of_device(few=few))],
        roofs=[*roof_lines(setups), *(line for setup in setups for line in said.link_lines(setup, several=True))],
        notes=list(dict.fromkeys(notes)) + device_lines(setups),
        assumptions=[
            *said.assumptions(tables),
            *said.of_memory(first),
            _BY_TOTAL,
            *(() if served[0].measured is None else (_BY_LEAST,)),
        ],
        warnings=[warning for one in served for warning in one.warnings],
        context=context_of(context, served),
    )


def context_of(context: dict[str, Any], served: Sequence[Served]) -> dict[str, Any]:
    """What travels with a JSON document: the model's source, the devices, the roofs and theirs."""
    setups = [one.setup for one in served]
    return {**context, "model_source": setups[0].architecture.source, **roofs_of_steps(setups)}
