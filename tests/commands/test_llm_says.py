"""``roofline llm`` says what it did: by which bound, of how many tokens, what is unknown, and what a device has."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner

Ask = Callable[[str], Any]
LAYERS = "--layers 80 --hidden 8192 --heads 64 --kv-heads 8"
LINKED = "links: [{name: Fabric, bandwidth: 100 GB/s, direction: one-way}]"
MEMORY = "memory: [{level: HBM, bandwidth: 900 GB/s, capacity: 24 GB}]"


@pytest.fixture
def answer(roofline: Runner) -> Ask:
    def ask(line: str) -> Any:
        result = roofline("llm", *line.split(), "--format", "json", "-q")
        assert result.status == 0, result.err
        return json.loads(result.out)

    return ask


# Rates and the bounds that they are by.
def test_rates_are_named_by_their_bound_and_a_run_is_judged_by_the_least(answer: Ask, roofline: Runner) -> None:
    # A rate between the two is no fault: it beats the total, with activations that a fused kernel does not move.
    found = answer("llama-3.1-8b --hw h100 --batch 256 --context 512")
    least, total = found["decode_least_time_tokens_per_s"], found["decode_total_time_tokens_per_s"]
    assert least == pytest.approx(256 / found["decode_least_time_s"])
    assert total == pytest.approx(256 / found["decode_total_time_s"])
    assert total < least
    between = (least + total) / 2
    line = ("llm", "llama-3.1-8b", "--hw", "h100", "--batch", "256", "--context", "512", "--measured", f"{between:.3f}")
    result = roofline(*line)
    assert (result.status, result.err) == (0, "")
    assert "tok/s by least" in result.out
    # its share stands in the sentence: in the table it would repeat the MFU or the MBU, whichever is the larger
    judged = answer(f"llama-3.1-8b --hw h100 --batch 256 --context 512 --measured {between:.3f}")
    shares = (judged["decode_measured_mfu"], judged["decode_measured_mbu"])
    assert judged["decode_share_of_bound"] == max(shares)
    assert f"{100 * max(shares):.2f} % of the bound" in result.out
    assert "of tok/s by least" not in result.out
    assert "note: measured tok/s on h100-sxm are above those by total, " in result.out
    assert judged["decode_share_of_bound"] == pytest.approx(between / least, rel=1e-6)
    assert judged["decode_above_bound"] is False
    slow = roofline(*line[:-1], f"{0.9 * total:.3f}").out
    assert "above those by total" not in slow


@pytest.mark.parametrize(
    ("line", "counted"),
    [
        ("mixtral-8x7b --hw h100 --batch 16", ", by the expected number of experts"),
        ("mixtral-8x7b --hw h100 --batch 16 --experts all", ", by --experts all"),
        ("mixtral-8x7b --hw h100 --batch 16 --experts min", ""),  # fewer cannot be touched
        ("mixtral-8x7b --hw h100", ""),  # a token passes two, whichever they are
        ("deepseek-v3 --hw b300", ""),
        ("deepseek-v3 --hw b300 --mla naive", ", by naive MLA"),
        ("deepseek-v3 --hw b300 --mla naive --batch 2", ", by the expected number of experts and by naive MLA"),
        ("llama-3.1-8b --hw h100 --batch 16", ""),
    ],
)
def test_a_run_is_judged_by_what_is_counted_which_is_said(roofline: Runner, line: str, counted: str) -> None:
    """Absorbed MLA beats naive MLA, and a batch that agrees touches fewer experts than are expected."""
    slow, fast = (roofline("llm", *line.split(), "--measured", rate, "--strict", "-q") for rate in ("0.1", "1e6"))
    told = [next(text for text in run.out.splitlines() if text.startswith("measured:")) for run in (slow, fast)]
    batch = line.partition("--batch ")[2].partition(" ")[0] or "1"
    assert told[0].endswith(f"x the least time of a decode step at context 4096, batch {batch}{counted}")
    above = ", which a run may undercut" if counted else ", which cannot be"
    assert told[1].endswith(
        f"faster than the least time of a decode step at context 4096, batch {batch}{counted}{above}"
    )
    assert (slow.status, slow.err, fast.status) == (0, "", 1)
    reason = f"; the bound is {counted.removeprefix(', ')}, which a run may undercut\n" if counted else "devices\n"
    assert fast.err.startswith("error: --strict: decode on ")
    assert fast.err.endswith(reason)


def test_two_devices_are_judged_by_one_measured_number_which_is_said(roofline: Runner) -> None:
    line = ("llm", "llama-3.1-8b", "--hw", "h100", "--measured", "100")
    note = "note: --measured is one number, by which each of these devices is judged; a run was on one of them\n"
    assert note in roofline(*line, "--hw", "a100").out
    assert note not in roofline(*line).out
    assert note not in roofline(*line[:-2], "--hw", "a100").out


# What is unknown.
def test_a_model_of_parameters_alone_is_called_by_its_size(roofline: Runner, answer: Ask) -> None:
    out = roofline("llm", "--params", "70B", "--hw", "h100").out
    assert out.startswith("a model of 70.00 B parameters, weights in bf16, on NVIDIA H100")
    assert "\nbatch 1, prompt 4096, context 4096; products in bf16\n" in out  # of its cache nothing is known
    assert "; KV cache in bf16, products in bf16\n" in roofline("llm", "llama-3.1-8b", "--hw", "h100").out
    # 32 x (4 x 4096^2 + 3 x 4096 x 11008 + 2 x 4096) + 2 x 32000 x 4096 + 4096: Llama-2-7B
    shapes = "--layers 32 --hidden 4096 --heads 32 --width 11008 --vocab 32000"
    assert roofline("llm", *shapes.split(), "--hw", "h100").out.startswith("a model of 6.738 B parameters, ")
    assert roofline("llm", "show", "--params", "124.4M").out.startswith("a model of 124.4 M parameters\n")


def test_all_reduces_of_unknown_layers_are_unknown_and_not_zero(answer: Ask, roofline: Runner) -> None:
    found = answer("--params 70.55e9 --hw h100 --devices 8")
    assert found["decode_link_time_s"] is found["prefill_link_time_s"] is None
    reason = "the all-reduces of unknown layers are unknown, so none is counted"
    assert found["null_reasons"]["decode_link_time_s"] == reason
    assert any("give --layers, --hidden and --heads" in note for note in found["notes"])
    out = roofline("llm", "--params", "70e9", "--hw", "h100", "--devices", "8").out
    assert [line.split() for line in out.splitlines() if line.startswith("links")] == [["links", "unknown", "unknown"]]
    levers = roofline("llm", "--params", "70e9", "--hw", "h100", "--levers").out
    assert "note: what the devices send each other is unknown and not counted" in levers
    # With the layers they are known: 160 all-reduces of 8192 x 2 B x 2 x 7 / 8 over 450 GB/s.
    known = answer(f"--params 70.55e9 {LAYERS} --hw h100 --devices 8")
    assert known["decode_link_time_s"] == pytest.approx(160 * 8192 * 2 * 2 * 7 / 8 / 450e9)
    assert not any("send each other" in note for note in known["notes"])
    assert answer("--params 70e9 --hw h100")["null_reasons"]["decode_link_time_s"] == "one device"


# Memory.
@pytest.mark.parametrize(
    ("words", "tokens"),
    [
        ("", 4096),  # the whole prompt
        ("--chunk 512", 512),
        ("--prompt 100000", 8192),
        ("--prompt 100000 --chunk 20000", 20_000),
        ("--prompt 10 --context 100000", 10),  # what is decoded comes one by one
        ("--prompt 10 --generate 9000", 10),
        ("--prompt 10 --batch 64", 64),  # a token of each sequence
    ],
)
def test_activations_are_those_of_a_chunk_that_is_said(answer: Ask, roofline: Runner, words: str, tokens: int) -> None:
    # gate, up and their product: 3 x 14336 elements of 2 B a token; or 64 x (2 x 4096 + 4 x 128256) B of logits
    found = answer(f"llama-3.1-8b --hw h100 {words}")
    assert found["memory_step_tokens"] == tokens
    logits = 64 * (2 * 4096 + 4 * 128_256) if "batch" in words else 0
    assert found["memory_activations_byte"] == max(3 * 14336 * 2 * tokens, logits)
    chunk = words.partition("--chunk ")[2] or "8192"
    told = f"memory holds the activations of one step: at most {int(chunk):,} tokens of one prompt (--chunk), "
    assert any(text.startswith(told) for text in found["assumptions"])
    assert (
        f"activations of {tokens:,} tokens at once" in roofline("llm", *f"llama-3.1-8b --hw h100 {words}".split()).out
    )


@pytest.mark.parametrize("chunk", ["", "--chunk 512"])
@pytest.mark.parametrize("words", ["", "--generate 1000", "--prompt 10 --context 4096", "--prompt 9 --generate 9"])
def test_the_longest_context_fits_and_a_block_more_does_not(answer: Ask, words: str, chunk: str) -> None:
    """What is more of a context is more of its prompt; as many tokens as before are decoded behind it."""
    found = answer(f"llama-3.1-8b --hw l4 {words} {chunk}")
    assert found["fits"] is True
    decoded = found["context_tokens"] - found["prompt_tokens"]
    for context, fits in ((found["longest_context"], True), (found["longest_context"] + 16, False)):
        line = f"llama-3.1-8b --hw l4 {chunk} --prompt {context - decoded} --context {context}"
        assert answer(line)["fits"] is fits


# Experts.
@pytest.mark.parametrize(
    ("words", "note"),
    [
        ("--batch 3 --experts 8", "--experts 8 in decode is more than the T*k = 6 that can be touched"),
        ("--batch 3 --experts 6", None),
        ("--prompt 2 --experts 5", "--experts 5 in prefill is more than the T*k = 4 that can be touched"),
        ("--levers --experts 3", "--experts 3 in decode is more than the T*k = 2 that can be touched"),
        ("--sweep batch=1,2 --experts 4", "--experts 4 in decode is more than the T*k = 2 that can be touched"),
    ],
)
def test_more_experts_than_can_be_touched_are_taken_and_said(answer: Ask, words: str, note: str | None) -> None:
    notes = answer(f"mixtral-8x7b --hw h100 {words}")["notes"]
    assert (note in notes) if note else not any("can be touched" in each for each in notes)


# Devices without the usual precisions.
@pytest.mark.parametrize(
    ("peak", "model", "says"),
    [
        ("dtype: fp64, dense: 10T", "llama-3.1-8b", "has no bf16 peak; it has: fp64; give --compute fp64"),
        (
            "dtype: fp16, sparse: 10T",
            "llama-3.1-8b",
            "has no bf16 peak; it has: fp16, with 2:4 sparsity alone; a model ",
        ),
        (
            "dtype: fp8, dense: 10T",
            "llama-3.1-8b",
            "has no bf16 peak; it has: fp8; attention runs in 16 bits or more, ",
        ),
        ("dtype: fp8, dense: 10T", "--params 7e9", "has no bf16 peak; it has: fp8; give --compute fp8"),
    ],
)
@pytest.mark.parametrize("table", ["", "--levers", "--ops", "--sweep batch=1:4"])
def test_a_device_without_a_usual_peak_is_told_what_it_has(
    roofline: Runner, own_file: Callable[..., str], peak: str, model: str, says: str, table: str
) -> None:
    chip = own_file(f"name: Odd\nkind: gpu\npeaks: [{{{peak}}}]\n{MEMORY}\n", "odd.yaml")
    result = roofline("llm", *model.split(), "--hw", chip, *table.split())
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(f"error: odd {says}")
    assert "--compute" in result.err
    assert result.err.count("\n") == 1


def test_fp64_is_taken_by_name(answer: Ask, own_file: Callable[..., str]) -> None:
    chip = own_file(f"name: Odd\nkind: gpu\npeaks: [{{dtype: fp64, dense: 10T}}]\n{MEMORY}\n", "odd.yaml")
    found = answer(f"llama-3.1-8b --hw {chip} --compute fp64 --context 0")
    # products of all weights but norms, and attention of one position, at 10 TFLOP/s
    flops = 2 * (7_504_924_672 - 65 * 4096) + 4 * 32 * 32 * 128
    assert found["decode_compute_time_s"] == pytest.approx(flops / 10e12)
    assert answer(f"--params 7e9 --hw {chip} --compute fp64")["decode_compute_time_s"] == pytest.approx(14e9 / 10e12)


# Generating.
def test_generating_n_tokens_is_the_sum_of_n_decode_steps(answer: Ask) -> None:
    """A chip of 1 B/s and no limit else: the seconds of a step are its bytes, weights, cache and activations.

    One layer, h = 8 = 2 heads of 4, MLP and vocabulary of 8, 2 B each. Weights: 4 x 64 of attention, 3 x 64 of the MLP,
    64 of the head, a row of 8 of the embedding, three norms of 8. At context C the cache reads C x 16 elements and
    writes 16. All but the reads is the same at each step, so one at a position more takes 32 B and 32 s more.
    """
    words = "--layers 1 --hidden 8 --heads 2 --width 8 --vocab 8 --peak 1e30FLOP/s --bw 1B/s --prompt 3"
    found = answer(f"{words} --generate 3")
    first, *others = (answer(f"{words} --context {n}")["decode_total_time_s"] for n in (4, 5, 6))
    assert others == [first + 32, first + 64]
    assert found["decode_weights_byte"] == 2 * (256 + 192 + 64 + 8 + 24)
    assert found["decode_kv_byte"] == 2 * (6 * 16 + 16)  # of the last step
    assert (found["next_token_time_s"], found["last_token_time_s"]) == (first, others[-1])
    assert 3 * found["time_per_token_s"] == pytest.approx(first + sum(others), rel=1e-12)
    assert found["time_per_token_s"] == pytest.approx(others[0])  # at the mean context, 3 + (3 + 1) / 2 = 5
    assert found["generated_tokens_per_s"] == pytest.approx(3 / (first + sum(others)))
    # and with the prefill, which makes the first of them
    assert found["tokens_in_all"] == 4
    assert found["time_to_last_token_s"] == pytest.approx(found["prefill_total_time_s"] + first + sum(others))


def test_how_many_tokens_that_makes_and_when_the_last_is_there(roofline: Runner, answer: Ask) -> None:
    """7e9 parameters at 1 TB/s: 14 ms a step of 14 GB; a prompt of 1000 takes 14e12 FLOP, 140 ms at 100 TFLOP/s."""
    line = "--params 7e9 --peak 100TFLOP/s --bw 1TB/s --prompt 1000 --generate"
    for count, told in (("500", "; all 501 after 7.140 s"), ("1", "; both after 154.0 ms"), ("0", "")):
        sentences = [text for text in roofline("llm", *line.split(), count).out.splitlines() if "first token" in text]
        assert [text.endswith(told) for text in sentences if "generating" in text] == [True] * bool(told)
    both = roofline("llm", *line.split(), "500", "--batch", "2", "--mbu", "50%").out
    assert "; all 501 tokens of each sequence after 7.280 s\n" in both  # the prefill of both takes 280 ms
    # at half the bandwidth 28 ms a step, and the prefill as before
    assert "; all 501 tokens of each sequence after 14.28 s\n" in both
    assert answer(f"{line} 500 --mbu 50%")["estimated_time_to_last_token_s"] == pytest.approx(0.14 + 500 * 0.028)


# Faults that were mended once.
@pytest.mark.parametrize("devices", ["1000000007", "1e15", "999999999999999"])
def test_a_huge_number_of_devices_is_an_answer_or_an_error_at_once(roofline: Runner, devices: str) -> None:
    for model in ("llama-3.1-8b", "deepseek-v3", "gpt-2"):
        result = roofline("llm", model, "--hw", "h100", "--devices", devices)
        assert (result.status, result.out) == (2, "")
        assert result.err.startswith("error: --devices must divide the ")
    assert roofline("llm", "--params", "70e9", "--hw", "h100", "--devices", devices).status == 0


@pytest.mark.parametrize("command", [(), ("show",)])
@pytest.mark.parametrize("named", ["config.json", "", "model.gguf"])
def test_no_output_overwrites_the_model_it_is_of(
    roofline: Runner, tmp_path: Path, command: tuple[str, ...], named: str
) -> None:
    from tests.commands.test_llm import TINY
    from tests.transformer.gguf_files import LLAMA, LLAMA_TENSORS, header

    config, gguf = tmp_path / "config.json", tmp_path / "model.gguf"
    config.write_text(json.dumps(TINY), encoding="utf-8")
    gguf.write_bytes(header(LLAMA, LLAMA_TENSORS))
    file = gguf if named == "model.gguf" else config
    before = file.read_bytes()
    device = () if command else ("--hw", "h100")
    result = roofline("llm", *command, str(tmp_path / named), *device, "-o", str(file), "--format", "json")
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("error: ")
    assert file.read_bytes() == before


# Words.
def test_one_is_not_several(roofline: Runner, own_file: Callable[..., str]) -> None:
    chip = own_file(f"name: Odd\nkind: gpu\npeaks: [{{dtype: bf16, dense: 10T}}]\n{MEMORY}\n{LINKED}\n", "odd.yaml")
    one = "--layers 1 --hidden 64 --heads 1 --width 64 --vocab 64"
    out = roofline("llm", *one.split(), "--hw", chip, "--prompt", "1").out
    assert "activations of 1 token at once" in out
    assert ": 1 device at least; " in out
    assert "largest batch at 1 position: " in out
    assert ", 1 token generated behind the first;" in roofline("llm", *one.split(), "--hw", chip, "--generate", "1").out
    assert "\n1 layer: 1 query and 1 KV head of 64; " in roofline("llm", "show", *one.split()).out
    levers = roofline("llm", *one.split(), "--hw", chip, "--levers", "--prompt", "1").out
    assert "FlashAttention in a prefill of 1 token: " in levers
    assert "tensor parallel does not apply: devices must divide the 1 head of a layer, got 8" in levers
    grouped = roofline("llm", *one.replace("--heads 1", "--heads 4 --kv-heads 1").split(), "--hw", chip, "--levers").out
    assert "GQA: 1 KV head of 4" in grouped
    two = "--layers 1 --hidden 65536 --heads 1 --width 65536 --vocab 65536"
    # 2 B of 65536^2 x (4 of attention + 3 of the MLP + 2 of embedding and head) and three norms; a key and a value of
    # 4,096 positions; queries, keys, values and results of 4,096 tokens:
    # 77,309,804,544 + 1,073,741,824 + 2,147,483,648 B
    held = "no number of devices (on 1, the most that can share the heads, 80.53 GB)"
    assert (
        f": {held}; no context and no batch, since the weights alone do not fit; "
        in roofline("llm", *two.split(), "--hw", chip).out
    )


def test_what_is_assumed_of_operators_that_are_not_known_is_not_said(answer: Ask) -> None:
    words = ("attention:", "flash:", "LM head", "norms")
    assert not any(text.startswith(words) for text in answer("--params 70e9 --hw h100")["assumptions"])
    assert not any(text.startswith("memory holds") for text in answer("--params 70e9 --hw h100")["assumptions"])
    assert sum(text.startswith(words) for text in answer("llama-3.1-8b --hw h100")["assumptions"]) == 4


@pytest.mark.parametrize("line", ["llama-3.1-8b", "mixtral-8x7b", "deepseek-v3", f"--params 70e9 {LAYERS}"])
def test_traffic_is_the_sum_of_its_parts_whatever_is_known(answer: Ask, line: str) -> None:
    found = answer(f"{line} --hw b200 --batch 3")
    for phase in ("prefill", "decode"):
        parts = (found[f"{phase}_{part}_byte"] for part in ("weights", "kv", "activations"))
        assert sum(parts) == found[f"{phase}_traffic_byte"]


@pytest.mark.parametrize(
    ("line", "assumed"),
    [
        ("llama-3.1-8b", {"norms and residual sums", "q, k, v", "gated MLPs"}),
        ("gpt-2", {"norms and residual sums", "q, k, v"}),  # its MLP has no gate
        ("deepseek-v3", {"norms and residual sums", "gated MLPs"}),  # queries and the latent come from products apart
        (f"--params 70e9 {LAYERS}", {"q, k, v"}),  # of whose MLP and norms nothing is known
        ("--params 70e9", set()),
    ],
)
def test_what_is_assumed_is_of_operators_that_are_there(answer: Ask, line: str, assumed: set[str]) -> None:
    texts = answer(f"{line} --hw h200")["assumptions"]
    about = ("norms and residual sums", "q, k, v", "gated MLPs")
    assert {word for word in about if any(text.startswith(word) for text in texts)} == assumed
    assert ("residual sums unfused" in texts) is (LAYERS in line)  # and no norms are known
    assert any(text.startswith("FLOP of matrix products only") for text in texts)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("--params 13B --hw h100 --hw a100", "else unknown, since KV cache and activations are"),
        (f"--params 70e9 {LAYERS} --hw h100 --hw a100", "else unknown, since activations are"),
        ("--params 13B --hw a100 --sweep batch=1:4", "else unknown, since KV cache and activations are"),
        ("llama-3.1-8b --hw a100 --sweep batch=1:4", "unknown where that depends on whether the GB that a device is"),
    ],
)
def test_why_nobody_knows_whether_it_fits(roofline: Runner, line: str, why: str) -> None:
    out = roofline("llm", *line.split()).out
    assert why in out
    assert ("GiB" in out) is ("GB that" in why)
    assert "needs: by the smaller" not in out  # there is no such column


def test_what_fits_on_each_of_a_few_devices_stands_below(roofline: Runner) -> None:
    # 14.66e9 weights of 2 B are 29.3 GB, more than 24 GB; of 1 B they are 14.7 GB
    told = roofline("llm", "phi-4", "--hw", "rtx4090", "--hw", "h100").out.splitlines()
    small, large = (
        next(line for line in told if line.startswith(f"what fits on {name}")) for name in ("rtx4090", "h100")
    )
    assert small.startswith("what fits on rtx4090 into 24.00 GB: 2 devices at least")
    assert "; widest weights: fp8 as served, q8_0 in GGUF" in small
    assert large.startswith("what fits on h100-sxm: 1 device at least; longest context at batch 1: ")
    assert large.endswith("; widest weights: bf16")
    many = [word for name in ("h100", "a100", "l4", "t4") for word in ("--hw", name)]
    assert "what fits on" not in roofline("llm", "phi-4", *many).out  # of many it is in JSON
