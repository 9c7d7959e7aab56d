"""Every renderer over one corpus of awkward reports: golden text, and what must hold for all of them."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest

from roofline.errors import InputError
from roofline.render import FORMATS, Style, format_of, render
from roofline.report import Column, Report, Value

GOLDEN = Path(__file__).parent.parent / "golden"
COLUMNS = (
    Column(key="name", heading="kernel", format="name"),
    Column(key="flop_per_byte", heading="I", format="FLOP/B"),
    Column(key="rate_flop_per_s", heading="rate", format="FLOP/s", group="dense"),
    Column(key="bound", heading="bound", format="bound"),
    Column(key="share", heading="share", format="1"),
    Column(key="above", heading="above", format="flag"),
    Column(key="time_s", heading="time", format="s"),
    Column(key="words", heading="words", format="list"),
    Column(key="secret", heading="secret", detail=True),
    Column(key="levels", heading="levels", format="nested", detail=True),
)


def row(name: str, intensity: float | None = 12.5, rate: float | None = 7.8e12, **more: Any) -> dict[str, Any]:
    why = "infinite: no traffic" if intensity == math.inf else "no FLOP count"
    return {
        "name": name,
        "flop_per_byte": Value(intensity, None, why),
        "rate_flop_per_s": rate,
        "bound": "memory-bound",
        "share": 0.12188,
        "above": False,
        "time_s": 2.5e-4,
        "words": ["a", "b"],
        "secret": "s",
        "levels": [{"x": 1.5}],
    } | more


CORPUS = {
    "empty": Report(columns=COLUMNS, rows=[]),
    "one-row": Report(columns=COLUMNS, rows=[row("gemm")], title="a title", notes=["a note"], summary=["a summary"]),
    "awkward": Report(
        columns=COLUMNS,
        rows=[
            row("first", 590.746, 1979e12),
            row("infinite", math.inf, None, above=True),
            row("unknown", None, bound=Value(None, None, "no FLOP count")),
            row("tiny", 0.0833, 1.5e3, time_s=3.2),
            row("markup [bold]x[/bold] k<float, 4>&co | `x` \\ *y*"),
            row('=HYPERLINK("x")'),
            row("控制 核 é"),
            row("escape \x1b[31m bell \x07 line\nbreak \ud800"),
            row("n" * 300),
        ],
        roofs=["roof: 1979 TFLOP/s"],
        notes=["note with [brackets] and \x1b"],
        warnings=["careful"],
        assumptions=["dense"],
    ),
    "sheet": Report(
        columns=[
            Column(key="name", heading="kernel", format="name"),
            Column(key="work", heading="work", format="FLOP"),
            Column(key="peak", heading="peak", format="FLOP/s", group="headline"),
            Column(key="dense_peak", heading="peak", format="FLOP/s", group="dense fp16"),
            Column(key="bound", heading="bound", format="bound", group="headline"),
            Column(key="dense_bound", heading="bound", format="bound", group="dense fp16"),
            Column(key="unknown", heading="unknown", format="s"),
        ],
        rows=[
            {
                "name": "gemm",
                "work": 2e12,
                "peak": 1979e12,
                "dense_peak": 989.4e12,
                "bound": "memory-bound",
                "dense_bound": "compute-bound",
                "unknown": Value(None, None, "not measured"),
            }
        ],
        layout="sheet",
        single=True,
        title="gemm on chip",
        explanation=["I = 1"],
    ),
}
SUFFIX = {name: suffixes[0] for name, (_, suffixes, _) in FORMATS.items()}


@pytest.mark.parametrize("format_name", FORMATS)
@pytest.mark.parametrize("case", CORPUS)
def test_golden(case: str, format_name: str, request: pytest.FixtureRequest) -> None:
    """Run with --update-golden to write them anew, then read the difference."""
    text = render(CORPUS[case], format_name).encode("utf-8", "backslashreplace")
    path = GOLDEN / f"{case}{SUFFIX[format_name]}"
    if request.config.getoption("--update-golden"):
        path.write_bytes(text)
    assert text.decode() == path.read_bytes().decode()


@pytest.mark.parametrize("format_name", FORMATS)
@pytest.mark.parametrize("case", CORPUS)
def test_no_control_character_gets_out(case: str, format_name: str) -> None:
    text = render(CORPUS[case], format_name)
    if format_name != "csv":  # data must come back as it went in
        assert not {c for c in text if ord(c) < 32 and c != "\n"}
    assert text == "" or text.endswith("\n")


@pytest.mark.parametrize("case", CORPUS)
def test_json_is_strict_and_csv_comes_back(case: str) -> None:
    def refuse(token: str) -> None:
        raise AssertionError(token)

    report = CORPUS[case]
    document = json.loads(render(report, "json"), parse_constant=refuse)
    assert document["schema_version"] == 1
    for line in render(report, "jsonl").splitlines():
        json.loads(line, parse_constant=refuse)
    table = list(csv.DictReader(io.StringIO(render(report, "csv"), newline="")))
    assert [r["name"] for r in table] == [r["name"] for r in report.rows]
    if case == "awkward":
        assert [r["flop_per_byte"] for r in table[:4]] == ["590.746", "inf", "", "0.0833"]
        assert document["rows"][1]["flop_per_byte"] is None
        assert document["rows"][1]["null_reasons"]["flop_per_byte"] == "infinite: no traffic"


def test_full_numbers_at_any_width_and_only_names_give_way() -> None:
    report = CORPUS["awkward"]
    wide, narrow = render(report, "table"), render(report, "table", Style(width=40))
    assert "n" * 300 in wide
    assert "n" * 6 + "..." + "n" * 7 in narrow
    strip = [line.split() for line in narrow.splitlines()]
    assert ["first", "591", "1979", "memory", "12.19", "250.0", "a,", "b"] in strip


def test_colour_only_where_it_is_asked_for() -> None:
    assert "\x1b[" not in render(CORPUS["one-row"], "table")
    assert "\x1b[" in render(CORPUS["one-row"], "table", Style(color=True))
    assert all("\x1b" not in render(CORPUS["one-row"], f, Style(color=True)) for f in FORMATS if f != "table")


def test_the_first_row_chooses_the_prefix_of_a_column() -> None:
    lines = render(CORPUS["awkward"], "table").splitlines()
    assert "TFLOP/s" in lines[2]
    tiny = next(line for line in lines if line.startswith("tiny"))
    assert tiny.split()[1:3] == ["0.08330", "1.500e-09"]


@pytest.mark.parametrize(
    ("path", "name"), [("a.json", "json"), ("A.MD", "markdown"), ("x.y.csv", "csv"), ("a.ndjson", "jsonl")]
)
def test_a_suffix_names_its_format(path: str, name: str) -> None:
    assert format_of(path) == name


def test_an_unknown_suffix_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(InputError, match="its suffix names no format") as caught:
        format_of("a.xlsx")
    assert ".csv" in (caught.value.hint or "")
