"""A kernel: how much work it does, how many bytes it moves, and perhaps how long it was measured to take."""

import math
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from roofline.core.device import level_key
from roofline.errors import InputError, OutOfRangeError
from roofline.records import FrozenDict, self_checked

# Wider than anything real, and narrow enough that no quotient of two such numbers leaves the range of a float.
SMALLEST, LARGEST = 1e-30, 1e60
NOWHERE: Final[Mapping[str, float]] = FrozenDict()  # no further memory level
_MOST: Final = 1e15  # of devices, and of serial steps between them
FLOP_PER_MAC = 2  # one multiply-accumulate is two operations; the one place that says so


@self_checked
class Kernel(NamedTuple):
    """Work and traffic of one kernel. What is not known is None, which is not zero.

    Raises:
        InputError: a negative or non-finite value, a time of zero, a contradiction, or nothing known at all.

    """

    name: str = "kernel"
    flops: float | None = None  # FLOP
    bytes: float | None = None  # B through the memory it is placed on (main memory unless told otherwise)
    bytes_at: Mapping[str, float] = NOWHERE  # B through further memory levels
    known_intensity: float | None = None  # FLOP/B, where only the quotient is known
    dtype: str | None = None
    unit: Literal["vector"] | None = None  # "vector": it has no matrix products, so no matrix unit serves it
    seconds: float | None = None  # s, measured
    rate: float | None = None  # FLOP/s, measured, where neither time nor work is known
    from_macs: bool = False  # the FLOPs are twice a given count of MACs
    wire: float | None = None  # B that one device sends over its links
    messages: int = 0  # serial steps over the links, each of which costs a latency
    devices: int | None = None  # that communicate with one another
    assumptions: tuple[str, ...] = ()  # what was counted how, in words
    notes: tuple[str, ...] = ()

    def _check(self) -> "Kernel | None":
        if not isinstance(self.bytes_at, Mapping):
            raise TypeError
        if type(self.bytes_at) is not FrozenDict:  # a copy, which nobody else can change
            return self._replace(bytes_at=FrozenDict(self.bytes_at))
        told: tuple[object, object] = (self.notes, self.assumptions)
        if any(isinstance(each, list) for each in told):  # which somebody else could change
            return self._replace(notes=tuple(self.notes), assumptions=tuple(self.assumptions))
        for what, value in (
            ("FLOPs", self.flops),
            ("bytes", self.bytes),
            ("intensity", self.known_intensity),
            ("rate", self.rate),
            ("bytes on the wire", self.wire),
        ):
            # One comparison for what is right, since tables of thousands of kernels are built in loops.
            if value and not SMALLEST <= value <= LARGEST:
                raise _outside(what, value)
        if self.bytes_at:
            self._check_levels(self.bytes_at)
        if self.seconds is not None or self.rate is not None:
            self._check_measurement()
        if self.messages or self.devices is not None:
            self._check_communication()
        if self.unit not in (None, "vector"):
            raise InputError(f"unit must be 'vector' or None, got {self.unit!r}")
        if self.communicates and self.known_intensity is not None:
            raise InputError("bytes on the wire need the work beside them; give FLOPs in place of the intensity")
        if self.known_intensity is not None and self.flops is not None and self.bytes is not None:
            raise InputError("FLOPs, bytes and intensity are all given; two of them say the third")
        known = (self.flops, self.bytes, self.known_intensity, self.rate)
        if known == (None, None, None, None) and not self.bytes_at:
            raise InputError("neither work nor traffic is known")
        said = self.bytes is not None or self.bytes_at
        if self.flops == 0 and said and not self.bytes and not any(self.bytes_at.values()):
            raise InputError("no work and no traffic: FLOPs and bytes are both 0")
        return None

    def _check_levels(self, levels: Mapping[str, float]) -> None:
        for level, value in levels.items():
            if value and not SMALLEST <= value <= LARGEST:
                raise _outside(f"bytes at {level}", value)
        if len({level_key(level) for level in levels}) < len(levels):
            raise InputError(f"a memory level is named twice: {', '.join(levels)}")
        if self.known_intensity is not None:
            raise InputError("traffic at several memory levels needs the work; give FLOPs in place of the intensity")

    def _check_communication(self) -> None:
        for what, number, least in (("messages", self.messages, 0), ("devices", self.devices, 1)):
            if number is not None and not (type(number) is int and least <= number <= _MOST):
                raise InputError(f"{what} must be a whole number from {least} to {_MOST:g}, got {number}")

    def _check_measurement(self) -> None:
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise InputError("time must be > 0")
        if self.seconds is not None and not SMALLEST <= self.seconds <= LARGEST:
            raise InputError(f"time must be between {SMALLEST:g} and {LARGEST:g} s, got {self.seconds:g}")
        if self.rate is not None and self.rate == 0:
            raise InputError("achieved FLOP/s must be > 0")
        if self.seconds is not None and self.rate is not None:
            raise InputError("time and achieved FLOP/s say the same; give one")

    @property
    def communicates(self) -> bool:
        """Whether anything goes over a link, so that a device needs one."""
        return bool(self.wire or self.messages)

    @property
    def arithmetic_intensity(self) -> float | None:
        """FLOP/B; infinite without traffic, None where work or traffic is unknown.

        >>> Kernel(flops=2e12, bytes=1.4e11).arithmetic_intensity
        14.285714285714286
        >>> Kernel(flops=1e9, bytes=0).arithmetic_intensity
        inf
        """
        if self.known_intensity is not None:
            return self.known_intensity
        if self.flops is None or self.bytes is None:
            return None
        if self.bytes == 0:
            return math.inf if self.flops else None
        return self.flops / self.bytes

    @property
    def achieved(self) -> float | None:
        """Measured FLOP/s."""
        if self.rate is not None:
            return self.rate
        if self.seconds is None or self.flops is None:
            return None
        return self.flops / self.seconds

    @property
    def achieved_bandwidth(self) -> float | None:
        """Measured B/s through the memory it is placed on."""
        if self.seconds is not None and self.bytes is not None:
            return self.bytes / self.seconds
        if self.rate is not None and self.arithmetic_intensity:
            return self.rate / self.arithmetic_intensity
        return None


def _outside(what: str, value: float) -> InputError:
    """The error for an amount that is neither 0 nor between the smallest and the largest."""
    if not 0 <= value < math.inf:
        return InputError(f"{what} must be finite and >= 0, got {value}")
    got = f"{value:g}" if value < 1e300 else "more"  # an integer may be too large for a float
    return OutOfRangeError(f"{what} must be 0 or between {SMALLEST:g} and {LARGEST:g}, got {got}")
