"""The whole catalogue for the commands that walk it: broken files are reported and do not stop the rest."""

from __future__ import annotations

from collections.abc import Sequence

from roofline.catalog import find, load
from roofline.core.device import Device
from roofline.errors import FileError, UnknownNameError
from roofline.text import quote


def every_device() -> tuple[list[Device], list[FileError]]:
    """All devices in order of id, and the errors of the files that could not be read."""
    devices, broken = [], []
    for entry in find.entries().values():
        try:
            devices.append(load.load(entry.path))
        except FileError as error:
            broken.append(error)
    return devices, broken


def of_vendor(devices: Sequence[Device], vendor: str | None) -> list[Device]:
    """The devices of one vendor (any case), or all.

    Raises:
        UnknownNameError: none is of this vendor.

    """
    if vendor is None:
        return list(devices)
    found = [d for d in devices if (d.vendor or "").casefold() == vendor.casefold()]
    if not found:
        vendors = sorted({d.vendor for d in devices if d.vendor}, key=str.casefold)
        hint = f"vendors: {', '.join(vendors)}" if vendors else None
        raise UnknownNameError(f"no device of vendor {quote(vendor)}", hint=hint)
    return found


def raise_for_broken(broken: Sequence[FileError]) -> None:
    """After everything readable was shown: exit 3 if a file of the catalogue was not.

    Raises:
        FileError: some file was left out.

    """
    if broken:
        raise FileError(f"{len(broken)} hardware file{'s' if len(broken) > 1 else ''} could not be read")
