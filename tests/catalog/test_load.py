"""A hardware file of one's own: the least that works, every kind of damage, and the cases Y01 to Y11."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.catalog.lint import lint
from roofline.catalog.load import load
from roofline.core.choice import RoofQuery, choose
from roofline.errors import FileError, RooflineError, UnknownNameError
from roofline.report.catalogue import show_report
from roofline.report.devices import peaks_report

Write = Callable[..., str]

LEAST = """\
name: X
peaks:
  - {dtype: bf16, dense: 1 TFLOP/s}
memory:
  - {level: DRAM, bandwidth: 100 GB/s}
"""


def ridge(path: str, **query: object) -> float:
    return choose(load(path), RoofQuery(**query)).roof.ridge_point  # type: ignore[arg-type]


def test_a_name_one_peak_and_one_memory_are_enough(own_file: Write) -> None:
    device = load(own_file(LEAST))
    assert (device.id, device.name, device.peaks[0].basis, device.memory[0].basis) == (
        "chip",
        "X",
        "unsourced",
        "unsourced",
    )
    assert ridge(own_file(LEAST)) == 10.0  # 1e12 / 1e11


@pytest.mark.parametrize(
    ("peak", "bandwidth", "expected"),
    [
        # Y01: every spelling that JSON or Python reads as a number is one; 989 / 3.35 = 295.2, 989.4 / 3.35 = 295.3
        pytest.param("989e12", "3.35e12", 295.22, id="1e12-without-a-dot"),
        pytest.param("9.894E+14", "3.35e+12", 295.34, id="E+"),
        pytest.param("989.4 TFLOP/s", "3.35 TB/s", 295.34, id="with-units"),
        pytest.param("'989.4e12'", "3350000000000", 295.34, id="quoted"),
    ],
)
def test_bare_numbers_are_base_units(own_file: Write, peak: str, bandwidth: str, expected: float) -> None:
    text = f"name: X\npeaks: [{{dtype: bf16, dense: {peak}}}]\nmemory: [{{level: M, bandwidth: {bandwidth}}}]\n"
    assert ridge(own_file(text)) == pytest.approx(expected, abs=0.01)


def test_words_that_yaml_takes_for_booleans_or_octal_stay_words(own_file: Write) -> None:
    """Y03."""
    device = load(own_file(LEAST.replace("name: X", "name: no\naliases: [on, 010]\nyear: 2024"), "no.yaml"))
    assert (device.id, device.name, device.aliases) == ("no", "no", ("on", "010"))
    with pytest.raises(FileError, match="'sparsity' is 'no', expected one of dense, 2:4"):
        load(own_file(LEAST + "headline: {peak: 1 TFLOP/s, dtype: bf16, sparsity: no}\n"))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        pytest.param(("1 TFLOP/s", "3:35"), "3:26: 'dense': unknown unit ':35' in '3:35'", id="Y07-base-60"),
        pytest.param(("100 GB/s", ".inf"), "5:30: 'bandwidth' must be finite", id="Y07-inf"),
        pytest.param(("100 GB/s", ".nan"), "5:30: 'bandwidth' must be finite", id="Y07-nan"),
        pytest.param(("100 GB/s", "0"), "5:30: 'bandwidth' must be > 0", id="zero"),
        # What no roof can be drawn with is refused here, and not by the first command that meets it.
        pytest.param(
            ("1 TFLOP/s", "1e50"), "3:26: 'dense' must be between 1e-06 and 1e+40 FLOP/s, got '1e50'   [quantity]",
            id="too-fast",
        ),
        pytest.param(
            ("1 TFLOP/s", "sparse/2, sparse: 1e-6"), "3:26: 'dense' must be at least 1e-06 FLOP/s", id="half-of-least",
        ),
        pytest.param(
            ("100 GB/s", "1e41"), "5:30: 'bandwidth' must be between 1e-06 and 1e+40 B/s, got '1e41'", id="too-wide",
        ),
        pytest.param(
            ("name: X", "name: X\nheadline: {peak: 21e-90 TFLOP/s, dtype: bf16}"),
            "2:18: 'peak' must be between 1e-06 and 1e+40 FLOP/s, got '21e-90 TFLOP/s'", id="slow-headline",
        ),
        pytest.param(
            ("name: X", "name: X\nmeasured: [{what: dram-read, value: 1e41 B/s}]"),
            "2:37: 'value' must be between 1e-06 and 1e+40 B/s", id="measured-too-wide",
        ),
        pytest.param(
            ("100 GB/s}", "100 GB/s}\n  - {level: L-2, capacity: 1 MB}\n  - {level: l2, capacity: 2 MB}"),
            "7:13: memory level 'l2' is 'L-2' of line 6 again   [duplicate-level]", id="levels-alike",
        ),
        pytest.param(
            ("100 GB/s}", "100 GB/s}\n  - {level: DRAM, capacity: 1 MB}"),
            "6:13: memory level 'DRAM' is 'DRAM' of line 5 again   [duplicate-level]", id="level-twice",
        ),
        pytest.param(("100 GB/s", "-5 GB/s"), "5:30: 'bandwidth' must be > 0", id="negative"),
        pytest.param(("100 GB/s", "100 GB"), "'bandwidth' is a bandwidth (B/s), got an amount (GB)", id="amount"),
        pytest.param(("1 TFLOP/s", "[1]"), "'dense' must be a quantity such as 989.4 TFLOP/s, got a list", id="list"),
        pytest.param(("1 TFLOP/s", ""), "'dense' must be a quantity such as 989.4 TFLOP/s, got nothing", id="nothing"),
        pytest.param(("dtype: bf16", "dtype: fp17"), "3:13: 'dtype' is 'fp17', expected one of", id="dtype"),
        pytest.param(("bandwidth:", "bandwith:"), "unknown key 'bandwith'", id="unknown-key"),
        pytest.param(("name: X", "name: X\nname: Y"), "2:1: key 'name' is repeated", id="duplicate-key"),
        pytest.param(("name: X\n", ""), "'name' is missing", id="no-name"),
        pytest.param(("name: X", "name: X\nschema: 2"), "'schema' is '2', expected a whole number", id="schema"),
        pytest.param(("name: X", "name: X\nyear: 010"), "expected a whole number from 1940 to 2100", id="Y07-octal"),
        pytest.param(("name: X", "name: X\nkind: toaster"), "'kind' is 'toaster', expected one of gpu", id="kind"),
        pytest.param(("bandwidth: 100 GB/s", "capacity: 1 GB"), "no memory has a 'bandwidth'", id="no-bandwidth"),
        pytest.param((", dense: 1 TFLOP/s", ""), "'peaks' needs 'dense' or 'sparse'", id="no-rate"),
        pytest.param(("100 GB/s", "100 GB/s, source: x"), "source 'x' is not among this file's 'sources'", id="source"),
        pytest.param(("dense: 1", "dense: sparse/2, note: 1"), "'dense: sparse/2' needs a 'sparse'", id="half"),
        pytest.param((LEAST, "- a\n- b\n"), "1:1: 'file' must be a mapping, got a list", id="list-of-nothing"),
        pytest.param((LEAST, "hello"), "1:1: 'file' must be a mapping, got text", id="text"),
    ],
)  # fmt: skip
def test_damage_is_named_with_its_place(own_file: Write, damage: tuple[str, str], message: str) -> None:
    text = LEAST.replace(*damage)
    assert text != LEAST
    with pytest.raises(FileError) as caught:
        load(own_file(text))
    assert message in str(caught.value)
    assert caught.value.exit_status == 3


def test_the_limits_of_a_rate_are_rates(own_file: Write) -> None:
    assert ridge(own_file(LEAST.replace("1 TFLOP/s", "1e40").replace("100 GB/s", "1e-6"))) == pytest.approx(1e46)


def test_all_problems_come_in_one_run(own_file: Write) -> None:
    path = own_file("nam: X\npeaks:\n  - {dtype: fp99, dense: 1 TB/s}\nmemory:\n  - {level: M, bandwidth: 0}\n")
    errors = [str(p).removeprefix(path) for p in lint(path) if p.level == "error"]
    assert [error.partition(": ")[0] for error in errors] == [":1:1", ":1:1", ":3:13", ":3:26", ":5:27"]
    with pytest.raises(FileError, match=r"\(and 4 more\)"):
        load(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"\xff\xfen\x00a\x00", "is UTF-16 or UTF-32 text", id="utf-16"),
        pytest.param(b"\x00\x01\x02", "is a binary file", id="binary"),
        pytest.param(b"name: \xe9\n", "is not UTF-8 text (byte 0xe9)", id="latin-1"),
        pytest.param(b"# x\n" * 13_000_000, "is larger than 2 MB", id="50-MB"),
        pytest.param(b"", "is empty", id="empty"),
    ],
)
def test_unfit_files(own_file: Write, content: bytes, message: str) -> None:
    path = own_file("")
    with open(path, "wb") as stream:
        stream.write(content)
    with pytest.raises(FileError) as caught:
        load(path)
    assert message in str(caught.value)


def test_a_folder_and_a_missing_file(own_file: Write) -> None:
    path = own_file("")
    with pytest.raises(FileError, match="no such file"):
        load(path + "x")
    with pytest.raises(FileError, match="is a folder"):
        load(path.rpartition("/")[0])


def test_a_byte_order_mark_is_not_part_of_the_first_key(own_file: Write) -> None:
    assert load(own_file("\ufeff" + LEAST)).name == "X"


def test_keys_of_ones_own_start_with_x(own_file: Write) -> None:
    assert load(own_file(LEAST + "x-rack: {row: [1, 2]}\n")).name == "X"


@pytest.mark.parametrize(
    ("sparse", "bandwidth", "expected"),
    [
        # Y11: half of the 2:4 figure, because the file says so; 756.5 / 2.039 = 371.0 and 835.5 / 3.938 = 212.2
        pytest.param("1513 TFLOP/s", "2.039 TB/s", 371.0, id="h100-pcie"),
        pytest.param("1671 TFLOP/s", "3.938 TB/s", 212.2, id="h100-nvl"),
    ],
)
def test_half_of_the_sparse_rate_only_where_the_file_asks(
    own_file: Write, sparse: str, bandwidth: str, expected: float
) -> None:
    text = (
        f"name: X\npeaks: [{{dtype: bf16, dense: sparse/2, sparse: {sparse}}}]\n"
        f"memory: [{{level: M, bandwidth: {bandwidth}}}]\n"
    )
    choice = choose(load(own_file(text)), RoofQuery())
    assert choice.roof.ridge_point == pytest.approx(expected, abs=0.05)
    assert choice.roof.basis == "derived"
    assert "half of the 2:4 rate" in (choice.roof.note or "")
    with pytest.raises(UnknownNameError, match="has no dense bf16 peak"):
        choose(load(own_file(text.replace("dense: sparse/2, ", ""))), RoofQuery(dtype="bf16"))


@pytest.mark.parametrize(
    ("row", "dense", "sparse"),
    [
        pytest.param("dense: 1 TFLOP/s, sparse: 2 TFLOP/s, basis: vendor", "vendor", "vendor", id="one-for-both"),
        pytest.param(
            "dense: 1 TFLOP/s, sparse: 2 TFLOP/s, basis: vendor, sparse_basis: derived",
            "vendor",
            "derived",
            id="doubled",
        ),
        pytest.param(
            "dense: 1 TFLOP/s, sparse: 2 TFLOP/s, basis: derived, sparse_basis: vendor",
            "derived",
            "vendor",
            id="halved",
        ),
        pytest.param("dense: sparse/2, sparse: 2 TFLOP/s, basis: vendor", "derived", "vendor", id="halved-on-demand"),
        pytest.param("dense: 1 TFLOP/s, sparse: 2 TFLOP/s, sparse_basis: derived", "unsourced", "derived", id="alone"),
    ],
)
def test_the_two_rates_of_a_row_have_a_basis_each(own_file: Write, row: str, dense: str, sparse: str) -> None:
    device = load(own_file(LEAST.replace("dense: 1 TFLOP/s", row)))
    assert (device.peaks[0].basis_of("dense"), device.peaks[0].basis_of("2:4")) == (dense, sparse)
    assert choose(device, RoofQuery(dtype="bf16")).roof.basis == dense
    assert choose(device, RoofQuery(dtype="bf16", sparse=True)).roof.basis == sparse


def test_a_basis_without_its_rate_is_refused(own_file: Write) -> None:
    with pytest.raises(FileError, match="3:5: 'sparse_basis' is the basis of a 'sparse' rate, which is missing"):
        load(own_file(LEAST.replace("1 TFLOP/s", "1 TFLOP/s, sparse_basis: derived")))
    with pytest.raises(FileError, match="'sparse_basis' is 'guessed', expected one of vendor, third-party"):
        load(own_file(LEAST.replace("1 TFLOP/s", "1 TFLOP/s, sparse: 2 TFLOP/s, sparse_basis: guessed")))


@pytest.mark.parametrize(
    ("source", "kind", "basis"),
    [
        pytest.param(", source: s", ", kind: article", "article", id="article"),
        pytest.param(", source: s", ", kind: third-party", "third-party", id="third-party"),
        pytest.param(", source: s", ", kind: vendor", "vendor", id="vendor"),
        pytest.param(", source: s", ", kind: vendor-mirror", "vendor", id="vendor-mirror"),
        pytest.param(", source: s", "", "unsourced", id="a-source-of-no-kind"),
        pytest.param("", ", kind: article", "unsourced", id="none"),
    ],
)
def test_a_headline_is_of_the_kind_of_its_source(own_file: Write, source: str, kind: str, basis: str) -> None:
    """Only the headlines of the shipped catalogue are those of the article."""
    headline = f"headline: {{peak: 2 TFLOP/s, dtype: bf16, sparsity: '2:4'{source}}}\n"
    device = load(own_file(f"{LEAST}{headline}sources: {{s: {{title: S, where: W{kind}}}}}\n"))
    assert choose(device, RoofQuery()).roof.label == f"bf16 2:4 ({basis})"
    assert peaks_report(device, RoofQuery(), {}).rows[0]["basis"] == basis
    assert show_report(device, {}).rows[0]["basis"] == basis


def test_lint_warns_of_a_measurement_above_the_data_sheet(own_file: Write) -> None:
    """U22: 81 / 61.3 = 132.1 %."""
    path = own_file(
        "name: X\npeaks: [{dtype: fp64, dense: 61.3 TFLOP/s}]\nmemory: [{level: M, bandwidth: 1 TB/s}]\n"
        "measured: [{what: matmul, dtype: fp64, value: 81 TFLOP/s}]\n"
    )
    assert any("132.1 % of the specified 61.30 TFLOP/s" in p.message for p in lint(path))
    assert choose(load(path), RoofQuery()).roof.peak == 61.3e12
    with pytest.raises(UnknownNameError, match="no measured bandwidth"):
        choose(load(path), RoofQuery(kind="measured"))


def test_lint_of_a_false_check_and_a_missing_source(own_file: Write) -> None:
    text = LEAST.replace("dense: 1 TFLOP/s", "dense: 1 TFLOP/s, check: 2 * 256 * 1 GHz")
    problems = {p.rule: p for p in lint(own_file(text))}
    assert problems["check"].message == "'check' gives 512.0 GFLOP/s, -48.8 % off 1.000 TFLOP/s"
    assert problems["no-source"].level == "warning"
    assert {p.level for p in lint(own_file(text), sourced=True)} == {"error"}
    explained = text.replace("1 GHz", "1 GHz, check_note: half of it is fused off")
    assert "check" not in {p.rule for p in lint(own_file(explained))}


def loads_or_says_why(path: str) -> None:
    """A device, or an error of one line that lint finds too; lint puts each problem into a line with its place."""
    problems = lint(path)
    assert all(problem.where.startswith(path) and "\n" not in str(problem) for problem in problems)
    errors = [str(problem) for problem in problems if problem.level == "error"]
    try:
        device = load(path)
    except RooflineError as error:
        told = re.sub(r" \(and \d+ more\)$", "", str(error))
        assert "\n" not in told
        assert any(text.startswith(told) for text in errors)  # of a file that is no text lint adds the rule
    else:
        assert device.name
        assert device.main_memory.bandwidth


@given(st.text(max_size=300))
def test_no_text_breaks_the_loader(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("y") / "x.yaml"
    path.write_text(text, encoding="utf-8", errors="replace")
    loads_or_says_why(str(path))


_KEYS = ["name", "peaks", "memory", "aliases", "measured", "sources", "headline", "tdp", "links", "schema", "x-y", "<<"]
_SCALAR = st.sampled_from(["1", "1 TFLOP/s", "no", "~", "2:4", "fp16", "*a", "", "'q'", "{}", "[]", "[[]]", "{a: b}"])


@given(st.lists(st.tuples(st.sampled_from(_KEYS), st.one_of(_SCALAR, st.lists(_SCALAR, max_size=3))), max_size=6))
def test_no_shape_of_known_keys_breaks_the_loader(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str | list[str]]]
) -> None:
    lines = [f"{key}: {value if isinstance(value, str) else '[' + ', '.join(value) + ']'}" for key, value in pairs]
    path = tmp_path_factory.mktemp("y") / "x.yaml"
    path.write_text("\n".join(lines), encoding="utf-8")
    loads_or_says_why(str(path))


def test_a_power_may_stand_by_itself(own_file: Write) -> None:
    text = "name: X\npeaks: [{dtype: bf16, dense: 1 TFLOP/s}]\nmemory: [{level: M, bandwidth: 1 GB/s}]\n"
    short, full = load(own_file(text + "tdp: 700 W\n")), load(own_file(text + "tdp: {value: 0.7 kW}\n"))
    assert (short.tdp, full.tdp) == (700, 700)
