"""``roofline llm --sweep`` and ``--levers``: rows against a truth table, crossings, streaming, bad axes."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from roofline.transformer.setup import Setup
from tests.conftest import Runner


def rows(roofline: Runner, *arguments: str) -> list[dict[str, str]]:
    result = roofline("llm", *arguments, "--format", "csv", "-q")
    assert (result.status, result.err) == (0, "")
    return list(csv.DictReader(io.StringIO(result.out)))


@pytest.mark.parametrize(
    ("arguments", "batch", "flops", "moved", "seconds"),
    [  # rows 3, 7, 11 of a truth table worked out elsewhere; bytes are those of each operator
        (["llama-2-7b", "--hw", "a100", "--context", "2048"], 64, 9.14425e11, 8.25008e10, 40.461e-3),
        (["llama-2-70b", "--hw", "h100", "--context", "4096"], 32, 4.74124e12, 1.81882e11, 54.293e-3),
        (["llama-3.1-8b", "--hw", "h100", "--context", "2048"], 256, 4.11726e12, 8.62172e10, 25.736e-3),
    ],
)
def test_a_row_of_a_sweep_is_that_step(
    roofline: Runner, arguments: list[str], batch: int, flops: float, moved: float, seconds: float
) -> None:
    found = rows(roofline, *arguments, "--sweep", f"batch=1,{batch}")[1]
    assert float(found["batch"]) == batch
    assert float(found["work_flop"]) == pytest.approx(flops, rel=1e-5)
    assert float(found["traffic_byte"]) == pytest.approx(moved, rel=1e-3)
    assert float(found["total_time_s"]) == pytest.approx(seconds, rel=1e-3)
    assert float(found["total_time_tokens_per_s"]) == pytest.approx(batch / seconds, rel=1e-3)


def test_several_sweeps_are_a_grid_whose_last_axis_varies_fastest(roofline: Runner) -> None:
    found = rows(
        roofline,
        *("llama-3.1-8b", "--sweep", "hw=h100,m4max", "--sweep", "weights=fp16,fp8,int4-g128", "--sweep", "batch=1:4"),
    )
    keys = [(row["device"], row["weights_format"], row["batch"]) for row in found]
    assert keys == [
        (device, weights, batch)
        for device in ("h100-sxm", "m4max")
        for weights in ("fp16", "fp8", "int4-g128")
        for batch in ("1", "2", "4")
    ]


@pytest.mark.parametrize("order", [["batch=16,64", "weights=fp16,q8_0"], ["weights=fp16,q8_0", "batch=16,64"]])
def test_the_crossing_is_marked_along_the_sizes(roofline: Runner, order: list[str]) -> None:
    """M4 Max, I* 29.6: 16 sequences over weights of 2 B are at 16 FLOP/B, 64 at 64; over 1.06 B at 30 already."""
    arguments = [word for text in order for word in ("--sweep", text)]
    found = rows(roofline, "llama-3.1-70b", "--hw", "m4max", "--context", "0", *arguments)
    marks = {(row["weights_format"], row["batch"]): row["crossing"] for row in found}
    bounds = {(row["weights_format"], row["batch"]): row["bound"] for row in found}
    assert marks["fp16", "64"] == "ridge"
    assert bounds["fp16", "16"] == "memory-bound"
    assert bounds["fp16", "64"] == "compute-bound"
    assert marks["fp16", "16"] == marks["q8_0", "16"] == ""


def test_the_crossing_and_the_critical_batch_stand_under_the_table(roofline: Runner) -> None:
    """W P / (F H - K P) of a 70B model at context 1024 is 964 (tests/transformer/test_critical.py)."""
    out = roofline("llm", "llama-3.1-70b", "--hw", "h100", "--context", "1024", "--sweep", "batch=1024:4096").out
    assert "batch = 2048 is the first of these sizes past the ridge, after 1024\n" in out
    assert "critical batch at context 1024: 965 by weights and KV cache, " in out
    assert "crossover context: 1476 by weights and KV cache, " in out
    out = roofline("llm", "llama-3.1-70b", "--hw", "h100", "--context", "2048", "--sweep", "batch=1:1e6:x10").out
    assert "the bound is the same at every size\n" in out
    assert (
        "critical batch at context 2048: none by weights and KV cache; at context 1: 296, 329 with activations\n" in out
    )


def test_what_is_the_same_for_several_combinations_is_told_once(roofline: Runner) -> None:
    """The crossover context is P / H x FLOP a position over its bytes: weights do not matter, the cache does.

    Of the critical batch W P / (F H - K P) both matter, but bf16 and fp16 take the same bytes.
    """
    axes = ("--sweep", "weights=bf16,fp16,fp8", "--sweep", "kv=fp16,fp8", "--sweep", "batch=1,2")
    out = roofline("llm", "llama-3.1-70b", "--hw", "h100", "--context", "1024", *axes).out.splitlines()
    told = [line.partition(": ")[0] for line in out if line.startswith(("critical", "crossover"))]
    assert told == [
        *(
            f"critical batch at context 1024 on h100-sxm, weights {weights}, kv {kv}"
            for weights in ("bf16 or fp16", "fp8")
            for kv in ("fp16", "fp8")
        ),
        *(f"crossover context on h100-sxm, kv {kv}, whatever the weights" for kv in ("fp16", "fp8")),
    ]
    narrow = roofline("llm", "llama-3.1-70b", "--hw", "h100", "--context", "1024", *axes[:2], *axes[4:]).out
    assert "\ncrossover context on h100-sxm, whatever the weights: 1476 by weights and KV cache, " in narrow


def test_a_handful_of_critical_batches_and_crossovers_is_told(roofline: Runner) -> None:
    """Four devices have a critical batch and a crossover context each at 2 contexts: 12 lines, of which 6 are told."""
    devices = "hw=h100,a100,m3ultra,mi300x"
    line = ("llama-3.1-8b", "--sweep", devices, "--sweep", "context=1,64", "--sweep", "batch=1,2")
    out = roofline("llm", *line).out.splitlines()
    starts = [text.partition(" on ")[0] for text in out if text.startswith(("critical", "crossover"))]
    first = ["critical batch at context 1", "critical batch at context 64", "critical batch at context 1"]
    assert starts == [*first, *["crossover context"] * 3]
    assert "and 6 more such lines; --format csv and json have the figures of each row" in out


def test_a_long_list_of_crossings_is_cut(roofline: Runner) -> None:
    contexts = ",".join(str(context) for context in range(1, 12))
    out = roofline("llm", "gpt-2", "--hw", "m4max", "--sweep", f"context={contexts}", "--sweep", "batch=1,256").out
    assert out.count(" is the first of these sizes past the ridge, after 1 on context ") == 8
    assert "and 3 more crossings, marked in the table\n" in out


def test_a_sweep_of_prompts_is_of_prefill(roofline: Runner) -> None:
    """Row 9 of the truth table: Llama-3.1-8B, 8192 tokens, H100: 1.31945e14 FLOP in 133.345 ms."""
    found = rows(roofline, "llama-3.1-8b", "--hw", "h100", "--sweep", "prompt=128,8192")
    assert [row["bound"] for row in found] == ["memory-bound", "compute-bound"]
    assert float(found[1]["work_flop"]) == pytest.approx(1.31945e14, rel=1e-5)
    assert float(found[1]["total_time_s"]) == pytest.approx(133.345e-3, rel=1e-3)
    assert "critical_batch" not in found[0]


def test_memory_holds_the_length_that_is_swept(roofline: Runner) -> None:
    """M3 Ultra, 512 GB: 141 GB of weights, and 327,680 B a position: 1e6 positions fit, 2e6 (655 GB) do not."""
    found = rows(roofline, "llama-3.1-70b", "--hw", "m3ultra", "--sweep", "context=1000000,2000000")
    assert [(row["context_tokens"], row["fits"]) for row in found] == [("1000000", "true"), ("2000000", "false")]


def test_devices_share_and_the_link_takes_its_time(roofline: Runner) -> None:
    """L17: 2 (p - 1) serial steps of each of 160 all-reduces, 1 ms each, beside 35 MB at 450 GB/s for p = 8."""
    found = rows(roofline, "llama-3.1-70b", "--hw", "h100", "--latency", "1ms", "--sweep", "devices=1,2,8")
    assert [row["device_count"] for row in found] == ["1", "2", "8"]
    assert found[0]["link_time_s"] == ""
    assert float(found[1]["link_time_s"]) == pytest.approx(160 * 2e-3, rel=1e-3)
    assert float(found[2]["link_time_s"]) == pytest.approx(160 * 14e-3, rel=1e-3)
    assert [row["crossing"] for row in found] == ["", "link roof", ""]


def test_jsonl_and_json_say_why_there_is_no_critical_batch(roofline: Runner) -> None:
    arguments = ("llm", "llama-3.1-70b", "--hw", "h100", "--context", "4096", "--sweep", "batch=1:4", "-q")
    lines = [json.loads(line) for line in roofline(*arguments, "--format", "jsonl").out.splitlines()]
    document = json.loads(roofline(*arguments, "--format", "json").out)
    assert lines == document["setups"]
    assert lines[0]["critical_batch"] is None
    assert lines[0]["null_reasons"]["critical_batch"] == "no batch is compute-bound at this context"
    assert lines[0]["crossover_context_tokens"] == pytest.approx(1476, rel=0.01)
    assert (document["sweep"], document["phase"]) == (["batch"], "decode")


@pytest.mark.parametrize("name", ["csv", "jsonl"])
def test_a_row_leaves_before_the_next_is_computed(roofline: Runner, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    happened: list[str] = []
    bounds = Setup.bounds

    def noted(setup: Setup, table: Any) -> Any:
        happened.append(f"computed {setup.batch}")
        return bounds(setup, table)

    monkeypatch.setattr(Setup, "bounds", noted)
    monkeypatch.setattr("roofline.commands.output.write", lambda text: happened.append(f"written {len(text) > 0}"))
    assert roofline("llm", "gpt-2", "--hw", "h100", "--sweep", "batch=1:4", "--format", name).status == 0
    header = ["written True"] if name == "csv" else []
    assert happened == [*header, *(word for b in (1, 2, 4) for word in (f"computed {b}", "written True"))]


def test_what_cannot_be_computed_is_said_before_the_first_row(roofline: Runner) -> None:
    result = roofline("llm", "llama-3.1-8b", "--hw", "h100", "--sweep", "devices=1:4:+1", "--format", "csv")
    assert (result.status, result.out) == (2, "")
    assert result.err == "error: --devices must divide the 32 heads of a layer, got 3; fewer that do: 2\n"


NAMES = (
    "names: batch, context, prompt, devices, weights, kv, compute, attention, count, mla, logits, experts, hw; "
    "for example batch=1:1024 or weights=fp16,fp8"
)


@pytest.mark.parametrize(
    ("model", "axis", "length"),
    [
        ("llama-3.1-8b", "attention=flash,unfused", "prompt=512,8192"),
        ("llama-3.1-8b", "count=causal,full", "prompt=512,8192"),
        ("llama-3.1-8b", "logits=last,all", "prompt=512,8192"),
        ("deepseek-v3", "mla=absorbed,naive", "batch=1,64"),
        ("mixtral-8x7b", "experts=min,8,expected", "batch=1,2,64"),
        ("mixtral-8x7b", "kv=bf16,fp8", "batch=1,2,64"),
        ("llama-3.1-8b", "compute=bf16,fp8", "batch=1,64"),
    ],
)
def test_a_row_of_a_word_is_what_its_option_says(roofline: Runner, model: str, axis: str, length: str) -> None:
    """Each row of the grid is the row of a sweep of the length alone, with the word as an option."""
    name, _, values = axis.partition("=")
    both = rows(roofline, model, "--hw", "b200", "--devices", "8", "--sweep", axis, "--sweep", length)
    alone = [
        row
        for word in values.split(",")
        for row in rows(roofline, model, "--hw", "b200", "--devices", "8", f"--{name}", word, "--sweep", length)
    ]
    assert len(both) == len(alone) == len(values.split(",")) * len(length.split(","))
    for swept, said in zip(both, alone, strict=True):
        assert {key: swept[key] for key in said} == said
    assert len({json.dumps(list(row.values())) for row in both}) == len(both)
    if name not in ("kv", "compute"):
        assert [row[name] for row in both] == [word for word in values.split(",") for _ in length.split(",")]
        assert name not in alone[0]  # said once for all where it is not swept


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--sweep layers=1:4", f"--sweep takes NAME=VALUES, got 'layers=1:4'; {NAMES}"),
        ("--sweep attention=quick", "--sweep attention must be one of flash, unfused, got 'quick'"),
        ("--attention flash --sweep attention=flash", "--attention is given and swept; leave one out"),
        ("--sweep mla=naive,absorbed", "--sweep mla is of multi-head latent attention; GPT-2 has none"),
        ("--sweep experts=min", "--sweep experts is of a mixture of experts; GPT-2 is none"),
        ("--sweep count=full", "--sweep count has no effect: in decode a query attends all positions either way"),
        ("--sweep batch=", f"--sweep takes NAME=VALUES, got 'batch='; {NAMES}"),
        ("--sweep batch=8:4", "--sweep batch must rise from 1 or more, got 8:4; for example 256:16384:x2"),
        ("--sweep batch=one", "--sweep batch must be a whole number from 1 to 1e15, got 'one'"),
        (
            "--sweep context=1k,8k",
            "--sweep context must be a whole number from 0 to 1e15, got '1k'; 1k is 1000 or 1024; write the number",
        ),
        (
            "--sweep prompt=1k:8k",
            "--sweep prompt must be a whole number from 1 to 1e15, got '1k'; 1k is 1000 or 1024; write the number",
        ),
        ("--sweep batch=0", "--sweep batch must be a whole number from 1 to 1e15, got 0"),
        ("--sweep weights=fp8,", "--sweep weights has an empty value: 'fp8,'"),
        ("--sweep batch=1 --sweep batch=2", "--sweep batch stands twice; leave out one"),
        ("--batch 2 --sweep batch=1:4", "--batch is given and swept; leave one out"),
        ("--sweep hw=h100", "--hw is given and swept; leave one out"),
        (
            "--sweep prompt=1:4 --sweep context=1:4",
            "--sweep prompt= is of prefill and context= of decode; sweep them one after the other",
        ),
        ("--mbu 50% --sweep batch=1:4", "--mbu has no effect: --sweep shows no estimates"),
        ("--measured 41 --sweep batch=1:4", "--measured has no effect: --sweep shows no measured run"),
        ("--levers --mfu 40%", "--mfu has no effect: --levers shows no estimates"),
        ("--levers --sweep batch=1:4", "--sweep and --levers are tables of their own; leave out one"),
        (
            "--sweep batch=1:2000:+1 --sweep context=1:2000:+1",
            "the grid has 4,000,000 rows, and at most 1,000,000 are made; take larger steps",
        ),
        (
            "--sweep batch=1:9:+1,4",
            "--sweep batch step must be a whole number from 1 to 1e15, got '1,4'; one number is wanted",
        ),
        (
            "--sweep context=4,096",
            "--sweep context takes sizes with commas between them, got '4,096': a number has none in it",
        ),
    ],
)
def test_bad_axes(roofline: Runner, arguments: str, message: str) -> None:
    result = roofline("llm", "gpt-2", "--hw", "h100", *arguments.split())
    assert (result.status, result.out, result.err) == (2, "", f"error: {message}\n")


def test_an_unknown_format_names_those_that_there_are(roofline: Runner) -> None:
    result = roofline("llm", "gpt-2", "--hw", "h100", "--sweep", "weights=fp8,int3")
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("error: --sweep weights: unknown number format 'int3'; ")


def test_levers_are_a_table_of_their_own(roofline: Runner) -> None:
    result = roofline("llm", "llama3-70b", "--hw", "h100", "--levers", "--format", "json")
    document = json.loads(result.out)
    assert (result.status, result.err) == (0, "")
    assert document["context"]["command"] == "llm"
    assert [row["lever"] for row in document["levers"]][:2] == ["no lever", "batch 32"]
    assert roofline("llm", "llama3-70b", "--hw", "h100", "--hw", "h200", "--levers").out.count("all together on ") == 2


def test_machine_formats_say_how_far_a_row_is_from_fitting(roofline: Runner) -> None:
    line = ("llm", "llama-3.1-70b", "--hw", "h100", "--sweep", "devices=1,2", "--format", "json")
    found = json.loads(roofline(*line).out)["setups"]
    assert [row["memory_usable_byte"] for row in found] == [85520809984] * 2
    alone = roofline("llm", "llama-3.1-70b", "--hw", "h100", "--devices", "2", "--format", "json").out
    assert found[1]["memory_needed_byte"] == json.loads(alone)["memory_needed_byte"]
    assert found[0]["memory_needed_byte"] == pytest.approx(141.107e9 + 1.342e9 + 0.705e9, rel=1e-4)
    assert [row["fits"] for row in found] == [False, True]
