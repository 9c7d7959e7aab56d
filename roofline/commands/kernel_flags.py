"""The kernel that ``--flops``, ``--bytes`` and their kin describe."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from roofline import units
from roofline.core.amounts import Amounts
from roofline.core.device import Device, level_key
from roofline.core.kernel import Kernel
from roofline.errors import InputError
from roofline.text import quote


class KernelFlags(NamedTuple):
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
    def take(cls, given: dict[str, Any]) -> "KernelFlags":
        """Take the kernel options out of a command's arguments."""
        return cls(**{name: given.pop(name) for name in cls._fields})

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
            _option(name)
            for name, value in self._asdict().items()
            if not any(value is nothing for nothing in (None, False)) and value not in ((), "kernel")
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
        if not self.name.strip():
            raise InputError("--name is empty")
        amounts = Amounts(
            flops=self.flops,
            macs=self.macs,
            bytes=self.moved,
            bytes_read=self.bytes_read,
            bytes_write=self.bytes_write,
            bytes_at=self._levels(),
            intensity=self.intensity,
            seconds=self.seconds,
            achieved=self.achieved,
            write_allocate=self.write_allocate,
        )
        self._refuse_write_allocate(device)
        _refuse_gaps(amounts)
        return amounts.kernel(self.name, called=_option)

    def _refuse_write_allocate(self, device: Device) -> None:
        if self.write_allocate and self.bytes_write is None:
            raise InputError("--write-allocate needs --bytes-write, to know what is written")
        if self.write_allocate and device.kind not in ("cpu", None):
            raise InputError(
                f"--write-allocate is for the caches of CPUs; {device.id} is a {device.kind}",
                hint="leave it out, or count the extra reads in --bytes-read",
            )

    def _levels(self) -> dict[str, float]:
        levels: dict[str, float] = {}
        for text in self.bytes_at:
            level, equals, amount = text.partition("=")
            if not equals or not level.strip():
                raise InputError(f"--bytes-at takes LEVEL=BYTES such as L2=16MB, got {quote(text)}")
            if level_key(level) in map(level_key, levels):
                raise InputError(f"--bytes-at names {level.strip()} twice")
            levels[level.strip()] = units.parse(amount, "B", name=f"--bytes-at {level.strip()}")
        return levels


def _option(field: str) -> str:
    """The option that sets a field."""
    return "--" + {"moved": "bytes", "seconds": "time"}.get(field, field).replace("_", "-")


def _refuse_gaps(amounts: Amounts) -> None:
    """On the command line nothing is left unknown by accident."""
    judged = amounts.achieved is not None or amounts.seconds is not None
    if amounts.intensity is not None:
        if amounts.work and amounts.intensity == 0:
            raise InputError("--bytes is missing beside no work")
        return
    if not amounts.work and not amounts.traffic and amounts.achieved is None:
        raise InputError("no kernel given", hint="give --flops and --bytes, or --intensity, or a FILE")
    if amounts.work and not amounts.traffic and not judged:
        raise InputError("--bytes is missing beside the work", hint="or give --intensity")
    if amounts.traffic and not amounts.work and amounts.seconds is None:
        raise InputError("--flops is missing beside the bytes", hint="0 if the kernel only moves data")
