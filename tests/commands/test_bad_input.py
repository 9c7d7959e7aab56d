"""Bad command lines: exact words on standard error, the exit status, and nothing on standard output."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roofline.cli import run
from tests.conftest import Runner

TABLE = [
    (2, "ridge --hw h10", "error: unknown device 'h10'; did you mean: h100, h20, a10, "),
    (2, "ridge --hw zzzzzz", "error: unknown device 'zzzzzz'; roofline hw list shows all"),
    (2, "ridge --hw ''", "error: unknown device ''; roofline hw list shows all"),
    (2, "ridge --hw m4max --dtype fp8", "error: m4max has no fp8 peak; it has: fp32, fp16"),
    (2, "ridge --hw h100 --dtype fp7", "error: --dtype: unknown precision 'fp7'; did you mean: fp8, fp6, fp4?"),
    (2, "ridge --hw a100 --headline", "error: a100-sxm-80gb has no headline figure; leave out --headline, or name --dtype"),
    (2, "ridge --hw h100 --level L9", "error: h100-sxm has no memory level 'L9'; levels with a bandwidth: HBM3"),
    (2, "ridge --hw h100 --headline --sparse", "error: --headline is a roof of its own; leave out --dtype, --sparse, "),
    (2, "ridge --hw h100,a100", "error: --hw takes one device, got 'h100,a100'; repeat it: --hw h100 --hw a100"),
    (2, "ridge --hw h100 --sort ridge", "error: --sort and --top order several devices; name more with --hw, or none"),
    (2, "ridge --top \u0661", "error: --top must be a whole number from 1 on, got '"),
    (2, "analyze GOOD --hw h100 --top 0", "error: --top must be a whole number from 1 on, got '0'"),
    (2, "check GOOD --hw h100 --max-time 20", "error: --max-time is a bare 20: in which unit?; for example 21us or 2.5ms"),
    (2, "analyze --flops 1 --bytes 1 --time 21 --hw h100", "error: --time is a bare 21: in which unit?; for example"),
    (2, "ridge h100", "error: Got unexpected extra argument (h100); a device is named with --hw"),
    (2, "hw h100", "error: no such command 'h100'; roofline hw show ID shows a device"),
    (2, "ridge --vendor Acme", "error: no device of vendor 'Acme'; vendors: AMD, Apple, AWS, "),
    (2, "ridge --peak 2TFLOP --bw 1TB/s", "error: --peak is a rate (FLOP/s), got an amount (TFLOP)"),
    (2, "ridge --peak 10TFLOP/s --bw 400gb/s", "error: --bw: unknown unit 'gb/s' in '400gb/s'; write Gb/s (bits) or GB/s (bytes)"),
    (2, "ridge --peak 1T", "error: --peak needs --bw too"),
    (2, "ridge --peak 1T --bw 1G --hw h100", "error: --peak and --bw stand in for a device; leave out --hw"),
    (2, "analyze --flops 1e9 --hw h100", "error: --bytes is missing beside the work; or give --intensity"),
    (2, "analyze --bytes 1e9 --hw h100", "error: --flops is missing beside the bytes; 0 if the kernel only moves data"),
    (2, "analyze --hw h100", "error: no kernel given; give --flops and --bytes, or --intensity, or a FILE"),
    (2, "analyze --intensity 1", "error: name a device with --hw; roofline hw list shows them; or give --peak and --bw"),
    (2, "analyze --flops nan --bytes 1 --hw h100", "error: --flops must be finite, got 'nan'"),
    (2, "analyze --flops inf --bytes 1 --hw h100", "error: --flops must be finite, got 'inf'"),
    (2, "analyze --flops -1e12 --bytes 1e9 --hw h100", "error: --flops must be >= 0, got -1e12"),
    (2, "analyze -1e12 1e9 --hw h100", "error: negative number '-1e12'; use -- before it"),
    (2, "analyze --flops 0 --bytes 0 --hw h100", "error: no work and no traffic: FLOPs and bytes are both 0"),
    (2, "analyze --flops 0/0 --bytes 1 --hw h100", "error: --flops: unknown unit '/0' in '0/0'; for example 2e12 or 2 TFLOP"),
    (2, "analyze --flops 1e9 --bytes 1e6 --time 0 --hw h100", "error: --time must be > 0, got 0"),
    (2, "analyze --flops 2TFLOP/s --bytes 1GB --hw h100", "error: --flops is an amount of work (FLOP), got a rate (TFLOP/s)"),
    (2, "analyze --flops 1 --macs 1 --bytes 1 --hw h100", "error: --flops and --macs say the same; give one"),
    (2, "analyze --flops 1 --bytes 1 --bytes-read 1 --hw h100", "error: --bytes and --bytes-read say the same; give one"),
    (2, "analyze --flops 1 --bytes 1 --intensity 1 --hw h100", "error: --intensity follows from the work and the bytes"),
    (2, "analyze --flops 1 --bytes 1 --time 1s --achieved 1T --hw h100", "error: --time and --achieved say the same; give one"),
    (2, "analyze --flops 0 --bytes 1 --achieved 1T --hw h100", "error: --achieved is a rate of FLOPs, but the kernel has none"),
    (2, "analyze --intensity 0 --achieved 1T --hw h100", "error: --achieved is a rate of FLOPs, but the kernel has none"),
    (2, "analyze --flops 0 --intensity 0 --hw h100", "error: --bytes is missing beside no work"),
    (2, "analyze --flops 1 --bytes 1 --bytes-at L2 --hw h100", "error: --bytes-at takes LEVEL=BYTES such as L2=16MB, got 'L2'"),
    (2, "analyze --flops 1 --bytes 1 --bytes-at L2=1 --hw h100", "error: h100-sxm gives no bandwidth for its L2; levels with one: HBM3"),
    (2, "analyze --flops 1 --bytes-read 1 --bytes-write 1 --write-allocate --hw h100", "error: --write-allocate is for the caches of CPUs; h100-sxm is a gpu"),
    (2, "analyze --intensity 1 --hw h100 --expect fast", "error: --expect must be memory-bound, compute-bound or link-bound, got 'fast'"),
    (2, "analyze --intensity 1 --hw h100 --min-efficiency 60", "error: --min-efficiency must be at most 100%, got 60; write 60% or 0.6"),
    (2, "analyze --intensity 400 --hw h100 --expect compute-bound", "error: kernel on h100-sxm: expect cannot be judged: the headline"),
    (2, "analyze --intensity 400 --hw h100 --unit matrix --expect compute-bound", "error: kernel on h100-sxm: expect cannot be judged: the sourced dense peak"),
    (2, "analyze --intensity 1 --hw h100 --sort time", "error: --sort is for a list of kernels; give a FILE, or - for standard input"),
    (2, "analyze x.csv --flops 1 --hw h100", "error: --flops describes one kernel, and 'x.csv' would be a list of them; leave one out; a quantity with a space"),
    (2, "analyze GOOD --flops 0 --hw h100", "error: --flops describes one kernel, and "),
    (2, "analyze --flops 3 GFLOP --bytes 1 --hw h100", "error: --flops describes one kernel, and 'GFLOP' would be a list of them; "),
    (2, "analyze GOOD --hw h100 --kernel (", "error: --kernel '(' is no regular expression: "),
    (2, "analyze - - --hw h100", "error: standard input can be read once; '-' is given twice"),
    (2, "analyze --achieved 1T --peak 1T --expect memory-bound", "error: --expect needs a bandwidth and the traffic"),
    (2, "analyze --flop 1", "error: no such option '--flop'; did you mean: --flops"),
    (2, "--color always llm list", "error: no such option '--color' of roofline; it has --version, -h, --help; what is of a command goes behind its name"),
    (2, "hw --format csv list", "error: no such option '--format' of roofline hw; it has -h, --help; what is of a command "),
    (2, "analyse", "error: no such command 'analyse'; did you mean: analyze?"),
    (2, "frobnicate", "error: no such command 'frobnicate'; commands: ridge, analyze, op, llm, check, hw, completion"),
    (2, "hw shwo h100", "error: no such command 'shwo'; did you mean: show?"),
    (2, "analyze GOOD --hw h100 -o x.xlsx", "error: -o 'x.xlsx': its suffix names no format; use .txt "),
    (2, "check GOOD --hw h100", "error: nothing to check: no kernel carries expect, min_efficiency or max_time; "),
    (3, "analyze no.csv --hw h100", "error: no.csv: no such file"),
    (3, "analyze / --hw h100", "error: /: is a folder, expected a file"),
    (3, "ridge --hw ./no.yaml", "error: ./no.yaml: no such file"),
    (3, "analyze GOOD --hw h100 -o /no/such/x.csv", "error: -o '/no/such/x.csv': no such folder: '/no/such'"),
    (3, "analyze GOOD --hw h100 -o / --format csv", "error: -o '/': is a folder, expected a file"),
    (3, "hw show ./no.yaml", "error: ./no.yaml: no such file"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "command", "message"), TABLE, ids=[command for _, command, _ in TABLE])
def test_bad_command_lines(roofline: Runner, tmp_path: Path, status: int, command: str, message: str) -> None:
    good = tmp_path / "good.csv"
    good.write_text("name,flops,bytes\na,1,1\n", encoding="utf-8")
    result = roofline(*(str(good) if word == "GOOD" else word for word in shlex.split(command)))
    assert (result.status, result.out) == (status, "")
    assert result.err.startswith(message)
    assert result.err.count("\n") == 1


def test_one_bad_row_among_good_ones(roofline: Runner) -> None:
    result = roofline(
        "analyze", "-", "--hw", "h100", "--format", "csv", "-q", stdin="name,flops,bytes\na,1,1\nb,x,1\nc,1,1\n"
    )
    assert result.status == 3
    assert [line.partition(",")[0] for line in result.out.splitlines()] == ["name", "a", "c"]
    assert result.err.splitlines() == [
        "error: <stdin>:3:flops: 'flops': expected an amount of work (FLOP), got 'x'   [value]; for example 2e12 or 2 TFLOP",
        "error: 1 row could not be used; the others are reported",
    ]


def test_a_precision_that_a_device_lacks_is_a_bad_row(roofline: Runner) -> None:
    result = roofline("analyze", "-", "--hw", "m4max", stdin="name,flops,bytes,dtype\na,1,1,fp16\nb,1,1,fp8\n")
    assert result.status == 3
    assert "<stdin>:3: m4max has no fp8 peak" in result.err
    assert "fp16 dense" in result.out


def test_a_header_alone_is_no_failure_unless_strict(roofline: Runner) -> None:
    """P09."""
    result = roofline("analyze", "-", "--hw", "h100", "--format", "json", stdin="name,flops,bytes\n")
    assert result.status == 0
    assert '"kernels": []' in result.out
    assert result.err == "note: no kernels in the list\n"
    assert roofline("analyze", "-", "--hw", "h100", "--strict", stdin="name,flops,bytes\n").status == 1


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("name,flops,bytes,time_ms,us", "note: columns not used: us (call it time_us if it is one)\n"),
        ("name,flops,bytes,MB", "note: columns not used: MB (call it bytes_mb if it is one)\n"),
        (
            "name,flops,bytes,expect",
            "note: expectations in the list are not judged here; roofline check judges",
        ),
        ("name,flops,bytes,dtype", "note: the list's own precisions go before --dtype\n"),
    ],
)
def test_what_a_list_says_and_nobody_uses_is_told(roofline: Runner, header: str, told: str) -> None:
    last = {"expect": "memory-bound", "dtype": "fp8", "us": "7,7"}.get(header.rpartition(",")[2], "7")
    result = roofline("analyze", "-", "--hw", "h100", "--dtype", "bf16", stdin=f"{header}\nk,1e9,1e6,{last}\n")
    assert result.status == 0
    assert result.err.startswith(told)


def test_a_column_named_after_its_unit_alone_is_taken(roofline: Runner) -> None:
    rows = "kernel,gflop,MB,us\nk,2,3,50\n"
    (kernel,) = json.loads(roofline("analyze", "-", "--hw", "h100", "--format", "json", stdin=rows).out)["kernels"]
    assert (kernel["work_flop"], kernel["traffic_byte"], kernel["time_s"]) == (2e9, 3e6, 5e-5)
    bits = roofline("analyze", "-", "--hw", "h100", stdin="kernel,gflop,Mb\nk,2,3\n")  # which may be bits
    assert (bits.status, "no column 'bytes'" in bits.err) == (3, True)


def test_bare_groups_print_their_help_in_lines(roofline: Runner) -> None:
    for group in ([], ["hw"], ["op"]):
        result = roofline(*group)
        assert (result.status, result.out, "\\n" in result.err) == (2, "", False)
        assert result.err.count("\n") > 10
    assert roofline("op", "attention", "--causal").err.endswith("roofline op attention --help lists them\n")
    assert roofline("completion").err.count("\n") == 1


def test_a_file_that_takes_over_a_shipped_name_is_told(
    roofline: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "fake.yaml"
    text = "name: Fake\naliases: [h100]\npeaks: [{dtype: fp16, dense: 1T}]\nmemory: [{level: M, bandwidth: 1G}]\n"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("ROOFLINE_HARDWARE", str(tmp_path))
    result = roofline("ridge", "--hw", "h100")
    assert (result.status, result.err) == (0, f"note: 'h100' is {path} here, and not the shipped h100-sxm\n")
    assert roofline("ridge", "--hw", "fake").err == ""


def test_a_failed_check_still_prints_everything(roofline: Runner) -> None:
    rows = "name,flops,bytes,time_ms,min_efficiency,max_time\nfast,1e12,1e6,1.1,90%,2 ms\nslow,1e12,1e6,5,90%,2 ms\n"
    # 1e12 / 989.4e12 = 1.011 ms: 91.88 % of 1.1 ms, 20.21 % of 5 ms
    result = roofline("check", "-", "--hw", "h100", "--dtype", "bf16", stdin=rows)
    assert result.status == 1
    assert "FAIL slow on h100-sxm: reaches 20.21 % of the roof, 90.00 % is required" in result.out
    assert "FAIL slow on h100-sxm: takes 5.000 ms, at most 2.000 ms is allowed" in result.out
    assert "1 passed, 1 failed" in result.out
    assert result.err == "error: check failed: 2 expectations not met\n"
    silent = roofline("check", "-", "--hw", "h100", "--dtype", "bf16", "--format", "json", stdin=rows)
    assert silent.err.startswith("error: check failed: slow on h100-sxm reaches 20.21 %")
    assert roofline("check", "-", "--hw", "h100", "--dtype", "bf16", "--kernel", "fast", stdin=rows).status == 0


def test_options_stand_in_for_what_a_kernel_does_not_ask(roofline: Runner) -> None:
    rows = "name,flops,bytes,time_ms,min_efficiency\na,1e12,1e6,2,10%\nb,1e12,1e6,2,\n"  # both reach 50.5 %
    command = ("check", "-", "--hw", "h100", "--dtype", "bf16")
    result = roofline(*command, "--min-efficiency", "60%", stdin=rows)
    assert (result.status, "1 passed, 1 failed" in result.out) == (1, True)
    assert roofline(*command, "--min-efficiency", "60%", "--expect", "memory-bound", stdin=rows).out.count("FAIL ") > 2


def test_lint_reports_every_problem_and_exits_3(roofline: Runner, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("nam: X\npeaks:\n  - {dtype: fp99, dense: 1 TB/s}\nmemory:\n  - {level: M, bandwidth: 0}\n")
    result = roofline("hw", "lint", str(path), "--format", "csv")
    assert result.status == 3
    rules = [line.split(",")[-2] for line in result.out.splitlines()[1:]]
    assert [rule for rule in rules if rule != "no-source"] == [
        "unknown-key",
        "missing-key",
        "choice",
        "quantity",
        "quantity",
    ]
    assert roofline("hw", "lint", "/no.yaml").status == 3


def test_lint_of_warnings_alone_is_fine_unless_strict(roofline: Runner, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("name: X\npeaks: [{dtype: fp16, dense: 1 TFLOP/s}]\nmemory: [{level: M, bandwidth: 1 TB/s}]\n")
    assert [roofline("hw", "lint", str(path), *more).status for more in ([], ["--strict"], ["--sourced"])] == [0, 1, 3]


def test_a_broken_file_in_a_folder_does_not_hide_the_others(
    roofline: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.yaml").write_text("name: [", encoding="utf-8")
    monkeypatch.setenv("ROOFLINE_HARDWARE", str(tmp_path))
    result = roofline("ridge")
    assert result.status == 3
    assert "h100-sxm" in result.out
    assert "left out: " in result.err
    assert "broken.yaml:2:1" in result.err


HOSTILE = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["", " ", "-", "--", "0/0", "1e999", "-0", "1_000", "0x10", "\x00", "\x1b[31m", "h100", "1", "1 GB", "..", "~"]
    ),
)
OPTIONS = [
    f"--{name}"
    for name in [
        "hw",
        "peak",
        "bw",
        "dtype",
        "unit",
        "accumulate",
        "level",
        "roof",
        "flops",
        "macs",
        "bytes",
        "bytes-read",
        "bytes-write",
        "bytes-at",
        "intensity",
        "time",
        "achieved",
        "name",
        "kernel",
        "sort",
        "top",
        "time-unit",
        "expect",
        "min-efficiency",
        "format",
        "color",
    ]
]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["ridge", "analyze", "check"]), st.lists(st.tuples(st.sampled_from(OPTIONS), HOSTILE), max_size=4)
)
def test_no_option_text_makes_a_traceback(
    capsys: pytest.CaptureFixture[str], command: str, options: list[tuple[str, str]]
) -> None:
    arguments = [word for option, value in options for word in (option, value) if "\x00" not in word]
    assert run([command, *arguments]) in (0, 1, 2, 3)
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert all(line.startswith(("error: ", "warning: ", "note: ")) for line in err.split("\n") if line)


@pytest.mark.parametrize("option", OPTIONS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=HOSTILE)
def test_every_option_takes_any_text(capsys: pytest.CaptureFixture[str], option: str, value: str) -> None:
    base = ["analyze", "--flops", "1", "--bytes", "1", "--hw", "h100", option, value]
    assert run(base) in (0, 1, 2, 3)
    assert "Traceback" not in capsys.readouterr().err


def test_many_bad_rows_are_counted_and_the_first_are_named(roofline: Runner) -> None:
    rows = "name,flops,bytes\n" + "b,x,1\n" * 30 + "good,1,1\n"
    result = roofline("analyze", "-", "--hw", "h100", "-q", stdin=rows)
    assert (result.status, result.err.count("\n")) == (3, 22)
    assert "error: and 10 more bad rows\n" in result.err
    assert "good" in result.out


def test_many_kernels_above_the_roof_are_counted_and_the_first_are_named(roofline: Runner) -> None:
    result = roofline("analyze", "-", "--hw", "h100", stdin="name,flops,bytes,time_ns\n" + "k,1e12,1,1\n" * 9)
    assert result.err.count("warning: k on h100-sxm is above the roof") == 3
    assert result.err.endswith("warning: and 6 more kernels above the roof\n")


def test_a_list_that_breaks_off_still_reports_what_came_before(roofline: Runner) -> None:
    result = roofline(
        "analyze", "-", "--hw", "h100", "--format", "csv", "-q", stdin='name,flops,bytes\na,1,1\n"b,1,1\n'
    )
    assert (result.status, result.out.splitlines()[1].partition(",")[0]) == (3, "a")
    assert "is not valid CSV: unexpected end of data; the rest of it is not read" in result.err


def test_a_point_above_the_roof_is_no_ordinary_row_of_a_check(roofline: Runner, tmp_path: Path) -> None:
    path = tmp_path / "k.csv"
    # 1 TFLOP in 0.5 ms are 2,000 TFLOP/s of 989.4; in 2 ms 500
    path.write_text(
        "name,flops,bytes,time_ms,expect\nfast,1e12,1e6,0.5,compute\nfine,1e12,1e6,2,compute\n", encoding="utf-8"
    )
    result = roofline("check", str(path), "--hw", "h100", "--dtype", "bf16")
    assert result.status == 0
    assert "2 passed, 0 failed, 1 above the roof, which cannot be" in result.out
    fast, fine = (next(line for line in result.out.splitlines() if f" {name} " in line) for name in ("fast", "fine"))
    assert ("yes" in fast, "yes" in fine) == (True, False)
    fewer = path.read_text(encoding="utf-8").replace("fast,1e12,1e6,0.5,compute\n", "")
    path.write_text(fewer, encoding="utf-8")
    assert "above" not in roofline("check", str(path), "--hw", "h100", "--dtype", "bf16").out
    # 1.5e12 in 1 ms: 1,500 TFLOP/s are below the headline of 1,979 and above the dense peak of 989.4
    path.write_text("name,flops,bytes,time_ms,expect\nbetween,1.5e12,1e9,1,compute\n", encoding="utf-8")
    assert "1 passed, 0 failed, 1 above the roof" in roofline("check", str(path), "--hw", "h100").out
