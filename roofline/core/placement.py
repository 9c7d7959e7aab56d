"""A kernel on a roof, and everything that follows from that."""

import math
import operator
from functools import cached_property
from typing import NamedTuple

from roofline.core.device import Device
from roofline.core.kernel import Kernel
from roofline.core.link import Port
from roofline.core.roof import TOLERANCE, Bound, Resource, Roof
from roofline.records import fixed


class Term(NamedTuple):
    """The least time that one resource of the machine takes for a kernel."""

    resource: Resource
    name: str  # which one: the level of a memory, the name of a link
    seconds: float


_SECONDS = operator.attrgetter("seconds")


class _Fields(NamedTuple):
    """What a placement is made of."""

    kernel: Kernel
    roof: Roof
    levels: tuple[Roof, ...] = ()  # one for each entry of kernel.bytes_at that is judged
    link: Port | None = None  # what the kernel communicates over, if it does
    # s that launching takes, whatever is launched; no term of the least time, since launches overlap
    floor: float = 0.0


@fixed
class Placement(_Fields):
    """A kernel under a roof; further memory levels join as roofs of the same peak, a link as the third roof.

    What most else asks for is computed once and kept, at some 250 B each, since it is asked for forty times a row.
    """

    @cached_property
    def slowest(self) -> Term | None:
        """The term that binds; at equal times the first, which is that of the arithmetic, as at the ridge point."""
        return max(self.terms, key=_SECONDS, default=None)

    @cached_property
    def intensity(self) -> float | None:
        """Arithmetic intensity in FLOP/B, None if unknown."""
        return self.kernel.arithmetic_intensity

    @property
    def terms(self) -> tuple[Term, ...]:
        """Least seconds by resource, for what is known: the arithmetic, each memory level, then the link.

        Each is a lower bound, so their maximum is one (Williams et al. 2009, overlapped transfer and arithmetic).
        """
        kernel, found = self.kernel, []
        if kernel.flops is not None:
            found.append(Term("compute", "compute", kernel.flops / self.roof.peak))
        if kernel.bytes is not None:
            found.append(Term("memory", self.roof.memory.level, kernel.bytes / self.roof.bandwidth))
        for roof in self.levels:
            level = roof.memory.level
            found.append(Term("memory", level, kernel.bytes_at[level] / roof.bandwidth))
        if self.link is not None:
            seconds = self.link.least_time(kernel.wire or 0.0, kernel.messages)
            found.append(Term("link", self.link.name, seconds))
        return tuple(found)

    def least_time_of(self, resource: Resource) -> float | None:
        """The largest term of one kind of resource in seconds; None if none is known."""
        return max((term.seconds for term in self.terms if term.resource == resource), default=None)

    @property
    def complete(self) -> bool:
        """Whether both work and traffic are known, so that the least time is the roofline's."""
        return self.kernel.flops is not None and self.kernel.bytes is not None

    @property
    def least_time(self) -> float | None:
        """The largest of the known terms in seconds; None if none is known."""
        return None if self.slowest is None else self.slowest.seconds

    @property
    def bound(self) -> Bound | None:
        """What limits the kernel, which is its launch if that takes longer; None where its intensity is unknown."""
        if self.intensity is None:
            return None
        return "latency" if self.below_floor else self.roof_bound

    @property
    def below_floor(self) -> bool:
        """Whether launching the kernel takes longer than the least time of the kernel itself."""
        return self.least_time is not None and self.least_time < self.floor

    @property
    def roof_bound(self) -> Resource | None:
        """What limits the kernel if launching cost nothing; None where its intensity is unknown."""
        if self.intensity is None:
            return None
        if not self.several or self.slowest is None:
            return self.roof.bound(self.intensity)
        return self.slowest.resource

    @property
    def several(self) -> bool:
        """Whether more than one peak over one memory decides, so that the terms are compared, not the intensities."""
        return bool(self.levels) or self.link is not None

    @property
    def binding_level(self) -> str | None:
        """The memory level or link that binds; None if compute does or nothing is known."""
        if self.intensity is None:
            return None
        if not self.several:
            return self.roof.memory.level if self.roof.bound(self.intensity) == "memory" else None
        slowest = self.slowest
        return None if slowest is None or slowest.resource == "compute" else slowest.name

    @cached_property
    def attainable(self) -> float | None:
        """FLOP/s that this kernel can reach under all its roofs; None where its intensity is unknown."""
        if self.intensity is None:
            return None
        limit = self.roof.attainable(self.intensity)
        if self.several and self.kernel.flops and self.least_time:
            limit = min(limit, self.kernel.flops / self.least_time)
        return limit

    @property
    def peak_share(self) -> float | None:
        """Attainable FLOP/s as a share of the peak; the rest of the compute units idles at best."""
        return None if self.attainable is None else self.attainable / self.roof.peak

    @property
    def idle_share(self) -> float | None:
        """Share of the compute units that idles even if the kernel reaches its roof."""
        return None if self.peak_share is None else max(0.0, 1.0 - self.peak_share)

    @property
    def ridge_distance(self) -> float | None:
        """How many times more FLOPs per byte the ridge asks for (below 1: how far the kernel is past it).

        That is I* / I over the memory it is placed on. None where the intensity is unknown, zero or infinite.
        """
        if not self.intensity or math.isinf(self.intensity):
            return None
        return self.roof.ridge_point / self.intensity

    @property
    def achieved_share(self) -> float | None:
        """Measured FLOP/s as a share of the peak (MFU)."""
        achieved = self.kernel.achieved
        return None if achieved is None else achieved / self.roof.peak

    @property
    def bandwidth_share(self) -> float | None:
        """Measured B/s as a share of the bandwidth (MBU)."""
        achieved = self.kernel.achieved_bandwidth
        return None if achieved is None else achieved / self.roof.bandwidth

    @cached_property
    def efficiency(self) -> float | None:
        """Share of the roof that the measurement reaches: least time over measured time.

        Where work or traffic is unknown, the known term alone makes this a lower bound (see :attr:`complete`).
        """
        if self.kernel.seconds is not None and self.least_time is not None:
            return self.least_time / self.kernel.seconds
        if self.kernel.rate is not None:
            return self.kernel.rate / (self.attainable or self.roof.peak)
        return None

    @property
    def judged_whole(self) -> bool:
        """Whether :attr:`efficiency` is against the whole roof and not one term of it."""
        return self.complete or (self.kernel.rate is not None and self.intensity is not None)

    @cached_property
    def roof_share(self) -> float | None:
        """The largest share that a measurement has of anything it is judged by; above 1 it exceeds that."""
        shares = (self.efficiency, self.achieved_share, self.bandwidth_share)
        return max((share for share in shares if share is not None), default=None)

    @property
    def above_roof(self) -> bool:
        """Whether the measurement exceeds the roof, by more than rounding dust: something is wrong somewhere."""
        return self.roof_share is not None and self.roof_share > TOLERANCE

    @property
    def savings(self) -> float | None:
        """Seconds between the measured and the least time, at least 0."""
        if self.kernel.seconds is None or self.least_time is None:
            return None
        return max(0.0, self.kernel.seconds - self.least_time)


class Placed(NamedTuple):
    """A kernel on the chosen roof, and on the sourced dense one beside it where the first is the headline."""

    device: Device
    first: Placement
    beside: Placement | None = None
    rivals: tuple[Placement, ...] = ()  # on the other roofs that could have been meant
    headline: Placement | None = None  # on the headline, to stand beside a precision that was named

    @property
    def reachable(self) -> Placement:
        """The placement on the roof that a kernel can reach: the sourced one, where the first is the headline."""
        return self.beside or self.first
