"""A roof: one peak over one memory, and the arithmetic of the roofline model on it.

S. Williams, A. Waterman, D. Patterson: Roofline: an insightful visual performance model for multicore architectures.
Communications of the ACM 52(4), 2009.
"""

from typing import Final, Literal, NamedTuple

from roofline.core.device import FASTEST, SLOWEST, Basis, Ceiling, Peak, Source, Sparsity
from roofline.errors import InputError
from roofline.records import self_checked

TOLERANCE: Final = 1.001  # a point counts as above the roof from here on, so that rounding dust does not
Resource = Literal["memory", "compute", "link"]
Bound = Literal["memory", "compute", "link", "latency"]  # a resource, or the launch of the kernel


class Stream(NamedTuple):
    """One memory level as a roof sees it: a bandwidth, which the roof checks, and where it comes from."""

    bandwidth: float  # B/s
    level: str = "memory"
    basis: Basis = "given"
    what: str | None = None  # which kernel measured it
    sources: tuple[Source, ...] = ()
    note: str | None = None


@self_checked
class Roof(NamedTuple):
    """A peak in FLOP/s over one memory, and where both come from.

    Raises:
        InputError: a peak or a bandwidth that no roof can be drawn with.

    """

    peak: float  # FLOP/s
    memory: Stream
    dtype: str | None = None
    sparsity: Sparsity = "dense"
    unit: str | None = None
    accumulate: str | None = None
    clock: str | None = None
    headline: bool = False
    basis: Basis = "given"
    row: Peak | Ceiling | None = None  # of the device, whose figure it is: two rows that say the same are two roofs
    what: str | None = None  # which kernel measured the peak
    sources: tuple[Source, ...] = ()
    note: str | None = None

    def _check(self) -> None:
        if not SLOWEST <= self.peak <= FASTEST:
            raise InputError(f"peak must be between {SLOWEST:g} and {FASTEST:g} FLOP/s, got {self.peak}")
        if not SLOWEST <= self.bandwidth <= FASTEST:
            raise InputError(f"bandwidth must be between {SLOWEST:g} and {FASTEST:g} B/s, got {self.bandwidth}")

    @property
    def bandwidth(self) -> float:
        """B/s of its memory."""
        return self.memory.bandwidth

    @property
    def ridge_point(self) -> float:
        """Critical intensity I* = P_max / BW in FLOP/B.

        >>> round(Roof(peak=1979e12, memory=Stream(bandwidth=3350e9)).ridge_point, 1)
        590.7
        """
        return self.peak / self.bandwidth

    def attainable(self, intensity: float) -> float:
        """FLOP/s that a kernel of this intensity (FLOP/B) can reach: min(P_max, I * BW).

        >>> round(Roof(peak=64e12, memory=Stream(bandwidth=546e9)).attainable(100 / 7) / 1e12, 3)
        7.8
        """
        return min(self.peak, intensity * self.bandwidth)

    def bound(self, intensity: float) -> Literal["memory", "compute"]:
        """Memory-bound below the ridge point, compute-bound at it and above.

        >>> Roof(peak=10.0, memory=Stream(bandwidth=1.0)).bound(10.0)
        'compute'
        """
        return "memory" if intensity < self.ridge_point else "compute"

    @property
    def label(self) -> str:
        """The peak in words: precision, dense or 2:4, unit, accumulation, and what kind of figure it is."""
        words = [self.dtype, self.sparsity if self.sparsity == "2:4" or self.dtype else None]
        first = " ".join(w for w in words if w) or "peak"
        parts = [
            first,
            f"{self.unit} unit" if self.unit else None,
            f"{self.accumulate} accumulation" if self.accumulate else None,
            f"{self.clock} clock" if self.clock else None,
        ]
        return ", ".join(p for p in parts if p) + f" ({origin(self)})"


def origin(figure: Roof | Stream) -> str:
    """What kind of figure a peak or a bandwidth is, and which kernel measured it."""
    return f"{figure.basis}, {figure.what}" if figure.what else figure.basis
