"""The formulas written out: on which side of the ridge a kernel lies, and where each number came from."""

from __future__ import annotations

import math

import pytest

from roofline.core.device import Source
from roofline.core.kernel import Kernel
from roofline.core.placement import Placement
from roofline.core.roof import Roof, Stream
from roofline.report.explain import explain, provenance

ROOF = Roof(peak=100.0, memory=Stream(bandwidth=10.0, level="HBM"))  # I* = 10 FLOP/B


@pytest.mark.parametrize(
    ("intensity", "line"),
    [
        pytest.param(2.0, "I = 2.000 < I* = 10.00: memory-bound over HBM", id="below"),
        pytest.param(10.0, "I = 10.00 >= I* = 10.00: compute-bound over HBM", id="at-the-ridge"),
        pytest.param(20.0, "I = 20.00 >= I* = 10.00: compute-bound over HBM", id="past-it"),
    ],
)
def test_the_relation_of_the_intensity_to_the_ridge(intensity: float, line: str) -> None:
    lines = explain(Placement(kernel=Kernel(known_intensity=intensity), roof=ROOF), title="k on chip:")
    assert lines[:4] == [
        "k on chip:",
        f"I = {intensity:.{3 if intensity < 10 else 2}f} FLOP/B (given)",
        "I* = P_max / BW = 100.0 FLOP/s / 10.00 B/s = 10.00 FLOP/B",
        line,
    ]


def test_no_traffic_is_an_infinite_intensity_past_every_ridge() -> None:
    one = Placement(kernel=Kernel(flops=50, bytes=0), roof=ROOF)
    assert one.intensity == math.inf
    assert "I = inf >= I* = 10.00: compute-bound over HBM" in explain(one)
    assert "attainable = min(P_max, I * BW) = min(100.0 FLOP/s, infinite) = 100.0 FLOP/s" in explain(one)


def test_an_unknown_intensity_has_no_relation() -> None:
    lines = explain(Placement(kernel=Kernel(bytes=50), roof=ROOF))
    assert "bound: unknown, since I is" in lines
    assert not [line for line in lines if "<" in line or ">=" in line]


def test_a_measured_time_is_written_out_against_both() -> None:
    # 1000 FLOP in 20 s are 50 FLOP/s, half of the peak; 10 s at least of 20 s
    lines = explain(Placement(kernel=Kernel(flops=1000, bytes=10, seconds=20), roof=ROOF))
    assert "achieved = FLOPs / time = 1.000 kFLOP / 20.00 s = 50.00 FLOP/s" in lines
    assert "achieved / peak = 50.00 FLOP/s / 100.0 FLOP/s = 50.00 %" in lines
    assert "share of roof = least time / time = 10.00 s / 20.00 s = 50.00 %" in lines


def test_peak_and_bandwidth_cite_their_sources_and_notes() -> None:
    sheet, bench = Source("sheet", "Data sheet", "https://example.com/d.pdf"), Source("bench", "A bench", "a lab")
    memory = Stream(bandwidth=10.0, level="HBM", basis="measured", what="triad", sources=(bench, sheet), note="warm")
    assert provenance(
        Roof(peak=100.0, dtype="fp16", basis="vendor", sources=(sheet,), note="boost", memory=memory)
    ) == [
        "P_max = 100.0 FLOP/s: fp16 dense (vendor); source: Data sheet <https://example.com/d.pdf>; boost",
        "BW = 10.00 B/s: HBM (measured, triad); source: A bench <a lab> | Data sheet <https://example.com/d.pdf>; warm",
    ]
    assert provenance(ROOF)[0] == "P_max = 100.0 FLOP/s: peak (given); no source given"


def test_with_several_memory_levels_the_slowest_term_decides_and_not_the_ridge() -> None:
    # 100 FLOP / 100 = 1 s, 5 B / 10 = 0.5 s, 400 B / 50 = 8 s; I = 100 / 5 = 20 is past the ridge of the HBM alone
    level = Roof(peak=100.0, memory=Stream(bandwidth=50.0, level="L2"))
    kernel = Kernel(flops=100, bytes=5, bytes_at={"L2": 400})
    lines = explain(Placement(kernel=kernel, roof=ROOF, levels=(level,)))
    assert "L2: 400.0 B at 50.00 B/s" in lines
    assert "the largest least time below binds: memory-bound by L2" in lines
    assert "attainable = FLOPs / least time = 100.0 FLOP / 8.000 s = 12.50 FLOP/s" in lines
    assert "share of peak = attainable / P_max = 12.50 FLOP/s / 100.0 FLOP/s = 12.50 %" in lines
