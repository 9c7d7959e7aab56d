"""The peaks of one device: exactly one row is marked as the default, the one whose rate is used."""

from __future__ import annotations

import pytest

from roofline.core.choice import RoofQuery
from roofline.core.device import Device, Headline, Memory, Peak
from roofline.report import plain
from roofline.report.devices import peaks_report

# Both accumulators run at one rate, but a source each speaks of them, hence a row each.
CHIP = Device(
    id="chip",
    name="Chip",
    headline=Headline(peak=400.0, dtype="fp16", sparsity="2:4"),
    peaks=(
        Peak(dtype="fp16", unit="matrix", accumulate=("fp16",), dense=100.0, sparse=200.0),
        Peak(dtype="fp16", unit="matrix", accumulate=("fp32",), dense=100.0, sparse=200.0),
        Peak(dtype="fp16", unit="vector", accumulate=("fp32",), dense=100.0),
    ),
    memory=(Memory(level="HBM", bandwidth=10.0),),
)


@pytest.mark.parametrize(
    ("query", "marks"),
    [
        pytest.param(RoofQuery(dtype="fp16"), [None, "default", None], id="fp32-accumulation"),
        pytest.param(RoofQuery(dtype="fp16", accumulate="fp16"), ["default", None, None], id="fp16-accumulation"),
        pytest.param(RoofQuery(dtype="fp16", unit="vector"), [None, None, "default"], id="vector"),
        pytest.param(RoofQuery(dtype="fp16", sparse=True), [None, "default"], id="sparse"),
        pytest.param(RoofQuery(), ["headline", None, "default", None], id="beside-the-headline"),
    ],
)
def test_one_row_is_the_default(query: RoofQuery, marks: list[str | None]) -> None:
    assert [row["roof"] for row in peaks_report(CHIP, query, {}).rows] == marks


def test_each_rate_has_its_own_ridge_point() -> None:
    # 400 / 10 of the headline, which is 2:4; 100 / 10 and 200 / 10 of a row
    headline, row, *_ = peaks_report(CHIP, RoofQuery(), {}).rows
    keys = ("ridge_flop_per_byte", "sparse_ridge_flop_per_byte")
    assert [plain(headline[key]) for key in keys] == [None, 40.0]
    assert [plain(row[key]) for key in keys] == [10.0, 20.0]
