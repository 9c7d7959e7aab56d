"""A grid of setups, computed point by point: every device with all combinations of sizes, formats and words."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from roofline.core.roof import Bound
from roofline.transformer.bounds import Bounds
from roofline.transformer.memory import Demand
from roofline.transformer.served import Critical, critical
from roofline.transformer.setup import Setup
from roofline.transformer.table import Table

SIZES: Final = ("batch", "context", "prompt", "devices")  # what is swept from a first to a last


class Crossing(NamedTuple):
    """Another bound than that of the size before it on the same line of the grid."""

    size: int  # the one before
    before: Bound
    after: Bound


class Point(NamedTuple):
    """One setup of the grid with what follows from it."""

    setup: Setup
    bounds: Bounds
    needed: Demand
    fits: bool | None
    crossing: Crossing | None
    critical: Critical | None  # None where no batches of decode are swept


class Grid(NamedTuple):
    """Setups to be computed: every device, and for each every combination of the values of the axes."""

    setups: Sequence[Setup]
    axes: Mapping[str, Sequence[Any]]  # fields of a Setup and their values; the last varies fastest

    @property
    def phase(self) -> str:
        """What is computed: prefill where its length is swept, else decode."""
        return "prefill" if "prompt" in self.axes else "decode"

    @property
    def along(self) -> str | None:
        """The axis along which a crossing is looked for: the last one of sizes."""
        return next((name for name in reversed(list(self.axes)) if name in SIZES), None)

    @property
    def has_critical(self) -> bool:
        """Whether critical batches belong to it: where batches of decode are swept."""
        return "batch" in self.axes and self.phase == "decode"

    def table(self, setup: Setup) -> Table:
        """The operators of one point."""
        return setup.prefill if self.phase == "prefill" else setup.decode

    def each(self) -> Iterator[Setup]:
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
        return list(self._replace(axes=ends).each())

    def line(self, setup: Setup, but: str | None) -> tuple[Any, ...]:
        """What the points have in common that differ in one axis alone."""
        return (setup.target.device.id, *(setup.said(name) for name in self.axes if name != but))

    def points(self) -> Iterator[Point]:
        """Each point, computed when it is asked for.

        Raises:
            InputError: sizes out of bounds, or devices that cannot share the heads.
            UnknownNameError: a peak or a link that does not exist.

        """
        last: dict[tuple[Any, ...], Point] = {}
        batches: dict[tuple[Any, ...], Critical] = {}
        for setup in self.each():
            found, needed = setup.bounds(self.table(setup)), setup.demand()
            line, of_batches = self.line(setup, self.along), self.line(setup, "batch")
            if self.has_critical and of_batches not in batches:
                batches[of_batches] = critical(setup)
            crossing = self._crossing(last.get(line), found.bound)
            last[line] = point = Point(setup, found, needed, setup.fits(needed), crossing, batches.get(of_batches))
            yield point

    def _crossing(self, before: Point | None, bound: Bound) -> Crossing | None:
        if self.along is None or before is None or before.bounds.bound == bound:
            return None
        return Crossing(getattr(before.setup, self.along), before.bounds.bound, bound)
