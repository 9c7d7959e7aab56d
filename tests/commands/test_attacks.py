"""Faults that an attack on the command line found, each with the input that showed it."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from roofline.catalog.lint import lint
from tests.conftest import Runner

CHIP = """\
name: Lv
peaks: [{dtype: fp32, dense: 10 TFLOP/s}]
memory: [{level: HBM, bandwidth: 1 TB/s}, {level: L2 cache, bandwidth: 4 TB/s}, {level: L3-X, bandwidth: 2 TB/s}]
"""


@pytest.fixture
def chip(tmp_path: Path) -> str:
    path = tmp_path / "lv.yaml"
    path.write_text(CHIP, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("heading", ["Time (µs)", "time_μs", "time_us"])
def test_microseconds_are_not_seconds(roofline: Runner, chip: str, heading: str) -> None:
    rows = f"name,flops,bytes,{heading}\nk,1e9,1e8,100\n"
    (kernel,) = json.loads(roofline("analyze", "-", "--hw", chip, "--format", "json", stdin=rows).out)["kernels"]
    assert kernel["time_s"] == pytest.approx(1e-4)


@pytest.mark.parametrize("heading", ["Time (%)", "FLOPs (%)", "flops²", "Δtime_ms", "Bytes [GB/s]"])
def test_a_share_or_a_formula_is_no_amount(roofline: Runner, chip: str, heading: str) -> None:
    result = roofline("analyze", "-", "--hw", chip, "--format", "csv", stdin=f"name,flops,bytes,{heading}\nk,1,1,7\n")
    assert (result.status, f"columns not used: {heading}" in result.err) == (0, True)


@pytest.mark.parametrize("name", ["min_eficiency", "min_efficiency_pct", "max_duration_ms", "expected"])
def test_a_misspelt_expectation_is_no_silent_pass(roofline: Runner, chip: str, name: str) -> None:
    result = roofline("check", "-", "--hw", chip, stdin=f"name,flops,bytes,expect,{name}\nk,1,1,memory-bound,1\n")
    assert (result.status, result.out) == (3, "")
    assert "looks like an expectation and is none" in result.err


@pytest.mark.parametrize("rows", ["name,flops,bytes\n", "name,flops,bytes\nk,1,1\n"])
def test_a_gate_on_nothing_is_refused(roofline: Runner, chip: str, rows: str) -> None:
    command = ("analyze", "-", "--hw", chip, "--expect", "memory-bound", "--kernel", "typo", "-q")
    result = roofline(*command, stdin=rows)
    assert (result.status, result.err.startswith("error: nothing to check: ")) == (2, True)
    assert roofline("check", "-", "--hw", chip, "--expect", "memory-bound", "--kernel", "x", stdin=rows).status == 2


def test_the_document_of_a_check_says_passed_only_if_it_did(roofline: Runner, chip: str) -> None:
    def passed(rows: str, *more: str) -> tuple[int, bool]:
        result = roofline("check", "-", "--hw", chip, "--expect", "memory-bound", "--format", "json", *more, stdin=rows)
        return result.status, json.loads(result.out)["passed"]

    good = "name,flops,bytes,time_ms\na,1e9,1e9,2\n"
    assert passed(good) == (0, True)
    assert passed(good + "b,x,1,1\n") == (3, False)
    assert passed(good + "b,1e9,1e9,0.1\n", "--strict") == (1, False)  # 1 ms at least


def test_headline_and_a_precision_of_the_kernel_contradict_each_other(roofline: Runner) -> None:
    rows = "name,flops,bytes,dtype\nk,1,1,bf16\n"
    result = roofline("analyze", "-", "--hw", "h100", "--headline", stdin=rows)
    assert (result.status, "its precision is bf16, but --headline asks" in result.err) == (3, True)


def test_intensity_and_several_levels(roofline: Runner, chip: str) -> None:
    result = roofline("analyze", "--intensity", "100", "--bytes-at", "L3-X=1MB", "--hw", chip)
    assert (result.status, result.err.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    "command",
    [
        "--flops 1 --bytes 1e300 --time 1e-300s --hw CHIP",
        "--flops 1e300 --bytes 1 --peak 1e-10 --bw 1",
        "--achieved 1e308 --peak 1e-300",
        "--peak 1e-300 --bw 2e12 --intensity 1e300",
        "--flops 1e308 --bytes 1e-300 --hw CHIP",
        "--flops 0 --bytes-at L3-X=0 --hw CHIP",
        "--achieved 1T --peak 2T --level L9",
        "--intensity 1 --hw CHIP --level ''",
    ],
)
def test_absurd_sizes_are_one_line(roofline: Runner, chip: str, command: str) -> None:
    result = roofline("analyze", *command.replace("CHIP", chip).replace("''", "\0").split())
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)


def test_an_exponent_is_never_cut(roofline: Runner) -> None:
    result = roofline("ridge", "--peak", "1e0000000012", "--bw", "1e+0000000009", "--format", "json")
    assert json.loads(result.out)["ridge_flop_per_byte"] == 1000


@pytest.mark.parametrize(
    "check", ["1.2.3 bit * 5 Gbit/s", ". bit * 5 Gbit/s", "1e300 * 1e300 * 1 Gbit/s", "9e99999 bit * 1 GB/s"]
)
def test_lint_survives_any_check(tmp_path: Path, check: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(CHIP.replace("bandwidth: 1 TB/s", f'bandwidth: 1 TB/s, check: "{check}"'), encoding="utf-8")
    assert "check" in {problem.rule for problem in lint(str(path))}


def test_bombs_of_merges_and_of_unknown_keys_are_cheap(tmp_path: Path, roofline: Runner) -> None:
    merges = tmp_path / "merges.yaml"
    keys = "".join(f" k{i}:\n" for i in range(60_000))
    merges.write_text(f"name: b\nx-a: &a\n{keys}x-b:\n" + "- {<<: *a}\n" * 900, encoding="utf-8")
    unknown = tmp_path / "unknown.yaml"
    unknown.write_text(CHIP + "".join(f"k{i}: 1\n" for i in range(60_000)), encoding="utf-8")
    start = time.perf_counter()
    assert [roofline("ridge", "--hw", str(path)).status for path in (merges, unknown)] == [3, 3]
    assert time.perf_counter() - start < 15


@pytest.mark.parametrize("text", ["name: ~", "name:", "name: X\nvendor: null"])
def test_nothing_is_not_a_value(tmp_path: Path, roofline: Runner, text: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(CHIP.replace("name: Lv", text), encoding="utf-8")
    assert roofline("ridge", "--hw", str(path)).status == 3


def test_a_yaml_list_knows_null(roofline: Runner, chip: str, tmp_path: Path) -> None:
    path = tmp_path / "k.yaml"
    path.write_text("- {name: a, flops: null, bytes: 1}\n- {name: b, flops: ~, bytes: 1}\n", encoding="utf-8")
    result = roofline("analyze", str(path), "--hw", chip, "--format", "json")
    assert [kernel["work_flop"] for kernel in json.loads(result.out)["kernels"]] == [None, None]


def test_broken_links_and_pipes_in_a_hardware_folder(
    roofline: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "good").mkdir()
    (tmp_path / "good" / "mine.yaml").write_text(CHIP, encoding="utf-8")
    for link in (tmp_path / "loop", tmp_path / "good" / "self.yaml"):
        link.symlink_to(link.name)
    os.mkfifo(tmp_path / "pipe.yaml")
    monkeypatch.setenv("ROOFLINE_HARDWARE", str(tmp_path))
    assert [roofline("ridge", "--hw", name).status for name in ("mine", "h100")] == [0, 0]


@pytest.mark.parametrize(
    "aliases",
    ["aliases: al1", "aliases:  # mine\n  - al1\n", "aliases:\n\n  # c\n  - al1\n", "aliases:\n  [al1]", '"aliases": [al1]',
     "aliases : [al1]", "aliases: &x [al1]", "aliases: [a, # c, d\n  al1]", 'aliases: ["]", al1]', 'aliases: ["al\\u0031"]'],
)  # fmt: skip
def test_an_alias_in_any_dress_is_found(
    roofline: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, aliases: str
) -> None:
    (tmp_path / "chip.yaml").write_text(CHIP + aliases + "\n", encoding="utf-8")
    monkeypatch.setenv("ROOFLINE_HARDWARE", str(tmp_path))
    assert roofline("ridge", "--hw", "al1").status == 0


def test_of_two_folders_the_first_has_the_alias(
    roofline: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, stem in (("1", "b"), ("2", "a"), ("2", "zzz")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"{stem}.yaml").write_text(CHIP + "aliases: [zz]\n", encoding="utf-8")
    monkeypatch.setenv("ROOFLINE_HARDWARE", f"{tmp_path}/1:{tmp_path}/2")
    assert json.loads(roofline("hw", "show", "zz", "--format", "json").out)["device"] == "b"


def test_names_cannot_drive_the_terminal_through_errors(roofline: Runner, chip: str) -> None:
    rows = json.dumps([{"name": "a\x1b[31mRED\nline2", "flops": 1e15, "bytes": 1, "time": "1 ns"}])
    for command in (["analyze"], ["check", "--min-efficiency", "90%", "--strict"]):
        err = roofline(*command, "-", "--hw", chip, "--format", "csv", stdin=rows).err
        assert "\x1b" not in err
        assert all(line.startswith(("warning: ", "error: ", "note: ")) for line in err.splitlines())
    for option in ("--expect", "--level", "--vendor"):
        assert (
            "\x1b" not in roofline("ridge" if option == "--vendor" else "analyze", "--hw", chip, option, "\x1b[31m").err
        )


@pytest.mark.parametrize("name", ["a\rb", " k ", "a\nb", "é", 'q"'])
def test_names_come_back_from_csv(roofline: Runner, chip: str, name: str) -> None:
    rows = json.dumps([{"name": name, "flops": 1, "bytes": 1}, {"name": "c", "flops": 1, "bytes": 1}])
    out = roofline("analyze", "-", "--hw", chip, "--format", "csv", stdin=rows).out
    assert [row["name"] for row in csv.DictReader(io.StringIO(out, newline=""))] == [name, "c"]


def test_twins_in_a_record_are_refused(roofline: Runner, chip: str) -> None:
    rows = '[{"name":"a","flops":1e9,"FLOPs":2e9,"bytes":1},{"name":"b","flops":1,"bytes":1,"traffic":7}]'
    result = roofline("analyze", "-", "--hw", chip, stdin=rows)
    assert (result.status, result.err.count("both say")) == (3, 2)


@pytest.mark.parametrize("rows", ["name,flops,bytes_at_L3-X\nk,1,1\n", "name,flops,bytes_at_L2 cache\nk,1,1\n", '[{"name":"k","flops":1,"bytes":{"L3-X":1,"HBM":1}}]'])  # fmt: skip
def test_levels_with_a_dash_or_a_space(roofline: Runner, chip: str, rows: str) -> None:
    assert roofline("analyze", "-", "--hw", chip, stdin=rows).status == 0


def test_trailing_empty_headings_are_no_repetition(roofline: Runner, chip: str) -> None:
    assert roofline("analyze", "-", "--hw", chip, stdin="name,flops,bytes,,\nk,1,1,,\n").status == 0


def test_output_over_the_input_is_refused(roofline: Runner, chip: str, tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("name,flops,bytes\nk,1,1\n", encoding="utf-8")
    result = roofline("analyze", str(path), "--hw", chip, "-o", str(path))
    assert (result.status, "would overwrite what is read" in result.err) == (2, True)
    assert path.read_text(encoding="utf-8").startswith("name")


def test_an_unreadable_input_is_not_blamed_on_the_output(roofline: Runner, chip: str) -> None:
    result = roofline("analyze", "/proc/self/mem", "--hw", chip)
    assert (result.status, result.err.startswith("error: /proc/self/mem: cannot be read")) == (3, True)


def test_the_context_of_a_list_names_roofs_and_sources(roofline: Runner) -> None:
    for command in (["analyze"], ["check", "--expect", "memory-bound"], ["analyze", "--hw", "a100"]):
        out = roofline(*command, "-", "--hw", "h100", "--format", "json", stdin="name,flops,bytes\nk,1,1\n").out
        context = json.loads(out)["context"]
        assert context["roofs"][0]["ridge_flop_per_byte"] > 100
        assert {key for roof in context["roofs"] for key in roof["peak_sources"]} <= set(context["sources"])


@pytest.mark.parametrize(
    "heading",
    [
        "min_efficiency ppm",
        "min_efficiency/1",
        "max_time/ms",
        "max_time {ms}",
        "expect?",
        "# max_time_ms",
        "time_max_ms",
    ],
)
def test_no_spelling_of_an_expectation_is_passed_over(roofline: Runner, chip: str, heading: str) -> None:
    rows = f"name,flops,bytes,time_ms,expect,{heading}\nk,1e9,1e8,100,compute-bound,1\n"
    result = roofline("check", "-", "--hw", chip, stdin=rows)
    assert (result.status, result.out) == (3, "")
    assert "looks like an expectation and is none" in result.err


@pytest.mark.parametrize("heading", ["min_efficiency (%)", "min_efficiency_%", "Min efficiency [%]"])
def test_an_efficiency_in_per_cent_is_understood(roofline: Runner, chip: str, heading: str) -> None:
    # 1e9 FLOP and 1e8 B at 10 TFLOP/s and 1 TB/s: 0.1 ms at least; of 0.125 ms 80 %
    rows = f"name,flops,bytes,time_ms,{heading}\nk,1e9,1e8,0.125,75\n"
    assert roofline("check", "-", "--hw", chip, stdin=rows).status == 0
    assert roofline("check", "-", "--hw", chip, stdin=rows.replace(",75", ",85")).status == 1


def test_a_device_of_which_only_a_sparse_rate_is_known_stops_no_listing(
    roofline: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "name: S\npeaks: [{dtype: fp16, sparse: 10 TFLOP/s}]\nmemory: [{level: HBM, bandwidth: 1 TB/s}]\n"
    (tmp_path / "only-sparse.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("ROOFLINE_HARDWARE", str(tmp_path))
    result = roofline("ridge")
    assert (result.status, "h100-sxm" in result.out) == (0, True)
    assert "1 device has no such figure and is left out" in result.out


@pytest.mark.parametrize(
    "command", ["ridge --hw {0}", "hw show {0}", "hw lint {0}", "analyze - --hw {0}", "check - --hw {0}"]
)
def test_output_over_a_hardware_file_is_refused(roofline: Runner, chip: str, command: str) -> None:
    before = Path(chip).read_text(encoding="utf-8")
    result = roofline(*command.format(chip).split(), "-o", chip, "--format", "csv", stdin="name,flops,bytes\nk,1,1\n")
    assert (result.status, "would overwrite what is read" in result.err) == (2, True)
    assert Path(chip).read_text(encoding="utf-8") == before


def test_a_damaged_list_on_standard_input_leaves_no_traceback(chip: str) -> None:
    rows = b'name,flops,bytes\na,1e9,1e8\nb,"x"y,1\nc,1,1\n'
    command = [sys.executable, "-m", "roofline", "analyze", "-", "--hw", chip]
    done = subprocess.run(command, input=rows, capture_output=True, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (3, False)


def test_blank_lines_before_a_header_take_linear_time(roofline: Runner, chip: str) -> None:
    start = time.process_time()
    rows = "\n" * 1_000_000 + "name,flops,bytes\nk,1,1\n"
    assert roofline("analyze", "-", "--hw", chip, "--format", "csv", stdin=rows).status == 0
    assert time.process_time() - start < 5
    endless = roofline("analyze", "-", "--hw", chip, stdin="\n" * 10_100_000)
    assert (endless.status, "starts with more than 10,000,000 blank characters" in endless.err) == (3, True)


@pytest.mark.parametrize(
    "heading", ["bytes_Pb", "bytes_Gib", "bytes (Gib)", "bytes_Mib", "bytes_L3-X_Mb", "bytes_L3-X (Mb)"]
)
def test_columns_in_bits_are_refused(roofline: Runner, chip: str, heading: str) -> None:
    result = roofline("analyze", "-", "--hw", chip, stdin=f"name,flops,bytes,{heading}\nk,1,1,1\n")
    assert (result.status, "may be bits or bytes" in result.err) == (3, True)


def test_a_column_in_plain_bytes_is_understood(roofline: Runner, chip: str) -> None:
    rows = "name,flops,bytes_b\nk,1e9,1e8\n"
    (kernel,) = json.loads(roofline("analyze", "-", "--hw", chip, "--format", "json", stdin=rows).out)["kernels"]
    assert kernel["traffic_byte"] == 1e8


@pytest.mark.parametrize("value", ["[5]", "{a: 1}"])
def test_traffic_of_yaml_that_is_no_number_is_an_error(roofline: Runner, chip: str, tmp_path: Path, value: str) -> None:
    path = tmp_path / "k.yaml"
    path.write_text(f"- {{name: k, flops: 1e9, bytes: {{HBM: {value}}}}}\n", encoding="utf-8")
    assert roofline("analyze", str(path), "--hw", chip).status == 3
    path.write_text("- {name: k, flops: 1e9, bytes: {HBM: null}}\n", encoding="utf-8")
    result = roofline("analyze", str(path), "--hw", chip)
    assert (result.status, "bound unknown" in result.out) == (0, True)


def test_show_as_csv_has_the_figures_in_full(roofline: Runner) -> None:
    rows = list(csv.DictReader(io.StringIO(roofline("hw", "show", "h100", "--format", "csv").out)))
    sparse = next(row for row in rows if row["detail"].endswith("fp16 matrix fp32/fp16 accumulation 2:4"))
    assert (float(sparse["value"]), sparse["unit"]) == (1978.9e12, "FLOP/s")


def test_appending_through_dev_stdout_keeps_what_was_there(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("old\n", encoding="utf-8")
    line = f"'{sys.executable}' -m roofline ridge --hw h100 --format csv -o /dev/stdout >> '{log}'"
    assert subprocess.run(["bash", "-c", line], check=False).returncode == 0
    assert log.read_text(encoding="utf-8").startswith("old\nroof,")


def test_names_of_output_files(roofline: Runner, tmp_path: Path) -> None:
    name = tmp_path / f"{'a' * 245}.csv"  # 249 characters, of the 255 that a file system allows
    assert roofline("ridge", "--hw", "h100", "-o", str(name)).status == 0
    assert [path.name for path in tmp_path.iterdir()] == [name.name]
    empty = roofline("ridge", "--hw", "h100", "--format", "csv", "-o", "")
    assert (empty.status, empty.err) == (2, "error: -o needs the name of a file\n")


def test_a_time_that_can_judge_nothing_is_said(roofline: Runner, chip: str) -> None:
    command = ("analyze", "--intensity", "10", "--time", "1ms", "--hw", chip)
    assert "neither work nor traffic given: the time says nothing" in roofline(*command).out
    gate = roofline(*command, "--min-efficiency", "50%")
    assert (gate.status, "must reach 50.00 % of the roof but has neither FLOP count nor traffic" in gate.err) == (
        1,
        True,
    )


def test_what_was_typed_is_quoted_in_short(roofline: Runner) -> None:
    assert len(roofline("ridge", "--hw", "h100", "--format", "x" * 5000).err) < 700
    assert len(roofline("ridge", "--vendor", "x" * 5000).err) < 700


def test_an_interrupt_in_the_first_moment_leaves_no_traceback() -> None:
    probe = """
import sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "roofline.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
sys.argv = ["roofline", "--version"]
from roofline.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
