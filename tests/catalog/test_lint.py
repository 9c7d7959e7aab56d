"""What ``hw lint`` finds beyond what the loader refuses: one file a fault, and the exact line it brings."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from roofline.catalog import find
from roofline.catalog.lint import lint
from roofline.catalog.load import load
from roofline.errors import FileError
from tests.conftest import ROOT, Runner

Write = Callable[..., str]

# A file without fault, in which each case below damages one thing.
CLEAN = """\
name: X
aliases: [mine]
year: 2026
peaks:
  - {dtype: bf16, unit: matrix, dense: 100 TFLOP/s, sparse: 200 TFLOP/s, source: sheet}
memory:
  - {level: DRAM, bandwidth: 100 GB/s, capacity: 1 GB, source: sheet}
sources:
  sheet: {title: Data sheet, where: https://example.com, kind: vendor}
"""


def lines(path: str, *, sourced: bool = True) -> list[str]:
    """The problems as ``line:col: level: message [rule]; hint``."""
    found = []
    for p in lint(path, sourced=sourced):
        place = p.where.removeprefix(path).lstrip(":")
        found.append(f"{place}: {p.level}: {p.message} [{p.rule}]" + (f"; {p.hint}" if p.hint else ""))
    return found


def test_a_clean_file_is_clean(own_file: Write) -> None:
    assert lines(own_file(CLEAN)) == []


CASES = [
    # Forgotten units: bare numbers are base units.
    pytest.param(
        ("dense: 100 TFLOP/s, sparse: 200 TFLOP/s", "dense: 819.2"),
        ["5:40: warning: 'dense' is read as 819.2 FLOP/s, which is implausibly small [implausible]; "
         "was a unit such as TFLOP/s forgotten?"],
        id="dense-without-a-unit",
    ),
    pytest.param(
        ("dense: 100 TFLOP/s, sparse: 200 TFLOP/s", "sparse: 999 MFLOP/s"),
        ["5:41: warning: 'sparse' is read as 999.0 MFLOP/s, which is implausibly small [implausible]; "
         "was a unit such as TFLOP/s forgotten?"],
        id="just-under-1-GFLOP/s",
    ),
    pytest.param(("dense: 100 TFLOP/s, sparse: 200 TFLOP/s", "dense: 1 GFLOP/s"), [], id="1-GFLOP/s"),
    pytest.param(
        ("100 GB/s", "3350"),
        ["7:30: warning: 'bandwidth' is read as 3.350 kB/s, which is implausibly small [implausible]; "
         "was a unit such as GB/s forgotten?"],
        id="bandwidth-without-a-unit",
    ),
    pytest.param(("100 GB/s", "100 MB/s"), [], id="100-MB/s"),
    pytest.param(
        ("capacity: 1 GB", "capacity: 640 kB"),
        ["7:50: warning: 'capacity' is read as 640.0 kB, which is implausibly small [implausible]; "
         "was a unit such as GB forgotten?"],
        id="main-memory-under-1-MB",
    ),
    pytest.param(
        ("source: sheet}\nsources", "source: sheet}\n  - {level: L1, capacity: 64, source: sheet}\nsources"),
        ["8:27: warning: 'capacity' is read as 64.00 B, which is implausibly small [implausible]; "
         "was a unit such as MB forgotten?"],
        id="cache-under-1-kB",
    ),
    pytest.param(
        ("source: sheet}\nsources", "source: sheet}\n  - {level: L1, capacity: 32 kB, source: sheet}\nsources"),
        [],
        id="a-cache-may-be-small",
    ),
    # A prefix too much: 819.2e12 TFLOP/s was meant as 819.2e12 FLOP/s.
    pytest.param(
        ("dense: 100 TFLOP/s, sparse: 200 TFLOP/s", "dense: 819.2e12 TFLOP/s"),
        ["5:40: warning: 'dense' is read as 8.192e+14 TFLOP/s, which is implausibly large [implausible]; "
         "is the prefix too much? A bare number is in FLOP/s"],
        id="dense-with-a-prefix-too-much",
    ),
    pytest.param(("dense: 100 TFLOP/s, sparse: 200 TFLOP/s", "dense: 1e20"), [], id="1e20-FLOP/s"),
    pytest.param(
        ("100 GB/s", "100e9 GB/s"),
        ["7:30: warning: 'bandwidth' is read as 100000000 TB/s, which is implausibly large [implausible]; "
         "is the prefix too much? A bare number is in B/s"],
        id="bandwidth-with-a-prefix-too-much",
    ),
    pytest.param(
        ("capacity: 1 GB", "capacity: 80e9 GB"),
        ["7:50: warning: 'capacity' is read as 80000000 TB, which is implausibly large [implausible]; "
         "is the prefix too much? A bare number is in B"],
        id="capacity-with-a-prefix-too-much",
    ),
    pytest.param(
        ("sources:", "measured:\n  - {what: matmul, dtype: bf16, value: 80 FLOP/s, source: sheet}\nsources:"),
        ["9:40: warning: 'value' is read as 80.00 FLOP/s, which is implausibly small [implausible]; "
         "was a unit such as TFLOP/s forgotten?"],
        id="measured",
    ),
    # Sparse beside dense.
    pytest.param(
        ("dense: 100 TFLOP/s", "dense: 400 TFLOP/s"),
        ["5:61: error: 'sparse' is 200.0 TFLOP/s, below 'dense' with 400.0 TFLOP/s [sparse]; are the two swapped?"],
        id="swapped",
    ),
    pytest.param(
        ("dense: 100 TFLOP/s", "dense: 200 TFLOP/s"),
        ["5:61: warning: 'sparse' equals 'dense', 200.0 TFLOP/s [sparse]; "
         "leave 'sparse' out if 2:4 sparsity brings nothing"],
        id="sparse-like-dense",
    ),
    pytest.param(
        ("dense: 100 TFLOP/s", "dense: 40 TFLOP/s"),
        ["5:60: warning: 'sparse' is 5.000 times 'dense' [sparse]; 2:4 sparsity gives about twice the dense rate"],
        id="five-times",
    ),
    pytest.param(("dense: 100 TFLOP/s", "dense: 50 TFLOP/s"), [], id="four-times"),
    # Keys out of order, once a mapping.
    pytest.param(
        ("name: X\naliases: [mine]\nyear: 2026\n", "year: 2026\naliases: [mine]\nname: X\n"),
        ["1:1: warning: 'year' stands before 'name'; the order here is name, aliases, year, peaks, memory, sources "
         "[key-order]"],
        id="top-level-order",
    ),
    pytest.param(
        ("level: DRAM, bandwidth: 100 GB/s, capacity: 1 GB", "capacity: 1 GB, bandwidth: 100 GB/s, level: DRAM"),
        ["7:6: warning: 'capacity' stands before 'level'; the order here is level, bandwidth, capacity, source "
         "[key-order]"],
        id="row-order",
    ),
    pytest.param(
        ("title: Data sheet, where: https://example.com, kind: vendor",
         "title: Data sheet, kind: vendor, where: https://example.com"),
        ["9:30: warning: 'kind' stands before 'where'; the order here is title, where, kind [key-order]"],
        id="source-order",
    ),
    pytest.param(("year: 2026", "x-rack: B7\nyear: 2026"), [], id="own-keys-stand-anywhere"),
    pytest.param(("- {dtype: bf16, unit: matrix,", "- {<<: {dtype: bf16, unit: matrix},"), [], id="inline-merge"),
    pytest.param(
        ("dense: 100 TFLOP/s, sparse: 200 TFLOP/s, source: sheet",
         "<<: {note: of a kind}, source: sheet, dense: 100 TFLOP/s"),
        ["5:56: warning: 'source' stands before 'dense'; the order here is dtype, unit, dense, source [key-order]"],
        id="order-beside-an-inline-merge",
    ),
    pytest.param(
        ("  - {dtype: bf16, unit: matrix,", "  - &row {dtype: bf16, unit: matrix,"), [], id="anchored"
    ),
    # Sources.
    pytest.param(
        (", where: https://example.com", ""),
        ["9:10: error: source 'sheet' has no 'where' [incomplete-source]; add 'where': an address or a place"],
        id="no-where",
    ),
    pytest.param(
        (", kind: vendor", ""),
        ["9:10: error: source 'sheet' has no 'kind' [incomplete-source]; "
         "add 'kind': vendor, third-party, measured ..."],
        id="no-kind",
    ),
    pytest.param(
        ("kind: vendor", "kind: thirdparty"),
        ["9:64: error: 'kind' is 'thirdparty', expected one of vendor, vendor-mirror, third-party, measured, derived, "
         "software, article [choice]; did you mean 'third-party'?"],
        id="misspelt-kind",
    ),
    pytest.param(
        ("200 TFLOP/s, source: sheet", "200 TFLOP/s, source: shet"),
        ["5:82: error: source 'shet' is not among this file's 'sources' [unknown-source]; did you mean 'sheet'?"],
        id="misspelt-source",
    ),
    pytest.param(
        ("200 TFLOP/s, source: sheet", "200 TFLOP/s, source: [sheet, page]"),
        ["5:90: error: source 'page' is not among this file's 'sources' [unknown-source]"],
        id="second-of-two-sources",
    ),
    # Aliases.
    pytest.param(
        ("[mine]", "[mine, other, Mine]"),
        ["2:24: warning: alias 'Mine' is an alias already [duplicate-alias]; leave it out"],
        id="alias-twice",
    ),
    pytest.param(
        ("[mine]", "chip"),
        ["2:10: warning: alias 'chip' is the id of this file already [duplicate-alias]; leave it out"],
        id="alias-like-the-id",
    ),
    pytest.param(
        ("[mine]", "[mine, H100]"),
        ["2:17: warning: the alias 'H100' hides the shipped device h100-sxm [shadows]; "
         "choose another, unless it is meant to"],
        id="alias-of-a-shipped-device",
    ),
    pytest.param(
        ("[mine]", "[h100-pcie]"),
        ["2:11: warning: alias 'h100-pcie' can never be used: a shipped device has that id [alias]; "
         "choose another; ids go before aliases"],
        id="alias-like-a-shipped-id",
    ),
    # Names that --hw takes for something else.
    *(
        pytest.param(
            ("[mine]", f"[{alias}]"),
            [f"2:11: warning: alias '{alias}' can never be used: --hw takes it for {what} [alias]; "
             "choose letters, digits, '-' and '.'"],
            id=f"alias-{what}",
        )
        for alias, what in (("a/b", "a path"), ("x100.yaml", "a path"), ("-x", "an option"))
    ),
    pytest.param(
        ("[mine]", "['x1, x2']"),
        ["2:11: warning: alias 'x1, x2' can never be used: --hw takes it for a list of devices [alias]; "
         "choose letters, digits, '-' and '.'"],
        id="alias-with-a-comma",
    ),
    pytest.param(("[mine]", "[' my chip ']"), [], id="spaces-are-left-out-at-the-ends-and-hyphens-within"),
    pytest.param(
        ("[mine]", "[my chip, ' My-Chip ']"),
        ["2:20: warning: alias ' My-Chip ' is an alias already [duplicate-alias]; leave it out"],
        id="alias-twice-but-for-spaces",
    ),
    # A check beside a figure with a bad unit: the figure is there.
    pytest.param(
        ("100 TFLOP/s, sparse: 200 TFLOP/s, source: sheet", "100 TFLOP/sec, source: sheet, check: 2 * 3 GHz"),
        ["5:40: error: 'dense': unknown unit 'TFLOP/sec' in '100 TFLOP/sec' [quantity]; did you mean: TFLOP/s?"],
        id="check-beside-a-bad-unit",
    ),
    pytest.param(
        ("dense: 100 TFLOP/s, sparse: 200 TFLOP/s, source: sheet",
         "sparse: 200 TFLOP/s, source: sheet, check: 2 * 3 GHz"),
        ["5:76: error: 'check' is the second witness of 'dense', which is missing [check]"],
        id="check-of-nothing",
    ),
    pytest.param(  # 200 / 2 = 100; 50 x 1024 x 2 GHz = 102.4 TFLOP/s
        ("dense: 100 TFLOP/s, sparse: 200 TFLOP/s, source: sheet",
         "dense: sparse/2, sparse: 200 TFLOP/s, source: sheet, check: 50 * 1024 * 2 GHz"),
        ["5:93: error: 'check' gives 102.4 TFLOP/s, +2.4 % off 100.0 TFLOP/s [check]; "
         "mend one of them, or say why they differ in 'check_note'"],
        id="check-of-half-the-sparse-rate",
    ),
    pytest.param(  # 50 x 2048 x 1e9 Hz = 102.4 TFLOP/s, and 8 bit x 100e9 bit/s / 8 = 100 GB/s
        ("100 TFLOP/s, sparse: 200 TFLOP/s, source: sheet", "102.4 TFLOP/s, source: sheet, check: 50 * 2048 * 1e+9 Hz"),
        [],
        id="check-with-a-signed-exponent",
    ),
    pytest.param(("1 GB, source: sheet", "1 GB, source: sheet, check: 0.8e+01 bit * 1E+2 Gbit/s"), [], id="bits-e+"),
    # Words that are nearly right.
    pytest.param(
        ("100 GB/s", "1 TB/sec"),
        ["7:30: error: 'bandwidth': unknown unit 'TB/sec' in '1 TB/sec' [quantity]; did you mean: TB/s?"],
        id="TB/sec",
    ),
    pytest.param(
        ("dtype: bf16", "dtype: float17"),
        ["5:13: error: 'dtype' is 'float17', expected one of fp64, fp32, tf32, fp16, bf16, fp8, fp6, fp4, int32, "
         "int16, int8, int4 [choice]; did you mean: fp16, fp32, bf16?"],
        id="float17",
    ),
    pytest.param(
        ("dtype: bf16", "dtype: fp61"),
        ["5:13: error: 'dtype' is 'fp61', expected one of fp64, fp32, tf32, fp16, bf16, fp8, fp6, fp4, int32, "
         "int16, int8, int4 [choice]; did you mean: fp6, fp64, fp16?"],
        id="fp61",
    ),
    pytest.param(
        ("dtype: bf16", "dtype: bfloat16"),
        ["5:13: error: 'dtype' is 'bfloat16', expected one of fp64, fp32, tf32, fp16, bf16, fp8, fp6, fp4, int32, "
         "int16, int8, int4 [choice]; write 'bf16'"],
        id="another-name-of-a-precision",
    ),
    # Text that says nothing.
    pytest.param(("name: X", 'name: ""'), ["1:7: error: 'name' must be text, got empty text [kind]"], id="empty-name"),
    pytest.param(("name: X", "name: '  '"), ["1:7: error: 'name' must be text, got empty text [kind]"], id="blank"),
    pytest.param(("[mine]", "['']"), ["2:11: error: 'aliases' must be a word, got empty text [kind]"], id="alias"),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "expected"), CASES)
def test_one_fault_brings_its_line_and_nothing_else(
    own_file: Write, damage: tuple[str, str], expected: list[str]
) -> None:
    text = CLEAN.replace(*damage)
    assert text != CLEAN
    assert lines(own_file(text)) == expected


def test_the_readme_explains_the_rules() -> None:
    rules = set(re.findall(r"\[([a-z-]+)\]", str([case.values[1] for case in CASES])))
    assert len(rules) >= 10
    text = (ROOT / "hardware" / "README.md").read_text(encoding="utf-8").partition("## What is checked")[2]
    assert rules - set(re.findall(r"`([a-z-]+)`", text)) == set()


ROW = "  - {dtype: bf16, unit: matrix, dense: 100 TFLOP/s, sparse: 200 TFLOP/s, source: sheet}\n"


@pytest.mark.parametrize(
    ("second", "twice"),
    [
        pytest.param("dtype: bf16, unit: matrix, dense: 90 TFLOP/s", "bf16 matrix dense", id="another-value"),
        pytest.param("dtype: bf16, unit: matrix, sparse: 200 TFLOP/s", "bf16 matrix sparse", id="sparse"),
        pytest.param("dtype: bf16, unit: matrix, dense: sparse/2, sparse: 9 PFLOP/s", "bf16 matrix dense", id="half"),
        pytest.param("dtype: fp16, unit: matrix, dense: 90 TFLOP/s", None, id="another-precision"),
        pytest.param("dtype: bf16, unit: vector, dense: 90 TFLOP/s", None, id="another-unit"),
        pytest.param("dtype: bf16, dense: 90 TFLOP/s", None, id="no-unit"),
        pytest.param("dtype: bf16, unit: matrix, accumulate: fp16, dense: 9 TFLOP/s", None, id="an-accumulator"),
        pytest.param("dtype: bf16, unit: matrix, clock: base, dense: 90 TFLOP/s", None, id="another-clock"),
    ],
)
def test_a_peak_given_twice(own_file: Write, second: str, twice: str | None) -> None:
    found = lines(own_file(CLEAN.replace(ROW, f"{ROW}  - {{{second}, source: sheet}}\n")))
    hint = "leave one out, or tell them apart by unit, accumulate or clock"
    expected = [f"6:5: error: a second {twice} peak (first on line 5) [duplicate-peak]; {hint}"] if twice else []
    assert found == expected


def test_accumulators_overlap(own_file: Write) -> None:
    first = ROW.replace("matrix,", "matrix, accumulate: [fp32, fp16],")
    second = ROW.replace("matrix,", "matrix, accumulate: fp16,")
    found = lines(own_file(CLEAN.replace(ROW, first + second)))
    assert [line.partition(" [")[0] for line in found] == [
        "6:5: error: a second bf16 matrix fp16-accumulate dense peak (first on line 5)"
    ]
    assert lines(own_file(CLEAN.replace(ROW, first.replace(", fp16]", "]") + second))) == []


def test_keys_that_a_merge_brings_have_an_order_of_their_own(own_file: Write) -> None:
    first = ROW.replace("- {", "- &row {")
    assert lines(own_file(CLEAN.replace(ROW, first + "  - {<<: *row, dtype: fp16}\n"))) == []
    wrong = first.replace("dtype: bf16, unit: matrix", "unit: matrix, dtype: bf16")
    found = lines(own_file(CLEAN.replace(ROW, wrong + "  - {<<: *row, dtype: fp16}\n")))
    assert [line.partition(";")[0] for line in found] == ["5:11: warning: 'unit' stands before 'dtype'"]


@pytest.mark.parametrize(
    ("name", "better"), [("My_Chip.yaml", "my-chip.yaml"), ("gpu 1.yaml", "gpu-1.yaml"), ("-x.yaml", "x.yaml")]
)
def test_an_id_that_is_hard_to_type(own_file: Write, name: str, better: str) -> None:
    stem = name.removesuffix(".yaml")
    assert lines(own_file(CLEAN, name)) == [
        f"1:1: warning: the id '{stem}', which is the file's name, should be lower case letters, digits, '-' and '.' "
        f"[id]; call the file {better}"
    ]
    assert lines(own_file(CLEAN, "rx-7.1.yaml")) == []


def test_an_id_that_takes_a_shipped_one(own_file: Write, tmp_path: Path) -> None:
    expected = (
        "1:1: warning: the id 'h100-sxm' hides the shipped device h100-sxm [shadows]; "
        "choose another, unless it is meant to"
    )
    assert lines(own_file(CLEAN, "h100-sxm.yaml")) == [expected]
    copy = tmp_path / "hardware" / "nvidia" / "h100-sxm.yaml"  # a checkout beside an installed catalogue
    copy.parent.mkdir(parents=True)
    copy.write_text(Path(find.device("h100").origin).read_text(encoding="utf-8"), encoding="utf-8")
    assert lines(str(copy)) == []


def test_without_sourced_what_is_missing_about_sources_is_a_warning(own_file: Write) -> None:
    text = CLEAN.replace(", where: https://example.com, kind: vendor", "").replace("1 GB, source: sheet", "1 GB")
    path = own_file(text)
    assert {(p.rule, p.level) for p in lint(path)} == {("incomplete-source", "warning"), ("no-source", "warning")}
    assert {p.level for p in lint(path, sourced=True)} == {"error"}
    assert load(path).sources["sheet"].kind == ""


@pytest.mark.parametrize(
    ("damage", "rule", "place"),
    [
        pytest.param(("  - {level", "\t- {level"), "tab", "7:1", id="tab"),
        pytest.param(("kind: vendor}", "kind: vendor}\n---\nmore: 1"), "documents", "10:1", id="second-document"),
        pytest.param(("- {level", "- !mine {level"), "tag", "7:5", id="local-tag"),
        pytest.param(("year: 2026", "year: 2026\nyear: 2027"), "duplicate-key", "4:1", id="repeated-key"),
        pytest.param(("year: 2026", "? [a]\n: b"), "key", "3:3", id="list-as-key"),
    ],
)
def test_a_fault_of_the_text_hides_no_other(own_file: Write, damage: tuple[str, str], rule: str, place: str) -> None:
    path = own_file(CLEAN.replace(*damage).replace("name: X", "nam: X").replace("[mine]", "[h100]"))
    found = {p.rule: p for p in lint(path)}
    assert {"unknown-key", "missing-key", "shadows", rule} <= set(found)
    assert found[rule].where == f"{path}:{place}"
    with pytest.raises(FileError, match=r"\(and \d more\)"):
        load(path)


def test_a_tab_inside_a_note_is_fine(own_file: Write) -> None:
    path = own_file(CLEAN + "note: |\n  first\n  \tsecond\n")
    assert lines(path) == []
    assert load(path).note == "first second"


def test_what_ends_the_reading_comes_with_what_was_found_before(own_file: Write) -> None:
    path = own_file("name: X\nname: Y\npeaks: [\n")
    assert [(p.where.removeprefix(path), p.rule) for p in lint(path)] == [(":2:1", "duplicate-key"), (":4:1", "syntax")]


def test_very_many_errors_are_cut_short(own_file: Write) -> None:
    problems = lint(own_file(CLEAN + "".join(f"k{i}: 1\n" for i in range(500))))
    assert len(problems) == 201
    assert problems[-1].message == "more than 200 errors; is this a hardware file?"


def test_very_many_warnings_are_counted_and_hide_no_error(roofline: Runner, own_file: Write) -> None:
    unused = "".join(f"  s{i}: {{title: T, where: W, kind: vendor}}\n" for i in range(300))
    path = own_file(CLEAN + unused)
    result = roofline("hw", "lint", path)
    assert (result.status, result.err) == (0, "")
    assert result.out.count("[unused-source]") == 200
    assert f"{path}: warning: 100 more warnings are not shown [size]\n" in result.out
    found = lines(own_file(CLEAN.replace("dense: 100", "dense: 400") + unused))
    assert [line for line in found if ": error: " in line] == [
        "5:61: error: 'sparse' is 200.0 TFLOP/s, below 'dense' with 400.0 TFLOP/s [sparse]; are the two swapped?"
    ]


def test_misspelt_sources_among_very_many_cost_no_minute(own_file: Write) -> None:
    """190 names against 15,000 would be 2.85 million comparisons of texts; the first ones are made."""
    rows = "".join(f"  - {{dtype: bf16, clock: c{i}, dense: 1 TFLOP/s, source: source-{i}x}}\n" for i in range(190))
    declared = "".join(f"  source-{i}: {{title: T, where: W, kind: vendor}}\n" for i in range(15_000))
    path = own_file(CLEAN.replace(ROW, ROW + rows) + declared)
    start = time.perf_counter()
    problems = [p for p in lint(path) if p.rule == "unknown-source"]
    assert time.perf_counter() - start < 15
    assert len(problems) == 190
    assert problems[0].hint == "did you mean 'source-0'?"


def test_two_files_that_claim_one_name(own_file: Write, roofline: Runner) -> None:
    first = own_file(CLEAN.replace("[mine]", "[Mine, b]"), "a.yaml")
    second = own_file(CLEAN, "b.yaml")
    result = roofline("hw", "lint", first, second, first)  # a file given twice is one file
    hint = "[clash]; choose another; the first in the search order is found"
    assert result.out.splitlines() == [
        f"{second}:1:1: warning: the id 'b' is a name of {first} too {hint}",
        f"{second}:2:11: warning: the alias 'mine' is a name of {first} too {hint}",
        "",
        "2 problems: 0 errors, 2 warnings",
    ]
    assert lines(first) == lines(second) == []


def test_an_id_that_two_files_of_a_folder_have(own_file: Write, tmp_path: Path) -> None:
    paths = [own_file(CLEAN, name) for name in ("x.yaml", "x.yml")]
    text = "1:1: warning: the id 'x' is that of '{}' beside it too; only 'x.yaml' is found [clash]; rename one of them"
    assert lines(paths[0]) == [text.format("x.yml")]
    assert lines(paths[1]) == [text.format("x.yaml")]
    os.remove(paths[1])
    os.symlink("x.yaml", tmp_path / "x.yml")
    assert lines(paths[0]) == []


def test_an_unreadable_file_is_one_problem() -> None:
    assert [(p.where, p.message, p.rule) for p in lint("/no.yaml")] == [("/no.yaml", "no such file", "file")]


def test_people_get_a_line_a_problem(roofline: Runner, own_file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never cut to the terminal, so that editors and grep find the place."""
    monkeypatch.setenv("COLUMNS", "80")
    path = own_file(CLEAN.replace("name: X", "nam: X").replace("100 GB/s", "3350"))
    result = roofline("hw", "lint", path)
    assert (result.status, result.err) == (3, "error: 2 errors in 1 file\n")
    assert result.out.splitlines() == [
        f"{path}:1:1: error: unknown key 'nam' [unknown-key]; did you mean 'name'?",
        f"{path}:1:1: error: 'name' is missing in 'file' [missing-key]",
        f"{path}:7:30: warning: 'bandwidth' is read as 3.350 kB/s, which is implausibly small [implausible]; "
        "was a unit such as GB/s forgotten?",
        "",
        "3 problems: 2 errors, 1 warning",
    ]
    assert roofline("hw", "lint", path, "--format", "csv").out.splitlines()[0] == "where,level,message,rule,hint"


def test_warnings_alone_leave_the_exit_status_at_0(roofline: Runner, own_file: Write) -> None:
    path = own_file(CLEAN.replace("100 GB/s", "3350"))
    result = roofline("hw", "lint", "--sourced", path)
    assert (result.status, result.out.splitlines()[-1]) == (0, "1 problem: 0 errors, 1 warning")
    assert roofline("hw", "lint", path, "--strict").status == 1
    assert roofline("hw", "lint", own_file(CLEAN)).out == "1 file: no problems\n"


def test_standard_input_has_no_name_to_judge(roofline: Runner) -> None:
    assert roofline("hw", "lint", "-", stdin=CLEAN).out == "1 file: no problems\n"


def test_one_file_by_two_paths_is_one_device(
    roofline: Runner, own_file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = os.path.dirname(own_file(CLEAN))
    monkeypatch.chdir(folder)
    os.symlink("chip.yaml", "link.yaml")
    one = roofline("ridge", "--hw", "chip.yaml", "--format", "csv").out
    several = ("--hw", "chip.yaml", "--hw", "./chip.yaml", "--hw", os.path.join(folder, "link.yaml"))
    assert roofline("ridge", *several, "--format", "csv").out == one
