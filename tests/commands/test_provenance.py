"""What people and scripts are told of the kind of a figure: dense and 2:4 rates apart, sources without an address."""

from __future__ import annotations

import json

from tests.conftest import Runner


def words(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_ridge_does_not_call_a_doubled_rate_the_vendors(roofline: Runner) -> None:
    """RTX 5080, bf16: 112.6 is printed, 225.1 is not; / 0.96 TB/s = 117.3 and 234.5 FLOP/B. Its fp4 pair is printed."""
    table = words(roofline("ridge", "--hw", "rtx5080").out)
    assert ["bf16", "matrix", "fp32", "112.6", "117", "225.1", "234", "vendor", "derived"] in table
    assert ["fp4", "matrix", "fp32", "900.4", "938", "1801", "1876", "vendor", "vendor"] in table
    roof = json.loads(roofline("ridge", "--hw", "rtx5080", "--dtype", "bf16", "--sparse", "--format", "json").out)
    assert roof["context"]["roof"]["peak_basis"] == "derived"
    assert roof["roof"] == "bf16 2:4, matrix unit, fp32 accumulation (derived)"
    assert roof["context"]["roof"]["note"] == "no source of it prints the 2:4 rate"
    assert [(peak["basis"], peak["sparse_basis"]) for peak in roof["peaks"]] == [("vendor", "derived")]
    dense = json.loads(roofline("ridge", "--hw", "rtx5080", "--dtype", "bf16", "--format", "json").out)
    assert (dense["context"]["roof"]["peak_basis"], dense["context"]["roof"]["note"]) == ("vendor", None)


def test_one_basis_stands_for_both_rates_where_they_are_of_one_kind(roofline: Runner) -> None:
    """H100: the whitepaper prints every pair."""
    table = words(roofline("ridge", "--hw", "h100").out)
    assert [line.count("basis") for line in table if "basis" in line] == [1]
    peaks = json.loads(roofline("ridge", "--hw", "h100", "--format", "json").out)["peaks"]
    assert {peak["basis"] for peak in peaks} == {"vendor", "article"}
    assert [peak["sparse_basis"] for peak in peaks if peak["precision"] == "fp64"] == [None, None]


def test_hw_show_gives_each_rate_its_basis(roofline: Runner) -> None:
    """H100 NVL: the page prints 1671 with sparsity, and nobody 835.5."""
    table = words(roofline("hw", "show", "h100-nvl").out)
    assert [
        "peak",
        "835.5",
        "TFLOP/s",
        "fp16",
        "matrix",
        "fp32",
        "accumulation",
        "dense",
        "derived",
        "nv-h100-page",
    ] in table
    assert [
        "peak",
        "1671",
        "TFLOP/s",
        "fp16",
        "matrix",
        "fp32",
        "accumulation",
        "2:4",
        "vendor",
        "nv-h100-page",
    ] in table


def test_hw_show_says_that_an_address_was_not_kept(roofline: Runner) -> None:
    text = roofline("hw", "show", "h100-nvl").out
    assert (
        "source babel-nvl: BabelStream 5.0 run on H100 NVL, address not kept; a public code repository (third-party)"
        in text
    )
    assert "<https://www.nvidia.com/en-us/data-center/h100/> (vendor-mirror)" in text
    assert "<address" not in text
