"""Verdicts, doubts and warnings in words, each with its arithmetic."""

from __future__ import annotations

from typing import Any

import pytest

from roofline.core.choice import RoofQuery
from roofline.core.device import Device, Headline, Memory, Peak
from roofline.core.kernel import Kernel
from roofline.core.placement import Placed
from roofline.core.target import Target
from roofline.report import sentences as said

# headline ridge 400 / 10 = 40 FLOP/B, dense ridge 100 / 10 = 10 FLOP/B
CHIP = Device(
    id="chip",
    name="Chip",
    headline=Headline(peak=400.0, dtype="fp16", sparsity="2:4"),
    peaks=(Peak(dtype="fp16", dense=100.0, sparse=400.0, basis="vendor"),),
    memory=(Memory(level="HBM", bandwidth=10.0, basis="vendor"), Memory(level="L2", bandwidth=50.0)),
    origin="chip.yaml",
)
DENSE = RoofQuery(dtype="fp16")


def place(query: RoofQuery = DENSE, **kernel: Any) -> Placed:
    return Target(device=CHIP, query=query).place(Kernel(**{"name": "k"} | kernel))


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        # 10 / 2.5 = 4; 40 / 10 = 4
        pytest.param(
            {"known_intensity": 2.5}, "memory-bound: needs 4.000x more FLOPs per byte to be compute-bound", id="below"
        ),
        pytest.param({"known_intensity": 40.0}, "compute-bound: 4.000x past the ridge", id="past"),
        pytest.param({"known_intensity": 10.0}, "compute-bound: 1.000x past the ridge", id="at-the-ridge"),
        pytest.param({"flops": 0, "bytes": 1}, "memory-bound: no FLOPs, so the bandwidth alone decides", id="copy"),
        pytest.param({"flops": 1, "bytes": 0}, "compute-bound: no traffic, so the peak alone decides", id="no-traffic"),
        pytest.param({"bytes": 1}, "bound unknown (no FLOP count)", id="work-unknown"),
        # 50 of 100 FLOP/s
        pytest.param(
            {"rate": 50.0},
            "reaches 50.00 % of 100.0 FLOP/s fp16 dense (vendor); no traffic given, so no bound",
            id="rate-alone",
        ),
        # 100 / 100 = 1 s of arithmetic, 5 / 10 = 0.5 s of HBM, 200 / 50 = 4 s of L2
        pytest.param(
            {"flops": 100, "bytes": 5, "bytes_at": {"L2": 200}},
            "memory-bound by L2, which takes 4.000x as long as the arithmetic"
            " (least times: compute 1.000 s, HBM 500.0 ms, L2 4.000 s)",
            id="levels",
        ),
    ],
)
def test_the_verdict(kernel: dict[str, Any], sentence: str) -> None:
    assert said.verdict(place(**kernel).first) == sentence


@pytest.mark.parametrize(
    ("intensity", "told"),
    [
        pytest.param(5.0, [], id="below-both"),
        pytest.param(
            20.0,
            [
                "memory-bound against the headline 400.0 FLOP/s, but compute-bound against the 100.0 FLOP/s that a "
                "dense fp16 kernel can reach"
            ],
            id="between",
        ),
        pytest.param(50.0, [], id="past-both"),
    ],
)
def test_headline_and_dense_verdicts_disagree_between_their_ridges(intensity: float, told: list[str]) -> None:
    assert said.disagreements([place(RoofQuery(), known_intensity=intensity)]) == told


def test_a_run_is_measured_against_each_roof_and_the_time_it_can_reach() -> None:
    # 1000 / 400 = 2.5 s and 1000 / 100 = 10 s of 20 s
    assert said.measured(place(RoofQuery(), flops=1000, bytes=1, seconds=20)) == (
        "measured: 12.50 % of the headline roof, 50.00 % of the dense roof; takes 2.000x the least time of 10.00 s"
    )
    # 10 s of 5 s
    assert said.measured(place(flops=1000, bytes=1, seconds=5)) == (
        "measured: 200.0 % of the roof; below the least time of 10.00 s, which cannot be"
    )


def test_above_the_dense_roof_is_a_warning_though_the_headline_is_not_reached() -> None:
    # 1000 FLOP in 5 s are 200 FLOP/s: half of 400, twice 100
    (warning,) = said.warnings_of([place(RoofQuery(), flops=1000, bytes=1, seconds=5)])
    assert warning.startswith("k on chip is above the roof: 2.000x the vendor peak; likely causes: units, ")
    assert "a 2:4-sparse run against a dense peak" in warning


def test_the_first_kernels_above_the_roof_are_named_and_all_are_counted() -> None:
    above = said.AboveRoof()
    for number in range(5):
        above.add(place(name=f"k{number}", flops=1000, bytes=1, seconds=5))
    above.add(place(flops=1000, bytes=1, seconds=20))
    assert above.count == 5
    assert [text.split()[0] for text in above.warnings()] == ["k0", "k1", "k2", "and"]
    assert above.warnings()[-1] == "and 2 more kernels above the roof"


def test_a_share_against_one_known_term_is_called_a_lower_bound() -> None:
    assert said.assumptions([place(bytes=50, seconds=10)]) == [
        "no FLOP count given: the share of the roof is a lower bound"
    ]
    assert said.assumptions([place(flops=50, seconds=10)]) == [
        "no traffic given: the share of the roof is a lower bound"
    ]
    assert said.assumptions([place(flops=50, bytes=5, seconds=10)]) == []
