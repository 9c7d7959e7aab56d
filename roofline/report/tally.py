"""What the summary of a kernel list says of all its rows, whether they are shown or not."""

from __future__ import annotations

from typing import Any, get_args

from roofline import units
from roofline.core.roof import Bound
from roofline.core.target import Placed


class Tally:
    """Counts and times by bound, and the kernel with most to save; add every row once."""

    def __init__(self) -> None:
        self.kernels = 0
        self.count: dict[str, int] = dict.fromkeys((*get_args(Bound), "unknown"), 0)
        self.time: dict[str, float] = dict.fromkeys(self.count, 0.0)
        self.timed = self.above = 0
        self.most: tuple[float, Placed] | None = None

    def add(self, placed: Placed) -> None:
        """Count one kernel."""
        first = placed.first
        bound = first.bound or "unknown"
        self.kernels += 1
        self.count[bound] += 1
        if first.kernel.seconds is not None:
            self.timed += 1
            self.time[bound] += first.kernel.seconds
        savings = placed.reachable.savings if first.judged_whole else None
        if savings and (self.most is None or savings > self.most[0]):
            self.most = (savings, placed)

    def lines(self, *, several: bool = False) -> list[str]:
        """The summary in words."""
        if not self.kernels:
            return []
        parts = []
        for bound, count in self.count.items():
            if count:
                share = f" ({units.show(self.time[bound], 's')})" if self.timed else ""
                parts.append(f"{count} {bound}{'-bound' if bound != 'unknown' else ' bound'}{share}")
        what = "row" if several else "kernel"  # on several devices a kernel has a row for each
        lines = [f"{self.kernels} {what}{'s' if self.kernels > 1 else ''}: {', '.join(parts)}"]
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
