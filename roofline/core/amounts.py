"""What is said of a kernel, in options or in the columns of a list, to a Kernel: contradictions are refused."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from roofline.core.kernel import FLOP_PER_MAC, NOWHERE, Kernel
from roofline.errors import InputError


class Amounts(NamedTuple):
    """Work, traffic and measurement as they were given; None is not given, which is not zero."""

    flops: float | None = None  # FLOP
    macs: float | None = None  # MAC, each of which counts 2 FLOP
    bytes: float | None = None  # B
    bytes_read: float | None = None  # B
    bytes_write: float | None = None  # B
    bytes_at: Mapping[str, float] = NOWHERE  # B by memory level
    intensity: float | None = None  # FLOP/B
    seconds: float | None = None  # s
    achieved: float | None = None  # FLOP/s
    write_allocate: bool = False  # each written line is read first, so that what is written counts twice

    @property
    def work(self) -> bool:
        """Whether the work is given."""
        return self.flops is not None or self.macs is not None

    @property
    def traffic(self) -> bool:
        """Whether the traffic through any memory is given."""
        return self.bytes is not None or self._in_parts or bool(self.bytes_at)

    @property
    def _in_parts(self) -> bool:
        return self.bytes_read is not None or self.bytes_write is not None

    def kernel(self, name: str, *, dtype: str | None = None, called: Callable[[str], str] = str) -> Kernel:
        """The kernel; of work, traffic and intensity two give the third, of work, time and rate too.

        Args:
            name: what the kernel is called
            dtype: its precision
            called: what the user calls a field, for errors: ``--flops``, or the heading of a column

        Raises:
            InputError: something is said twice, or contradicts something else.

        """
        self._refuse_contradictions(called)
        flops = self.flops if self.macs is None else self.macs * FLOP_PER_MAC
        moved, known, seconds, rate = self._moved(), self.intensity, self.seconds, self.achieved
        if known and flops is not None:
            moved, known = flops / known, None
        elif known is not None and moved is not None:
            flops, known = moved * known, None
        if rate is not None and flops:
            seconds, rate = flops / rate, None
        return Kernel(
            name=name,
            flops=flops,
            bytes=moved,
            bytes_at=self.bytes_at,
            known_intensity=known,
            dtype=dtype,
            seconds=seconds,
            rate=rate,
            from_macs=self.macs is not None,
            assumptions=self._assumptions(),
        )

    def _assumptions(self) -> tuple[str, ...]:
        told = []
        if self.macs is not None:
            told.append("MACs were given: each counts 2 FLOP")
        if self.write_allocate:
            told.append("write-allocate: what is written counts twice, since its cache lines are read first")
        return tuple(told)

    def _moved(self) -> float | None:
        if not self._in_parts:
            return self.bytes
        written = self.bytes_write or 0
        return (self.bytes_read or 0) + written * (2 if self.write_allocate else 1)

    def _refuse_contradictions(self, called: Callable[[str], str]) -> None:
        for one, other, both in (
            ("flops", "macs", self.flops is not None and self.macs is not None),
            ("bytes", "bytes_read", self.bytes is not None and self.bytes_read is not None),
            ("bytes", "bytes_write", self.bytes is not None and self.bytes_write is not None),
            ("seconds", "achieved", self.seconds is not None and self.achieved is not None),
        ):
            if both:
                raise InputError(f"{called(one)} and {called(other)} say the same; give one")
        if self.intensity is not None and self.work and self.traffic:
            raise InputError(f"{called('intensity')} follows from the work and the bytes; give two of the three")
        work = "flops" if self.macs is None else "macs"
        if self.intensity == 0 and getattr(self, work):
            raise InputError(f"{called('intensity')} is 0, but {called(work)} is not")
        if 0 in (self.flops, self.macs, self.intensity) and self.achieved is not None:
            raise InputError(
                f"{called('achieved')} is a rate of FLOPs, but the kernel has none", hint=f"give {called('seconds')}"
            )
