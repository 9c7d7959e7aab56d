"""A measured rate on a roof: what it is a share of, the bandwidth it implies, and when it is above the roof."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.core.kernel import Kernel
from roofline.core.placement import Placement
from roofline.core.roof import Roof, Stream
from roofline.errors import InputError

ROOF = Roof(peak=100.0, memory=Stream(bandwidth=10.0, level="HBM"))  # I* = 10 FLOP/B


def place(**kernel: Any) -> Placement:
    return Placement(kernel=Kernel(**kernel), roof=ROOF)


@pytest.mark.parametrize(
    ("intensity", "efficiency"),
    [
        # 2 FLOP/B x 10 B/s = 20 FLOP/s can be reached, so 10 are half of the roof and a tenth of the peak
        pytest.param(2.0, 0.5, id="memory-bound"),
        pytest.param(50.0, 0.1, id="compute-bound"),
        pytest.param(None, 0.1, id="intensity-unknown"),
    ],
)
def test_a_rate_is_a_share_of_what_its_intensity_can_reach(intensity: float | None, efficiency: float) -> None:
    one = place(rate=10.0, known_intensity=intensity)
    assert (one.efficiency, one.achieved_share) == (efficiency, 0.1)
    assert one.judged_whole is (intensity is not None)


def test_a_rate_and_an_intensity_give_the_achieved_bandwidth() -> None:
    # 10 FLOP/s at 2 FLOP/B move 5 B/s, half of 10
    one = place(rate=10.0, known_intensity=2.0)
    assert (one.kernel.achieved_bandwidth, one.bandwidth_share) == (5.0, 0.5)
    assert place(rate=10.0).kernel.achieved_bandwidth is None


def test_a_rate_above_what_its_intensity_allows_is_above_the_roof() -> None:
    # 30 FLOP/s is within the peak of 100, but 2 FLOP/B allow 20
    one = place(rate=30.0, known_intensity=2.0)
    assert (one.efficiency, one.achieved_share, one.roof_share, one.above_roof) == (1.5, 0.3, 1.5, True)


known = st.none() | st.floats(min_value=1e-3, max_value=1e6)


@given(known, known, known, known, known)
def test_no_share_of_peak_or_bandwidth_exceeds_the_share_of_the_roof(
    flops: float | None, moved: float | None, intensity: float | None, seconds: float | None, rate: float | None
) -> None:
    """The roof is the lower of both, so what is within it is within each."""
    try:
        one = place(flops=flops, bytes=moved, known_intensity=intensity, seconds=seconds, rate=rate)
    except InputError:
        return  # a contradiction
    for share in (one.achieved_share, one.bandwidth_share):
        if share is not None:
            assert one.efficiency is not None
            assert share <= one.efficiency * (1 + 1e-9)
