"""How good a measured run is: its MFU, its MBU and its share of the bound; above 100 % something is wrong."""

from typing import Final, NamedTuple

from roofline.core.roof import TOLERANCE
from roofline.errors import InputError
from roofline.transformer.arguments import LEAST_SHARE
from roofline.transformer.bounds import Bounds

FASTEST: Final = 1e15  # tokens/s of anything
CAUSES: Final = (
    "likely causes: tokens/s of several sequences taken for one, another weight format, fewer layers or experts,"
    " a wrong peak, speculative decoding, or several devices"
)


class Efficiency(NamedTuple):
    """Shares of a measured step in what its device can do, by the least time: FLOP, weights and KV cache alone."""

    seconds: float  # measured, of a step
    mfu: float  # model FLOP a second over the peak
    mbu: float  # weights and KV cache a second over the bandwidth
    share: float  # least time over measured time, the larger of both

    @property
    def above_bound(self) -> bool:
        """Whether the measurement is faster than anything can be, by more than rounding dust."""
        return self.share > TOLERANCE

    @property
    def warning(self) -> str | None:
        """What to say of a measurement above its bound."""
        return f"{self.share:.1%} of the bound by the least time: {CAUSES}" if self.above_bound else None


def efficiency(bounds: Bounds, *, tokens_per_s: float) -> Efficiency:
    """The shares of a measured rate, in tokens a second of all sequences together.

    Chowdhery et al.: PaLM, arXiv:2204.02311, appendix B, for MFU; MBU is the same of the bandwidth.

    Raises:
        InputError: a rate that is not > 0, or beyond anything real.

    """
    if not 1 / FASTEST <= tokens_per_s <= FASTEST:
        limits = f"from {1 / FASTEST:g} to {FASTEST:g}"
        raise InputError(f"measured tokens/s must be {limits}, got {tokens_per_s:g}")
    seconds = bounds.tokens / tokens_per_s
    mfu, mbu = bounds.compute / seconds, bounds.moved.least / bounds.bandwidth / seconds
    return Efficiency(seconds, mfu, mbu, max(mfu, mbu))


def estimate(bounds: Bounds, *, mfu: float | None = None, mbu: float | None = None) -> float:
    """Seconds of a step at efficiencies that somebody measured; what is not given counts as 1.

    The shares are those of :func:`efficiency`: of a whole step, links and all else that took its time included, in FLOP
    and in weights and KV cache. So the MFU or MBU of a run, whichever is the larger, gives back its time. No estimate
    is below the total time, links included, which shares measured on one device know nothing of.

    Raises:
        InputError: a share that is not above 0 and at most 1, or none at all: without one there is no estimate.

    """
    if mfu is None and mbu is None:
        raise InputError("an estimate needs a measured mfu or mbu", hint="without one there are bounds, no estimates")
    for name, share in (("mfu", mfu), ("mbu", mbu)):
        if share is not None and not LEAST_SHARE <= share <= 1:
            raise InputError(f"{name} must be above 0 and at most 1 (100 %), got {share:g}")
    return max(bounds.compute / (mfu or 1.0), bounds.moved.least / bounds.bandwidth / (mbu or 1.0), bounds.total)
