"""A grid of setups as rows, each computed when it is asked for, marked where the bound changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

from roofline.core.roof import Bound
from roofline.report.llm.critical import Critical, critical, critical_cells, critical_lines
from roofline.report.llm.memory import verdict_cells
from roofline.report.llm.phases import phase_cells
from roofline.text import counted
from roofline.transformer.choices import CONVENTIONS
from roofline.transformer.setup import Setup
from roofline.transformer.table import Table

SIZES: Final = ("batch", "context", "prompt", "devices")  # what is swept from a first to a last
# The keys under which rows have what can be swept, with the unit of what has one; as in the report of one setup.
KEYS: Final = {
    "batch": "batch",
    "context": "context_tokens",
    "prompt": "prompt_tokens",
    "devices": "device_count",
    "weights": "weights_format",
    "kv": "kv_format",
    "compute": "compute_precision",
    **{name: name for name in CONVENTIONS},
}
_TOLD: Final = 8  # crossings and critical batches that are told one by one


@dataclass(slots=True, kw_only=True)
class Grid:
    """Setups to be computed: every device, and for each every combination of the values of the axes."""

    setups: Sequence[Setup]
    axes: Mapping[str, Sequence[Any]]  # fields of a Setup and their values; the last varies fastest
    _critical: dict[tuple[Any, ...], tuple[Setup, Critical]] = field(default_factory=dict)
    _crossed: list[str] = field(default_factory=list)

    @property
    def phase(self) -> str:
        """What is computed: prefill where its length is swept, else decode."""
        return "prefill" if "prompt" in self.axes else "decode"

    @property
    def along(self) -> str | None:
        """The axis along which a crossing is looked for: the last one of sizes."""
        return next((name for name in reversed(list(self.axes)) if name in SIZES), None)

    def table(self, setup: Setup) -> Table:
        """The operators of one point."""
        return setup.prefill() if self.phase == "prefill" else setup.decode()

    def points(self) -> Iterator[Setup]:
        """Each setup of the grid."""
        for setup in self.setups:
            for values in product(*self.axes.values()):
                yield setup.with_(**self._lengths(dict(zip(self.axes, values, strict=True))))

    def _lengths(self, point: dict[str, Any]) -> dict[str, Any]:
        """A point whose other length follows the one that is swept, so that memory holds that and no more."""
        if "context" in point:
            return point | {"prompt": max(point["context"], 1), "generate": 0}
        return point | {"context": point["prompt"], "generate": 0} if "prompt" in point else point

    def corners(self) -> list[Setup]:
        """The setups that show whether all can be computed: all formats and devices, with the first and last sizes."""
        ends = {
            name: sorted({values[0], max(values)}) if name in SIZES and name != "devices" else values
            for name, values in self.axes.items()
        }
        return list(Grid(setups=self.setups, axes=ends).points())

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each point as a row."""
        before: dict[tuple[Any, ...], Bound] = {}
        for setup in self.points():
            found = setup.bounds(self.table(setup))
            crossing = self._crossing(setup, found.bound, before)
            cells = {key.removeprefix(f"{self.phase}_"): v for key, v in phase_cells(setup, self.phase, found).items()}
            yield (
                _of(setup)
                | {name: setup.said(name) for name in self.axes if name in CONVENTIONS}
                | cells
                | verdict_cells(setup.fits())
                | {"crossing": crossing}
                | self._critical_cells(setup)
            )

    def summary(self) -> Iterator[str]:
        """What the rows showed, once they are all there."""
        if self.along is not None:
            told = self._crossed[:_TOLD]
            more = len(self._crossed) - len(told)
            yield from told or ["the bound is the same at every size"]
            if more:
                yield f"and {counted(more, 'more crossing')}, marked in the table"
        lines: dict[str, None] = {}
        for setup, found in list(self._critical.values())[:_TOLD]:
            of = ", ".join(self._names(setup, ("batch", "context")))
            lines |= dict.fromkeys(critical_lines(setup, found, of=of or None))
        yield from lines

    def _crossing(self, setup: Setup, bound: Bound, before: dict[tuple[Any, ...], Bound]) -> str | None:
        """What lies between a row and the one before it on the same line of the grid."""
        if self.along is None:
            return None
        line = (setup.target.device.id, *(setup.said(name) for name in self.axes if name != self.along))
        last, before[line] = before.get(line, bound), bound
        if last == bound:
            return None
        side = {"compute": "past the ridge", "memory": "before the ridge", "link": "that is link-bound"}[bound]
        of = ", ".join(self._names(setup, (self.along,)))
        self._crossed.append(
            f"{self.along} = {getattr(setup, self.along)} is the first {side}{f' on {of}' if of else ''}"
        )
        return "link roof" if "link" in (last, bound) else "ridge"

    def _names(self, setup: Setup, but: Sequence[str]) -> list[str]:
        """What tells a line of the grid from the others."""
        device = [setup.target.device.id] if len(self.setups) > 1 else []
        others = [name for name, values in self.axes.items() if name not in but and len(values) > 1]
        return [*device, *(f"{name} {setup.said(name)}" for name in others)]

    def _critical_cells(self, setup: Setup) -> dict[str, Any]:
        if "batch" not in self.axes or self.phase != "decode":
            return {}
        key = (setup.target.device.id, *(setup.said(name) for name in self.axes if name != "batch"))
        if key not in self._critical:
            self._critical[key] = setup, critical(setup)
        return critical_cells(self._critical[key][1])


def _of(setup: Setup) -> dict[str, Any]:
    formats = setup.formats
    return {
        "model": setup.architecture.name,
        "device": setup.target.device.id,
        **{KEYS[name]: getattr(formats, name) for name in ("weights", "kv", "compute")},
        **{KEYS[name]: getattr(setup, name) for name in SIZES},
    }
