"""Kernels that communicate in reports: columns that appear only for them, with the link and what it takes."""

from __future__ import annotations

import csv
import io
import json

from roofline.core.choice import RoofQuery
from roofline.core.device import Device, Link, Memory, Peak
from roofline.core.kernel import Kernel
from roofline.core.placement import Placed
from roofline.core.target import Target
from roofline.operations.collective import allreduce
from roofline.render import render
from roofline.report.kernels import comparison, kernel_list, sheet
from roofline.report.tally import Tallies, Tally

CHIP = Device(
    id="chip",
    name="Chip",
    peaks=(Peak(dtype="bf16", dense=100e12),),
    memory=(Memory(level="HBM", bandwidth=1e12),),
    links=(Link(name="Fabric", bandwidth=100e9, basis="vendor"),),
)
TARGET = Target(device=CHIP, query=RoofQuery(dtype="bf16", latency=5e-6))
SENDS = TARGET.place(allreduce(n=4_000_000, p=8))  # 2 x 7/8 x 8 MB = 14 MB: 14 x 5 us + 140 us = 210 us
QUIET = TARGET.place(Kernel(name="quiet", flops=1e12, bytes=1e9))


def listed(*shown: Placed) -> list[dict[str, str]]:
    tallies = Tallies()
    for one in shown:
        tallies.add(one)
    return list(csv.DictReader(io.StringIO(render(kernel_list(shown, [TARGET], tallies, {}), "csv"))))


def test_a_sheet_shows_the_wire_and_json_has_it_in_base_units() -> None:
    text = render(sheet(SENDS, {}), "table")
    for line in (
        "on the wire     14.00 MB",
        "serial steps    14",
        "link            Fabric",
        "bound           link-bound",
    ):
        assert line in text
    record = json.loads(render(sheet(SENDS, {}), "json"))
    assert {key: value for key, value in record.items() if "link" in key or key in ("wire_byte", "messages")} == {
        "wire_byte": 14e6,
        "messages": 14,
        "link": "Fabric",
        "link_bandwidth_byte_per_s": 100e9,
        "link_latency_s": 5e-6,
        "link_least_time_s": 210e-6,
    }
    assert (record["bound"], record["binding_level"], record["least_time_s"]) == ("link-bound", "Fabric", 210e-6)


def test_a_list_counts_link_bound_kernels_and_leaves_the_others_blank() -> None:
    rows = listed(SENDS, QUIET)
    assert [(row["bound"], row["wire_byte"]) for row in rows] == [("link-bound", "14000000"), ("compute-bound", "")]
    tally = Tally()
    tally.add(SENDS)
    tally.add(QUIET)
    assert tally.lines()[0] == "2 kernels: 1 compute-bound, 1 link-bound"
    assert tally.as_json()["link_bound_count"] == 1


def test_a_comparison_shows_what_each_device_can_send() -> None:
    text = render(comparison([SENDS, SENDS], {}, settled=True), "table")
    assert "link bandwidth" in text
    assert [line.split()[:2] for line in text.splitlines() if line.startswith("chip ")] == [["chip", "100.0"]] * 2


def test_kernels_that_send_nothing_have_no_such_columns() -> None:
    assert "wire_byte" not in listed(QUIET)[0]
    assert "wire_byte" not in json.loads(render(sheet(QUIET, {}), "json"))
