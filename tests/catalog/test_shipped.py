"""The shipped catalogue: every figure sourced and checked, ids unique, the named devices exactly as promised."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pint
import pytest

from roofline.catalog import find, load
from roofline.catalog.checks import evaluate
from roofline.catalog.lint import lint
from roofline.core.choice import RoofQuery, choose
from roofline.core.device import Device, Link, Memory, Peak
from roofline.core.peaks import peak_of

FILES = sorted(path for path in Path(find.shipped_folder()).rglob("*.yaml"))
DEVICES: dict[str, Device] = {path.stem: load.load(str(path)) for path in FILES}
# The only rows whose 2:4 rate is not twice the dense one but for rounding, with the ratio of the printed figures.
ODD_SPARSITY = {
    ("l40s", "fp16"): 733 / 362.05,  # the data sheet's dense figure looks like a leftover from the L40; 366.4 would fit
    ("l40s", "bf16"): 733 / 362.05,
    ("rtx-pro-6000-server", "fp4"): 4000 / 1920,  # only a rounded 4 PFLOP/s is printed, and the dense rate is derived
    ("b300", "fp4"): 144 / 108,  # PFLOP/s of eight, DGX B300 page: sparse | dense
    ("gb300", "fp4"): 20 / 15,  # PFLOP/s, Blackwell Ultra data sheet: sparse | dense
}


def test_it_has_about_a_hundred_devices_in_one_folder_a_vendor() -> None:
    assert len(FILES) >= 105
    for path in FILES:
        vendor = re.sub(r"[^a-z]", "", (DEVICES[path.stem].vendor or "").lower())
        assert path.parent.name == vendor, path


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_lint_finds_nothing(path: Path) -> None:
    assert lint(str(path), sourced=True) == []


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES.keys())
def test_every_figure_has_a_basis_and_every_source_a_place(device: Device) -> None:
    assert all(p.basis != "unsourced" and p.sources for p in device.peaks)
    assert device.main_memory.basis not in ("unsourced", "given")
    assert all(source.title and source.where and source.kind for source in device.sources.values())
    assert device.kind
    assert device.year


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES.keys())
def test_what_is_called_a_vendors_figure_has_a_vendors_document(device: Device) -> None:
    rows: list[Peak | Memory | Link] = [*device.peaks, *device.memory, *device.links]
    for row in rows:
        if "vendor" in (row.basis, getattr(row, "sparse_basis", None)):
            assert any(device.sources[key].kind.startswith("vendor") for key in row.sources), row


REGISTRY: Any = pint.UnitRegistry()


def second_witness(check: str, unit: str) -> float:
    """What a ``check`` gives, in FLOP/s or B/s, by a calculator that is not the program's.

    ``132 * 4096 * 1.83 GHz``: units x FLOP per clock x clock; ``384 bit * 21 Gbit/s``: pins x bits per second and pin,
    which pint takes for bits squared per second, an eighth of which are bytes.
    """
    value = REGISTRY(check)
    return float(value.to("1/s").magnitude if unit == "FLOP/s" else value.to("bit**2/s").magnitude / 8)


@pytest.mark.parametrize(
    ("check", "unit", "value"),
    [
        pytest.param("132 * 4096 * 1.83 GHz", "FLOP/s", 989.43e12, id="h100"),
        pytest.param("384 bit * 21 Gbit/s", "B/s", 1008e9, id="rtx4090"),  # 384 x 21 / 8
        pytest.param("8 * 16 * 3 GHz + 16 * 8 * 2 GHz", "FLOP/s", 640e9, id="two-kinds-of-cores"),  # 384 + 256
    ],
)
def test_the_witness_calculates_as_one_does_by_hand(check: str, unit: str, value: float) -> None:
    assert second_witness(check, unit) == pytest.approx(value, rel=1e-5)
    assert evaluate(check, unit) == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_checks_are_within_one_per_cent_or_say_why_not(path: Path) -> None:
    device = DEVICES[path.stem]
    checks = [(p.check, "FLOP/s", p.dense, p.check_note) for p in device.peaks if p.check]
    checks += [(m.check, "B/s", m.bandwidth, m.check_note) for m in device.memory if m.check]
    for check, unit, figure, why_not in checks:
        assert figure is not None, check
        assert second_witness(check, unit) == pytest.approx(figure, rel=0.01) or why_not, check
    written = re.findall(r"\bcheck: ", path.read_text(encoding="utf-8"))
    assert len(checks) == len(written)  # none was left out


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES.keys())
def test_no_sparse_rate_stands_in_a_dense_slot(device: Device) -> None:
    for peak in device.peaks:
        if peak.dense and peak.sparse:
            expected = ODD_SPARSITY.get((device.id, peak.dtype), 2)
            # 0.3 % is what rounding to three digits does: 389 / 195 on the RX 9070 XT, 155 / 77.4 on the RTX A6000
            assert peak.sparse / peak.dense == pytest.approx(expected, rel=3e-3), peak.dtype


def test_ids_and_aliases_are_unique_and_plain() -> None:
    names = [name for device in DEVICES.values() for name in (device.id, *device.aliases)]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9.+-]*", name) for name in names)


def test_the_text_scan_finds_the_aliases_that_parsing_finds() -> None:
    scanned = find.aliases({name: entry for name, entry in find.entries().items() if entry.shipped})
    parsed = {alias: device.id for device in DEVICES.values() for alias in device.aliases}
    assert {alias: entry.id for alias, entry in scanned.items()} == parsed


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_a_file_says_first_which_schema_it_follows(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("schema: 1\n")


@pytest.mark.parametrize(
    ("name", "headline", "ridge", "dense", "dense_ridge"),
    [
        # 1979 / 3.35 = 590.7; 989.4 / 3.35 = 295.3
        pytest.param("h100", 1979e12, 590.7, 989.4e12, 295.3, id="h100"),
        # 330 / 1.008 = 327.4; 165.2 / 1.008 = 163.9
        pytest.param("rtx4090", 330e12, 327.4, 165.2e12, 163.9, id="rtx4090"),
        # 64 / 0.546 = 117.2; 40 x 256 x 1.578 GHz = 16.1587; 16.1587 / 0.546 = 29.59
        pytest.param("m4max", 64e12, 117.2, 16.1587e12, 29.59, id="m4max"),
    ],
)
def test_the_article_devices_have_headline_and_sourced_peak(
    name: str, headline: float, ridge: float, dense: float, dense_ridge: float
) -> None:
    choice = choose(find.device(name), RoofQuery())
    assert choice.beside is not None
    assert (choice.roof.peak, choice.beside.peak) == (headline, dense)
    assert choice.roof.ridge_point == pytest.approx(ridge, abs=0.05)
    assert choice.beside.ridge_point == pytest.approx(dense_ridge, abs=0.05)


def test_only_the_article_devices_have_a_headline() -> None:
    assert {device.id for device in DEVICES.values() if device.headline} == {"h100-sxm", "rtx4090", "m4max"}


@pytest.mark.parametrize(
    ("name", "dtype", "dense", "bandwidth"),
    [
        # what each vendor prints; see the traps in the facts
        pytest.param("h200", "bf16", 989.4e12, 4.8e12, id="h200"),
        pytest.param("a100-sxm-80gb", "bf16", 312e12, 2.039e12, id="a100-80"),
        pytest.param("v100-sxm2-16gb", "fp16", 125e12, 0.9e12, id="v100"),
        pytest.param("h100-pcie", "bf16", 756e12, 2.039e12, id="h100-pcie-not-the-brief"),
        pytest.param("l40", "fp16", 181.05e12, 864e9, id="l40-half-rate"),
        pytest.param("mi250x", "fp16", 383e12, 3.2768e12, id="mi250x-package"),
        pytest.param("mi250x-gcd", "fp16", 191.5e12, 1.6384e12, id="mi250x-gcd"),
        pytest.param("m3max-30", "fp16", None, 300e9, id="m3max-30-cores"),
        pytest.param("m3max-40", "fp16", None, 400e9, id="m3max-40-cores"),
        pytest.param("m4max-32", "fp16", None, 410e9, id="m4max-32-cores"),
        pytest.param("agxorin64", "int8", 85e12, 204.8e9, id="orin-without-dla"),
        pytest.param("tpu-v4", "bf16", 275e12, 1.2e12, id="tpu-v4"),
    ],
)
def test_sku_traps(name: str, dtype: str, dense: float | None, bandwidth: float) -> None:
    device = find.device(name)
    assert device.main_memory.bandwidth == bandwidth
    if dense is not None:
        assert peak_of(device, dtype).dense == dense


def test_geforce_accumulate_modes_are_apart() -> None:
    device = find.device("rtx4090")
    assert peak_of(device, "fp16").dense == 165.2e12
    assert peak_of(device, "fp16", accumulate="fp16").dense == 330.3e12
    assert peak_of(device, "fp16", unit="vector").dense == pytest.approx(82.58e12, rel=1e-3)


def test_a10_is_not_an_a100() -> None:
    assert find.device("a10").id == "a10"
    assert find.device("A100").id == "a100-sxm-80gb"


def test_no_figure_of_the_devices_that_are_not_sourced_well_enough() -> None:
    assert not {"ascend-910b2", "ascend-910c", "groq-lpu1", "cerebras-wse3"} & set(DEVICES)
