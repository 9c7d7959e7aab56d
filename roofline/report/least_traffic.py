"""What no order of a gemm's products can beat past the largest known cache: in figures, in words, and as a warning."""

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from roofline import units
from roofline.core.device import Memory
from roofline.core.placement import Placed, Placement
from roofline.operations.blocking import Operands, tile_size
from roofline.operations.bounds import gemm_lower_bound
from roofline.operations.registry import Operation
from roofline.precision import storage
from roofline.report import Column, Report, Value
from roofline.report.roofs import BOUND_WORDS

_SOURCE: Final = "Hong and Kung 1981; constant by Smith et al. 2017"
_KEY: Final = "traffic_lower_bound_byte"
_COLUMN: Final = Column(key=_KEY, heading="least traffic", format="B", detail=True)


class LeastTraffic(NamedTuple):
    """The fewest bytes that a product moves past a cache, and where that places it."""

    amount: int  # B
    cache: Memory
    counted: Placement  # with the traffic that was counted
    forced: Placement  # with the fewest bytes, where they are more
    tile: int | None  # B of fast memory that a tile takes; None without a tile

    @property
    def exceeds(self) -> bool:
        """Whether more must move than was counted, which then assumes a larger fast memory than this cache."""
        return self.amount > (self.counted.kernel.bytes or 0)

    @property
    def room(self) -> str:
        """The cache in words."""
        return f"{units.show(self.cache.capacity or 0.0, 'B')} of {self.cache.level}"


def least_traffic(operation: Operation, shape: dict[str, Any], placed: Placed) -> LeastTraffic | None:
    """The lower bound of a gemm on a device; None for another operation, or where no cache holds a single element.

    The formats of the operands may differ: all of them are taken to be as small as the smallest, so that the bound
    holds.
    """
    first = placed.first
    judged = first.roof.memory.level
    whole = next((m.capacity for m in placed.device.memory if m.level == judged and m.capacity), math.inf)
    caches = [m for m in placed.device.memory if m.level != judged and m.capacity and m.capacity < whole]
    if operation.name != "gemm" or not caches:
        return None
    cache = max(caches, key=lambda memory: memory.capacity or 0.0)
    named = {name: shape.get(name) for name in ("activations", "weights", "result", "accumulator")}
    texts = (shape["dtype"], *(text for text in named.values() if text))
    smallest = min((storage(text, mixes=True) for text in texts), key=lambda held: held.bits)
    fast = int(int(cache.capacity or 0) * 8 / smallest.bits)
    if fast < 1:
        return None
    each = smallest.size_of(gemm_lower_bound(m=shape["m"], n=shape["n"], k=shape["k"], fast_memory=fast))
    compulsory = operation.function(**{name: shape[name] for name in shape if name not in ("tile", "spill")}).bytes
    amount = max(shape.get("batch", 1) * each, int(compulsory or 0))
    moved = max(amount, first.kernel.bytes or 0)
    tile = shape.get("tile")
    return LeastTraffic(
        amount=amount,
        cache=cache,
        counted=first,
        forced=first._replace(kernel=first.kernel._replace(bytes=moved)),
        tile=tile and tile_size(tile, Operands.of(shape["dtype"], *named.values())),
    )


def with_least_traffic(
    report: Report,
    found: Sequence[LeastTraffic | None],
    devices: Sequence[str],
    *,
    sizes: Sequence[str] | None = None,
) -> Report:
    """The report with a lower bound in each row, what must be said of it, and a warning where it changes a verdict.

    Args:
        report: a row a lower bound
        found: the lower bounds
        devices: for each row its device, empty where there is but one
        sizes: for each row the swept argument with its value; None without a sweep

    """
    if not any(found):
        return report
    why = Value(None, None, "no cache is known")
    rows = [{**row, _KEY: one.amount if one else why} for row, one in zip(report.rows, found, strict=True)]
    notes, warnings = [], []
    for device in dict.fromkeys(devices):
        of = [number for number, name in enumerate(devices) if name == device and found[number]]
        bounds = [one for number in of if (one := found[number])]
        prefix = f"{device}: " if device else ""
        at = None if sizes is None else [sizes[number] for number in of]
        notes += [prefix + text for text in (_swept(bounds, at) if at is not None else _said(bounds))]
        warnings += [prefix + text for text in _warned(bounds, at)]
    return report._replace(
        columns=[*report.columns, _COLUMN],
        rows=rows,
        notes=[*report.notes, *notes],
        warnings=[*report.warnings, *warnings],
    )


def _said(bounds: Sequence[LeastTraffic]) -> list[str]:
    """A note on the one size there is."""
    lines = []
    for one in bounds:
        per_flop = units.significant(one.amount / (one.counted.kernel.flops or 1))
        text = (
            f"no order of these products moves less than {units.show(one.amount, 'B')} ({per_flop} B/FLOP) past "
            f"{one.room} ({_SOURCE})"
        )
        if one.exceeds:
            least, longer = one.counted.least_time or 0.0, one.forced.least_time or 0.0
            then = f"{units.show(longer, 's')} in place of" if longer > least else "still"
            text += (
                f"; the traffic above assumes a fast memory that holds {_assumed(one)}: past this cache the least time "
                f"is {then} {units.show(least, 's')}"
            )
        lines += [text, *_does_not_fit(one)]
    return lines


def _swept(bounds: Sequence[LeastTraffic], sizes: Sequence[str]) -> list[str]:
    """A note on the size at which most must move, and how many others there are."""
    over = [(one, size) for one, size in zip(bounds, sizes, strict=True) if one.exceeds]
    lines = [line for one in bounds[:1] for line in _does_not_fit(one)]
    if not over:
        return lines
    one, size = max(over, key=lambda pair: pair[0].amount)
    others = f", and more than was counted at {_others(len(over) - 1)}" if len(over) > 1 else ""
    return [
        f"at {size} no order moves less than {units.show(one.amount, 'B')} past {one.room} ({_SOURCE}), while the "
        f"{units.show(one.counted.kernel.bytes or 0, 'B')} that were counted assume a fast memory that holds "
        f"{_assumed(one)}{others}",
        *lines,
    ]


def _others(count: int) -> str:
    return f"{count} other size{'s' if count > 1 else ''}"


def _assumed(one: LeastTraffic) -> str:
    return "all operands" if one.tile is None else "such a tile"


def _does_not_fit(one: LeastTraffic) -> list[str]:
    if one.tile is None or one.tile <= (one.cache.capacity or 0.0):
        return []
    return [f"a tile takes {units.show(one.tile, 'B')}, more than the {one.room}: it does not fit"]


def _warned(bounds: Sequence[LeastTraffic], sizes: Sequence[str] | None) -> list[str]:
    """A sentence where the verdict is another one with what must move."""
    changed = [number for number, one in enumerate(bounds) if one.counted.bound != one.forced.bound]
    if not changed:
        return []
    one = bounds[changed[0]]
    before, after = (BOUND_WORDS[p.bound] for p in (one.counted, one.forced) if p.bound)
    where = ""
    if sizes is not None:
        more = f" and {_others(len(changed) - 1)}" if len(changed) > 1 else ""
        where = f" at {sizes[changed[0]]}{more}"
    return [f"{before} by the traffic that was counted, but {after} by what must move past {one.room}{where}"]
