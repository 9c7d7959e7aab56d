"""One device in full: what its notes say of figures that would look like mistakes."""

from __future__ import annotations

import pytest

from roofline.core.device import Device, Memory, Peak
from roofline.report.catalogue import list_report, show_report

CHIP = Device(id="chip", name="Chip", peaks=(Peak(dtype="fp16", dense=100e12),))


def shown(*memory: Memory) -> list[str]:
    return list(show_report(Device(id="chip", name="Chip", peaks=CHIP.peaks, memory=memory), {}).notes)


NOTE = "HBM: more is usable than is quoted, since the vendor's GB are GiB, less a reserve"


@pytest.mark.parametrize(
    ("capacity", "usable", "notes"),
    [
        # 80 "GB" are 80 GiB = 85.90e9 B, of which the driver shows 85.52e9
        pytest.param(80e9, 85_520_809_984, [NOTE], id="more-than-quoted"),
        pytest.param(80e9, 79e9, [], id="less"),
        pytest.param(80e9, 80e9, [], id="as-much"),
        pytest.param(80e9, None, [], id="usable-unknown"),
        pytest.param(None, 79e9, [], id="capacity-unknown"),
    ],
)
def test_more_usable_than_quoted_is_explained(capacity: float | None, usable: float | None, notes: list[str]) -> None:
    assert shown(Memory(level="HBM", bandwidth=1e12, capacity=capacity, usable=usable)) == notes


def test_a_note_and_the_reason_of_a_check_are_told_with_their_figure() -> None:
    memory = Memory(level="HBM", bandwidth=1e12, check="1024 bit * 8 Gbit/s", check_note="rounded", note="ECC off")
    assert shown(memory) == ["bandwidth HBM: ECC off", "bandwidth HBM: rounded"]


@pytest.mark.parametrize(("count", "summary"), [(0, "no device fits"), (1, "1 device"), (2, "2 devices")])
def test_how_many_devices_are_listed(count: int, summary: str) -> None:
    assert list_report([CHIP] * count, {}, ()).summary == [summary]
