"""Options of ``roofline llm``: how much, over which link, in which format; and what a gate makes of a run."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from roofline.commands.llm import command
from roofline.commands.sizes import size
from roofline.errors import InputError
from roofline.precision import FORMATS
from roofline.transformer import choices
from roofline.transformer.conventions import Conventions
from roofline.transformer.setup import Setup
from tests.commands.conftest import Ask, Run
from tests.conftest import Runner

GIVEN = "--peak 989.4TFLOP/s --bw 3350GB/s"


def test_a_shorter_context_never_needs_more_memory(answer: Ask) -> None:
    """131,072 B a position in blocks of 16: 1,024 sequences of 128 positions have 17.2 GB, of one 2.1 GB."""
    needed = [answer(f"llama-3.1-8b --hw h100 --batch 1024 --context {length}") for length in (0, 1, 16, 17, 128, 129)]
    assert [found["memory_kv_byte"] // (1024 * 131_072) for found in needed] == [16, 16, 16, 32, 128, 144]
    assert [found["fits"] for found in needed] == [True] * 6
    # A step attends its own position at least, which 0 leaves it: written, and read. Prompts have one token.
    of_steps = [[found[key] for key in ("prefill_tokens", "decode_kv_byte")] for found in needed[:2]]
    assert of_steps == [[1024, 2 * 1024 * 131_072]] * 2


def test_a_context_of_as_many_tokens_as_the_prompt_is_taken(answer: Ask, run: Run) -> None:
    found = answer("llama-3.1-8b --hw h100 --prompt 100 --context 100")
    assert (found["prompt_tokens"], found["context_tokens"]) == (100, 100)
    assert answer("llama-3.1-8b --hw h100 --prompt 1 --context 0")["context_tokens"] == 0
    assert run("llama-3.1-8b --hw h100 --prompt 2 --context 0").status == 2
    assert "0, like 1: its own alone, and a prompt of one token" in " ".join(run("--help").out.split())


def test_help_says_the_defaults_that_setups_have() -> None:
    plain, counted = Setup._field_defaults, Conventions()
    defaults = {param.name: param.default for param in command.params}
    helps = {param.name: param.help for param in command.params if isinstance(param, click.Option)}
    named = {"batch": "batch", "devices": "devices", "chunk": "chunk", "kv_block": "block"}
    for option, field in named.items():
        assert defaults[option] == plain[field]
        assert f"Default: {plain[field]}" in str(helps[option])
    assert f"or {plain['prompt']}." in str(helps["prompt"])
    for name, words in choices.WORDS.items():
        assert defaults[name] == getattr(counted, name) == words[0]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("32k", "32k is 32000 or 32768; write the number"),
        ("1.5M", "1.5M is 1500000 or 1572864; write the number"),
        ("2Gi", "2Gi is 2147483648; write the number"),
        ("1.0001k", "write the number alone, without a unit"),  # 1024 times as many is no whole number
        ("8tokens", "write the number alone, without a unit"),
        ("16MB", "write the number alone, without a unit"),
        ("many", None),
    ],
)
def test_a_size_with_a_prefix_is_told_what_to_write(text: str, hint: str | None) -> None:
    with pytest.raises(InputError, match=r"^--context must be a whole number from 0 to 1e15, got '") as caught:
        size(text, name="--context", least=0)
    assert caught.value.hint == hint


def test_a_size_of_elements_is_told_that_it_has_no_bytes(roofline: Runner) -> None:
    assert roofline("op", "gemm", "-m", "16MB", "-n", "8", "-k", "8").err == (
        "error: -m must be a whole number from 1 to 1e15, got '16MB'; sizes count elements, without a unit: 16 MB of "
        "bf16 are 8e6\n"
    )


def test_the_least_is_that_of_the_argument(roofline: Runner) -> None:
    """A convolution may have no padding, but no kernel of no size."""
    shape = ["op", "conv2d", "-n", "1", "-c", "3", "-h", "8", "-w", "8", "-k", "8", "-r", "3", "-s", "3"]
    assert roofline(*shape, "--padding", "x").err.startswith("error: --padding must be a whole number from 0 to 1e15,")
    assert roofline(*shape, "--stride", "y").err.startswith("error: --stride must be a whole number from 1 to 1e15, ")


@pytest.mark.parametrize("line", ["llm gpt-2 --hw h100 --weights fp9", "op gemm -m 1 -n 1 -k 1 --dtype fp9"])
def test_an_unknown_format_has_the_near_ones_and_the_list(roofline: Runner, line: str) -> None:
    said = roofline(*line.split()).err
    assert "did you mean: fp8" in said
    assert said.endswith(f"? one of: {', '.join(FORMATS)}\n")


def test_a_method_says_which_format_it_became(answer: Ask) -> None:
    assert "weights: awq is taken as int4-g128" in answer("llama-3.1-8b --hw h100 --weights awq")["notes"]
    assert "weights: gptq is taken as int4-g128" in answer("llama-3.1-8b --hw h100 --weights GPTQ")["notes"]
    swept = answer("llama-3.1-8b --hw h100 --sweep weights=bf16,gptq")
    assert "weights: gptq is taken as int4-g128" in swept["notes"]
    for name in ("int4-g128", "INT4_G128"):
        assert not any("taken as" in note for note in answer(f"llama-3.1-8b --hw h100 --weights {name}")["notes"])


# Links.
def test_a_link_may_be_a_bandwidth(answer: Ask, run: Run) -> None:
    """64 all-reduces between 2 devices each send 8,192 B one way, the half of 2 (p - 1) / p of 4,096 elements twice."""
    line = f"llama-2-7b {GIVEN} --devices 2 --context 0"
    found = answer(f"{line} --link 400Gbit/s")
    assert found["decode_link_time_s"] == pytest.approx(64 * 8192 / 50e9)
    told = next(text for text in run(f"{line} --link 400Gbit/s").out.splitlines() if text.startswith("link:"))
    assert all(words in told for words in ("given link", "50.00 GB/s one way", "(given)"))
    # For scale-out the given one takes the place of the device's own.
    of_h100 = answer("llama-2-7b --hw h100 --devices 2 --context 0 --link 50GB/s")
    assert of_h100["decode_link_time_s"] == found["decode_link_time_s"]
    assert "NVLink" not in run("llama-2-7b --hw h100 --devices 2 --context 0 --link 50GB/s").out
    assert run(f"{line}").err == (
        "error: no link of given to other devices is known; --link 64GB/s gives one, with its bandwidth one way; or add"
        " one to a file of your own\n"
    )


def test_an_operation_takes_a_bandwidth_too(roofline: Runner) -> None:
    """An all-reduce of 1e9 elements of 2 B in a ring of 8 sends 2 x 7/8 x 2 GB = 3.5 GB: 70 ms at 50 GB/s."""
    shape = ["op", "allreduce", "-n", "1e9", "-p", "8", "--dtype", "bf16"]
    found = json.loads(roofline(*shape, *GIVEN.split(), "--link", "50GB/s", "--format", "json").out)
    assert found["link_least_time_s"] == pytest.approx(0.070)
    assert (found["link"], found["link_bandwidth_byte_per_s"]) == ("given link", 50e9)


def test_a_link_whose_name_begins_with_a_number_is_a_name(answer: Ask, run: Run) -> None:
    found = run("llama-2-7b --hw gaudi3 --devices 2 --link 9x9GbE")
    assert found.err.startswith("error: gaudi3 has no link '9x9GbE'; it has: 24x200GbE RoCE")
    assert run("llama-2-7b --hw gaudi3 --devices 2 --link 100GbE").err.startswith("error: gaudi3 has no link '100GbE'")
    assert run("llama-2-7b --hw gaudi3 --devices 2 --link 400gb/s").err.startswith("error: --link: unknown unit 'gb/s'")


def test_bare_parameters_need_no_link(answer: Ask, run: Run) -> None:
    """Nothing is known to be sent, so that nothing is asked of a link: 70e9 x 2 B over 4 devices at 3.35 TB/s."""
    found = answer(f"--params 70e9 {GIVEN} --devices 4")
    assert found["decode_least_time_s"] == pytest.approx(140e9 / 4 / 3.35e12)
    assert found["decode_link_time_s"] is None
    assert "unknown" in found["null_reasons"]["decode_link_time_s"]
    assert run(f"--params 70e9 --layers 80 --hidden 8192 --heads 64 {GIVEN} --devices 4").status == 2


def test_no_lever_splits_bare_parameters_over_devices_that_nothing_joins(answer: Ask) -> None:
    """Nobody asked for several M4 Max; with --devices it is the user who knows how they are joined."""
    rows = {row["lever"]: row for row in answer("--params 7B --hw m4max --levers")["levers"]}
    assert rows["tensor parallel"]["total_time_tokens_per_s"] is None
    assert "2 devices" in {row["lever"] for row in answer("--params 7B --hw m4max --devices 2 --levers")["levers"]}


# A gate.
def test_strict_fails_a_run_above_its_bound_and_only_that(run: Run) -> None:
    """8 bits of 8.03e9 weights are 7.5 GB without the embedding: 446 tokens/s at most without a cache."""
    line = "llama-3.1-8b --hw h100 --weights q8_0 --context 0 --strict --measured"
    above, below = run(f"{line} 900"), run(f"{line} 100")
    assert (above.status, below.status, below.err) == (1, 0, "")
    assert above.out.startswith("Llama-3.1-8B")  # the full result is printed all the same
    warned, failed = above.err.splitlines()
    assert warned.startswith("warning: decode on h100-sxm was measured at ")
    assert failed == f"error: --strict: {warned.removeprefix('warning: ')}"
    assert run(f"{line} 900 -q").err == f"{failed}\n"  # which hides no reason
    both = run(f"{line} 900 --hw h200").err.splitlines()
    told = "; ".join(each.removeprefix("warning: ") for each in both[:-1])
    assert both[-1] == f"error: --strict: 2 warnings: {told}"


# Output.
def test_no_part_of_a_split_file_is_overwritten(
    roofline: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = (Path(f"m-0000{part}-of-00002.gguf") for part in (1, 2))
    first.write_bytes(b"GGUF")
    second.write_bytes(b"GGUF")
    for target in (first, second):
        result = roofline("llm", str(first), "--hw", "h100", "--format", "json", "-o", str(target))
        assert (result.status, result.out) == (2, "")
        assert result.err == f"error: -o '{target}' would overwrite what is read; write to another file\n"
        assert target.read_bytes() == b"GGUF"


CHIP = (
    "name: Mine\nkind: gpu\npeaks: [{dtype: bf16, dense: 10T}]\n"
    "memory: [{level: HBM, bandwidth: 1 TB/s, capacity: 80 GB}]\n"
)


@pytest.mark.parametrize("line", ["--hw mine", "--sweep hw=mine,h100", "--sweep hw=h100,mine --sweep batch=1,2"])
def test_no_output_overwrites_a_device_that_was_read_by_whatever_name(
    roofline: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(CHIP, encoding="utf-8")
    monkeypatch.setenv("ROOFLINE_HARDWARE", str(tmp_path))
    result = roofline("llm", "llama-3.1-8b", *line.split(), "--format", "json", "-o", str(file))
    assert (result.status, result.out) == (2, "")
    assert "would overwrite what is read" in result.err
    assert file.read_text(encoding="utf-8") == CHIP
    for words in (["ridge", "--hw", "mine"], ["analyze", "--flops", "1T", "--bytes", "1GB", "--hw", "mine"]):
        result = roofline(*words, "--format", "json", "-o", str(file))
        assert (result.status, file.read_text(encoding="utf-8")) == (2, CHIP)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--devices 2 --link 1e-300B/s", "link must be a name, or a bandwidth between 1e-06 and 1e+40 B/s"),
        ("--devices 2 --link=-1GB/s", "--link"),
        ("--measured 1e-320", "measured tokens/s must be from 1e-15 to 1e+15"),
        ("--mbu 1e-320", "--mbu must be at least 1e-09"),
        ("--sweep kv=FOO", "--sweep kv: unknown number format 'FOO'"),
        ("--sweep compute=bf16,nope", "--sweep compute"),
        ("--generate 1e15", "--generate must be at most"),
    ],
)
def test_what_is_too_small_or_too_large_is_told_by_its_option(roofline: Runner, line: str, says: str) -> None:
    result = roofline("llm", "llama-3.1-8b", "--hw", "h100", *line.split())
    assert (result.status, result.out) == (2, "")
    assert says in result.err


def test_two_spellings_of_a_format_are_one_row(roofline: Runner) -> None:
    out = roofline("llm", "llama-3.1-8b", "--hw", "h100", "--sweep", "weights=FP8,fp8,bf16", "--format", "csv").out
    assert len(out.splitlines()) == 1 + 2


def test_operators_of_several_devices_say_whose_traffic_is_not_in_the_totals(roofline: Runner) -> None:
    words = "the traffic of all-reduces is in the time of the links, and not among the bytes of the step"
    line = ["llm", "llama-3.1-8b", "--hw", "h100", "--ops"]
    assert words in roofline(*line, "--devices", "2").out
    assert words not in roofline(*line).out
