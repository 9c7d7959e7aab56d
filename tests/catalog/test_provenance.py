"""Where the shipped figures come from: printed 2:4 rates apart from doubled ones, sources with an address or none."""

from __future__ import annotations

import csv
import re

import pytest

from roofline import units
from roofline.catalog import find
from roofline.core.choice import RoofQuery, choose
from roofline.core.device import NO_ADDRESS, Peak, Source
from roofline.core.peaks import peak_of
from tests.catalog.test_shipped import DEVICES
from tests.conftest import ROOT

# Every 2:4 rate of the catalogue that a source prints, with the words of that source; the others are derived.
with open(ROOT / "tests" / "data" / "printed-sparse-rates.csv", encoding="utf-8", newline="") as _stream:
    PRINTED = {(row["device"], row["dtype"], row["accumulate"]): row for row in csv.DictReader(_stream)}
ADDRESS = re.compile(r"https?://[\w.-]+\.\w+/|github:[\w.-]+/[\w.-]+|^pypi [\w-]+ [\d.]+$")


def key(device: str, peak: Peak) -> tuple[str, str, str]:
    return device, peak.dtype, "/".join(peak.accumulate)


SPARSE = {key(device.id, peak): peak for device in DEVICES.values() for peak in device.peaks if peak.sparse is not None}


@pytest.mark.parametrize(
    ("device", "dtype", "accumulate", "dense", "sparse", "sparse_basis"),
    [
        # NVIDIA, Ampere Architecture In-Depth, Table 3: 312 and 624 TFLOPS FP16; the same rows for TF32 and INT4
        pytest.param("a100-sxm-80gb", "fp16", "fp32", 312, 624, "vendor", id="a100-fp16"),
        pytest.param("a100-pcie-40gb", "int4", None, 1248, 2496, "vendor", id="a100-int4"),
        # H100 whitepaper v1.04, Table 1: "989.4 / 1978.9"; FP8 "1978.9 / 3957.8"
        pytest.param("h100-sxm", "fp16", "fp32", 989.4, 1978.9, "vendor", id="h100-fp16"),
        pytest.param("h100-sxm", "fp8", "fp32", 1978.9, 3957.8, "vendor", id="h100-fp8"),
        # H100 product page, H100 NVL column, every tensor row "with sparsity": 1,671 BF16, 3,341 FP8
        pytest.param("h100-nvl", "bf16", "fp32", 835.5, 1671, "vendor", id="h100-nvl"),
        # H200 product page, NVL column; its INT8 row was not read: "equal to fp8 on every Hopper SKU"
        pytest.param("h200-nvl", "fp8", None, 1670.5, 3341, "vendor", id="h200-nvl-fp8"),
        pytest.param("h200-nvl", "int8", None, 1670.5, 3341, "derived", id="h200-nvl-int8"),
        # L40/L40S data sheet: "181.05 | 362.1" and, for the L40S, "362.05 | 733"
        pytest.param("l40", "fp16", None, 181.05, 362.1, "vendor", id="l40"),
        pytest.param("l40s", "fp16", "fp32", 362.05, 733, "vendor", id="l40s"),
        # A30, "TF32 up to 165 (sparse)"; INT4 was computed as twice INT8
        pytest.param("a30", "tf32", None, 82.6, 165, "vendor", id="a30-tf32"),
        pytest.param("a30", "int4", None, 661, 1321, "derived", id="a30-int4"),
        # L4, "datasheet figures with sparsity: FP16 242, FP8/INT8 485, TF32 120", read at third hand
        pytest.param("l4", "fp16", "fp32", 121, 242, "third-party", id="l4-fp16"),
        # Blackwell data sheet 3384703: "all but NVFP4 totals are sparse, dense = 1/2"; "144 sparse | 72 dense" NVFP4
        pytest.param("b200", "fp16", "fp32", 2250, 4500, "vendor", id="b200-fp16"),
        pytest.param("b200", "fp4", None, 9000, 18000, "vendor", id="b200-fp4"),
        # DGX B300 page: "FP4 144 sparse | 108 dense PF" for eight; aiconfigurator: "307 TOPS sparse"
        pytest.param("b300", "fp4", None, 13500, 18000, "vendor", id="b300-fp4"),
        pytest.param("b300", "int8", None, 153.5, 307, "vendor", id="b300-int8"),
        # B300 tf32 is a third party's 1125; NVIDIA prints a rounded 2.2 PFLOP/s sparse, not 2250
        pytest.param("b300", "tf32", None, 1125, 2250, "derived", id="b300-tf32"),
        # RTX PRO Blackwell whitepaper Table 4: "503.8/1007.6" BF16; the vendor prints no FP8 row of it
        pytest.param("rtx-pro-6000-ws", "bf16", "fp32", 503.8, 1007.6, "vendor", id="rtx-pro-bf16"),
        pytest.param("rtx-pro-6000-ws", "fp8", None, 1007.6, 2015, "derived", id="rtx-pro-fp8"),
        # Ada whitepaper App. A: "330.3/660.6, 165.2/330.4"; v2.02, footnote 4: FP8 with FP32 accumulate "330.3/660.6"
        pytest.param("rtx4090", "fp16", "fp16", 330.3, 660.6, "vendor", id="4090-fp16-fp16"),
        pytest.param("rtx4090", "fp16", "fp32", 165.2, 330.4, "vendor", id="4090-fp16-fp32"),
        pytest.param("rtx4090", "fp8", "fp32", 330.3, 660.6, "vendor", id="4090-fp8"),
        # RTX Blackwell whitepaper Table 3: "BF16 209.5/419, FP8 FP32-acc 419/838, FP4 1676/3352"; INT8 838 alone
        pytest.param("rtx5090", "bf16", "fp32", 209.5, 419, "vendor", id="5090-bf16"),
        pytest.param("rtx5090", "fp4", "fp32", 1676, 3352, "vendor", id="5090-fp4"),
        pytest.param("rtx5090", "int8", "int32", 838, 1676, "derived", id="5090-int8"),
        # "AI TOPS" of the RTX 5080: 1801, FP4 with sparsity; BF16 112.6 alone
        pytest.param("rtx5080", "fp4", "fp32", 900.4, 1801, "vendor", id="5080-fp4"),
        pytest.param("rtx5080", "bf16", "fp32", 112.6, 225.1, "derived", id="5080-bf16"),
        # GA102 whitepaper as transformers issue 14608 quotes it: "FP16/BF16 59.5, TF32 29.8", no sparse; gpumap: 59.5*
        pytest.param("rtx3080", "tf32", "fp32", 29.8, 59.5, "third-party", id="3080-tf32"),
        pytest.param("rtx3080", "int8", "int32", 238.141, 476.283, "derived", id="3080-int8"),
        # RTX Blackwell whitepaper Table 3: "BF16 71.2/142.4"
        pytest.param("rtx3090", "bf16", "fp32", 71.2, 142.4, "vendor", id="3090-bf16"),
        # GA102 whitepaper Table 3: "A6000 BF16 FP32-acc 154.8/309.6"
        pytest.param("rtxa6000", "bf16", "fp32", 154.8, 309.6, "vendor", id="a6000"),
        # "Datasheet 1457 is FP8 WITH sparsity"
        pytest.param("rtx6000ada", "fp8", "fp32", 728.5, 1457, "vendor", id="6000-ada"),
        # Jetson AGX Orin technical brief: "170 sparse INT8 TOPs GPU"; Thor: "2,070 FP4 TFLOPS", sparse
        pytest.param("agxorin64", "int8", "int32", 85, 170, "vendor", id="orin"),
        pytest.param("jetsonthor", "fp4", "fp32", 1035, 2070, "vendor", id="thor-fp4"),
        pytest.param("jetsonthor", "bf16", "fp32", 257.229, 514.458, "derived", id="thor-bf16"),
        # "NVIDIA prints only FP4 sparse 1 PFLOP", rounded: 48 SM x 4096 x 2.418 GHz = 475 dense
        pytest.param("gb10", "fp4", "fp32", 475.398, 950.796, "derived", id="gb10"),
        # MI300X data sheet: "1307.4/2614.9 FP16, 2614.9/5229.8 FP8"; ROCm prints TF32 653.7 and INT8 2614.9 dense alone
        pytest.param("mi300x", "fp16", "fp32", 1307.4, 2614.9, "vendor", id="mi300x-fp16"),
        pytest.param("mi300x", "int8", None, 2614.9, 5229.8, "derived", id="mi300x-int8"),
        # "Sparse values are 2x dense by AMD rule; only MI300X sparse was read from AMD text"
        pytest.param("mi300a", "fp16", "fp32", 980.6, 1961.2, "derived", id="mi300a"),
        pytest.param("mi325x", "fp8", "fp32", 2614.9, 5229.8, "derived", id="mi325x"),
        # AMD's page, "with Structured Sparsity": 195/389 FP16, 779/1557 INT4; no BF16 row
        pytest.param("rx9070xt", "int4", "int32", 779, 1557, "vendor", id="9070-int4"),
        pytest.param("rx9070xt", "bf16", "fp32", 194.642, 389.284, "derived", id="9070-bf16"),
    ],
)
def test_what_was_printed_and_what_was_doubled(
    device: str, dtype: str, accumulate: str | None, dense: float, sparse: float, sparse_basis: str
) -> None:
    peak = peak_of(find.device(device), dtype, sparsity="2:4", accumulate=accumulate)
    assert peak.dense == pytest.approx(dense * 1e12)
    assert peak.sparse == pytest.approx(sparse * 1e12)
    assert peak.basis_of("2:4") == sparse_basis
    roof = choose(find.device(device), RoofQuery(dtype=dtype, sparse=True, accumulate=accumulate)).roof
    assert roof.basis == sparse_basis


@pytest.mark.parametrize(
    ("device", "dtype"),
    # the vendor prints the rate with sparsity and no dense one: dense is half of it, and so nobody's figure
    [
        ("h100-nvl", "fp16"), ("h200-nvl", "bf16"), ("a30", "tf32"), ("agxorin64", "int8"), ("orinnano", "int8"),
        ("jetsonthor", "fp4"), ("rtx-pro-6000-server", "fp4"),
    ],
)  # fmt: skip
def test_half_of_a_printed_sparse_rate_is_nobodys_figure(device: str, dtype: str) -> None:
    assert peak_of(find.device(device), dtype).basis == "derived"


def test_each_rate_that_is_not_derived_has_its_evidence() -> None:
    not_derived = {row: peak for row, peak in SPARSE.items() if peak.basis_of("2:4") != "derived"}
    assert not_derived.keys() == PRINTED.keys()
    for row, peak in not_derived.items():
        assert peak.basis_of("2:4") == PRINTED[row]["basis"], row
        assert peak.sparse == units.parse(PRINTED[row]["sparse"], "FLOP/s"), row
        assert len(PRINTED[row]["evidence"]) >= 25, row


def test_twice_the_vendors_dense_rate_is_the_vendors_only_where_it_was_printed() -> None:
    doubled = {
        row for row, peak in SPARSE.items() if peak.dense and peak.sparse == pytest.approx(2 * peak.dense, rel=3e-3)
    }
    unprinted = {row: SPARSE[row] for row in doubled - PRINTED.keys()}
    assert any(peak.basis == "vendor" for peak in unprinted.values())
    assert {row for row, peak in unprinted.items() if peak.basis_of("2:4") == "vendor"} == set()


def sources() -> list[Source]:
    return [source for device in DEVICES.values() for source in device.sources.values()]


def test_every_source_has_an_address_or_says_that_it_was_not_kept() -> None:
    for source in sources():
        known = ADDRESS.search(source.where) is not None or source.where.startswith(NO_ADDRESS)
        assert known or (source.kind == "derived" and source.where.startswith("no document")), source
        assert "public repository" not in source.where, source


def test_the_readme_counts_the_sources_without_an_address() -> None:
    lost = [source for source in sources() if source.where.startswith(NO_ADDRESS)]
    quoting = [source for source in lost if "it quotes " in source.where]
    assert all(ADDRESS.search(source.where) for source in quoting)
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"Of {len(sources())} source entries, {len(lost)} have no address that was kept" in text
    assert f"{len(quoting)} of those name the document that they quote" in text


def test_both_guides_define_every_basis() -> None:
    from typing import get_args

    from roofline.core.device import Basis

    for name in ("README.md", "hardware/README.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert [word for word in get_args(Basis) if f"\n| `{word}` | " not in text] == [], name
