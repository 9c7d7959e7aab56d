"""Every renderer over one corpus of awkward reports: golden text, and what must hold for all of them."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from roofline.errors import InputError
from roofline.render import FORMATS, Style, format_of, pieces, render
from roofline.report import Column, Computed, Report, Value

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
    # Everything at once that a list of rows may carry, with cells two wide and sentences longer than a terminal.
    "full": Report(
        columns=[
            Column(key="name", heading="kernel", format="name"),
            Column(key="calls", heading="calls", format="count"),
            Column(key="distance", heading="I against I*", format="distance"),
            Column(key="aliases", heading="aliases", format="list"),
            Column(key="work", heading="work", format="FLOP"),
            Column(key="tdp", heading="power", format="W"),
            Column(key="result", heading="result", format="result"),
        ],
        rows=[
            {
                "name": "矩阵乘法" * 6,
                "calls": 1200,
                "distance": 590.7463 / 72,
                "aliases": ["gemm", "matrix-multiplication", "mm"],
                "work": 2e12,
                "tdp": 700,
                "result": "ok",
            },
            {
                "name": "void cutlass::Kernel2<sm90_gemm_bf16>(Params)",
                "calls": 3,
                "distance": 0.9999887,  # 1 / that is 1.0000113
                "aliases": [],
                "work": 137.4e9,
                "tdp": None,
                "result": "FAIL",
            },
        ],
        rows_key="kernels",
        title="two kernels on 芯片",
        lead={"device": "chip", "total_s": math.inf},
        roofs=["roof: 989.4 TFLOP/s"],
        summary=["a summary"],
        notes=["a sentence " + "that goes on " * 8 + "and ends here", "word" * 30],
        warnings=["a warning " + "that goes on " * 8 + "and ends here"],
        assumptions=["2 FLOP per MAC"],
        explanation=["P_max = 989.4 TFLOP/s: fp16 dense (vendor); source: Whitepaper <https://example.com/" + "x" * 70],
        context={"version": "0"},
    ),
    "in-words": Report(
        columns=[Column(key="name", heading="where"), Column(key="rule", heading="rule")],
        rows=[{"name": "k.yaml:3:5", "rule": "unit"}, {"name": "k.yaml:4:1", "rule": "unknown-key"}],
        rows_key="problems",
        lines=["k.yaml:3:5: error: unknown unit", "k.yaml:4:1: error: unknown key \x1b[31m " + "long " * 20 + "line"],
        summary=["2 problems"],
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


@pytest.mark.parametrize("case", CORPUS)
def test_golden_at_80_columns(case: str, request: pytest.FixtureRequest) -> None:
    text = render(CORPUS[case], "table", Style(width=80)).encode("utf-8", "backslashreplace")
    path = GOLDEN / f"{case}-80.txt"
    if request.config.getoption("--update-golden"):
        path.write_bytes(text)
    assert text.decode() == path.read_bytes().decode()


@pytest.mark.parametrize("format_name", [name for name in FORMATS if name != "table"])
@pytest.mark.parametrize("case", CORPUS)
def test_what_programs_read_has_no_width(case: str, format_name: str) -> None:
    assert render(CORPUS[case], format_name, Style(width=80)) == render(CORPUS[case], format_name)


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


def test_long_sentences_are_wrapped_with_an_indent_and_never_within_a_word() -> None:
    report = CORPUS["full"]
    wide = render(report, "table").splitlines()
    lines = render(report, "table", Style(width=80)).splitlines()
    (first,) = (number for number, line in enumerate(lines) if line.startswith("note: a sentence"))
    assert lines[first + 1].startswith("  ")
    assert not lines[first + 1].startswith("   ")
    assert f"{lines[first]} {lines[first + 1].strip()}" == f"note: {report.notes[0]}"
    assert f"note: {report.notes[0]}" in wide
    assert any("word" * 30 in line for line in lines)
    assert all(cell_len(line) <= 80 for line in lines if "word" * 30 not in line and "x" * 70 not in line)


def test_a_chinese_name_takes_two_cells_a_character() -> None:
    # 矩阵乘法 six times is 48 cells; the column gets what 80 columns leave, and the others still stand in line
    rows = render(CORPUS["full"], "table", Style(width=80)).splitlines()
    (first,) = (line for line in rows if "1200" in line)
    (second,) = (line for line in rows if "void" in line)
    assert cell_len(first) <= 80
    assert "..." in first
    assert cell_len(first.partition("1200")[0]) + len("1200") == cell_len(second.partition(" 3 ")[0]) + len(" 3")


def test_lines_stand_in_place_of_the_table_for_people_and_rows_for_programs() -> None:
    report = CORPUS["in-words"]
    assert render(report, "table").startswith(
        "k.yaml:3:5: error: unknown unit\nk.yaml:4:1: error: unknown key \\x1b[31m"
    )
    assert "rule" not in render(report, "table")
    assert json.loads(render(report, "json"))["problems"] == list(report.rows)


def test_the_lead_stands_at_the_top_of_the_document() -> None:
    document = json.loads(render(CORPUS["full"], "json"))
    assert (document["device"], document["total_s"]) == ("chip", None)
    assert [kernel["calls"] for kernel in document["kernels"]] == [1200, 3]
    assert document["warnings"] == list(CORPUS["full"].warnings)


def test_colour_only_where_it_is_asked_for() -> None:
    assert "\x1b[" not in render(CORPUS["one-row"], "table")
    assert "\x1b[" in render(CORPUS["one-row"], "table", Style(color=True))
    assert all("\x1b" not in render(CORPUS["one-row"], f, Style(color=True)) for f in FORMATS if f != "table")


def test_the_first_row_chooses_the_prefix_of_a_column() -> None:
    lines = render(CORPUS["awkward"], "table").splitlines()
    assert "TFLOP/s" in lines[2]
    tiny = next(line for line in lines if line.startswith("tiny"))
    assert tiny.split()[1:3] == ["0.08330", "1.500e-09"]


def test_columns_of_one_heading_share_a_prefix_unless_they_differ_too_much() -> None:
    columns = [Column(key=f"{group}_s", heading="time", format="s", group=group) for group in ("one", "two", "three")]
    rows = [{"one_s": 1.75, "two_s": 0.25, "three_s": 0.006219}, {"one_s": 18.7, "two_s": 0.5, "three_s": 0.03439}]
    lines = render(Report(columns=columns, rows=rows), "table").splitlines()
    assert lines[2].split() == ["s", "s", "ms"]
    assert lines[4].split() == ["1.750", "0.2500", "6.219"]
    assert lines[5].split() == ["18.70", "0.5000", "34.39"]


@pytest.mark.parametrize(
    ("path", "name"), [("a.json", "json"), ("A.MD", "markdown"), ("x.y.csv", "csv"), ("a.ndjson", "jsonl")]
)
def test_a_suffix_names_its_format(path: str, name: str) -> None:
    assert format_of(path) == name


def test_an_unknown_suffix_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(InputError, match="its suffix names no format") as caught:
        format_of("a.xlsx")
    assert ".csv" in (caught.value.hint or "")


def counted(made: list[int]) -> Computed:
    """Three rows, each noted when it is computed."""

    def rows() -> Any:
        for number in range(3):
            made.append(number)
            yield row(f"kernel {number}")

    return Computed(rows())


@pytest.mark.parametrize("name", ["csv", "jsonl"])
def test_each_row_leaves_before_the_next_is_computed(name: str) -> None:
    made: list[int] = []
    text = pieces(Report(columns=COLUMNS, rows=counted(made)), name)
    if name == "csv":
        assert next(text).startswith("name,")
        assert made == []
    for number in range(3):
        assert f"kernel {number}" in next(text)
        assert made == list(range(number + 1))


@pytest.mark.parametrize("name", FORMATS)
def test_rows_computed_one_by_one_make_the_same_text(name: str) -> None:
    ready = Report(columns=COLUMNS, rows=[row(f"kernel {number}") for number in range(3)])
    made: list[int] = []
    assert "".join(pieces(ready._replace(rows=counted(made)), name)) == render(ready, name)
    assert made == [0, 1, 2]  # each once, however often a renderer goes through them


def test_rows_computed_one_by_one_are_a_sequence() -> None:
    made: list[int] = []
    rows = counted(made)
    first, again = iter(rows), iter(rows)
    assert next(first) is next(again)
    assert made == [0]
    assert (len(rows), rows[2]["name"], [one["name"][-1] for one in again]) == (3, "kernel 2", ["1", "2"])
    assert not Computed(())


def test_a_list_gives_up_whole_words() -> None:
    """Half an id would look like one."""
    report = Report(
        columns=[Column("model", "model"), Column("aliases", "aliases", "list")],
        rows=[
            {"model": "llama-3.1-8b", "aliases": ["llama3.1-8b", "llama3-8b"]},
            {"model": "x", "aliases": ["y" * 30]},
        ],
    )
    lines = render(report, "table", Style(width=32)).splitlines()
    assert lines[2:] == ["llama-3.1-8b  llama3.1-8b, ...", "x             ..."]


@pytest.mark.parametrize("layout", ["rows", "sheet"])
def test_what_is_unknown_is_said_to_people_and_null_to_programs(layout: Any) -> None:
    columns = [
        Column(key="a_s", heading="links", format="s"),
        Column(key="b_s", heading="absent", format="s"),
        Column(key="c_s", heading="time", format="s"),
    ]
    cells = {"a_s": Value(None, None, "no layers", unknown=True), "b_s": Value(None, None, "one device"), "c_s": 1.0}
    report = Report(columns=columns, rows=[cells], layout=layout)
    for name in ("table", "markdown"):
        text = render(report, name)
        assert "unknown" in text
        assert "links" in text
        assert "absent" not in text
    (found,) = json.loads(render(report, "json"))["rows"]
    assert (found["a_s"], found["null_reasons"]["a_s"]) == (None, "no layers")
    assert next(csv.DictReader(io.StringIO(render(report, "csv"))))["a_s"] == ""


def test_a_column_that_can_be_spared_gives_way_on_a_narrow_terminal() -> None:
    columns = [
        Column(key="name", heading="name"),
        Column(key="needs", heading="needs", format="count", spare=True),
        Column(key="fits", heading="fits", format="answer"),
    ]
    report = Report(columns=columns, rows=[{"name": "a" * 20, "needs": 4, "fits": False}])
    assert render(report, "table", Style(width=40)).splitlines()[0].split() == ["name", "needs", "fits"]
    # 20 + 1 + 5 + 1 + 4 columns at least
    assert render(report, "table", Style(width=30)).splitlines()[0].split() == ["name", "fits"]
    assert render(report, "table").splitlines()[0].split() == ["name", "needs", "fits"]
    assert json.loads(render(report, "json"))["rows"] == [{"name": "a" * 20, "needs": 4, "fits": False}]


def test_no_is_an_answer_and_what_nobody_knows_is_said() -> None:
    fits = Column(key="fits", heading="fits", format="answer")
    unknown = Value(None, None, "unknown capacity", unknown=True)
    text = render(Report(columns=[fits], rows=[{"fits": False}, {"fits": True}, {"fits": unknown}]), "table")
    assert text.split()[-3:] == ["no", "yes", "unknown"]


def test_parameters_are_read_in_billions_and_written_in_full() -> None:
    column = Column(key="parameters", heading="parameters", format="parameters")
    report = Report(columns=[column], rows=[{"parameters": 671026419200}, {"parameters": 124439808}])
    assert render(report, "table").splitlines()[-2:] == ["   671.0 B", "   124.4 M"]
    assert render(report, "csv").split() == ["parameters", "671026419200", "124439808"]


def test_conventions_are_one_note_for_people_and_a_list_for_programs() -> None:
    report = Report(columns=[], rows=[], conventions=["a: b", "c"], assumptions=["d"])
    assert render(report, "table").splitlines() == ["note: a: b; c", "note: d"]
    assert json.loads(render(report, "json"))["assumptions"] == ["a: b", "c", "d"]


def test_a_title_is_wrapped_on_a_terminal_and_whole_in_a_pipe() -> None:
    report = Report(columns=[], rows=[], title="one two three four five six seven eight nine ten eleven")
    assert render(report, "table", Style(width=43)) == "one two three four five six seven eight\n  nine ten eleven\n"
    assert render(report, "table").splitlines() == [report.title]
