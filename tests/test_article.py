"""The article, number by number: the script runs, and each figure that the README sets in bold is in the output."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, Runner
from tests.test_examples import shell

SCRIPT = (ROOT / "examples" / "article.sh").read_text(encoding="utf-8")
SECTION = (
    (ROOT / "README.md").read_text(encoding="utf-8").split("## The article, number by number\n")[1].split("\n## ")[0]
)
ROWS = [line.strip("| ").split(" | ") for line in SECTION.splitlines() if line.startswith("| ")][1:]


def test_the_script_runs(tmp_path: Path) -> None:
    done = shell(["sh", "examples/article.sh"], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    claims = re.findall(r"^== (\S+)\.", done.stdout, re.MULTILINE)
    assert claims == ["1", "2", "3", "4", "5a", "5b", "5c", "5d", "6a", "6b"]  # sections of the article
    assert done.stdout.count("\n$ roofline ") == SCRIPT.count("\nrun ")


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:40] for row in ROWS])
def test_a_row_of_the_table_is_what_the_tool_says(
    roofline: Runner, monkeypatch: pytest.MonkeyPatch, row: list[str]
) -> None:
    monkeypatch.chdir(ROOT)
    _, said, command = row
    words = command.strip("` ").removeprefix("roofline ")
    assert f"\nrun {words}\n" in SCRIPT
    result = roofline(*shlex.split(words))
    figures = re.findall(r"\*\*(.+?)\*\*", said)
    assert (result.status, result.err) == (0, "")
    assert figures
    assert [
        figure for figure in figures if not re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d.]*\d)", result.out)
    ] == []


def answer(roofline: Runner, *arguments: str) -> Any:
    return json.loads(roofline(*arguments, "--format", "json", "-q").out)


def test_ridges(roofline: Runner) -> None:
    """Peaks over bandwidths: 1979 and 989.4 / 3.35; 330 and 165.2 / 1.008; 64 and 40 x 256 x 1.578e9 / 0.546."""
    rows = answer(roofline, "ridge", "--hw", "h100", "--hw", "rtx4090", "--hw", "m4max")["devices"]
    by_hand = [(1979 / 3.35, 989.4 / 3.35), (330 / 1.008, 165.2 / 1.008), (64 / 0.546, 40 * 256 * 1.578e-3 / 0.546)]
    for row, (headline, dense) in zip(rows, by_hand, strict=True):
        assert row["headline_ridge_flop_per_byte"] == pytest.approx(headline)
        assert row["dense_ridge_flop_per_byte"] == pytest.approx(dense, rel=1e-3)


def test_decode_of_70b(roofline: Runner) -> None:
    """2 B x 69,503,033,344 of weights, 4097 x 327,680 B of cache; 2 FLOP a weight of matrices, 4 L n d a position."""
    found = answer(roofline, "llm", "llama-3.1-70b", "--hw", "h100", "--prompt", "4096")
    flops = 2 * (69_503_033_344 - 161 * 8192) + 4 * 80 * 64 * 128 * 4096
    moved = 2 * 69_503_033_344 + 2 * 8192 + 4097 * 327_680
    assert found["decode_work_flop"] == flops
    assert found["decode_weights_byte"] + found["decode_kv_byte"] == moved
    assert found["decode_arithmetic_intensity_flop_per_byte"] == pytest.approx(flops / moved, rel=1e-3)
    assert found["decode_idle_share"] == pytest.approx(1 - flops / 989.4e12 / (moved / 3.35e12), rel=1e-3)
    assert found["fits"] is False
    assert found["prefill_bound"] == "compute-bound"


def test_a_batch_of_64_is_tens_of_times_and_not_enough(roofline: Runner) -> None:
    found = answer(
        roofline, *("llm", "llama-3.1-70b", "--hw", "h100", "--context", "1024", "--sweep", "batch=1,32,64,1024,2048")
    )["setups"]
    intensities = [row["arithmetic_intensity_flop_per_byte"] for row in found]
    assert 28 < intensities[1] / intensities[0] < 32
    assert 50 < intensities[2] / intensities[0] < 64
    assert [row["bound"] for row in found] == ["memory-bound"] * 4 + ["compute-bound"]


def test_games_and_language_models_rank_two_cards_the_other_way_round(
    roofline: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RTX 4060 Ti against RTX 3060: 22.06 against 12.74 TFLOP/s in fp32, 288 against 360 GB/s."""
    monkeypatch.chdir(ROOT)
    cards = ("--hw", "rtx4060ti-16gb", "--hw", "rtx3060")
    shaders = answer(roofline, "analyze", "examples/game-shaders.yaml", *cards)["kernels"]
    march = {row["device"]: row for row in shaders if "ray march" in row["name"]}
    models = answer(roofline, "llm", "llama-3.1-8b", "--weights", "q4_k", *cards)["setups"]
    decode = {row["device"]: row for row in models}
    ratio = march["rtx3060"]["dense_least_time_s"] / march["rtx4060ti-16gb"]["dense_least_time_s"]
    assert ratio == pytest.approx(22.06 / 12.74, rel=0.01)
    assert decode["rtx4060ti-16gb"]["decode_total_time_tokens_per_s"] / decode["rtx3060"][
        "decode_total_time_tokens_per_s"
    ] == pytest.approx(288 / 360)


def test_which_mac_holds_the_70b_model(roofline: Runner) -> None:
    """141.1 GB in fp16, 75.0 at 8.5 bit, 39.7 at 4.5 bit, of 128, 512 and 192 GB; tokens/s are bandwidth over bytes."""
    found = answer(
        roofline,
        *("llm", "llama-3.1-70b", "--sweep", "hw=m4max,m3ultra,m2ultra", "--sweep", "weights=fp16,q8_0,q4_k"),
    )["setups"]
    fits = {(row["device"], row["weights_format"]): row["fits"] for row in found}
    assert [key for key, value in fits.items() if not value] == [("m4max", "fp16")]
    matrices = 80 * (150_994_944 + 704_643_072) + 128_256 * 8192  # llama.cpp quantises the LM head too
    moved = matrices * 4.5 / 8 + 2 * 161 * 8192 + 4097 * 327_680
    rates = {row["device"]: row["total_time_tokens_per_s"] for row in found if row["weights_format"] == "q4_k"}
    for device, bandwidth in (("m4max", 546e9), ("m3ultra", 819e9), ("m2ultra", 800e9)):
        assert rates[device] == pytest.approx(bandwidth / moved, rel=2e-3)
