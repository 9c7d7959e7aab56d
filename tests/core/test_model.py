"""The model's arithmetic and edge cases (design section 3), with the arithmetic written out."""

from __future__ import annotations

import math
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.core.choice import RoofQuery
from roofline.core.device import Ceiling, Device, Headline, Memory, Peak, given_device
from roofline.core.kernel import Kernel
from roofline.core.placement import Placement, Term
from roofline.core.roof import Roof, Stream
from roofline.core.target import Target
from roofline.errors import InputError, UnknownNameError

positive = st.floats(min_value=1e-3, max_value=1e18)


def roof(peak: float = 100.0, bandwidth: float = 10.0, **more: Any) -> Roof:
    return Roof(peak=peak, memory=Stream(bandwidth=bandwidth, level="DRAM"), **more)


def place(*, peak: float = 100.0, bandwidth: float = 10.0, **kernel: Any) -> Placement:
    return Placement(kernel=Kernel(**kernel), roof=roof(peak, bandwidth))


def test_below_the_ridge_a_kernel_is_memory_bound_from_it_on_compute_bound() -> None:
    # I* = 100 / 10 = 10 FLOP/B
    assert [roof().bound(i) for i in (9.999, 10.0, 10.001)] == ["memory", "compute", "compute"]


def test_attainable_is_the_lower_of_both_roofs() -> None:
    # 2 FLOP/B x 10 B/s = 20 FLOP/s; 50 FLOP/B x 10 B/s = 500 > 100 FLOP/s
    assert (roof().attainable(2.0), roof().attainable(50.0)) == (20.0, 100.0)


def test_williams_2009_shape_of_the_roof() -> None:
    """Opteron X2 of the paper (Figure 1a): 17.6 GFLOP/s, 15 GB/s: the ridge is near 1.2 FLOP/B."""
    opteron = roof(17.6e9, 15e9)
    assert opteron.ridge_point == pytest.approx(1.173, rel=1e-3)
    assert opteron.attainable(0.5) == pytest.approx(7.5e9)


@given(positive, positive, positive)
def test_attainable_never_exceeds_either_roof_and_equals_both_at_the_ridge(p: float, bw: float, i: float) -> None:
    one = roof(p, bw)
    assert one.attainable(i) <= p
    assert one.attainable(i) <= i * bw
    assert one.attainable(one.ridge_point) == pytest.approx(p)
    assert one.attainable(one.ridge_point) == pytest.approx(one.ridge_point * bw)


@given(positive, positive, positive, positive)
def test_attainable_never_falls_as_intensity_rises(p: float, bw: float, a: float, b: float) -> None:
    one = roof(p, bw)
    assert one.attainable(min(a, b)) <= one.attainable(max(a, b))


@given(positive, positive, positive, positive)
def test_least_time_is_work_over_attainable(p: float, bw: float, flops: float, moved: float) -> None:
    one = place(peak=p, bandwidth=bw, flops=flops, bytes=moved)
    assert one.least_time is not None
    assert one.attainable is not None
    assert one.least_time == pytest.approx(flops / one.attainable)


@given(positive, positive, positive, positive, st.floats(min_value=1e-3, max_value=1e3))
def test_rescaling_units_changes_nothing(p: float, bw: float, flops: float, moved: float, k: float) -> None:
    a = place(peak=p, bandwidth=bw, flops=flops, bytes=moved, seconds=1.0)
    b = place(peak=p * k, bandwidth=bw * k, flops=flops * k, bytes=moved * k, seconds=1.0)
    assert a.least_time == pytest.approx(b.least_time)
    assert a.efficiency == pytest.approx(b.efficiency)
    assert a.peak_share == pytest.approx(b.peak_share)


def test_no_flops_is_judged_by_bandwidth_alone() -> None:
    # 50 B at 10 B/s take 5 s at least; measured 10 s: half of the bandwidth
    one = place(flops=0, bytes=50, seconds=10)
    assert (one.intensity, one.bound, one.least_time, one.efficiency) == (0.0, "memory", 5.0, 0.5)
    assert one.ridge_distance is None


def test_no_bytes_is_infinite_intensity_and_compute_bound() -> None:
    one = place(flops=50, bytes=0, seconds=1)
    assert one.intensity == math.inf
    assert (one.bound, one.attainable, one.efficiency, one.ridge_distance) == ("compute", 100.0, 0.5, None)


def test_neither_work_nor_traffic_is_an_error() -> None:
    with pytest.raises(InputError, match="no work and no traffic"):
        Kernel(flops=0, bytes=0)


def test_unknown_is_not_zero() -> None:
    one = place(bytes=50, seconds=10)
    assert (one.intensity, one.bound, one.attainable) == (None, None, None)
    assert one.kernel.achieved_bandwidth == 5.0
    assert (one.efficiency, one.judged_whole) == (0.5, False)  # a lower bound: the traffic alone takes 5 of 10 s


@pytest.mark.parametrize("field", ["flops", "bytes", "known_intensity", "rate"])
@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_a_kernel_cannot_be_built_from_nonsense(field: str, value: float) -> None:
    with pytest.raises(InputError, match="finite and >= 0"):
        Kernel(**cast("Any", {field: value}))


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_time_must_be_positive(value: float) -> None:
    with pytest.raises(InputError, match="time must be > 0"):
        Kernel(flops=1, bytes=1, seconds=value)


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_a_roof_needs_positive_finite_figures(value: float) -> None:
    with pytest.raises(InputError):
        roof(peak=value)
    with pytest.raises(InputError):
        roof(bandwidth=value)


def test_above_the_roof_is_kept_and_flagged_but_rounding_dust_is_not() -> None:
    # least time of 1000 FLOP at 100 FLOP/s is 10 s
    assert [place(flops=1000, bytes=1, seconds=s).above_roof for s in (10.0, 9.995, 9.98, 5.0)] == [
        False,
        False,
        True,
        True,
    ]
    assert place(flops=1000, bytes=1, seconds=5).efficiency == 2.0


def test_bandwidth_above_the_roof_is_flagged_though_flops_are_unknown() -> None:
    assert place(bytes=200, seconds=10).above_roof


def test_the_slowest_memory_level_binds() -> None:
    # 100 FLOP: 1 s of arithmetic; 5 B of DRAM: 0.5 s; 400 B of L2 at 100 B/s: 4 s
    levels = (Roof(peak=100.0, memory=Stream(bandwidth=100.0, level="L2")),)
    one = Placement(kernel=Kernel(flops=100, bytes=5, bytes_at={"L2": 400}), roof=roof(), levels=levels)
    assert one.terms == (
        Term("compute", "compute", 1.0),
        Term("memory", "DRAM", 0.5),
        Term("memory", "L2", 4.0),
    )
    assert (one.least_time, one.bound, one.binding_level, one.attainable) == (4.0, "memory", "L2", 25.0)
    light = Placement(kernel=Kernel(flops=100, bytes=5, bytes_at={"L2": 40}), roof=roof(), levels=levels)
    assert (light.bound, light.binding_level, light.attainable) == ("compute", None, 100.0)


def chip(**more: Any) -> Device:
    fields: dict[str, Any] = {
        "id": "chip",
        "name": "Chip",
        "kind": "gpu",
        "memory": (
            Memory(level="HBM", bandwidth=10.0),
            Memory(level="L2", bandwidth=100.0),
            Memory(level="L3", capacity=1.0),
        ),
        "peaks": (
            Peak(dtype="fp16", unit="vector", dense=30.0),
            Peak(dtype="fp16", unit="matrix", accumulate=("fp16",), dense=200.0, sparse=400.0),
            Peak(dtype="fp16", unit="matrix", accumulate=("fp32",), dense=100.0, sparse=200.0),
            Peak(dtype="fp32", unit="vector", clock="base", dense=10.0),
            Peak(dtype="fp32", unit="vector", clock="boost", dense=15.0),
        ),
    }
    return Device(**fields | more)


HEADLINE = Headline(peak=400.0, dtype="fp16", sparsity="2:4")


@pytest.mark.parametrize(
    ("query", "peak"),
    [
        pytest.param({}, 100.0, id="matrix-with-fp32-accumulation"),
        pytest.param({"accumulate": "fp16"}, 200.0, id="accumulate-fp16"),
        pytest.param({"unit": "vector", "dtype": "fp16"}, 30.0, id="vector"),
        pytest.param({"dtype": "fp16", "sparse": True}, 200.0, id="sparse"),
        pytest.param({"dtype": "fp32"}, 15.0, id="else-the-fastest"),
    ],
)
def test_which_peak_is_the_default(query: dict[str, Any], peak: float) -> None:
    assert Target(device=chip(), query=RoofQuery(**query)).choice().roof.peak == peak


def test_without_a_precision_the_headline_is_the_roof_and_the_dense_peak_stands_beside_it() -> None:
    choice = Target(device=chip(headline=HEADLINE), query=RoofQuery()).choice()
    assert choice.beside is not None
    assert (choice.roof.peak, choice.roof.headline, choice.beside.peak) == (400.0, True, 100.0)


def test_a_named_precision_takes_the_sourced_peak_alone() -> None:
    choice = Target(device=chip(headline=HEADLINE), query=RoofQuery(dtype="fp16")).choice()
    assert (choice.roof.peak, choice.beside) == (100.0, None)


def test_a_cpu_defaults_to_fp32() -> None:
    peaks = (Peak(dtype="bf16", unit="matrix", dense=100.0), Peak(dtype="fp32", dense=5.0))
    assert Target(device=chip(kind="cpu", peaks=peaks), query=RoofQuery()).choice().roof.peak == 5.0


@pytest.mark.parametrize(
    ("query", "message"),
    [
        pytest.param({"dtype": "fp8"}, "chip has no fp8 peak", id="precision"),
        pytest.param({"dtype": "fp32", "sparse": True}, "chip has no 2:4 fp32 peak", id="sparse"),
        pytest.param({"dtype": "fp32", "unit": "matrix"}, "chip has no dense fp32 matrix peak", id="unit"),
        pytest.param({"headline": True}, "chip has no headline figure", id="headline"),
        pytest.param({"level": "L9"}, "chip has no memory level 'L9'", id="level"),
        pytest.param({"level": "l3"}, "chip gives no bandwidth for its L3", id="level-without-bandwidth"),
        pytest.param({"kind": "measured"}, "chip has no measured FLOP/s ceiling", id="measured"),
    ],
)
def test_what_a_device_lacks_is_an_error_and_never_filled_in(query: dict[str, Any], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message) as caught:
        Target(device=chip(), query=RoofQuery(**query)).choice()
    assert caught.value.hint


def test_level_picks_the_memory_in_any_case() -> None:
    assert Target(device=chip(), query=RoofQuery(level="l2")).choice().roof.bandwidth == 100.0


def test_the_exact_name_of_a_level_goes_before_one_that_is_alike_without_punctuation() -> None:
    alike = (Memory(level="HBM", bandwidth=10.0), Memory(level="L-2", bandwidth=30.0), Memory(level="L2", bandwidth=50))
    device = chip(memory=alike)
    assert [device.memory_at(level).bandwidth for level in ("l2", "L-2", "L_2")] == [50, 30.0, 30.0]


def test_only_a_sparse_rate_is_a_name_that_the_device_lacks() -> None:
    """Not a bad value: lists leave such a device out, as any that lacks what was asked for."""
    peaks = (Peak(dtype="fp16", sparse=10.0),)
    device = chip(peaks=peaks, headline=None)
    with pytest.raises(UnknownNameError, match="has no dense peak") as caught:
        Target(device=device, query=RoofQuery()).choice()
    assert caught.value.hint == "add --dtype D --sparse to use its 2:4-sparse rate"
    assert Target(device=device, query=RoofQuery(sparse=True)).choice().roof.peak == 10.0
    headline = Headline(peak=20.0, dtype="fp16")
    choice = Target(device=chip(peaks=peaks, headline=headline), query=RoofQuery()).choice()
    assert (choice.roof.peak, choice.beside) == (20.0, None)


def test_measured_roof_takes_the_matmul_and_the_triad() -> None:
    measured = (
        Ceiling(what="matmul", value=70.0, quantity="FLOP/s", dtype="fp16"),
        Ceiling(what="vector-fma", value=90.0, quantity="FLOP/s", dtype="fp16"),
        Ceiling(what="dram-read", value=9.5, quantity="B/s"),
        Ceiling(what="dram-triad", value=9.0, quantity="B/s"),
        Ceiling(what="l2-read", value=80.0, quantity="B/s", level="L2"),
    )
    found = Target(device=chip(measured=measured), query=RoofQuery(kind="measured")).choice().roof
    assert (found.peak, found.bandwidth, found.basis, found.memory.basis) == (70.0, 9.0, "measured", "measured")
    with pytest.raises(UnknownNameError, match="no measured fp32 ceiling"):
        Target(device=chip(measured=measured), query=RoofQuery(kind="measured", dtype="fp32")).choice()


def test_traffic_at_the_main_level_is_the_traffic() -> None:
    one = Target(device=chip(), query=RoofQuery()).place(Kernel(flops=100, bytes_at={"hbm": 10.0, "L2": 100.0}))
    assert one.first.intensity == 10.0
    assert [term.seconds for term in one.first.terms] == [1.0, 1.0, 1.0]


def test_a_memory_level_may_have_any_name() -> None:
    # 100 FLOP at 100 FLOP/s: 1 s; 10 B at 10 B/s: 1 s; 400 B at 100 B/s: 4 s, which binds whatever it is called
    levels = (Roof(peak=100.0, memory=Stream(bandwidth=100.0, level="compute")),)
    one = Placement(kernel=Kernel(flops=100, bytes=10, bytes_at={"compute": 400}), roof=roof(), levels=levels)
    assert (one.bound, one.binding_level, one.least_time, one.ridge_distance) == ("memory", "compute", 4.0, 1.0)


def test_a_given_peak_and_bandwidth_stand_in_for_a_device() -> None:
    assert Target(device=given_device(120e12, 50e9), query=RoofQuery()).choice().roof.ridge_point == 2400
