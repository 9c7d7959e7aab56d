"""The summary of a list: counts and times by bound, and savings against what a kernel can reach."""

from __future__ import annotations

import pytest

from roofline.core.choice import RoofQuery
from roofline.core.device import Device, Headline, Memory, Peak
from roofline.core.kernel import Kernel
from roofline.core.target import Target
from roofline.report.tally import Tallies

# headline ridge 400 / 10 = 40 FLOP/B, dense ridge 100 / 10 = 10 FLOP/B
CHIP = Device(
    id="chip",
    name="Chip",
    headline=Headline(peak=400.0, dtype="fp16", sparsity="2:4"),
    peaks=(Peak(dtype="fp16", dense=100.0, sparse=400.0),),
    memory=(Memory(level="HBM", bandwidth=10.0),),
)
KERNELS = (
    Kernel(name="gemm", flops=1000, bytes=10, seconds=13),  # 1000 / 400 = 2.5 s and 1000 / 100 = 10 s at least
    Kernel(name="copy", flops=10, bytes=200, seconds=25),  # 200 / 10 = 20 s at least under either
)


def tallied(query: RoofQuery, *kernels: Kernel) -> Tallies:
    tallies = Tallies()
    for kernel in kernels:
        tallies.add(Target(device=CHIP, query=query).place(kernel))
    return tallies


def test_savings_are_against_the_dense_roof_beside_the_headline() -> None:
    # 13 - 10 = 3 s of the gemm, 25 - 20 = 5 s of the copy; against the headline the gemm would save 10.5 s
    (record,) = tallied(RoofQuery(), *KERNELS).as_json()
    assert (record["most_savings_kernel"], record["most_savings_s"]) == ("copy", 5.0)
    assert tallied(RoofQuery(), KERNELS[0]).lines()[1] == (
        "most to save: gemm, 3.000 s of 13.00 s (least time 10.00 s at 100.0 FLOP/s)"
    )


def test_savings_are_against_the_sparse_rate_where_it_is_asked_for() -> None:
    (record,) = tallied(RoofQuery(dtype="fp16", sparse=True), *KERNELS).as_json()
    assert (record["most_savings_kernel"], record["most_savings_s"]) == ("gemm", pytest.approx(10.5))


def test_counts_and_times_by_bound() -> None:
    unknown = Kernel(name="sdpa", bytes=10, seconds=2)
    assert tallied(RoofQuery(dtype="fp16"), *KERNELS, unknown).lines()[0] == (
        "3 kernels: 1 memory-bound (25.00 s), 1 compute-bound (13.00 s), 1 unknown bound (2.000 s)"
    )


def test_a_kernel_of_unknown_work_has_no_savings() -> None:
    """Its least time counts the traffic alone, so the rest of its time may be arithmetic."""
    (record,) = tallied(RoofQuery(), Kernel(name="sdpa", bytes=10, seconds=2)).as_json()
    assert (record["most_savings_kernel"], record["most_savings_s"]) == (None, None)


def test_counts_by_the_headline_say_so() -> None:
    # The copy is memory-bound under both; the gemm at 100 FLOP/B is past both ridges.
    line = tallied(RoofQuery(), *KERNELS).lines()[0]
    assert line == "2 kernels: 1 memory-bound (25.00 s), 1 compute-bound (13.00 s), against the headline"
    mixed = tallied(RoofQuery(), KERNELS[0], KERNELS[1]._replace(dtype="fp16")).lines()[0]
    assert mixed.endswith("1 compute-bound (13.00 s), 1 of them against the headline")
