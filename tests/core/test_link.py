"""The third roof: bytes on the wire over a link, its latency, and what binds beside compute and memory."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.catalog.find import device
from roofline.core.choice import RoofQuery
from roofline.core.device import Device, Link, Memory, Peak
from roofline.core.gate import Expectation, judge
from roofline.core.kernel import Kernel
from roofline.core.link import Port, port
from roofline.core.target import Target
from roofline.errors import InputError, NoLinkError, UnknownNameError
from roofline.operations.collective import allgather, allreduce
from roofline.report.explain import explain
from roofline.report.sentences import assumptions, verdict

# 100 TFLOP/s, 1 TB/s, 100 GB/s one way: I* = 100 FLOP/B
CHIP = Device(
    id="chip",
    name="Chip",
    peaks=(Peak(dtype="bf16", dense=100e12),),
    memory=(Memory(level="HBM", bandwidth=1e12),),
    links=(
        Link(name="Fabric", bandwidth=100e9, basis="vendor"),
        Link(name="PCIe", bandwidth=64e9, direction="both-ways"),
    ),
)
amounts = st.floats(min_value=1.0, max_value=1e15)


def target(device: Device = CHIP, **query: Any) -> Target:
    return Target(device=device, query=RoofQuery(dtype="bf16", **query))


@pytest.mark.parametrize(
    ("wire", "bound", "level", "seconds"),
    [
        # 1 TFLOP: 10 ms; 2 GB: 2 ms
        pytest.param(0.5e9, "compute", None, 10e-3, id="5-ms-hide-behind-the-arithmetic"),
        pytest.param(1e9, "compute", None, 10e-3, id="10-ms-are-a-tie"),
        pytest.param(2e9, "link", "Fabric", 20e-3, id="20-ms-bind"),
    ],
)
def test_the_slowest_of_three_roofs_binds(wire: float, bound: str, level: str | None, seconds: float) -> None:
    placement = target().place(Kernel(flops=1e12, bytes=2e9, wire=wire)).first
    assert (placement.bound, placement.binding_level) == (bound, level)
    assert placement.least_time == pytest.approx(seconds)
    assert placement.attainable == pytest.approx(1e12 / seconds)
    assert [term.resource for term in placement.terms] == ["compute", "memory", "link"]


def test_memory_binds_where_it_is_slowest() -> None:
    # 0.1 TFLOP: 1 ms; 3 GB: 3 ms; 0.2 GB on the wire: 2 ms
    placement = target().place(Kernel(flops=1e11, bytes=3e9, wire=2e8)).first
    assert (placement.bound, placement.binding_level) == ("memory", "HBM")
    assert placement.ridge_distance == pytest.approx(3.0)


def test_each_serial_step_costs_a_latency() -> None:
    # 14 messages of 5 us and 9 MB at 100 GB/s: 70 us + 90 us; 10 MFLOP take 0.1 us and 1 MB 1 us
    kernel = Kernel(flops=1e7, bytes=1e6, wire=9e6, messages=14)
    assert target(latency=5e-6).place(kernel).first.least_time == pytest.approx(160e-6)
    assert target().place(kernel).first.least_time == pytest.approx(90e-6)
    # I* / I = 100 / (10 MFLOP / 1 MB), over the memory: the link has no ridge of bytes
    assert target(latency=5e-6).place(kernel).first.ridge_distance == pytest.approx(10)


def test_allreduces_of_a_70b_model_on_eight_devices() -> None:
    """Llama-3.1-70B, 80 layers, batch 8, 8 devices of 450 GB/s one way: 160 all-reduces take 0.082 ms (36.7 MB)."""
    device = Device(id="d", name="d", peaks=CHIP.peaks, memory=CHIP.memory, links=(Link(name="L", bandwidth=450e9),))
    placement = target(device).place(allreduce(n=8 * 8192, p=8)).first
    assert placement.bound == "link"
    assert placement.least_time is not None
    assert 160 * placement.least_time == pytest.approx(0.0816e-3, rel=1e-3)


def test_an_allgather_without_flops_is_link_bound() -> None:
    # 7/8 MB at 100 GB/s: 8.75 us; 9/8 MB at 1 TB/s: 1.125 us
    placement = target().place(allgather(n=500_000, p=8)).first
    assert (placement.bound, placement.binding_level, placement.intensity) == ("link", "Fabric", 0)
    assert placement.least_time == pytest.approx(8.75e-6)
    assert verdict(placement) == "link-bound by Fabric (least times: compute 0 s, HBM 1.125 us, Fabric 8.750 us)"


def test_one_device_needs_no_link() -> None:
    alone = Device(id="alone", name="alone", peaks=CHIP.peaks, memory=CHIP.memory)
    placement = target(alone).place(allreduce(n=500_000, p=1)).first
    assert placement.link is None
    assert placement.bound == "memory"
    with pytest.raises(NoLinkError, match=r"^no link of alone to other devices is known$") as error:
        target(alone).place(allreduce(n=500_000, p=2))
    assert "--" not in (error.value.hint or "")  # options are the command line's
    with pytest.raises(UnknownNameError):  # whoever catches that catches this
        target(alone).place(allreduce(n=500_000, p=2))


def test_a_figure_for_both_directions_counts_half() -> None:
    half = port(CHIP, "pcie")
    assert (half.name, half.bandwidth, half.note) == ("PCIe", 32e9, "half of the figure for both directions")
    assert port(CHIP).bandwidth == 100e9


def test_an_unknown_link_lists_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"^chip has no link 'NVLink'$") as error:
        port(CHIP, "NVLink")
    assert error.value.hint == "it has: Fabric, PCIe; or give a bandwidth one way"


@given(amounts, amounts, amounts, st.integers(min_value=0, max_value=1000), st.floats(min_value=0, max_value=1e-3))
def test_a_link_never_makes_a_kernel_faster(
    flops: float, moved: float, wire: float, messages: int, latency: float
) -> None:
    without = target().place(Kernel(flops=flops, bytes=moved)).first
    placement = target(latency=latency).place(Kernel(flops=flops, bytes=moved, wire=wire, messages=messages)).first
    assert placement.least_time is not None
    assert without.least_time is not None
    assert without.attainable is not None
    assert placement.attainable is not None
    assert placement.least_time >= without.least_time
    assert placement.attainable <= without.attainable
    assert placement.least_time == max(term.seconds for term in placement.terms)
    over_link = Port("x", 100e9, latency).least_time(wire, messages)
    assert (placement.bound == "link") == (over_link > without.least_time)


def test_a_measured_time_is_judged_by_the_link_too() -> None:
    # 20 ms over the link against 25 ms measured
    placement = target().place(Kernel(flops=1e12, bytes=2e9, wire=2e9, seconds=25e-3)).first
    assert placement.efficiency == pytest.approx(0.8)
    assert target().place(Kernel(flops=1e12, bytes=2e9, wire=2e9, seconds=19e-3)).first.above_roof


def test_a_gate_can_expect_a_link_bound_kernel() -> None:
    placed = target().place(Kernel(flops=1e12, bytes=2e9, wire=2e9))
    assert judge(placed, Expectation(bound="link")) == []
    assert [f.text for f in judge(placed, Expectation(bound="compute"))] == ["expected compute-bound, is link-bound"]


def test_the_words_name_the_link() -> None:
    placed = target(latency=5e-6).place(Kernel(flops=1e12, bytes=2e9, wire=2e9, messages=14))
    # 14 x 5 us + 20 ms
    assert verdict(placed.first) == (
        "link-bound by Fabric, which takes 2.007x as long as the arithmetic "
        "(least times: compute 10.00 ms, HBM 2.000 ms, Fabric 20.07 ms)"
    )
    assert assumptions([placed]) == ["Fabric: 100.0 GB/s one way (vendor), 5.000 us a serial step"]
    lines = explain(placed.first)
    assert "Fabric: 14 messages of 5.000 us latency, 2.000 GB at 100.0 GB/s" in lines
    assert any("messages x latency + wire / BW of Fabric = 20.07 ms" in line for line in lines)
    # 1 TFLOP in 20.07 ms
    assert "attainable = FLOPs / least time = 1.000 TFLOP / 20.07 ms = 49.83 TFLOP/s" in lines
    assert lines[-1] == "link = 100.0 GB/s one way: Fabric (vendor); no source given"


@pytest.mark.parametrize("latency", [-1e-6, float("nan"), float("inf")])
def test_a_latency_that_is_none_is_refused(latency: float) -> None:
    with pytest.raises(InputError, match=re.escape(f"latency must be from 0 to 1e+06 s, got {latency:g}")):
        RoofQuery(latency=latency)


def test_bytes_on_the_wire_need_the_work() -> None:
    with pytest.raises(InputError, match="bytes on the wire need the work beside them"):
        Kernel(known_intensity=2.0, wire=1e6)


@pytest.mark.parametrize(("devices", "bandwidth"), [(2, 64e9), (4, 192e9), (8, 448e9), (16, 448e9), (None, 448e9)])
def test_fewer_devices_of_a_clique_have_fewer_lanes(devices: int | None, bandwidth: float) -> None:
    """Seven peers at 64 GB/s each: two devices have one path between them, eight have all."""
    clique = CHIP._replace(links=(Link(name="Fabric", bandwidth=448e9, peers=7, note="to each peer"),))
    found = port(clique, devices=devices)
    assert found.bandwidth == pytest.approx(bandwidth)
    fewer = devices is not None and devices < 8
    assert found.note == (f"lanes to {(devices or 0) - 1} of 7 peers; to each peer" if fewer else "to each peer")


def test_a_collective_uses_the_lanes_between_its_devices() -> None:
    """An all-reduce of 1e9 B over 2 of a clique of 8: each sends 2 x 1/2 x 1e9 B at 64 GB/s, 15.6 ms."""
    clique = CHIP._replace(links=(Link(name="Fabric", bandwidth=448e9, peers=7),))
    seconds = target(clique).place(allreduce(n=500_000_000, p=2)).first.least_time
    assert seconds == pytest.approx(1e9 / 64e9)
    seconds = target(clique).place(allreduce(n=500_000_000, p=8)).first.least_time
    assert seconds == pytest.approx(2 * 7 / 8 * 1e9 / 448e9)


def test_the_shipped_cliques_have_seven_peers() -> None:
    """AMD Instinct MI300X: 7 links of 64 GB/s each way, one to each other device of a node."""
    for name, each in (("mi300x", 64e9), ("mi325x", 64e9), ("mi350x", 76.5e9), ("mi355x", 76.5e9)):
        assert port(device(name), devices=2).bandwidth == pytest.approx(each)
