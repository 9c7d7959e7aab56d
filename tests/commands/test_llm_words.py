"""What ``roofline llm`` shows people: estimates of a request, verdicts of a run, what gains most, all in 80 columns."""

from __future__ import annotations

import json
import re

import pytest

from tests.conftest import Runner


def test_estimates_of_a_request_stand_in_table_sentence_and_json(roofline: Runner) -> None:
    """A chip of 1 B/s that does nothing but move bytes: at 50 % of it all times of the least are doubled."""
    words = "--layers 1 --hidden 8 --heads 2 --width 8 --vocab 8 --peak 1e30FLOP/s --bw 1B/s --prompt 3 --generate 3"
    line = ("llm", *words.split(), "--mbu", "50%")
    found = json.loads(roofline(*line, "--format", "json", "-q").out)
    # 2 B of weights (4 x 64 + 3 x 64 + 64), three norms and rows of 8 of the embedding; at context 5, the middle one,
    # 5 x 16 elements of cache, and 16 that are written.
    step = 2 * (256 + 192 + 64 + 24 + 8) + 2 * 6 * 16
    assert found["estimated_time_per_token_s"] == pytest.approx(2 * step)
    assert found["estimated_generated_tokens_per_s"] == pytest.approx(1 / (2 * step))
    assert found["estimated_time_to_first_token_s"] == found["prefill_estimated_time_s"]
    out = roofline(*line).out
    assert re.search(r"^est\. first token +\S+ s$", out, re.MULTILINE)
    assert re.search(r"^est\. mean per token +2560 s$", out, re.MULTILINE)
    assert "\nestimate at MBU 50.00 %: first token after " in out
    bare = json.loads(roofline("llm", *words.split(), "--format", "json", "-q").out)
    assert bare["null_reasons"]["estimated_time_per_token_s"] == "no measured efficiency given"
    assert "est. " not in roofline("llm", *words.split()).out


def test_a_measured_rate_has_a_verdict_that_names_its_context(roofline: Runner) -> None:
    """70e9 weights of 2 B over 800 GB/s: 175 ms at least, so 2 tok/s are 35 % and take 1 / 0.35 = 2.857 times that."""
    line = ["llm", "--params", "70e9", "--peak", "100TFLOP/s", "--bw", "800GB/s"]
    least = "the least time of a decode step at batch 1"
    out = roofline(*line, "--measured", "2").out
    assert f"\nmeasured: 2.000 tok/s, 35.00 % of the bound: takes 2.857x {least}\n" in out
    fast = roofline(*line, "--measured", "20").out
    assert f"\nmeasured: 20.00 tok/s, 350.0 % of the bound: faster than {least}, which cannot be\n" in fast
    several = roofline(
        "llm", "llama-3.1-8b", "--hw", "h100", "--hw", "m2ultra", "--context", "99", "--measured", "2"
    ).out
    assert several.count(" of a decode step at context 99, batch 1\n") == 2
    assert "\nmeasured on m2ultra: 2.000 tok/s, " in several


def test_levers_name_the_largest_gain_from_what_is_asked(roofline: Runner) -> None:
    """Without layers a step reads its weights alone: twice the batch is twice the rate.

    7e9 weights of 2 B: at batch 32 a batch of 64 gains 2, 8 devices 8, int4 16 / 4.15625 = 3.85.
    """
    line = ["llm", "--params", "7e9", "--hw", "h100", "--levers"]
    asked = "weights in bf16, 1 device), not from no lever: the largest single gain is"
    assert f"(batch 32, {asked} 8 devices with 8.000x the tokens/s\n" in roofline(*line, "--batch", "32").out
    assert f"(batch 1, {asked} batch 64 with 64.00x the tokens/s\n" in roofline(*line).out
    most = roofline(*line, "--batch", "64", "--devices", "8", "--weights", "int4-g128").out
    assert "(batch 64, weights in int4-g128, 8 devices), not from no lever: no single lever gains anything\n" in most


def test_levers_mark_what_does_not_fit_and_explain_a_gain_in_one_line(roofline: Runner) -> None:
    out = roofline("llm", "llama-3.1-70b", "--hw", "h100", "--levers").out  # 141 GB of 85.5 GB
    assert "the largest single gain is batch 64 with " in out
    assert re.search(r"x the tokens/s, which does not fit; of what fits, 8 devices with \S+x\n", out)
    assert sum(line.startswith("gain: alone, ") for line in out.splitlines()) == 1
    assert '"-" where it is not among all together' in out
    latent = roofline("llm", "deepseek-v3", "--hw", "h100", "--levers").out
    assert "a key and a value in the cache for each query head, both of the 128 elements of its values" in latent


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("--levers", "= 14 serial steps: each us of latency adds 2.240 ms a decode step"),  # 8 devices, 160 x 14
        ("--devices 4 --ops", "= 6 serial steps: each us of latency adds 960.0 us a decode step"),
        ("--devices 4 --ops --phase prefill", "= 6 serial steps: each us of latency adds 960.0 us a prefill"),
        ("--devices 4", "= 6 serial steps: each us of latency adds 960.0 us a decode step"),
        ("--sweep devices=1:16", "= 30 serial steps: each us of latency adds 4.800 ms a decode step"),
    ],
)
def test_every_table_says_what_latency_would_add(roofline: Runner, table: str, says: str) -> None:
    out = roofline("llm", "llama-3.1-70b", "--hw", "h100", *table.split()).out
    assert sum(says in line for line in out.splitlines()) == 1
    assert out.count("work, traffic and times are those of each of ") == (table != "--levers")


LINES = [
    "llama-3.1-70b --hw h100",
    "llama-3.1-70b --hw h100 --devices 16 --generate 100 --mbu 60%",
    "llama-3.1-70b --hw h100 --ops",
    "deepseek-v3 --hw h100 --devices 8 --ops",
    "llama-3.1-70b --hw h100 --levers",
    "deepseek-v3 --hw h100 --hw b200 --hw mi300x",
    "llama-3.1-8b --hw h100 --sweep devices=1:16",
    "llama-3.1-70b --hw h100 --hw mi300x --hw rtx5090 --hw m4max --devices 8 --link 50GB/s --batch 8 "
    "--prompt 2000 --generate 500 --mfu 45% --mbu 70%",
    "list",
]


@pytest.mark.parametrize("line", LINES)
def test_all_of_it_fits_80_columns(roofline: Runner, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = roofline("llm", *line.split()).out
    assert [each for each in out.splitlines() if len(each) > 80] == []


def test_operators_have_their_whole_names_at_80_columns(roofline: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = roofline("llm", "deepseek-v3", "--hw", "h100", "--devices", "8", "--ops").out
    assert "shared experts' gate, up" in out
    assert "e-0" not in out.split("\n\n")[1]
    # Figures for people alone are rounded: in JSON they have all their digits.
    rows = json.loads(roofline("llm", "llama-3.1-70b", "--hw", "h100", "--ops", "--format", "json").out)["operators"]
    append = next(row for row in rows if row["name"] == "KV append")
    # 80 layers of keys and values of 8 heads of 128, each read and written in 2 B
    assert append["traffic_byte"] == 80 * 2 * 8 * 128 * 2
    assert append["least_time_s"] == pytest.approx(append["traffic_byte"] / 3.35e12, rel=1e-12)


def test_devices_that_are_needed_stand_in_a_comparison_with_room(
    roofline: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ["llm", "deepseek-v3", "--hw", "h100", "--hw", "b200", "--hw", "mi300x"]
    wide = roofline(*line).out.split("\n\n")[1].splitlines()
    assert wide[2].split()[-1] == "needs"
    # 671 GB and more in 85.5 GB take 8 at least, which leaves too little for the rest: 16 share 128 heads.
    assert wide[4].split()[-1] == "16"
    monkeypatch.setenv("COLUMNS", "60")
    assert "needs" not in roofline(*line).out.split("\n\n")[1]
    found = json.loads(roofline(*line, "--format", "json").out)["setups"]
    assert found[0]["smallest_devices"] == 16


def test_the_list_shows_billions_and_machine_formats_all_digits(roofline: Runner) -> None:
    out = roofline("llm", "list", "deepseek-v3").out
    assert " 671.0 B  37.55 B " in out
    assert "124.4 M" in roofline("llm", "list", "gpt-2").out
    assert "671026419200" in roofline("llm", "list", "deepseek-v3", "--format", "csv").out
    nothing = roofline("llm", "list", "nosuch").out
    assert nothing == "no model matches\n"


def test_whether_it_fits_is_one_column(roofline: Runner) -> None:
    for line in ("llama-3.1-70b --hw h100 --hw h200", "llama-3.1-70b --hw h100 --sweep batch=1,2"):
        header, first, *_ = roofline("llm", *line.split(), "--format", "csv", "-q").out.splitlines()
        assert "memory" not in header.split(",")
        assert dict(zip(header.split(","), first.split(","), strict=False))["fits"] == "false"
    # What is not known is said, and no is told as yes is.
    unknown = roofline("llm", "--params", "7e9", "--peak", "1T", "--bw", "1T", "--sweep", "batch=1,2").out
    assert unknown.splitlines()[5].split()[-1] == "unknown"
