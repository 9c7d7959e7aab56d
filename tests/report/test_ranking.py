"""Devices in order: by the column that every device fills, figures from the largest down, unknown ones last."""

from __future__ import annotations

import pytest

from roofline.core.choice import RoofChoice, RoofQuery, choose
from roofline.core.device import Device, Headline, Memory, Peak
from roofline.report import plain
from roofline.report.ranking import ranking


def device(
    name: str, *, dense: float, bandwidth: float, headline: float | None = None, capacity: float | None = None
) -> Device:
    return Device(
        id=name,
        name=name.upper(),
        headline=None if headline is None else Headline(peak=headline, dtype="fp16", sparsity="2:4"),
        peaks=(Peak(dtype="fp16", dense=dense, sparse=2 * dense),),
        memory=(Memory(level="HBM", bandwidth=bandwidth, capacity=capacity),),
    )


# device   headline peak, I*   dense peak, I*   bandwidth   capacity
# loud       400     40         100    10          10          -
# quiet        -      -         150    30           5          8
# plain      300     15         200    10.5        19         16
DEVICES = (
    device("loud", headline=400.0, dense=100.0, bandwidth=10.0),
    device("quiet", dense=150.0, bandwidth=5.0, capacity=8.0),
    device("plain", headline=300.0, dense=200.0, bandwidth=19.0, capacity=16.0),
)


NOTHING_NAMED = RoofQuery()


def chosen(query: RoofQuery) -> list[tuple[Device, RoofChoice]]:
    return [(one, choose(one, query)) for one in DEVICES]


def order(query: RoofQuery = NOTHING_NAMED, *, sort: str | None, top: int | None = None) -> list[str]:
    return [row["device"] for row in ranking(chosen(query), query, {}, sort=sort, top=top).rows]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        pytest.param("peak", ["plain", "quiet", "loud"], id="dense-peak"),  # by headline: loud, plain, quiet
        pytest.param("ridge", ["quiet", "plain", "loud"], id="dense-ridge"),  # by headline: loud, plain, quiet
        pytest.param("bandwidth", ["plain", "loud", "quiet"], id="bandwidth"),
        pytest.param("capacity", ["plain", "quiet", "loud"], id="unknown-last"),
        pytest.param("id", ["loud", "plain", "quiet"], id="names-from-a-to-z"),
        pytest.param("name", ["loud", "plain", "quiet"], id="names"),
        pytest.param(None, ["loud", "quiet", "plain"], id="as-given"),
    ],
)
def test_the_order_of_devices(sort: str | None, expected: list[str]) -> None:
    assert order(sort=sort) == expected
    assert order(sort=sort, top=2) == expected[:2]


def test_where_one_roof_was_asked_for_it_gives_the_order() -> None:
    # 2:4: 200, 300 and 400 FLOP/s; / 10, / 5 and / 19 B/s: 20, 60 and 21.1 FLOP/B
    sparse = RoofQuery(dtype="fp16", sparse=True)
    assert order(sparse, sort="peak") == ["plain", "quiet", "loud"]
    assert order(sparse, sort="ridge") == ["quiet", "plain", "loud"]


def test_headline_and_dense_figures_have_a_column_each() -> None:
    report = ranking(chosen(NOTHING_NAMED), NOTHING_NAMED, {})
    shown = {column.key for column in report.columns if not column.detail}
    assert {"headline_peak_flop_per_s", "dense_peak_flop_per_s"} <= shown
    figures = [(plain(row["headline_peak_flop_per_s"]), row["dense_peak_flop_per_s"]) for row in report.rows]
    assert figures == [(400.0, 100.0), (None, 150.0), (300.0, 200.0)]
    # of a device without a headline the roof is the dense one; nothing is called a headline that is none
    assert [line.partition(":")[0] for line in report.roofs] == [
        "headline of loud",
        "roof of loud",
        "roof of quiet",
        "headline of plain",
        "roof of plain",
    ]


def test_how_many_devices_were_left_out() -> None:
    assert (
        "1 device has no such figure and is left out"
        in ranking(chosen(NOTHING_NAMED), NOTHING_NAMED, {}, left_out=1).notes
    )
    assert (
        "3 devices have no such figure and are left out"
        in ranking(chosen(NOTHING_NAMED), NOTHING_NAMED, {}, left_out=3).notes
    )
