"""A device with the roof that was asked for: where kernels are placed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofline.core.choice import RoofChoice, RoofQuery, choose, over_level
from roofline.core.device import Device, level_key
from roofline.core.kernel import Kernel
from roofline.core.roof import Roof
from roofline.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from roofline.core.link import Port
    from roofline.core.placement import Placed, Placement


class Target:
    """A device and what was said about the roof; it remembers the roofs that it chose.

    Raises:
        InputError: no device, or no query.
        UnknownNameError: on placing, where the device has no such peak, level or link.

    """

    __slots__ = ("_choices", "_headlines", "device", "query")

    def __init__(self, *, device: Device, query: RoofQuery | None = None) -> None:
        for name, value, kind in (
            ("device", device, Device),
            ("query", RoofQuery() if query is None else query, RoofQuery),
        ):
            if not isinstance(value, kind):
                raise InputError(f"{name} must be a {kind.__name__}, got {value!r:.60}")
        self.device = device
        self.query = query or RoofQuery()
        self._choices: dict[tuple[str | None, str | None], RoofChoice] = {}
        self._headlines: list[Roof] = []  # the one, once asked for

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Target) and (self.device, self.query) == (other.device, other.query)
        return same if isinstance(other, Target) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.device, self.query))

    def choice(self, dtype: str | None = None, unit: str | None = None) -> RoofChoice:
        """The roofs for a kernel of this precision on this unit; None: for one that names none."""
        if (dtype, unit) not in self._choices:
            if dtype is not None and self.query.headline:
                raise InputError(f"its precision is {dtype}, but --headline asks for the headline figure")
            query = self.query if dtype is None else self.query._replace(dtype=dtype, headline=False)
            self._choices[dtype, unit] = choose(self.device, query if unit is None else query._replace(unit=unit))
        return self._choices[dtype, unit]

    def place(self, kernel: Kernel) -> Placed:
        """A kernel on this device; its own precision and unit go before those of the query.

        A kernel without matrix products is placed under the vector unit's peak; where the device has none of its
        precision, under the default one, and a note says so.
        """
        from roofline.core.placement import Placed  # noqa: PLC0415  (a model's steps place no kernel)

        choice, kernel = self._for_unit(kernel)
        if (note := self._unsaid_accumulation(choice.roof)) is not None:
            kernel = kernel._replace(notes=(*kernel.notes, note))
        beside = None if choice.beside is None else self._placement(kernel, choice.beside)
        return Placed(
            device=self.device,
            first=self._placement(kernel, choice.roof),
            beside=beside,
            rivals=tuple(self._placement(kernel, roof) for roof in choice.rivals),
        )

    def _for_unit(self, kernel: Kernel) -> tuple[RoofChoice, Kernel]:
        if kernel.unit is None or self.query.unit is not None or self.query.kind == "measured":
            return self.choice(kernel.dtype), kernel
        try:
            return self.choice(kernel.dtype, kernel.unit), kernel
        except UnknownNameError:
            choice = self.choice(kernel.dtype)
        roof = choice.beside or choice.roof
        if roof.unit != "matrix":
            return choice, kernel
        lacking = f"no {roof.dtype} rate of the vector unit of {self.device.id} is known: the peak is the matrix unit's"
        return choice, kernel._replace(notes=(*kernel.notes, lacking))

    def _unsaid_accumulation(self, roof: Roof) -> str | None:
        """What must be said where an accumulation was asked for and the source of the peak does not name it."""
        wanted = self.query.accumulate
        if wanted is None or roof.accumulate is not None or roof.headline:
            return None
        if roof.basis == "given":
            return f"the given peak is taken as one with {wanted} accumulation"
        return (
            f"the {roof.dtype} peak of {self.device.id} is taken as one with {wanted} accumulation: "
            "its source does not say how it accumulates"
        )

    def with_headline(self, placed: Placed) -> Placed:
        """The same beside the headline, where the device has one and the kernel is placed on a sourced peak."""
        if self.device.headline is None or placed.first.roof.headline or self.query.kind == "measured":
            return placed
        if not self._headlines:  # one roof for all kernels, so that a list of roofs has it once
            self._headlines.append(choose(self.device, RoofQuery(headline=True, level=self.query.level)).roof)
        return placed._replace(headline=self._placement(placed.first.kernel, self._headlines[0]))

    def _link(self, kernel: Kernel) -> Port | None:
        if not kernel.communicates:
            return None
        from roofline.core.link import port  # noqa: PLC0415  (few kernels communicate)

        return port(self.device, self.query.link, self.query.latency, devices=kernel.devices)

    def _placement(self, kernel: Kernel, roof: Roof) -> Placement:
        from roofline.core.placement import Placement  # noqa: PLC0415  (as above)

        main, levels = None, []
        for level in kernel.bytes_at:
            if level_key(level) == level_key(roof.memory.level):
                main = level
            else:
                levels.append((level, over_level(self.device, roof, level, self.query.kind)))
        if not kernel.bytes_at:
            return Placement(kernel=kernel, roof=roof, link=self._link(kernel), floor=self.query.floor)
        if main is not None and kernel.bytes is not None:
            raise InputError(f"{kernel.name}: traffic through {main} is given twice")
        moved = kernel.bytes if main is None else kernel.bytes_at[main]
        at = {other.memory.level: kernel.bytes_at[level] for level, other in levels}
        return Placement(
            kernel=kernel._replace(bytes=moved, bytes_at=at),
            roof=roof,
            levels=tuple(other for _, other in levels),
            link=self._link(kernel),
            floor=self.query.floor,
        )
