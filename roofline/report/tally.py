"""What the summary of a kernel list says of all its kernels, shown or not, on each device by itself."""

from __future__ import annotations

from typing import Any, get_args

from roofline import units
from roofline.core.placement import Placed
from roofline.core.roof import Bound


class Tallies:
    """One tally a device: the same kernel on two devices has one time, which no sum may count twice."""

    def __init__(self) -> None:
        self.of: dict[str, Tally] = {}

    def add(self, placed: Placed) -> None:
        """Count one kernel on its device."""
        if placed.device.id not in self.of:
            self.of[placed.device.id] = Tally()
        self.of[placed.device.id].add(placed)

    @property
    def timed(self) -> bool:
        """Whether any kernel was measured."""
        return any(tally.timed for tally in self.of.values())

    def lines(self) -> list[str]:
        """The summary in words, with the device before it where there are several."""
        several = len(self.of) > 1
        return [f"{device}: {line}" if several else line for device, tally in self.of.items() for line in tally.lines()]

    def as_json(self) -> list[dict[str, Any]]:
        """The same for programs, a record a device."""
        return [{"device": device, **tally.as_json()} for device, tally in self.of.items()]


class Tally:
    """Counts and times by bound, and the kernel with most to save; add every kernel once."""

    def __init__(self) -> None:
        self.kernels = 0
        self.count: dict[str, int] = dict.fromkeys((*get_args(Bound), "unknown"), 0)
        self.time: dict[str, float] = dict.fromkeys(self.count, 0.0)
        self.timed = self.above = 0
        self.headline = 0
        self.most: tuple[float, Placed] | None = None

    def add(self, placed: Placed) -> None:
        """Count one kernel."""
        first = placed.first
        bound = first.bound or "unknown"
        self.kernels += 1
        self.headline += placed.first.roof.headline
        self.count[bound] += 1
        if first.kernel.seconds is not None:
            self.timed += 1
            self.time[bound] += first.kernel.seconds
        savings = placed.reachable.savings if first.judged_whole else None
        if savings and (self.most is None or savings > self.most[0]):
            self.most = (savings, placed)

    def lines(self) -> list[str]:
        """The summary in words."""
        parts = []
        for bound, count in self.count.items():
            if count:
                share = f" ({units.show(self.time[bound], 's')})" if self.timed else ""
                parts.append(f"{count} {bound}{'-bound' if bound != 'unknown' else ' bound'}{share}")
        some = "" if self.headline == self.kernels else f"{self.headline} of them "
        against = f", {some}against the headline" if self.headline else ""
        lines = [f"{self.kernels} kernel{'s' if self.kernels > 1 else ''}: {', '.join(parts)}{against}"]
        if self.most is not None:
            saved, placed = self.most
            kernel = placed.first.kernel
            lines.append(
                f"most to save: {kernel.name}, {units.show(saved, 's')} of {units.show(kernel.seconds or 0.0, 's')}"
                f" (least time {units.show(placed.reachable.least_time or 0.0, 's')} at "
                f"{units.show(placed.reachable.roof.peak, 'FLOP/s')})"
            )
        return lines

    def as_json(self) -> dict[str, Any]:
        """The same for programs."""
        record: dict[str, Any] = {"kernels": self.kernels}
        for bound, count in self.count.items():
            record |= {f"{bound}_bound_count": count, f"{bound}_bound_time_s": self.time[bound]}
        saved, placed = self.most or (None, None)
        return record | {"most_savings_s": saved, "most_savings_kernel": placed and placed.first.kernel.name}
