"""The link in words: for how many devices it is taken, and what its serial steps cost or would cost.

Llama-3.1-70B has 80 layers of two all-reduces each, and a ring of p devices takes 2 (p - 1) serial steps.
"""

from __future__ import annotations

import pytest

from roofline.report.llm.links import link_lines
from tests.report.llm.setups import setup


@pytest.mark.parametrize(
    ("devices", "latency", "says"),
    [
        (
            4,
            0.0,
            "latency taken as 0, as if all 4 were joined by it; 160 all-reduces of 2 (p - 1) = 6 serial steps: "
            "each us of latency adds 960.0 us a decode step",
        ),
        (
            2,
            0.0,
            "latency taken as 0, as if both were joined by it; 160 all-reduces of 2 (p - 1) = 2 serial steps: "
            "each us of latency adds 320.0 us a decode step",
        ),
        (  # 160 x 126 x 3 us
            64,
            3e-6,
            "3.000 us a serial step, as if all 64 were joined by it; 160 all-reduces of 2 (p - 1) = 126 serial steps: "
            "60.48 ms of latency a decode step",
        ),
    ],
)
def test_it_is_said_of_how_many_and_what_latency_costs(devices: int, latency: float, says: str) -> None:
    (line,) = link_lines([setup(devices=devices, latency=latency)], "decode step")
    assert line.startswith("link: NVLink 4 x18: 450.0 GB/s one way (vendor, ")
    assert line.endswith(says)


def test_the_latency_that_is_said_is_the_one_that_is_counted() -> None:
    slow, fast = (setup(devices=4, latency=latency) for latency in (1e-6, 0.0))
    added = slow.bounds(slow.decode).link - fast.bounds(fast.decode).link
    assert added == pytest.approx(960e-6)


def test_of_several_numbers_the_largest_is_told_once() -> None:
    lines = link_lines([setup(devices=devices) for devices in (1, 2, 16, 4)], "decode step")
    assert len(lines) == 1
    assert "as if all 16 were joined by it" in lines[0]
    assert link_lines([setup()], "decode step") == []


def test_several_devices_are_named() -> None:
    lines = link_lines([setup(devices=2), setup(hw="b200", devices=2)], "prefill")
    assert [line.partition(":")[0] for line in lines] == ["link of h100-sxm", "link of b200"]
    assert all(line.endswith(" a prefill") for line in lines)
