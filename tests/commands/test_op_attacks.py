"""Faults that an attack on ``roofline op`` found, each with the line that showed it and what it must say instead."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Result, Runner

SQUARE = "op gemm -m 8192 -n 8192 -k 8192"
# 100 TFLOP/s in bf16 and 1 TB/s: I* = 100 FLOP/B; L2 holds 32,768 values of 2 B, so S = 2^15
TIGHT = """
name: Tight
kind: gpu
peaks: [{dtype: bf16, dense: 100T}]
memory:
  - {level: HBM, bandwidth: 1 TB/s, capacity: 80 GB}
  - {level: L2, capacity: 65536 B}
"""


@pytest.fixture
def run(roofline: Runner) -> Callable[[str], Result]:
    return lambda line: roofline(*line.split())


@pytest.fixture
def answer(roofline: Runner) -> Callable[[str], Any]:
    def ask(line: str) -> Any:
        result = roofline(*line.split(), "--format", "json")
        assert result.status == 0, result.err
        return json.loads(result.out)

    return ask


Ask = Callable[[str], Any]
Run = Callable[[str], Result]


def refused(result: Result, message: str) -> None:
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(f"error: {message}"), result.err
    assert result.err.count("\n") == 1


# What is read is not written ------------------------------------------------------------------------------------------

READING = [
    "op gemm -m 8 -n 8 -k 8",
    "ridge",
    "analyze --flops 1G --bytes 1GB",
    "check kernels.csv",
]


@pytest.mark.parametrize("line", READING)
@pytest.mark.parametrize("way", ["option", "environment"])
def test_no_command_overwrites_the_hardware_file_it_reads(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, way: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("chip.yaml").write_text(TIGHT, encoding="utf-8")
    Path("kernels.csv").write_text("name,flops,bytes,expect\na,1,1,memory-bound\n", encoding="utf-8")
    if way == "environment":
        monkeypatch.setenv("ROOFLINE_HW", "chip.yaml")
    hw = " --hw chip.yaml" if way == "option" else ""
    refused(run(f"{line}{hw} --format json -o chip.yaml"), "-o 'chip.yaml' would overwrite what is read")
    assert Path("chip.yaml").read_text(encoding="utf-8") == TIGHT
    assert run(f"{line}{hw} --format json -o other.json").status == 0


# Sizes at which nothing is computed -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "roof"),
    [
        ("op reduce --rows 4 --sweep cols=1,2 --peak 1TFLOP/s --bw 1TB/s", "bf16 dense (given)"),
        ("op fft --sweep n=1:4 --peak 1TFLOP/s --bw 1TB/s", "fp32 dense (given)"),
        ("op fft --sweep n=1:4 --hw h100", "fp32 dense, vector unit (vendor)"),
        ("op allreduce -n 1e6 --sweep p=1,2,4 --dtype fp16 --hw h100", "fp16 dense, vector unit (vendor)"),
    ],
)
def test_a_sweep_from_a_size_without_work_has_one_roof(answer: Ask, line: str, roof: str) -> None:
    found = answer(line)
    first, *others = found["kernels"]
    assert (first["work_flop"], first["precision"]) == (0, None)
    assert first["null_reasons"]["precision"] == "it computes nothing"
    assert {row["roof"] for row in found["kernels"]} == {roof}
    assert all(row["precision"] == roof.split(maxsplit=1)[0] and row["work_flop"] > 0 for row in others)


@pytest.mark.parametrize(
    "shape", ["transpose -m 64 -n 64", "sort -n 1000", "fft -n 1", "allreduce -n 8 -p 1", "histogram -n 9 --bins 2"]
)
def test_what_computes_nothing_has_no_precision(answer: Ask, run: Run, shape: str) -> None:
    for hw in ("", " --hw h100"):
        found = answer(f"op {shape}{hw}")
        assert (found["work_flop"], found["precision"]) == (0, None)
        assert found["null_reasons"]["precision"] == "it computes nothing"
    table = run(f"op {shape} --hw h100").out
    assert "dense fp16 " not in table.partition("\n\n")[2].partition("\n\n")[0]


def test_what_computes_nothing_needs_no_peak_of_its_default_format(answer: Ask) -> None:
    """8 values of bf16, 2 B each, on a CPU without a bf16 peak: read once and written once by the one device."""
    found = answer("op allgather -n 8 -p 1 --hw i9-14900k")
    assert found["traffic_byte"] == 32
    assert "no --dtype given: bf16" in found["notes"]


# The lower bound of a gemm -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("capacity", "bound"), [("1 B", None), ("1e30 B", 24576)])
def test_a_cache_of_any_size_makes_no_gemm_fail(
    answer: Ask, own_file: Callable[..., str], capacity: str, bound: int | None
) -> None:
    """A cache that holds no value has no bound; of one larger than the memory none is known; 3 x 64^2 x 2 B move."""
    line = "op gemm -m 64 -n 64 -k 64 --dtype bf16 --hw"
    path = own_file(TIGHT.replace("65536 B", capacity))
    assert answer(f"{line} {path}").get("traffic_lower_bound_byte") is None
    endless = own_file(TIGHT.replace("65536 B", capacity).replace(", capacity: 80 GB", ""))
    assert answer(f"{line} {endless}").get("traffic_lower_bound_byte") == bound


def test_a_bound_above_the_traffic_is_said_with_the_least_time_it_leaves(answer: Ask) -> None:
    """h100: S = 25e6 values. 2 x 65536^3 / 5000 - 50e6 values of 2 B are 225.1 GB; 2 x 65536^3 / 989.4e12 = 569.0 ms.

    Even so it stays compute-bound: 225.1 GB / 3.35 TB/s are 67.2 ms.
    """
    found = answer("op gemm -m 65536 -n 65536 -k 65536 --hw h100")
    (note,) = [text for text in found["notes"] if text.startswith("no order")]
    assert note.startswith("no order of these products moves less than 225.1 GB (0.0003998 B/FLOP) past 50.00 MB of L2")
    assert note.endswith(
        "; the traffic above assumes a fast memory that holds all operands: past this cache the least time is still "
        "569.0 ms"
    )
    assert found["warnings"] == []


def test_a_bound_that_changes_the_verdict_is_a_warning(answer: Ask, run: Run, own_file: Callable[..., str]) -> None:
    """I = 4096 / 3 is past I* = 100, but sqrt(S) = 181.02: 2 x 4096^3 / 181.02 - 2^16 values of 2 B are 1.5185 GB.

    They take 1.518 ms at 1 TB/s, the arithmetic 137.44 GFLOP / 100 TFLOP/s = 1.374 ms.
    """
    line = f"op gemm -m 4096 -n 4096 -k 4096 --hw {own_file(TIGHT)}"
    found = answer(line)
    assert found["bound"] == "compute-bound"
    assert found["traffic_lower_bound_byte"] == pytest.approx(2 * (2 * 4096**3 / 2**7.5 - 2**16), abs=2)
    assert any("past this cache the least time is 1.518 ms in place of 1.374 ms" in text for text in found["notes"])
    warning = "compute-bound by the traffic that was counted, but memory-bound by what must move past 65.54 kB of L2"
    assert found["warnings"] == [warning]
    assert run(line).err == f"warning: {warning}\n"


def test_a_tile_that_does_not_fit_is_flagged(answer: Ask) -> None:
    """2 x (8192 x 64 + 64 x 8192 + 8192 x 8192) B = 136.3 MB; tiles of 128 x 128 x 32 take 49 kB."""
    note = "a tile takes 136.3 MB, more than the 50.00 MB of L2: it does not fit"
    assert note in answer(f"{SQUARE} --tile 8192,8192,64 --hw h100")["notes"]
    assert not any("does not fit" in text for text in answer(f"{SQUARE} --tile 128,128,32 --hw h100")["notes"])


def test_the_bound_is_there_for_several_devices_and_sweeps(answer: Ask) -> None:
    """S = 25e6 on h100 and 75,497,472 / 2 on rtx4090: 2 x 65536^3 / 6144 - 75,497,472 values are 183.1 GB."""
    shape = "op gemm -n 65536 -k 65536"
    found = answer(f"{shape} -m 65536 --hw h100 --hw rtx4090")
    bounds = [row["traffic_lower_bound_byte"] for row in found["devices"]]
    expected = [2 * (2 * 65536**3 / 5000 - 50e6), 2 * (2 * 65536**3 / 75_497_472**0.5 * 2**0.5 - 75_497_472)]
    assert bounds == pytest.approx(expected, rel=1e-9)
    assert any(
        text.startswith("rtx4090: no order of these products moves less than 183.1 GB") for text in found["notes"]
    )
    found = answer(f"{shape} --sweep m=1,65536 --hw h100 --hw rtx4090")
    rows = {(row["m"], row["device"]): row["traffic_lower_bound_byte"] for row in found["kernels"]}
    assert [rows[65536, "h100-sxm"], rows[65536, "rtx4090"]] == bounds
    # one row of A: 2 x (65536 + 65536^2 + 65536) B, which is compulsory
    assert rows[1, "h100-sxm"] == 2 * (65536**2 + 2 * 65536)
    assert any(text.startswith("h100-sxm: at m = 65536 no order moves less than 225.1 GB") for text in found["notes"])


# The headline --------------------------------------------------------------------------------------------------------


def test_the_headline_stands_beside_in_a_comparison(answer: Ask, roofline: Runner) -> None:
    """I = 2 x 1024 x 1000 x 4096 / (2 (1024 x 4096 + 4096 x 1000 + 1024 x 1000)) = 450.2 lies between 295 and 591."""
    line = "op gemm -m 1024 -n 1000 -k 4096 --dtype bf16 --hw h100 --hw a100"
    found = answer(line)
    row, other = found["devices"]
    assert (row["peak_flop_per_s"], row["headline_peak_flop_per_s"]) == (989.4e12, 1979e12)
    assert (row["bound"], row["headline_bound"]) == ("compute-bound", "memory-bound")
    assert row["headline_ridge_flop_per_byte"] == pytest.approx(1979 / 3.35)
    assert any(text.startswith("h100-sxm: memory-bound against the headline 1979") for text in found["notes"])
    assert {roof["headline"] for roof in found["context"]["roofs"]} == {True, False}
    assert other["headline_peak_flop_per_s"] is None
    assert other["null_reasons"]["headline_peak_flop_per_s"] == "no headline kept"
    heads = roofline(*line.split()).out.split("\n\n")[1].splitlines()[:3]
    assert heads[0].split() == ["headline", "headline", *["dense", "bf16"] * 5]


def test_the_headline_stands_beside_in_a_sweep(answer: Ask, run: Run) -> None:
    """As above: 2 x 64 x 1000 x 4096 / (2 (64 x 4096 + 4096 x 1000 + 64 x 1000)) = 59.3 is below both ridges."""
    line = "op gemm -n 1000 -k 4096 --sweep m=64,1024 --dtype bf16 --hw h100"
    found = answer(line)
    verdicts = [(row["m"], row["headline_bound"], row["bound"]) for row in answer(f"{line} --floor 0")["kernels"]]
    assert verdicts == [(64, "memory-bound", "memory-bound"), (1024, "memory-bound", "compute-bound")]
    assert {row["headline_peak_flop_per_s"] for row in found["kernels"]} == {1979e12}
    assert "headline and sourced dense peak disagree on: gemm 1024x1000x4096" in found["notes"]
    out = run(line).out
    assert "headline: 1979 TFLOP/s fp16 2:4 (article)" in out
    assert out.count("headline: ") == 1


# Accumulators --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "peak"),
    [
        ("--dtype int8 --accumulator int32 --hw h100", 1978.9e12),
        ("--dtype fp32 --accumulator fp32 --hw h100", 66.9e12),
        ("--dtype fp64 --accumulator fp64 --hw h100", 66.9e12),
    ],
)
def test_a_natural_accumulator_is_served_where_the_source_says_none(answer: Ask, options: str, peak: float) -> None:
    found = answer(f"{SQUARE} {options}")
    assert found["peak_flop_per_s"] == pytest.approx(peak, rel=1e-3)
    words = options.split()
    note = f"the {words[1]} peak of h100-sxm is taken as one with {words[3]} accumulation: its source does not say"
    assert any(text.startswith(note) for text in found["notes"])
    assert "accumulation" not in found["roof"]  # which its source would not bear out


@pytest.mark.parametrize("sums", ["fp16", "fp32", "bf16"])
def test_a_given_peak_serves_whatever_accumulator_it_is_given_for(answer: Ask, sums: str) -> None:
    found = answer(f"{SQUARE} --dtype fp16 --accumulator {sums} --peak 10T --bw 1TB/s")
    assert found["peak_flop_per_s"] == 10e12
    assert f"the given peak is taken as one with {sums} accumulation" in found["notes"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "--dtype bf16 --accumulator bf16 --hw rtx4090",
            "rtx4090 has no dense bf16 with bf16 accumulation peak; it has",
        ),
        (
            "--dtype fp16 --accumulator fp64 --hw h100",
            "h100-sxm has no dense fp16 with fp64 accumulation peak; it has: ",
        ),
        (
            "--dtype int8 --accumulator fp32 --hw h100",
            "h100-sxm has no dense int8 with fp32 accumulation peak; it has: ",
        ),
    ],
)
def test_an_accumulator_without_a_known_rate_is_refused(run: Run, options: str, message: str) -> None:
    refused(run(f"{SQUARE} {options}"), message)


# Options that cannot have an effect ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("op gelu -n 8 --sparse --hw h100", "--sparse is for products of matrices; gelu has none; leave it out"),
        ("op transpose -m 8 -n 8 --sparse --hw h100", "--sparse is for products of matrices; transpose has none"),
        ("op allreduce -n 8 -p 2 --sparse --hw h100", "--sparse is for products of matrices; allreduce has none"),
        ("op gemm -m 8 -n 8 -k 8 --link NVLink --hw h100", "--link is for communication between devices; gemm sends"),
        ("op gemm -m 8 -n 8 -k 8 --latency 0 --hw h100", "--latency is for communication between devices; gemm sends"),
        ("op gemm -m 8 -n 8 -k 8 --floor 0", "--floor needs a device; name one with --hw"),
        ("op allreduce -n 8 -p 2 --latency 0", "--latency needs a device; name one with --hw"),
        ("op gemm -m 8 -n 8 -k 8 --explain", "--explain needs a device; name one with --hw"),
        ("op gemm -m 8 -n 8 --sweep k=8,16 --explain --hw h100", "--explain is of one size; leave out --sweep"),
        ("op gemm -m 8 --sweep n=8,16 --sweep k=8,16", "--sweep is given twice; one argument is swept at a time"),
    ],
)
def test_an_option_without_effect_is_refused(run: Run, line: str, message: str) -> None:
    refused(run(line), message)


# Doubts and causes ---------------------------------------------------------------------------------------------------


def test_a_time_far_above_the_launch_floor_is_doubted(answer: Ask) -> None:
    """2.34 s are 468,000 x the floor of 5 us; 2.34 us, or 40 ms at 8000 x, are not doubted."""
    line = "op gemm -m 128 -n 128 -k 128 --dtype fp16 --hw h100 --time"
    doubt = "measured at over 10,000x the least time (or the launch floor): gemm 128x128x128; is the unit of the time"
    assert any(text.startswith(doubt) for text in answer(f"{line} 2.34s")["notes"])
    for time in ("2.34us", "40ms"):
        assert not any("10,000x" in text for text in answer(f"{line} {time}")["notes"])


def test_the_causes_for_a_link_above_its_roof_are_those_of_links(run: Run) -> None:
    """A ring of 8 sends 3.5 GB: 7.778 ms at 450 GB/s."""
    err = run("op allreduce -n 1e9 -p 8 --hw h100 --time 1ms").err
    assert "is above the roof: 7.778x the vendor bandwidth of NVLink 4 x18; likely causes: units, a bandwidth" in err
    for cause in ("in one direction", "an algorithm that sends less", "reduction in the switches", "several links"):
        assert cause in err
    assert "sparse" not in err
    assert "FLOP" not in err


# Errors that name what was typed -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("op gemm -m 1e99 -n 1 -k 1", "-m must be a whole number from 1 to 1e15, got '1e99'"),
        (
            "op depthwise -c 1e15 -h 8 -r 3 --multiplier 2",
            "c times multiplier must be at most 1e15 output channels, got",
        ),
        ("op gemm -m 1e15 -n 1e15 -k 1e15 --batch 1e15", "m, n, k, batch are too large together: FLOPs must be 0 or"),
        (
            "op attention -h 8 --s-q 8 -d 8 --sweep h-kv=1:4:+1",
            "--sweep h_kv at 3: h_kv must divide h: 8 is no multiple",
        ),
        ("op stencil --sweep grid=8x8,2X2", "--sweep grid at 2x2: grid must have at least 2 radius + 1 = 3 points"),
        ("op reduce -z 4", "no such option '-z'; roofline op reduce --help lists them"),
    ],
)
def test_an_error_names_the_argument_or_the_size(run: Run, line: str, message: str) -> None:
    refused(run(line), message)


def test_sizes_and_names_are_read_in_either_case(answer: Ask) -> None:
    assert answer("op STENCIL --grid 8X8")["name"] == answer("op stencil --grid 8x8")["name"]
    assert answer("op Stream-Triad -n 8")["traffic_byte"] == 3 * 8 * 8
    assert answer("op LIST gemm")["operations"]


def test_a_device_without_any_usual_precision_takes_its_own(answer: Ask) -> None:
    """tpu-v5e has bf16 and int8 alone: 3 values of 2 B."""
    found = answer("op stream-triad -n 1000 --hw tpu-v5e")
    assert (found["precision"], found["traffic_byte"]) == ("bf16", 6000)
    assert "no --dtype given: bf16, since tpu-v5e has no fp64 peak" in found["notes"]


def test_help_fits_80_columns(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("stencil", "attention", "gemm", "grouped-gemm"):
        assert max(map(len, run(f"op {name} --help").out.splitlines())) <= 80
