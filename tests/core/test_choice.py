"""Which measured bandwidth stands for a level: STREAM triad, then copy, then the fastest."""

from __future__ import annotations

import pytest

from roofline.core.choice import stream
from roofline.core.device import Ceiling, Device, Memory, Peak

READ = Ceiling(what="dram-read", value=9.5, quantity="B/s")  # no stores to wait for, hence the fastest
COPY = Ceiling(what="dram-copy", value=8.5, quantity="B/s")
TRIAD = Ceiling(what="dram-triad", value=8.0, quantity="B/s")
SCALE = Ceiling(what="dram-scale", value=9.0, quantity="B/s")


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        pytest.param((READ, COPY, TRIAD), TRIAD, id="triad"),
        pytest.param((READ, COPY, SCALE), COPY, id="else-copy"),
        pytest.param((SCALE, READ), READ, id="else-the-fastest"),
    ],
)
def test_the_measured_bandwidth_of_a_level(measured: tuple[Ceiling, ...], expected: Ceiling) -> None:
    device = Device(
        id="chip",
        name="Chip",
        peaks=(Peak(dtype="fp16", dense=100.0),),
        memory=(Memory(level="HBM", bandwidth=10.0),),
        measured=measured,
    )
    found = stream(device, None, "measured")
    assert (found.what, found.bandwidth, found.level) == (expected.what, expected.value, "HBM")
