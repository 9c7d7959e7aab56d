"""The answers the product must give, each with its arithmetic (and the worked cases U01 to U24, T11, Y09)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner


def ask(roofline: Runner, command: str, **more: Any) -> dict[str, Any]:
    result = roofline(*command.split(), "--format", "json", **more)
    assert result.status == 0, result.err
    document: dict[str, Any] = json.loads(result.out)
    return document


def near(value: float, digits: float = 5e-4) -> Any:
    """Equal to four significant digits."""
    return pytest.approx(value, rel=digits)


def lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


@pytest.mark.parametrize(
    ("name", "headline", "dense"),
    [
        pytest.param("h100", 590.7, 295.3, id="h100"),  # 1979 / 3.35 and 989.4 / 3.35
        pytest.param("rtx4090", 327.4, 163.9, id="rtx4090"),  # 330 / 1.008 and 165.2 / 1.008
        pytest.param("m4max", 117.2, 29.59, id="m4max"),  # 64 / 0.546 and 16.1587 / 0.546
    ],
)
def test_ridge_of_the_article_devices(roofline: Runner, name: str, headline: float, dense: float) -> None:
    answer = ask(roofline, f"ridge --hw {name}")
    assert (answer["ridge_flop_per_byte"], answer["dense_ridge_flop_per_byte"]) == (near(headline), near(dense))
    assert answer["peaks"][0]["roof"] == "headline"


def test_tables_show_large_intensities_as_the_article_does(roofline: Runner) -> None:
    out = lines(roofline("ridge", "--hw", "h100").out)
    assert ["headline", "fp16", "-", "-", "1979", "591", "article"] in out
    assert ["default", "fp16", "matrix", "fp32/fp16", "989.4", "295", "1979", "591", "vendor"] in out


def test_analyze_m4max(roofline: Runner) -> None:
    answer = ask(roofline, "analyze --flops 2e12 --bytes 1.4e11 --hw m4max")
    assert answer["arithmetic_intensity_flop_per_byte"] == near(14.29)  # 2e12 / 1.4e11
    assert answer["bound"] == "memory-bound"
    assert answer["attainable_flop_per_s"] == near(7.8e12)  # 14.2857 x 546e9
    assert answer["share_of_peak"] == near(0.1219)  # 7.8 / 64
    assert answer["least_time_s"] == near(0.2564)  # 1.4e11 / 546e9
    assert answer["ridge_distance"] == near(8.205)  # 117.216 / 14.2857
    table = roofline("analyze", "--flops", "2e12", "--bytes", "1.4e11", "--hw", "m4max").out
    for text in ("14.29", "7.800 TFLOP/s", "12.19 %", "256.4 ms", "8.205x below", "needs 8.205x more FLOPs per byte"):
        assert text in table


def test_decode_of_a_70b_model_leaves_an_h100_idle(roofline: Runner) -> None:
    answer = ask(roofline, "analyze --flops 140e9 --bytes 140GB --hw h100")
    assert answer["arithmetic_intensity_flop_per_byte"] == 1.0
    assert (answer["bound"], answer["attainable_flop_per_s"]) == ("memory-bound", near(3.35e12))
    assert answer["share_of_peak"] == near(0.001693)  # 3.35 / 1979
    assert answer["idle_share"] == near(0.9983)


def test_between_the_ridges_a_note_says_what_a_dense_kernel_can_reach(roofline: Runner) -> None:
    answer = ask(roofline, "analyze --intensity 400 --hw h100")  # 295.3 < 400 < 590.7
    assert (answer["bound"], answer["dense_bound"]) == ("memory-bound", "compute-bound")
    assert any("compute-bound against the 989.4 TFLOP/s" in note for note in answer["notes"])


@pytest.mark.parametrize(
    ("command", "share", "peak"),
    [
        pytest.param("--achieved 420TFLOP/s --hw h200 --dtype bf16", 0.4245, 989.4e12, id="U01-dense"),
        pytest.param("--achieved 420TFLOP/s --hw h200 --dtype bf16 --sparse", 0.2122, 1978.9e12, id="U01-sparse"),
        pytest.param("--achieved 400TFLOP/s --hw h100 --dtype bf16", 0.4043, 989.4e12, id="U12-bf16"),
        pytest.param("--achieved 400TFLOP/s --hw h100 --dtype tf32", 0.8086, 494.7e12, id="U12-tf32"),
        pytest.param("--achieved 127TFLOP/s --hw mi250x-gcd --dtype bf16", 0.6632, 191.5e12, id="U18-gcd"),
        pytest.param("--achieved 127TFLOP/s --hw mi250x --dtype bf16", 0.3316, 383e12, id="U18-module"),
        pytest.param("--achieved 329.8TFLOP/s --peak 2250TFLOP/s", 0.1466, 2250e12, id="Y09-given-peak"),
    ],
)
def test_share_of_the_peak_that_was_achieved(roofline: Runner, command: str, share: float, peak: float) -> None:
    answer = ask(roofline, f"analyze {command}")
    assert (answer["achieved_share_of_peak"], answer["peak_flop_per_s"]) == (near(share), peak)
    assert not answer["above_roof"]


def test_the_module_says_that_it_is_two_devices(roofline: Runner) -> None:
    """U18: the scope is printed."""
    out = roofline("analyze", "--achieved", "127TFLOP/s", "--hw", "mi250x", "--dtype", "bf16").out
    assert "whole module of two GCDs" in out


def test_compute_and_bandwidth_are_scaled_alike(roofline: Runner) -> None:
    """U03: 50e9 x 100 = 5e12; 120e12 / 50e9 = 2400; 5 / 120."""
    answer = ask(roofline, "analyze --intensity 100 --peak 120TFLOP/s --bw 50GB/s")
    assert (answer["attainable_flop_per_s"], answer["ridge_flop_per_byte"]) == (5e12, 2400)
    assert (answer["bound"], answer["share_of_peak"]) == ("memory-bound", near(0.04167))


@pytest.mark.parametrize(("bandwidth", "ridge"), [("400Gb/s", 200.0), ("400GB/s", 25.0)])
def test_bits_are_not_bytes(roofline: Runner, bandwidth: str, ridge: float) -> None:
    """U05: 400 Gbit/s = 50 GB/s; 10e12 / 50e9 = 200."""
    assert ask(roofline, f"ridge --peak 10TFLOP/s --bw {bandwidth}")["ridge_flop_per_byte"] == ridge


def test_a_list_takes_the_unit_of_the_time_from_its_heading(roofline: Runner, tmp_path: Path) -> None:
    """U07: 268435456 B / 1e-4 s = 2.684e12 B/s; / 3.35e12 = 0.8013."""
    path = tmp_path / "kernels.csv"
    path.write_text("name,flops,bytes,time_ms\ncopy,0,268435456,0.1\n", encoding="utf-8")
    (copy,) = ask(roofline, f"analyze {path} --hw h100")["kernels"]
    assert (copy["arithmetic_intensity_flop_per_byte"], copy["bound"]) == (0.0, "memory-bound")
    assert (copy["achieved_byte_per_s"], copy["achieved_share_of_bandwidth"]) == (near(2.684e12), near(0.8013))
    assert copy["share_of_roof"] == near(0.8013)
    assert ["copy", "0", "100.0", "0", "2.684", "memory", "memory", "80.13", "80.13"] in lines(
        roofline("analyze", str(path), "--hw", "h100").out
    )


def test_macs_count_two_and_the_output_says_so(roofline: Runner) -> None:
    """U10: 2 x 68.72e9 / 100.7e6 = 1365."""
    answer = ask(roofline, "analyze --macs 68.72e9 --bytes 100.7e6 --hw h100")
    assert (answer["work_flop"], answer["arithmetic_intensity_flop_per_byte"]) == (137.44e9, near(1365))
    assert answer["assumptions"] == ["MACs were given: each counts 2 FLOP"]


def test_above_the_roof_is_flagged_and_strict_fails(roofline: Runner) -> None:
    """U14: I = 1069 > 295.2, so the roof is 989 TFLOP/s; 1069.18 / 989 = 1.081."""
    command = "analyze --flops 1.06918e15 --bytes 1e12 --time 1s --peak 989TFLOP/s --bw 3.35TB/s"
    answer = ask(roofline, command)
    assert (answer["above_roof"], answer["share_of_roof"]) == (True, near(1.081))
    assert (answer["achieved_flop_per_s"], answer["attainable_flop_per_s"]) == (near(1069e12), 989e12)
    result = roofline(*command.split())
    assert result.status == 0
    for cause in ("units", "FLOP count", "precision", "sparse", "cache"):
        assert cause in result.err
    assert roofline(*command.split(), "--strict").status == 1


def test_no_bytes_is_infinite_intensity_in_strict_json(roofline: Runner) -> None:
    """U16."""
    answer = ask(roofline, "analyze --flops 1e9 --bytes 0 --time 1ms --hw h100")
    assert (answer["arithmetic_intensity_flop_per_byte"], answer["arithmetic_intensity_infinite"]) == (None, True)
    assert answer["null_reasons"]["arithmetic_intensity_flop_per_byte"] == "infinite: no traffic"
    assert (answer["bound"], answer["achieved_flop_per_s"]) == ("compute-bound", 1e12)


def test_write_allocate_counts_what_is_written_twice(roofline: Runner) -> None:
    """U20: 2 FLOP over 24 or 32 bytes an iteration."""
    triad = "analyze --flops 2e9 --bytes-read 16GB --bytes-write 8GB --hw epyc9654"
    assert ask(roofline, triad)["arithmetic_intensity_flop_per_byte"] == near(0.08333)
    assert ask(roofline, f"{triad} --write-allocate")["arithmetic_intensity_flop_per_byte"] == near(0.0625)


def test_measured_ceilings_are_another_roof_and_labelled(roofline: Runner) -> None:
    """U22; BabelStream triad 2.97 TB/s and a 794.5 TFLOP/s bf16 matmul on an H100: 267.5 FLOP/B."""
    answer = ask(roofline, "analyze --intensity 1 --hw h100 --roof measured")
    assert (answer["peak_flop_per_s"], answer["bandwidth_byte_per_s"]) == (794.5e12, 2.97e12)
    assert answer["ridge_flop_per_byte"] == near(267.5)
    assert (answer["roof"], answer["context"]["roof"]["bandwidth_basis"]) == (
        "bf16 dense (measured, matmul)",
        "measured",
    )


def test_json_is_one_document_on_stdout_and_notices_go_to_stderr(roofline: Runner) -> None:
    """T11: 1069 / 989.4 = 1.080."""
    command = ["analyze", "--achieved", "1069TFLOP/s", "--hw", "h100", "--dtype", "bf16", "--format", "json"]
    result = roofline(*command)
    assert json.loads(result.out)["above_roof"] is True
    assert result.err.startswith("warning: kernel on h100-sxm is above the roof: 1.080x")
    quiet = roofline(*command, "-q")
    assert (quiet.out, quiet.err) == (result.out, "")


def test_several_memory_levels(roofline: Runner) -> None:
    """Gaudi 3: 459 TFLOP/s, HBM 3.67 TB/s, L2 12.8 TB/s: 4e11 / 12.8e12 = 31.25 ms, 1e10 / 3.67e12 = 2.725 ms."""
    answer = ask(roofline, "analyze --flops 1e12 --bytes 1e10 --bytes-at L2=400GB --hw gaudi3 --dtype fp16")
    assert (answer["binding_level"], answer["least_time_s"]) == ("L2", near(31.25e-3))
    assert [level["least_time_s"] for level in answer["levels"]] == [near(2.725e-3), near(31.25e-3)]
    assert answer["attainable_flop_per_s"] == near(32e12)  # 1e12 / 31.25e-3
    assert answer["ridge_distance"] == near(459 / 3.67 / 100)  # I* over I, both of the HBM: 125.07 and 100
    out = roofline(
        *[
            "analyze",
            "--flops",
            "1e12",
            "--bytes",
            "1e10",
            "--bytes-at",
            "L2=400GB",
            "--hw",
            "gaudi3",
            "--dtype",
            "fp16",
        ]
    ).out
    assert re.search(r"^binding level +L2$", out, re.MULTILINE)
    assert "L2: 400.0 GB at 12.80 TB/s take 31.25 ms; I 2.500 against I* 35.86 FLOP/B" in out


def test_level_places_the_kernel_on_another_memory(roofline: Runner) -> None:
    answer = ask(roofline, "analyze --intensity 10 --hw gaudi3 --dtype fp16 --level l2")
    assert answer["bandwidth_byte_per_s"] == 12.8e12
    assert answer["ridge_flop_per_byte"] == near(459 / 12.8)


def test_a_comparison_never_mixes_headline_and_dense(roofline: Runner) -> None:
    answer = ask(roofline, "analyze --flops 1e12 --bytes 1e10 --hw h100 --hw a100")
    h100, a100 = answer["devices"]
    assert (h100["headline_peak_flop_per_s"], h100["dense_peak_flop_per_s"]) == (1979e12, 989.4e12)
    assert (a100["headline_peak_flop_per_s"], a100["dense_peak_flop_per_s"]) == (None, 312e12)
    assert a100["null_reasons"]["headline_peak_flop_per_s"] == "no headline kept"
    named = ask(roofline, "analyze --flops 1e12 --bytes 1e10 --hw h100 --hw a100 --dtype bf16")
    assert [d["peak_flop_per_s"] for d in named["devices"]] == [989.4e12, 312e12]


def test_a_list_on_several_devices_keeps_them_apart_too(roofline: Runner) -> None:
    answer = ask(roofline, "analyze - --hw h100 --hw a100", stdin="name,flops,bytes\nk,1e12,1e10\n")
    assert [(k["device"], k["headline_bound"], k["dense_bound"]) for k in answer["kernels"]] == [
        ("h100-sxm", "memory-bound", "memory-bound"),  # 100 < 295
        ("a100-sxm-80gb", None, "memory-bound"),  # 100 < 153
    ]


def test_more_digits_where_rounding_would_hide_the_side_of_the_ridge(roofline: Runner) -> None:
    out = roofline("analyze", "--intensity", "590.6", "--hw", "h100", "--headline").out
    assert "590.60 FLOP/B" in out
    assert "590.75 FLOP/B" in out


def test_the_summary_says_where_most_time_could_be_saved(roofline: Runner) -> None:
    """a: least 1e10 / 3.35e12 = 2.985 ms of 12 ms saves 9.015; b: least 1e12 / 989.4e12 = 1.011 ms of 5 ms."""
    rows = "name,flops,bytes,time_ms\na,1e12,1e10,12\nb,1e12,1e6,5\n"
    answer = ask(roofline, "analyze - --hw h100 --dtype bf16", stdin=rows)
    (totals,) = answer["totals"]
    assert (totals["memory_bound_count"], totals["compute_bound_count"]) == (1, 1)
    assert (totals["most_savings_kernel"], totals["most_savings_s"]) == ("a", near(9.015e-3))


def test_sort_top_and_kernel(roofline: Runner) -> None:
    rows = "name,flops,bytes,time_ms\na,1e12,1e10,12\nb,1e12,1e6,5\nc,1e9,1e9,90\nd,,1,1\n"

    def names(options: str) -> list[str]:
        answer = ask(roofline, f"analyze - --hw h100 --dtype bf16 {options}", stdin=rows)
        assert answer["totals"][0]["kernels"] == (2 if "--kernel" in options else 4)
        return [kernel["name"] for kernel in answer["kernels"]]

    assert names("--sort time") == ["c", "a", "b", "d"]
    assert names("--sort savings --top 2") == ["c", "a"]
    assert names("--sort intensity") == ["b", "a", "c", "d"]  # unknown last
    assert names("--sort name --top 3") == ["a", "b", "c"]
    assert names("--top 2") == ["a", "b"]
    assert names("--kernel ^[ac]$") == ["a", "c"]


def test_whole_catalogue(roofline: Runner) -> None:
    answer = ask(roofline, "ridge")
    assert len(answer["devices"]) >= 105
    fp8 = ask(roofline, "ridge --dtype fp8 --vendor NVIDIA --sort ridge")["devices"]
    ridges = [d["ridge_flop_per_byte"] for d in fp8]
    assert ridges == sorted(ridges, reverse=True)
    assert {d["vendor"] for d in fp8} == {"NVIDIA"}
    assert "a100-sxm-80gb" not in {d["device"] for d in fp8}


def test_the_largest_ridges_first_and_only_so_many(roofline: Runner) -> None:
    command = "ridge --hw m4max --hw h100 --hw rtx4090 --sort ridge --top 2"  # dense: 29.59, 295.3, 163.9
    assert [d["device"] for d in ask(roofline, command)["devices"]] == ["h100-sxm", "rtx4090"]
    by_name = ask(roofline, "ridge --hw m4max --hw h100 --sort id")["devices"]
    assert [d["device"] for d in by_name] == ["h100-sxm", "m4max"]


def test_a_comparison_names_the_roof_of_each_device(roofline: Runner) -> None:
    out = roofline("analyze", "--intensity", "1", "--hw", "h100", "--hw", "mi300x", "--dtype", "fp8").out
    assert "roof of h100-sxm: 1979 TFLOP/s fp8 dense, matrix unit, fp32 accumulation (vendor) over 3.350 TB/s" in out
    assert "roof of mi300x: 2615 TFLOP/s fp8 dense, matrix unit" in out
    answer = ask(roofline, "ridge --hw h100 --hw mi300x --dtype fp8")
    assert [roof["peak_flop_per_s"] for roof in answer["context"]["roofs"]] == [1978.9e12, 2614.9e12]
    assert answer["context"]["sources"]


def test_a_comparison_carries_its_assumptions(roofline: Runner) -> None:
    answer = ask(roofline, "analyze --macs 1e12 --bytes 1e9 --hw h100 --hw a100 --dtype bf16")
    assert answer["assumptions"] == ["MACs were given: each counts 2 FLOP"]


def test_a_unit_without_a_precision_leaves_no_headline_to_speak_of(roofline: Runner) -> None:
    answer = ask(roofline, "ridge --hw h100 --hw a100 --unit vector")
    assert [d["peak_flop_per_s"] for d in answer["devices"]] == [133.8e12, 78e12]
    assert "headline_peak_flop_per_s" not in answer["devices"][0]


def test_columns_that_no_device_fills_are_not_shown(roofline: Runner) -> None:
    assert "headline" not in roofline("ridge", "--hw", "a100", "--hw", "b200").out


def test_with_a_time_it_says_how_good_the_run_is(roofline: Runner) -> None:
    # 137.4e9 / 989.4e12 = 138.87 us at least: 190 us is 73.09 % of that roof and 36.54 % of twice as much
    out = roofline("analyze", "--flops", "137.4e9", "--bytes", "1e6", "--time", "190us", "--hw", "h100").out
    assert "measured: 36.54 % of the headline roof, 73.09 % of the dense roof; takes 1.368x the least time" in out


def test_a_time_with_the_wrong_unit_is_doubted(roofline: Runner) -> None:
    # 21 s in place of 210 us: 138.87 us is 0.00066 % of it
    notes = ask(roofline, "analyze --flops 137.4e9 --bytes 1e6 --time 21s --hw h100 --dtype bf16")["notes"]
    assert notes == ["measured at over 10,000x the least time: kernel; is the unit of the time right?"]
    # 137.4 FLOP and 1 B in place of GFLOP and MB: 0.3 ps
    (note,) = ask(roofline, "analyze --flops 137.4 --bytes 1 --hw h100 --dtype bf16")["notes"]
    assert note.startswith("least time below 1 ns: kernel; bare numbers are FLOP and B")
    assert ask(roofline, "analyze --flops 137.4e9 --bytes 1e6 --time 210us --hw h100 --dtype bf16")["notes"] == []


def test_times_of_a_list_are_summed_on_each_device_by_itself(roofline: Runner) -> None:
    rows = "name,flops,bytes,time_ms\na,1e12,1e6,2\nb,1e9,1e9,1\n"
    result = roofline("analyze", "-", "--hw", "h100", "--hw", "a100", "--dtype", "bf16", stdin=rows)
    # on both a is compute-bound and b memory-bound; 1e9 B take 0.2985 ms of 3.35 TB/s, 1e12 FLOP 1.011 ms of 989.4
    assert "h100-sxm: 2 kernels: 1 memory-bound (1.000 ms), 1 compute-bound (2.000 ms)" in result.out
    assert "h100-sxm: most to save: a, 989.3 us of 2.000 ms" in result.out
    assert "a100-sxm-80gb: 2 kernels: 1 memory-bound (1.000 ms), 1 compute-bound (2.000 ms)" in result.out


def test_a_measured_roof_is_never_of_another_precision(roofline: Runner) -> None:
    result = roofline("analyze", "--intensity", "1", "--hw", "h200", "--roof", "measured")  # fp8 alone was measured
    assert (result.status, result.err) == (
        2,
        "error: h200-sxm has no measured fp16 ceiling; name one: --dtype fp8\n",
    )
    only = ask(roofline, "ridge --hw h100 --roof measured --dtype bf16")
    assert [(p["precision"], p["roof"]) for p in only["peaks"]] == [("bf16", "matmul, default")]


def test_explain_writes_out_formulas_numbers_and_sources(roofline: Runner) -> None:
    command = ["analyze", "--flops", "2e12", "--bytes", "1.4e11", "--time", "1s", "--hw", "m4max", "--dtype", "fp16"]
    out = roofline(*command, "--explain").out
    for text in (
        "I = FLOPs / bytes = 2.000 TFLOP / 140.0 GB = 14.29 FLOP/B",
        "I* = P_max / BW = 16.16 TFLOP/s / 546.0 GB/s = 29.59 FLOP/B",
        "least time = max(FLOPs / P_max = 123.8 ms, bytes / BW of LPDDR5X = 256.4 ms) = 256.4 ms",
        "share of roof = least time / time = 256.4 ms / 1.000 s = 25.64 %",
        "P_max = 16.16 TFLOP/s: fp16 dense, vector unit, fp32 accumulation (derived); source: powermetrics",
    ):
        assert text in out


def test_roofline_hw_is_the_default_device(roofline: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOFLINE_HW", "a100")
    assert ask(roofline, "analyze --intensity 1")["device"] == "a100-sxm-80gb"
    assert ask(roofline, "analyze --intensity 1 --hw h100")["device"] == "h100-sxm"


def test_hw_show_says_where_everything_comes_from(roofline: Runner) -> None:
    answer = ask(roofline, "hw show h100")
    assert answer["file"].endswith("hardware/nvidia/h100-sxm.yaml")
    figures = {(f["what"], f["detail"]): f for f in answer["figures"]}
    dense = figures["peak", "fp16 matrix fp32/fp16 accumulation dense"]
    assert (dense["value"], dense["check"]) == (989.4e12, "132 * 4096 * 1.83 GHz")
    assert set(dense["source_keys"]) <= set(answer["sources"])


def test_hw_list_filters(roofline: Runner) -> None:
    assert {d["device"] for d in ask(roofline, "hw list hopper pcie")["devices"]} == {"h100-pcie"}
    assert {d["kind"] for d in ask(roofline, "hw list --kind cpu")["devices"]} == {"cpu"}
    assert "h100-sxm" in {d["device"] for d in ask(roofline, "hw list --dtype fp8 --vendor nvidia")["devices"]}


def test_close_to_the_ridge_no_ratio_is_rounded_to_one(roofline: Runner) -> None:
    """989.4 / 3.35 = 295.343; / 295.34 = 1.0000111."""
    out = roofline("analyze", "--intensity", "295.34", "--hw", "h100", "--dtype", "fp16").out
    assert "needs 1.00001x more FLOPs per byte" in out
    assert "share of peak   99.999 %" in out


def test_base_and_boost_clock_can_be_told_apart(roofline: Runner) -> None:
    """EPYC 9654: 96 cores x 32 FLOP/clk at 2.40 GHz base and 3.55 GHz all-core boost."""
    assert ask(roofline, "ridge --hw epyc9654 --clock base")["peak_flop_per_s"] == near(7.373e12)
    assert ask(roofline, "ridge --hw epyc9654 --clock boost")["peak_flop_per_s"] == near(10.91e12)
    assert ask(roofline, "ridge --hw epyc9654")["roof"].endswith("all-core boost clock (derived)")
    notes = ask(roofline, "ridge --hw epyc9654 --hw epyc9755")["notes"]
    assert any("different clocks (all-core boost: epyc9654; base: epyc9755)" in note for note in notes)
    assert not any(
        "clocks" in note for note in ask(roofline, "ridge --hw epyc9654 --hw epyc9755 --clock base")["notes"]
    )


def test_without_a_precision_the_faster_16_bit_type_is_taken(roofline: Runner) -> None:
    """Gaudi 3 runs fp16 at a quarter of its bf16 rate, MI100 bf16 at half of its fp16 rate."""
    assert ask(roofline, "ridge --hw gaudi3")["peak_flop_per_s"] == 1835e12
    assert ask(roofline, "ridge --hw mi100")["peak_flop_per_s"] == 184.6e12


@pytest.mark.parametrize("option", ["--unit vector", "--accumulate fp16", "--sparse", "--clock base"])
def test_a_measured_roof_claims_nothing_that_was_not_measured(roofline: Runner, option: str) -> None:
    result = roofline(*f"ridge --hw h100 --roof measured {option}".split())
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("error: measured ceilings do not tell sparsity, unit, accumulation or clock apart")


def test_bare_matrix_instructions_and_attention_are_no_ceilings(roofline: Runner) -> None:
    """RX 7900 XTX: the fp16 GEMM reaches 101, bare matrix instructions 130; H800: only an attention kernel is known."""
    answer = ask(roofline, "analyze --intensity 1 --hw rx7900xtx --dtype fp16 --roof measured")
    assert answer["peak_flop_per_s"] == 101e12
    assert (
        roofline(*["analyze", "--intensity", "1", "--hw", "h800", "--dtype", "bf16", "--roof", "measured"]).status == 2
    )


def test_dense_and_sparse_columns_share_their_prefix(roofline: Runner) -> None:
    out = lines(roofline("ridge", "--hw", "gb10").out)
    assert ["dtype", "unit", "accumulate", "TFLOP/s", "FLOP/B", "TFLOP/s", "FLOP/B", "basis"] in [
        row[1:] for row in out
    ]
