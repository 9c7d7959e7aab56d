"""The kernel that ``--flops``, ``--bytes`` and their kin describe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from roofline import units
from roofline.core.device import Device
from roofline.core.kernel import FLOP_PER_MAC, Kernel
from roofline.errors import InputError
from roofline.units import quote


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelFlags:
    """The kernel options as they were given."""

    flops: float | None
    macs: float | None
    moved: float | None
    bytes_read: float | None
    bytes_write: float | None
    bytes_at: tuple[str, ...]
    write_allocate: bool
    intensity: float | None
    seconds: float | None
    achieved: float | None
    name: str

    @classmethod
    def take(cls, given: dict[str, Any]) -> KernelFlags:
        """Take the kernel options out of a command's arguments."""
        return cls(**{field.name: given.pop(field.name) for field in fields(cls)})

    @property
    def only_achieved(self) -> bool:
        """Whether nothing but a rate was given."""
        others = (self.flops, self.macs, self.moved, self.bytes_read, self.bytes_write, self.intensity, self.seconds)
        return self.achieved is not None and not self.bytes_at and all(value is None for value in others)

    def refuse_with_files(self, files: Sequence[str]) -> None:
        """A list of kernels and a kernel in options do not go together.

        Raises:
            InputError: some kernel option was given.

        """
        given = [
            f"--{field.name.replace('_', '-').replace('moved', 'bytes').replace('seconds', 'time')}"
            for field in fields(self)
            if not any(getattr(self, field.name) is nothing for nothing in (None, False))
            and getattr(self, field.name) not in ((), "kernel")
        ]
        if given:
            raise InputError(
                f"{given[0]} describes one kernel, and {quote(files[0])} would be a list of them",
                hint="leave one out; a quantity with a space needs quotes, as in '2 TFLOP'",
            )

    def kernel(self, device: Device) -> Kernel:
        """The kernel, as it runs on a device (write-allocate doubles what is written).

        Raises:
            InputError: something is missing or said twice.

        """
        self._check()
        flops = self.flops if self.macs is None else self.macs * FLOP_PER_MAC
        moved = self._traffic(device)
        known, seconds, rate = self.intensity, self.seconds, self.achieved
        if known is not None and flops is not None:
            if known == 0 and flops > 0:
                raise InputError("--intensity is 0, but --flops is not")
            if known > 0:
                moved, known = flops / known, None
        elif known is not None and moved is not None:
            flops, known = moved * known, None
        if rate is not None and flops:
            seconds, rate = flops / rate, None
        return Kernel(
            name=self.name,
            flops=flops,
            bytes=moved,
            bytes_at=self._levels(),
            known_intensity=known,
            seconds=seconds,
            rate=rate,
            from_macs=self.macs is not None,
        )

    def _check(self) -> None:
        if not self.name.strip():
            raise InputError("--name is empty")
        work = self.flops is not None or self.macs is not None
        traffic = self.moved is not None or bool(self.bytes_at) or self._parts()
        if self.flops is not None and self.macs is not None:
            raise InputError("--flops and --macs say the same; give one")
        if self.moved is not None and self._parts():
            raise InputError("--bytes and --bytes-read/--bytes-write say the same; give one")
        if self.intensity is not None and work and traffic:
            raise InputError("--intensity follows from the work and the bytes; give two of the three")
        if self.seconds is not None and self.achieved is not None:
            raise InputError("--time and --achieved say the same; give one")
        if not work and not traffic and self.intensity is None and self.achieved is None:
            raise InputError("no kernel given", hint="give --flops and --bytes, or --intensity, or a FILE")
        if work and not traffic and self.intensity is None and self.achieved is None and self.seconds is None:
            raise InputError("--bytes is missing beside the work", hint="or give --intensity")
        if traffic and not work and self.intensity is None and self.seconds is None:
            raise InputError("--flops is missing beside the bytes", hint="0 if the kernel only moves data")
        no_work = self.flops == 0 or self.macs == 0 or self.intensity == 0
        if no_work and self.achieved is not None:
            raise InputError("--achieved is a rate of FLOPs, but the kernel has none", hint="give --time instead")
        if no_work and self.intensity is not None and not traffic and work:
            raise InputError("--bytes is missing beside no work")
        if self.write_allocate and self.bytes_write is None:
            raise InputError("--write-allocate needs --bytes-write, to know what is written")

    def _parts(self) -> bool:
        return self.bytes_read is not None or self.bytes_write is not None

    def _traffic(self, device: Device) -> float | None:
        if not self._parts():
            return self.moved
        if self.write_allocate and device.kind not in ("cpu", None):
            raise InputError(
                f"--write-allocate: the caches of {device.id} ({device.kind}) do not read a line to write it",
                hint="leave it out",
            )
        written = self.bytes_write or 0
        return (self.bytes_read or 0) + written * (2 if self.write_allocate else 1)

    def _levels(self) -> dict[str, float]:
        levels: dict[str, float] = {}
        for text in self.bytes_at:
            level, equals, amount = text.partition("=")
            if not equals or not level.strip():
                raise InputError(f"--bytes-at takes LEVEL=BYTES such as L2=16MB, got {quote(text)}")
            if level.strip().casefold() in map(str.casefold, levels):
                raise InputError(f"--bytes-at names {level.strip()} twice")
            levels[level.strip()] = units.parse(amount, "B", name=f"--bytes-at {level.strip()}")
        return levels
