"""Options of ``roofline llm`` one by one, with models of all kinds: each changes what is shown, or is refused."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from roofline.commands.llm import _ALWAYS_FELT, command
from roofline.commands.llm_effects import _REASONS
from tests.conftest import Runner

# Some of everything: 16 and 8 bits, a link, and memory that holds the largest model.
CHIP = """
name: Chip
kind: gpu
peaks:
  - {dtype: bf16, unit: matrix, dense: 100T}
  - {dtype: fp8, unit: matrix, dense: 200T}
  - {dtype: fp32, unit: vector, dense: 10T}
memory:
  - {level: HBM, bandwidth: 900 GB/s, capacity: 2 TB}
links:
  - {name: Fabric, bandwidth: 100 GB/s, direction: one-way}
  - {name: Ethernet, bandwidth: 10 GB/s, direction: one-way}
"""
MODELS = {
    "dense": "llama-3.1-8b",
    "experts": "mixtral-8x7b",
    "latent": "deepseek-v3",
    "window": "gpt-oss-20b",
    "parameters": "--params 70e9",
    "attention": "--params 70e9 --layers 80 --hidden 8192 --heads 64 --kv-heads 8",
    "sizes": "--layers 2 --hidden 512 --heads 8 --width 2048 --vocab 1024",
}
TABLES = ("", "--ops", "--ops --phase prefill", "--levers", "--sweep batch=1,64", "--sweep prompt=128,512")
CASES = [
    (kind, table) for kind in MODELS for table in TABLES if kind in ("dense", "parameters") or table in TABLES[::3]
]
# Values that are not the default; of several at least one must change something.
VALUES: dict[str, tuple[str, ...]] = {
    "prompt": ("1000",),
    "context": ("1000", "70000"),
    "generate": ("100", "5000"),
    "batch": ("3",),
    "weights": ("q8_0", "fp32"),
    "keep": ("attention", "head", "unplaced"),
    "kv": ("q8_0", "fp32"),
    "compute": ("fp8", "fp32"),
    "attention": ("unfused",),
    "count": ("full",),
    "mla": ("naive", "absorbed"),
    "experts": ("all",),
    "logits": ("all",),
    "devices": ("2",),
    "link": ("Ethernet",),
    "latency": ("1ms",),
    "reserve": ("1.9TB",),
    "kv_block": ("1000",),
    "chunk": ("100",),
    "mfu": ("50%",),
    "mbu": ("50%",),
    "measured": ("1",),
    "phase": ("prefill", "decode"),
}
OTHERS = {
    "strict",
    "hw",
    "peak",
    "bw",
    "swept",
    "levers",
    "ops",
    "format_name",
    "output",
    "quiet",
    "color",
    "model",
    "params",
}
# Where whether it fits is all that is shown of memory, a value changes that at its edge alone: tested one by one.
AT_THE_EDGE = {"reserve", "kv_block", "chunk", "prompt", "generate"}


def shown(out: str) -> str:
    """A table without what repeats the options, and without notes, which speak of them."""
    lines = out.splitlines()[1:]
    return "\n".join(line for line in lines if not re.match(r"batch \d+, prompt|note: |roof|headline|link", line))


def test_each_option_is_among_those_that_are_tried() -> None:
    names = {param.name for param in command.params if not str(param.name).startswith("model_")}
    assert names - OTHERS - {"tied", "no_gate"} == set(VALUES)


@pytest.mark.parametrize(("kind", "table"), CASES)
def test_an_option_changes_something_or_is_refused(
    roofline: Runner, own_file: Callable[..., str], kind: str, table: str
) -> None:
    line = f"{MODELS[kind]} --hw {own_file(CHIP)} {table}".split()
    before = roofline("llm", *line, "-q")
    assert before.status == 0
    for name, values in VALUES.items():
        if f"{name}=" in table or f"--{name}" in table or (table[:7] in ("--sweep", "--lever") and name in AT_THE_EDGE):
            continue
        option = f"--{name.replace('_', '-')}"
        several = ("--devices", "2") if name in ("link", "latency") and table != "--levers" else ()
        base = shown(roofline("llm", *line, *several, "-q").out)
        results = [roofline("llm", *line, *several, option, value, "-q") for value in values]
        for result in results:
            assert result.status in (0, 2)
            if result.status == 2:
                assert result.out == ""
                assert result.err.startswith("error: --")
                assert result.err.count("\n") == 1
        effects = [shown(result.out) != base for result in results if result.status == 0]
        assert not effects or any(effects), f"{option} changes nothing"


NO_LAYERS = "has no effect: nothing is known of the layers; give --layers, --hidden and --heads"
NO_SIZES = "has no effect: not all sizes of the model are known; give them in place of --params"
NO_MEMORY = "has no effect: the memory capacity of the device is unknown"
GIVEN = "--peak 100TFLOP/s --bw 1TB/s"
REFUSED = [
    ("llama-3.1-8b --hw h100 --experts expected", "--experts is of a mixture of experts; Llama-3.1-8B is none"),
    ("llama-3.1-8b --hw h100 --mla auto", "--mla is of multi-head latent attention; Llama-3.1-8B has none"),
    ("--params 7e9 --hw h100 --kv fp8", f"--kv {NO_LAYERS}"),
    ("--params 7e9 --hw h100 --kv-block 1", f"--kv-block {NO_LAYERS}"),
    ("--params 7e9 --hw h100 --attention unfused", f"--attention {NO_LAYERS}"),
    ("--params 7e9 --hw h100 --context 0", f"--context {NO_LAYERS}"),
    ("--params 7e9 --hw h100 --sweep context=1:8", f"--sweep context {NO_LAYERS}"),
    ("--params 7e9 --hw h100 --sweep kv=fp8", f"--sweep kv {NO_LAYERS}"),
    ("--params 7e9 --hw h100 --devices 8 --latency 1us", f"--latency {NO_LAYERS}, from which all-reduces follow"),
    ("--params 7e9 --hw h100 --logits all", f"--logits {NO_SIZES}"),
    ("--params 7e9 --layers 8 --hidden 512 --heads 8 --hw h100 --chunk 9", f"--chunk {NO_SIZES}"),
    ("--params 7e9 --tied --hw h100", "--tied has no effect beside --params; give all sizes in place of --params"),
    (
        "--params 7e9 --no-gate --hw h100",
        "--no-gate has no effect beside --params; give all sizes in place of --params",
    ),
    ("--params 7e9 --heads 8 --hw h100", "the attention of a model by hand lacks --layers, --hidden; or give --params"),
    ("llama-3.1-8b --hw h100 --keep router", "--keep router has no effect: Llama-3.1-8B has no such weights"),
    ("llama-3.1-8b --hw h100 --keep head", "--keep has no effect: all weights are in bf16, and so have 16 bits"),
    ("llama-3.1-8b --hw h100 --ops --count full", "--count has no effect: in decode a query attends all positions "),
    (
        "llama-3.1-8b --hw h100 --sweep batch=1:4 --logits all",
        "--logits has no effect: a decode step has one token of ",
    ),
    ("llama-3.1-8b --hw h100 --ops --mfu 50%", "--mfu has no effect: --ops shows no estimates"),
    ("llama-3.1-8b --hw h100 --levers --attention unfused", "--attention has no effect: --levers shows both ways"),
    (
        "llama-3.1-8b --hw h100 --levers --weights fp32",
        "--weights has no effect: levers are formats below 16 bits, and fp32",
    ),
    (
        "llama-3.1-8b --hw m4max --levers --latency 1us",
        "--latency has no effect: no link of m4max to other devices is known",
    ),
    ("llama-3.1-8b --hw h100 --levers --link x", "h100-sxm has no link 'x'; it has: NVLink 4"),
    ("llama-3.1-8b --hw h100 --prompt 9 --sweep context=1:8", "--prompt has no effect: each prompt is as long as the "),
    ("llama-3.1-8b --hw h100 --context 9 --sweep prompt=1:8", "--context has no effect: the rows are of prefill"),
    (f"llama-3.1-8b {GIVEN} --reserve 1GB --levers", f"--reserve {NO_MEMORY}"),
    (f"llama-3.1-8b {GIVEN} --kv-block 9 --sweep batch=1:4", f"--kv-block {NO_MEMORY}"),
    (f"llama-3.1-8b {GIVEN} --chunk 9 --sweep batch=1:4", f"--chunk {NO_MEMORY}"),
    ("llama-3.1-8b --hw h100 --latency 1us --sweep devices=1", "--latency is of several devices; give --devices"),
    ("llama-3.1-8b --hw h100 --reserve 0.4B", "--reserve must be 0 or 1 B at least, got 0.4 B"),
]


@pytest.mark.parametrize(("line", "message"), REFUSED)
def test_what_has_no_effect_is_refused_in_one_line(roofline: Runner, line: str, message: str) -> None:
    result = roofline("llm", *line.split())
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(f"error: {message}")
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    "line",
    [
        "llama-3.1-8b --hw h100 --latency 1us --sweep devices=1:8",
        "llama-3.1-8b --hw h100 --sweep weights=bf16,fp8 --keep head",
        "llama-3.1-8b --hw m4max --hw h100 --levers --latency 1us",
        "llama-3.1-8b --hw h100 --weights bf16 --compute fp8 --keep head",
        "llama-3.2-1b --hw h100 --weights fp8 --keep head",  # whose LM head is the embedding, and read all the same
        "gpt-oss-20b --hw h100 --levers --weights bf16",  # in place of mxfp4, which is a lever
        "--params 7e9 --hw h100 --context 100",  # the prompt is as long
        "--params 7e9 --hw h100 --reserve 0",
        "llama-3.1-8b --hw h100 --reserve 1B",
    ],
)
def test_what_one_of_several_uses_or_has_an_effect_is_taken(roofline: Runner, line: str) -> None:
    result = roofline("llm", *line.split(), "-q")
    assert (result.status, result.err) == (0, "")


def test_what_is_always_felt_is_never_refused() -> None:
    assert not _ALWAYS_FELT & set(_REASONS)
    assert {parameter.name for parameter in command.params} >= _ALWAYS_FELT
