"""``roofline op``: the issue's figures over the command line, each worked out by hand; sweeps, roofs, bad shapes."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roofline.operations.registry import Operation, Parameter, operations
from tests.conftest import Result, Runner

# 100 TFLOP/s in bf16, 200 with sums in fp16; 1 TB/s; 10 TB/s through L2; I* = 100 FLOP/B over HBM
CHIP = """
name: Chip
kind: gpu
peaks:
  - {dtype: bf16, unit: matrix, accumulate: fp32, dense: 100T, sparse: 200T}
  - {dtype: fp16, unit: matrix, accumulate: fp16, dense: 200T}
  - {dtype: fp16, unit: matrix, accumulate: fp32, dense: 100T}
  - {dtype: fp16, unit: vector, dense: 20T}
memory:
  - {level: HBM, bandwidth: 1 TB/s, capacity: 80 GB}
  - {level: L2, bandwidth: 10 TB/s, capacity: 50 MB}
links:
  - {name: Fabric, bandwidth: 100 GB/s, direction: one-way}
  - {name: Ethernet, bandwidth: 10 GB/s, direction: one-way}
"""


@pytest.fixture
def answer(roofline: Runner) -> Callable[[str], Any]:
    def ask(line: str) -> Any:
        result = roofline(*line.split(), "--format", "json")
        assert (result.status, result.err) == (0, ""), result.err
        return json.loads(result.out)

    return ask


@pytest.fixture
def run(roofline: Runner) -> Callable[[str], Result]:
    return lambda line: roofline(*line.split())


Ask = Callable[[str], Any]
Run = Callable[[str], Result]


@pytest.fixture
def chip(own_file: Callable[..., str]) -> str:
    return own_file(CHIP)


# What must hold ------------------------------------------------------------------------------------------------------


def test_gemm_on_an_h100(answer: Ask) -> None:
    """U10: 2 x 4096^3 = 137,438,953,472 FLOP; 3 x 4096^2 x 2 B = 100,663,296 B; their quotient is 4096 / 3."""
    found = answer("op gemm -m 4096 -n 4096 -k 4096 --dtype bf16 --hw h100")
    assert (found["work_flop"], found["traffic_byte"]) == (137_438_953_472, 100_663_296)
    assert found["arithmetic_intensity_flop_per_byte"] == pytest.approx(4096 / 3)
    assert found["bound"] == "compute-bound"
    assert found["peak_flop_per_s"] == 989.4e12
    assert found["least_time_s"] == pytest.approx(137_438_953_472 / 989.4e12)
    assert found["headline_peak_flop_per_s"] == 1979e12  # beside it


def test_a_small_gemm_is_latency_bound(answer: Ask) -> None:
    """U24: 3 x 128^2 x 2 B = 98,304 B; I = 128 / 3; 98,304 B / 3.35 TB/s = 29.34 ns; 2.34 us / 29.34 ns = 79.74."""
    line = "op gemm -m 128 -n 128 -k 128 --dtype fp16 --time 2.34us --hw h100"
    found = answer(line)
    assert (found["work_flop"], found["traffic_byte"]) == (4_194_304, 98_304)
    assert found["arithmetic_intensity_flop_per_byte"] == pytest.approx(42.67, rel=1e-4)
    assert found["least_time_s"] == pytest.approx(29.34e-9, rel=1e-3)
    assert found["time_s"] / found["least_time_s"] == pytest.approx(79.74, rel=1e-4)
    assert found["bound"] == "latency-bound"
    assert found["context"]["launch_floor_s"] == {"h100-sxm": 5e-6}
    assert answer(f"{line} --floor 0")["bound"] == "memory-bound"
    assert answer(f"{line} --floor 29ns")["bound"] == "memory-bound"
    assert answer(f"{line} --floor 30ns")["bound"] == "latency-bound"


def test_latency_bound_is_said_in_words(run: Run) -> None:
    out = run("op gemm -m 128 -n 128 -k 128 --dtype fp16 --time 2.34us --hw h100").out
    assert "latency-bound: the least time of 29.34 ns is below the launch floor of 5.000 us; by the roof memory" in out
    assert "takes 79.74x the least time of 29.34 ns" in out


def test_a_cpu_launches_nothing(answer: Ask) -> None:
    assert answer("op dot -n 1000 --hw epyc9654")["bound"] == "memory-bound"
    assert answer("op dot -n 1000 --hw h100")["bound"] == "latency-bound"


def test_triad_with_and_without_write_allocate(answer: Ask) -> None:
    """U20: 2 FLOP over 3 or 4 values of 8 B."""
    for option, moved in (("", 24), (" --write-allocate", 32)):
        found = answer(f"op stream-triad -n 1000000{option}")
        assert (found["work_flop"], found["traffic_byte"]) == (2_000_000, moved * 1_000_000)
        assert found["arithmetic_intensity_flop_per_byte"] == 2 / moved


def test_attention_causal_and_full(answer: Ask) -> None:
    """L13: 4 x 32 x 8192^2 x 128 = 1.100 TFLOP in full; causal 8192 x 8193 / 2 pairs, 549.8 GFLOP."""
    shape = "op attention -b 1 -h 32 --s-q 8192 -d 128"
    assert answer(shape)["work_flop"] == 4 * 32 * 128 * 8192 * 8193 // 2
    assert answer(shape)["work_flop"] == pytest.approx(549.8e9, rel=2e-4)
    assert answer(f"{shape} --count full")["work_flop"] == 4 * 32 * 128 * 8192**2


def test_attention_writes_sequence_by_head_size(answer: Ask) -> None:
    """L15: Q, K, V and the output, 32 x 8192 x 128 values of 2 B each; unfused 4 times 32 x 8192^2 x 2 B more."""
    shape = "op attention -h 32 --s-q 8192 -d 128"
    fused = 4 * 32 * 8192 * 128 * 2
    assert answer(shape)["traffic_byte"] == fused
    assert answer(f"{shape} --unfused")["traffic_byte"] == fused + 4 * 32 * 8192**2 * 2


@pytest.mark.parametrize(
    ("shape", "flops", "intensity"),
    [
        ("-c 3 -k 64 -h 224 -r 7 --stride 2 --padding 3", 2 * 112 * 112 * 64 * 3 * 49, None),  # 236.0 MFLOP
        ("-c 128 -k 128 --groups 128 -h 56 -r 3 --padding 1 --dtype fp16", 2 * 56 * 56 * 128 * 9, 4.494),
        ("--transposed -c 3 -k 1 -h 2 -r 2 --stride 2", 2 * 4 * 3 * 1 * 4, None),  # input points: 96
    ],
)
def test_convolutions_with_groups_and_transposed(answer: Ask, shape: str, flops: int, intensity: float | None) -> None:
    """U26."""
    found = answer(f"op conv2d {shape}")
    assert found["work_flop"] == flops
    if intensity is not None:
        assert found["arithmetic_intensity_flop_per_byte"] == pytest.approx(intensity, rel=2e-4)


@pytest.mark.parametrize(
    ("options", "reads"),
    [("", 1), (" --reuse none", 7), (" --reuse layer --cache 1024", 5), (" --reuse layer --cache 100000000", 1)],
)
def test_stencil_names_its_model_of_reuse(answer: Ask, options: str, reads: int) -> None:
    """7-point star on 256^3: 7 reads without a cache; 4 r + 1 = 5 rows where not even rows fit; else one. 8 B each."""
    found = answer(f"op stencil --grid 256x256x256{options}")
    assert found["traffic_byte"] == (reads + 1) * 8 * 256**3
    assert any(
        text.endswith(f"{reads} element{'s' if reads > 1 else ''} read a point") for text in found["assumptions"]
    )


def test_flops_stay_whole_numbers_beyond_the_range_of_floats(answer: Ask) -> None:
    found = answer("op gemm -m 999999999999 -n 999999999998 -k 999999999997")
    assert found["work_flop"] == 2 * 999_999_999_999 * 999_999_999_998 * 999_999_999_997


# The roof ------------------------------------------------------------------------------------------------------------


def test_without_a_dtype_it_is_bf16_or_else_what_the_device_has_and_is_said(answer: Ask) -> None:
    shape = "op gemm -m 4096 -n 4096 -k 4096"
    for hw, dtype, note in (
        ("h100", "bf16", "no --dtype given: bf16"),
        ("m4max", "fp16", "no --dtype given: fp16, since m4max has no bf16 peak"),
    ):
        found = answer(f"{shape} --hw {hw}")
        assert found["precision"] == dtype
        assert note in found["notes"]
    both = answer(f"{shape} --hw h100 --hw m4max")
    assert note in both["notes"]
    assert [row["precision"] for row in both["devices"]] == ["fp16", "fp16"]
    assert not any("no --dtype" in note for note in answer(f"{shape} --hw h100 --dtype bf16")["notes"])
    with_vectors = answer("op stream-triad -n 1000 --hw m4max")
    assert (with_vectors["precision"], with_vectors["traffic_byte"]) == ("fp32", 12_000)


def test_quantised_weights_are_few_bytes_and_computed_in_the_format_of_the_activations(answer: Ask) -> None:
    """2 x (4096 + 4096) B and 4096^2 weights of 4 + 20/128 = 4.15625 bit."""
    found = answer("op gemm -m 1 -n 4096 -k 4096 --weights int4-g128 --hw h100")
    assert found["traffic_byte"] == 16_384 + 4096**2 * 4.15625 / 8
    assert (found["precision"], found["peak_flop_per_s"]) == ("bf16", 989.4e12)
    found = answer("op gemm -m 64 -n 64 -k 64 --dtype fp8 --result bf16 --hw h100")
    assert (found["traffic_byte"], found["peak_flop_per_s"]) == (2 * 4096 + 2 * 4096, 1978.9e12)


def test_sums_in_fp16_take_the_rate_with_fp16_accumulation(answer: Ask, chip: str) -> None:
    shape = f"op gemm -m 64 -n 64 -k 64 --dtype fp16 --hw {chip}"
    assert answer(shape)["peak_flop_per_s"] == 100e12
    assert answer(f"{shape} --accumulator half")["peak_flop_per_s"] == 200e12
    assert answer(f"{shape} --unit vector")["peak_flop_per_s"] == 20e12


def test_a_sparse_peak_is_named_as_one(answer: Ask, roofline: Runner, chip: str) -> None:
    shape = "op gemm -m 4096 -n 4096 -k 4096 --dtype bf16 --sparse --hw"
    assert answer(f"{shape} {chip}")["peak_flop_per_s"] == 200e12
    assert "2:4 bf16       headline" in roofline(*f"{shape} h100".split()).out


def test_tiles_are_traffic_through_the_level_that_is_named(answer: Ask, chip: str) -> None:
    """4096 / 128 = 32 tiles along m and n: A and B move 32 times each, C once; all are 4096^2 x 2 B = 33.55 MB."""
    shape = f"op gemm -m 4096 -n 4096 -k 4096 --tile 128,128,32 --dtype bf16 --hw {chip}"
    moved = (32 + 32 + 1) * 4096**2 * 2
    main, cache = answer(shape), answer(f"{shape} --level L2")
    assert main["traffic_byte"] == cache["traffic_byte"] == moved
    assert (main["memory_level"], cache["memory_level"]) == ("HBM", "L2")
    # 137.4 GFLOP at 100 TFLOP/s are 1.374 ms; 2.181 GB take 2.181 ms from HBM and 0.218 ms from L2
    assert (main["bound"], cache["bound"]) == ("memory-bound", "compute-bound")
    assert main["least_time_s"] == pytest.approx(moved / 1e12)


def test_the_lower_bound_of_hong_and_kung(answer: Ask, chip: str) -> None:
    """L2 holds S = 50e6 x 8 / 16 = 25e6 values: 2 x 16384^3 / 5000 - 50e6 = 1.7092e9 values of 2 B."""
    found = answer(f"op gemm -m 16384 -n 16384 -k 16384 --dtype bf16 --hw {chip}")
    assert found["traffic_lower_bound_byte"] == pytest.approx(2 * (2 * 16384**3 / 5000 - 50e6), abs=2)
    # 3.418 GB over 2 x 16384^3 = 8.796e12 FLOP
    note = "no order of these products moves less than 3.418 GB (0.0003886 B/FLOP) past 50.00 MB of L2"
    assert any(text.startswith(note) for text in found["notes"])
    # Weights of 4.15625 bit: all values are taken to be as small, and what must move at least moves.
    small = answer(f"op gemm -m 64 -n 64 -k 64 --weights int4-g128 --dtype bf16 --hw {chip}")
    assert small["traffic_lower_bound_byte"] == small["traffic_byte"]
    # A roof over L2 has no cache above it that is known.
    assert "traffic_lower_bound_byte" not in answer(f"op gemm -m 64 -n 64 -k 64 --level L2 --dtype bf16 --hw {chip}")


def test_re_reads_of_keys_are_judged_where_l2_has_a_bandwidth(answer: Ask, chip: str) -> None:
    """Causal, 8192 queries in 64 blocks of 128: block i reads 128 i keys, 128 x 64 x 65 / 2 = 266,240 in all."""
    shape = "op attention -h 32 --s-q 8192 -d 128 --block 128 --dtype bf16 --hw"
    read = 2 * 32 * 8192 * 128 * 2 + 2 * 32 * 266_240 * 128 * 2
    judged = answer(f"{shape} {chip}")
    assert [(level["memory_level"], level["traffic_byte"]) for level in judged["levels"]] == [
        ("HBM", 4 * 32 * 8192 * 128 * 2),
        ("L2", read),
    ]
    assert answer(f"{shape} {chip} --level L2")["traffic_byte"] == read
    note = "4.496 GB through L2 not judged: h100-sxm gives no bandwidth for its L2"
    assert note in answer(f"{shape} h100")["notes"]


def test_communication_is_placed_on_the_link(answer: Ask, chip: str) -> None:
    """Ring of 8: 2 x 7/8 x 1e9 x 2 B = 3.5 GB: 35 ms at 100 GB/s, and 14 steps of 1 ms."""
    shape = f"op allreduce -n 1000000000 -p 8 --dtype bf16 --hw {chip}"
    found = answer(f"{shape} --latency 1ms")
    assert (found["wire_byte"], found["messages"], found["bound"]) == (3_500_000_000, 14, "link-bound")
    assert found["least_time_s"] == pytest.approx(35e-3 + 14e-3)
    assert answer(f"{shape} --link ethernet")["least_time_s"] == pytest.approx(350e-3)


def test_what_has_no_matrix_products_is_under_the_vector_peak(answer: Ask, chip: str) -> None:
    found = answer(f"op gelu -n 1000000 --dtype fp16 --hw {chip}")
    assert found["peak_flop_per_s"] == 20e12
    found = answer(f"op gelu -n 1000000 --dtype bf16 --hw {chip}")
    assert found["peak_flop_per_s"] == 100e12
    assert any("no bf16 rate of the vector unit" in note for note in found["notes"])


def test_moving_bytes_needs_no_peak_of_their_format(answer: Ask) -> None:
    found = answer("op transpose -m 1000 -n 1000 --dtype int64 --hw h100")
    assert (found["work_flop"], found["traffic_byte"]) == (0, 16_000_000)


def test_a_peak_and_a_bandwidth_stand_in_for_a_device(answer: Ask) -> None:
    found = answer("op gemm -m 4096 -n 4096 -k 4096 --peak 100T --bw 1TB/s")
    assert (found["ridge_flop_per_byte"], found["bound"]) == (100, "compute-bound")


def test_headline_and_dense_peak_may_disagree(answer: Ask) -> None:
    """I = 2 x 1024 x 4096 x 1000 / (2 (1024 x 4096 + 4096 x 1000 + 1024 x 1000)) = 450.2, between 295 and 591."""
    found = answer("op gemm -m 1024 -n 1000 -k 4096 --hw h100")
    assert (found["bound"], found["headline_bound"]) == ("compute-bound", "memory-bound")
    assert any(note.startswith("memory-bound against the headline 1979 TFLOP/s, but") for note in found["notes"])
    # 4096^3 x 2/3 in fp64 at 66.9 TFLOP/s: no headline in fp16 has a say
    found = answer("op lu -n 4096 --hw h100")
    assert (found["bound"], found["headline_bound"]) == ("compute-bound", "memory-bound")
    assert not any("against the headline" in note for note in found["notes"])


# Sweeps --------------------------------------------------------------------------------------------------------------


def test_a_sweep_marks_the_ridge_and_the_launch_floor(answer: Ask, roofline: Runner, chip: str) -> None:
    """n = m = k = s in bf16 has I = s / 3: past I* = 100 from s = 301. At 100 TFLOP/s 5 us are 500 MFLOP: s = 630."""
    line = f"op gemm --sweep m=256:1024:x2 -n 512 -k 512 --dtype bf16 --hw {chip}"
    # I = 2 m 512^2 / (2 (2 x 512 m + 512^2)): 128 at 256, so all are past the ridge; 2 m 512^2 = 500e6 at m = 954.
    found = answer(line)
    assert found["sweep"] == "m"
    rows = [(row["m"], row["bound"], row["crossing"]) for row in found["kernels"]]
    assert rows == [
        (256, "latency-bound", None),
        (512, "latency-bound", None),
        (1024, "compute-bound", "launch floor"),
    ]
    # Without a floor: I = 512 m / (2 m + 512), 56.9 at m = 64... 100 at m = 164.1.
    rows = answer(f"{line.replace('256:1024:x2', '128:512:+128')} --floor 0")["kernels"]
    assert [(row["m"], row["bound"], row["crossing"]) for row in rows] == [
        (128, "memory-bound", None),
        (256, "compute-bound", "ridge"),
        (384, "compute-bound", None),
        (512, "compute-bound", None),
    ]
    text = roofline(*line.split()).out
    assert re.search(r"m = 1024 is the first of these sizes above the launch floor of 5.000 us, after \d+\n", text)


def test_a_sweep_over_several_devices_marks_each(answer: Ask) -> None:
    """I = 4096 x 4096 m / (8192 m + 4096^2): 228 at m = 256, 683 at 1024; ridges 295 and 164."""
    found = answer("op gemm -n 4096 -k 4096 --sweep m=64,256,1024 --hw h100 --hw rtx4090")
    crossed = {(row["m"], row["device"]) for row in found["kernels"] if row["crossing"] == "ridge"}
    assert crossed == {(256, "rtx4090"), (1024, "h100-sxm")}


@pytest.mark.parametrize("form", ["table", "csv", "jsonl", "markdown"])
def test_a_sweep_in_every_format_has_a_row_a_size(roofline: Runner, form: str) -> None:
    result = roofline(*f"op stream-triad --sweep n=1000,2000,4000 --hw h100 --format {form}".split())
    assert result.status == 0
    assert all(f"{n}" in result.out for n in (1000, 2000, 4000))
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(result.out)))
        assert [(row["n"], row["traffic_byte"]) for row in rows] == [
            ("1000", "24000"),
            ("2000", "48000"),
            ("4000", "96000"),
        ]


def test_a_sweep_without_a_device_is_what_shapes_cost(answer: Ask) -> None:
    rows = answer("op stencil --sweep grid=8x8,16x8")["kernels"]
    assert [(row["grid"], row["traffic_byte"]) for row in rows] == [("8x8", 2 * 8 * 64), ("16x8", 2 * 8 * 128)]
    rows = answer("op conv2d -c 1 -k 1 -h 8 -r 2 --sweep stride=1:2:+1")["kernels"]
    assert [(row["stride"], row["work_flop"]) for row in rows] == [(1, 2 * 49 * 4), (2, 2 * 16 * 4)]


def test_a_sweep_says_what_holds_at_every_size_and_fits_80_columns(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = run("op gemm --sweep n=256:65536:x4 -m 4096 -k 4096 --tile 128,128,32 --hw h100 --hw a100").out
    table, _, rest = out.partition("\n\n")
    assert all(len(line) <= 80 for line in table.splitlines())
    assert "note: tiles of 128x128x32" in rest
    assert "A is read" not in rest  # which differs from size to size


# Bad shapes ----------------------------------------------------------------------------------------------------------


def flag_of(parameter: Parameter) -> str:
    name = parameter.name.replace("_", "-")
    return f"-{name}" if len(name) == 1 else f"--{name}"


def smallest(operation: Operation) -> dict[str, str]:
    values = {"size": "4", "sizes": "4,4"}
    return {flag_of(p): values[p.kind] for p in operation.parameters if p.required}


@pytest.mark.parametrize("operation", operations().values(), ids=lambda operation: operation.name)
def test_a_bad_size_is_one_line_that_names_the_argument(roofline: Runner, operation: Operation) -> None:
    for parameter in operation.parameters:
        if not parameter.required:
            continue
        for bad in ("-1", "1.5", "nan", "x", "", "1" + "0" * 30, "1e30", "9" * 5000, "1e-3"):
            words = [word for pair in (smallest(operation) | {flag_of(parameter): bad}).items() for word in pair]
            result = roofline("op", operation.name.replace("_", "-"), *words)
            assert (result.status, result.out) == (2, ""), words
            assert result.err.count("\n") == 1
            dashed = parameter.name.replace("_", "-")
            assert re.match(f"error: (-{{1,2}}{dashed}|{parameter.name}) must ", result.err), result.err
            assert len(result.err) < 250


BAD = [
    ("gemm -m 0 -n 1 -k 1", "m must be a whole number from 1 to 1e15, got 0"),
    ("gemm -m 1 -n 1", "gemm needs -k; roofline op gemm --help explains"),
    ("grouped-gemm", "grouped_gemm needs -m, -n, -k; roofline op grouped-gemm --help explains"),
    ("gemm -m 8 -n 8 -k 8 --tile 4,4", "tile must be three sizes M,N,K, got 2"),
    ("gemm -m 8 -n 8 -k 8 --spill", "spill needs a tile: without one, the sums of C have no reason"),
    ("gemm -m 8 -n 8 -k 8 --dtype bf17", "dtype: unknown number format 'bf17'; did you mean: bf16"),
    ("gemm -m 8 -n 8 -k 8 --level L2", "--level needs a device; name one with --hw; roofline hw list shows them"),
    ("gemm -m 8 -n 8 -k 8 --roof measured", "--roof needs a device; name one with --hw; roofline hw list shows them"),
    ("gemm -m 8 -n 8 -k 8 --hw h100 --level L2", "h100-sxm gives no bandwidth for its L2; levels with one: HBM3"),
    ("gemm -m 8 -n 8 -k 8 --hw h100 --roof measured --accumulator fp16", "measured ceilings do not tell accumulators"),
    ("gemm -m 8 -n 8 -k 8 --hw m4max --dtype fp8", "m4max has no fp8 peak; it has: fp32, fp16"),
    ("gemm -m 8 -n 8 -k 8 --sweep m=1:8:x2", "m is given and swept; leave one out"),
    ("gemm -n 8 -k 8 --sweep m=1:8:x2 --time 1us", "--time is of one size; leave out --sweep"),
    ("gemm -n 8 -k 8 --sweep m=8:1:x2", "--sweep m must rise from 1 or more, got 8:1:x2; for example 256:16384:x2"),
    ("gemm -n 8 -k 8 --sweep m=1:8:*2", "--sweep m takes FIRST:LAST:xFACTOR or FIRST:LAST:+STEP, got 1:8:*2"),
    ("gemm -n 8 -k 8 --sweep m=1:1000000:+1", "--sweep m gives more than 10000 sizes; take a larger step"),
    ("gemm -n 8 -k 8 --sweep q=1:8:x2", "--sweep takes ARGUMENT=FIRST:LAST:xFACTOR, got 'q=1:8:x2'; arguments of"),
    ("gemm -n 8 -k 8 --sweep m=0,1", "--sweep m at 0: m must be a whole number from 1 to 1e15, got 0"),
    ("conv2d -c 6 -k 4 -h 8 -r 3 --groups 3", "groups must divide k: 4 is no multiple of 3"),
    ("conv2d -c 1 -k 1 -h 2 -r 5", "r must fit the input: 5 taps reach over 5 points, and h has 2 with its padding"),
    ("conv2d -h", "-h is a size of conv2d; roofline op conv2d --help explains"),
    ("attention -h 3 --h-kv 2 --s-q 8 -d 8", "h_kv must divide h: 3 is no multiple of 2"),
    ("p2p -n 8 --hw m4max", "no link of m4max to other devices is known; --link 64GB/s gives one, "),
    ("allreduce -n 8 -p 2 --hw h100 --link X", "h100-sxm has no link 'X'; it has: NVLink 4"),
    ("gemn -m 8", "no such operation 'gemn'; did you mean: gemv, gemm?"),
    ("zzz", "no such operation 'zzz'; roofline op list shows them"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message"), BAD, ids=[line for line, _ in BAD])
def test_bad_command_lines(roofline: Runner, line: str, message: str) -> None:
    result = roofline("op", *line.split())
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(f"error: {message}")
    assert result.err.count("\n") == 1


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    option=st.sampled_from(
        ["-m", "--batch", "--tile", "--sweep", "--dtype", "--weights", "--time", "--floor", "--level"]
    ),
    text=st.text(alphabet="0123456789mnkxe:=,.+-* L\u0663\u00b2", max_size=14),
)
def test_no_text_makes_a_traceback(roofline: Runner, option: str, text: str) -> None:
    text = text.replace(":+", ":x")  # a sweep of ten thousand rows is no mistake, only slow
    result = roofline("op", "gemm", "-n", "8", "-k", "8", "-m", "8", option, text, "--hw", "h100", "--format", "json")
    assert result.status in (0, 2)
    assert result.err.count("\n") <= 1
    assert bool(result.out) == (result.status == 0)


# The list ------------------------------------------------------------------------------------------------------------


def test_the_list_has_every_operation_and_can_be_searched(roofline: Runner, answer: Ask) -> None:
    listed = answer("op list")["operations"]
    assert {row["operation"].replace("-", "_") for row in listed} == set(operations())
    assert [row["operation"] for row in answer("op list STREAM tri")["operations"]] == ["stream-triad"]
    nothing = roofline("op", "list", "nothing-like-it")
    assert (nothing.status, nothing.out) == (0, "no operation fits\n")


def test_the_list_fits_80_columns_without_a_summary_cut_short(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run("op list").out
    monkeypatch.setenv("COLUMNS", "80")
    assert run("op list").out == whole
    assert max(map(len, whole.splitlines())) <= 80


def test_a_wider_operand_sets_the_precision_of_the_products(answer: Ask) -> None:
    """bf16 weights cannot be narrowed to fp8 without loss, so such products run in bf16: 989.4 and not 1978.9."""
    shape = "op gemm -m 4096 -n 4096 -k 4096 --hw h100"
    assert answer(f"{shape} --activations fp8")["peak_flop_per_s"] == 989.4e12
    assert answer(f"{shape} --activations fp8 --weights fp8 --result bf16")["peak_flop_per_s"] == 1978.9e12
    assert answer(f"{shape} --weights fp8")["peak_flop_per_s"] == 989.4e12


def test_sparse_products_and_depthwise_convolutions_have_no_matrix_products(answer: Ask) -> None:
    """fp64 of the H100: 33.5 TFLOP/s of the vector unit and 66.9 of the matrix unit; fp16 133.8 and 989.4."""
    spmm = answer("op spmm --rows 100000 --nnz 10000000 -n 512 --hw h100")
    assert spmm["peak_flop_per_s"] == 33.5e12
    depthwise = answer("op depthwise -c 512 -h 112 -r 31 --padding 15 -n 256 --dtype fp16 --hw h100")
    assert depthwise["peak_flop_per_s"] == 133.8e12


def test_bits_with_their_scales_are_said(answer: Ask) -> None:
    notes = answer("op gemm -m 1 -n 8192 -k 8192 --weights int4-g128 --hw h100")["notes"]
    assert "int4-g128 takes 4.15625 bits an element, its scales included" in notes
    (found,) = answer("op formats int4-g128-sym")["formats"]
    assert (found["bit_per_element"], found["arithmetic"]) == (4.125, "bf16")


def test_everyday_names_lead_to_operations(run: Run) -> None:
    assert "did you mean: gemm?" in run("op matmul").err
    assert "attention" in run("op list gqa").out


def test_a_size_in_bytes_is_explained(run: Run) -> None:
    assert "sizes count elements, without a unit" in run("op allreduce -n 16MB -p 8 --hw h100").err


def test_a_cache_is_an_amount_of_bytes(run: Run) -> None:
    # 2 r + 1 = 3 planes of 512 x 512 doubles are 6.3 MB: 32 MiB hold them, 4 MB do not, but rows of 3 x 512
    line = "op stencil --grid 512,512,512 --reuse layer --hw h100 --format json --cache"
    held, rows = (json.loads(run(f"{line} {cache}").out) for cache in ("32MiB", "4MB"))
    assert held == json.loads(run(f"{line} 33554432").out)
    assert held["traffic_byte"] < rows["traffic_byte"]
    assert "error: --cache is an amount of data (B), got a rate (GB/s)" in run(f"{line} 4GB/s").err
    swept = json.loads(run(f"{line.removesuffix(' --cache')} --sweep cache=4MB,32MiB").out)["kernels"]
    assert [row["traffic_byte"] for row in swept] == [rows["traffic_byte"], held["traffic_byte"]]


def test_what_is_known_of_a_link_is_said(run: Run) -> None:
    """The facts: a single pair of MI300X gets 64 GB/s, one of the seven links that the 448 GB/s are of."""
    assert "64 GB/s" in run("op p2p -n 8e6 --hw mi300x").out
