"""The memory levels of a placement for programs: each with its own traffic, intensity, ridge and least time."""

from __future__ import annotations

from roofline.core.kernel import Kernel
from roofline.core.placement import Placement
from roofline.core.roof import Roof, Stream
from roofline.report.placements import levels

HBM = Roof(peak=100.0, memory=Stream(bandwidth=10.0, level="HBM"))
L2 = Roof(peak=100.0, memory=Stream(bandwidth=50.0, level="L2"))


def test_each_level_has_an_intensity_of_its_own() -> None:
    one = Placement(kernel=Kernel(flops=200, bytes=10, bytes_at={"L2": 400}), roof=HBM, levels=(L2,))
    assert levels(one) == [
        {
            "memory_level": "HBM",
            "traffic_byte": 10,
            "bandwidth_byte_per_s": 10.0,
            "arithmetic_intensity_flop_per_byte": 20.0,  # 200 / 10
            "ridge_flop_per_byte": 10.0,  # 100 / 10
            "least_time_s": 1.0,  # 10 / 10
        },
        {
            "memory_level": "L2",
            "traffic_byte": 400,
            "bandwidth_byte_per_s": 50.0,
            "arithmetic_intensity_flop_per_byte": 0.5,  # 200 / 400
            "ridge_flop_per_byte": 2.0,  # 100 / 50
            "least_time_s": 8.0,  # 400 / 50
        },
    ]


def test_unknown_and_no_traffic_have_no_intensity() -> None:
    one = Placement(kernel=Kernel(flops=200, bytes_at={"L2": 0}), roof=HBM, levels=(L2,))
    found = [(r["traffic_byte"], r["arithmetic_intensity_flop_per_byte"], r["least_time_s"]) for r in levels(one)]
    assert found == [(None, None, None), (0, None, 0.0)]


def test_a_copy_has_an_intensity_of_zero_at_every_level() -> None:
    one = Placement(kernel=Kernel(flops=0, bytes=10, bytes_at={"L2": 10}), roof=HBM, levels=(L2,))
    assert [record["arithmetic_intensity_flop_per_byte"] for record in levels(one)] == [0.0, 0.0]
