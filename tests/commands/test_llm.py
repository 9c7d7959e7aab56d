"""``roofline llm``: the truth table, public bug reports and published counts over the command line, worked by hand."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from roofline.transformer.presets import presets
from tests.commands.conftest import Ask, Run
from tests.conftest import Runner
from tests.transformer.test_presets import MODELS
from tests.transformer.test_truth_table import ROWS, Row

HAND = "--layers 2 --hidden 64 --width 64 --vocab 64"
TINY = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 64,
}

# 100 TFLOP/s whatever the precision, 1 TB/s, 24 GB, and a link of 100 GB/s.
CHIP = """
name: Chip
kind: gpu
peaks:
  - {dtype: bf16, unit: matrix, dense: 100T}
  - {dtype: fp8, unit: matrix, dense: 200T}
memory:
  - {level: HBM, bandwidth: 900 GB/s, capacity: 24 GB}
links:
  - {name: Fabric, bandwidth: 100 GB/s, direction: one-way}
"""
PROCESSOR = """
name: Processor
kind: cpu
peaks:
  - {dtype: fp32, dense: 1T}
memory:
  - {level: DRAM, bandwidth: 100 GB/s, capacity: 64 GB}
"""


@pytest.fixture
def chip(own_file: Callable[..., str]) -> str:
    return own_file(CHIP)


def options(row: Row) -> str:
    """A row of the truth table as options; its chips have one peak for every precision."""
    chip = "--peak 312TFLOP/s --bw 2039GB/s" if row.model == "llama-2-7b" else "--peak 989.5TFLOP/s --bw 3350GB/s"
    if row.model == "deepseek-v3":
        chip = "--peak 1979TFLOP/s --bw 3350GB/s --weights fp8 --compute fp8"
    length = "--prompt" if row.phase == "prefill" else "--prompt 1 --context"
    return f"{row.model} {chip} {length} {row.context} --batch {row.batch}"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.number}-{row.model}-{row.phase}")
def test_the_truth_table(answer: Ask, row: Row) -> None:
    found = answer(options(row))

    def of(key: str) -> Any:
        return found[f"{row.phase}_{key}"]

    assert f"{of('work_flop'):.5e}" == row.flops
    assert of("traffic_byte") == pytest.approx(row.moved, rel=1e-3)
    assert of("weights_byte") + of("kv_byte") == pytest.approx(row.least, rel=1e-3)
    assert of("arithmetic_intensity_flop_per_byte") == pytest.approx(row.intensity, rel=1e-3, abs=0.005)
    assert of("least_time_s") * 1e3 == pytest.approx(row.least_ms, rel=1e-3)
    assert of("total_time_s") * 1e3 == pytest.approx(row.total_ms, rel=1e-3)
    assert of("operator_time_s") * 1e3 == pytest.approx(row.by_operator_ms, rel=1e-3)
    assert of("bound") == f"{row.bound}-bound"
    assert found["fits"] is None  # of a given peak no capacity is known
    assert found["null_reasons"]["fits"] == "given has no known memory capacity"


def test_a_shipped_device_takes_its_sourced_dense_peak_beside_the_headline(answer: Ask, run: Run) -> None:
    # Row 9: 1.31945e14 FLOP at 989.4 TFLOP/s, the vendor's dense figure; 1,979 is of 2:4 sparsity.
    found = answer("llama-3.1-8b --hw h100 --prompt 8192")
    assert found["prefill_peak_flop_per_s"] == pytest.approx(989.4e12)
    assert found["prefill_total_time_s"] == pytest.approx(1.31945e14 / 989.4e12, rel=1e-5)
    assert found["prefill_ridge_flop_per_byte"] == pytest.approx(989.4 / 3.35)
    assert found["headline_ridge_flop_per_byte"] == pytest.approx(1979 / 3.35)
    assert found["context"]["model_source"].startswith("github.com/")
    assert "I* 591 FLOP/B" in run("llama-3.1-8b --hw h100").out


# Published counts, and the bytes of a token in the KV cache, of all models that come along.
def test_every_model_is_listed_with_its_exact_parameters(answer: Ask) -> None:
    listed = {row["model"]: row for row in answer("list")["models"]}
    assert set(listed) == set(presets())
    for name, stored, active, _, kv, _ in MODELS:
        row = listed[name]
        assert (row["parameters"], row["active_parameters"], row["kv_byte_per_token"]) == (stored, active, kv)


def test_the_list_is_filtered_by_words_and_kinds(answer: Ask) -> None:
    assert {row["model"] for row in answer("list mla")["models"]} == {"deepseek-v2-lite", "deepseek-v3", "deepseek-r1"}
    assert {row["model"] for row in answer("list moe qwen3-30")["models"]} == {"qwen3-30b-a3b"}
    assert {row["model"] for row in answer("list LLAMA3-70B")["models"]} == {"llama-3.1-70b"}  # an alias, in any case
    assert answer("list nothing-like-it")["summary"] == ["no model matches"]


@pytest.mark.parametrize(("name", "stored", "active", "matrices", "kv"), [row[:5] for row in MODELS][::7])
def test_show_adds_up(answer: Ask, name: str, stored: int, active: int, matrices: int, kv: int) -> None:
    found = answer(f"show {name}")
    assert (found["parameters"], found["active_parameters"]) == (stored, active)
    assert (found["active_parameters_without_embedding"], found["kv_byte_per_token"]) == (matrices, kv)
    assert sum(part["parameters"] for part in found["parts"]) == stored
    assert sum(part["share_of_parameters"] for part in found["parts"]) == pytest.approx(1)


def test_gpt_oss_120b_has_the_bytes_of_its_checkpoint(answer: Ask) -> None:
    assert answer("show gpt-oss-120b")["weights_byte"] == 65_248_815_744
    assert answer("gpt-oss-120b --hw h100")["memory_weights_byte"] == 65_248_815_744


# Cases from public bug reports.
def test_l01_the_cache_has_kv_heads_not_heads(answer: Ask) -> None:
    shape = "--layers 32 --hidden 4096 --heads 32 --kv-heads 8 --head-dim 128 --width 14336 --vocab 128256"
    assert answer(f"show {shape}")["kv_byte_per_token"] == 131_072
    assert answer(f"{shape} --hw h100 --context 8192")["memory_kv_byte"] == 2**30  # 1.000 GiB


def test_l03_latent_attention_keeps_one_vector_a_token(answer: Ask) -> None:
    # 61 layers x (512 + 64) elements x 2 B = 70,272 B
    assert answer("deepseek-v3 --hw b200 --context 131072")["memory_kv_byte"] == 131_072 * 70_272
    assert answer("deepseek-v3 --hw b200 --context 65536 --kv int4")["memory_kv_byte"] == 65_536 * 70_272 // 4


def test_l05_and_l19_decode_is_bandwidth_over_bytes(answer: Ask) -> None:
    # 4.68e9 weights of a byte at 273 GB/s, of which 6.203 tokens/s are 10.63 %
    found = answer("--params 4.68e9 --weights int8 --peak 100TFLOP/s --bw 273GB/s --measured 6.203tok/s")
    assert found["decode_total_time_tokens_per_s"] == pytest.approx(58.33, rel=1e-4)
    assert found["decode_measured_mbu"] == found["decode_share_of_bound"] == pytest.approx(0.1063, abs=5e-5)
    # 8e9 weights in blocks of 256 with 144 B: 4.5 bits
    found = answer("--params 8e9 --weights q4_k --peak 100TFLOP/s --bw 273GB/s")
    assert found["decode_traffic_byte"] == 4_500_000_000
    assert found["decode_total_time_tokens_per_s"] == pytest.approx(60.67, rel=1e-4)


def test_l07_the_embedding_is_resident_but_not_read(answer: Ask) -> None:
    shape = "--layers 32 --hidden 4096 --heads 32 --kv-heads 8 --width 14336 --vocab 128256"
    found = answer(f"{shape} --hw h100 --context 0")
    assert found["memory_weights_byte"] == 16_060_522_496
    assert found["decode_weights_byte"] == 2 * 7_504_924_672 + 2 * 4096  # and one row of the table
    assert found["decode_least_time_s"] == pytest.approx(4.481e-3, rel=1e-3)
    assert found["decode_work_flop"] == pytest.approx(15.01e9, rel=1e-3)


@pytest.mark.parametrize(
    ("experts", "seconds"), [("expected", 16.45e-3), ("min", 7.611e-3), ("max", 21.07e-3), ("all", 27.80e-3)]
)
def test_l09_experts_that_a_batch_touches(answer: Ask, experts: str, seconds: float) -> None:
    # max: 3 tokens touch 6 of 8 experts. Without embedding and experts there are 46.703e9 - 0.131e9 - 45.097e9
    # weights, and 32 x 3 x 4096 x 14336 = 5.637e9 of one expert: 2 x (1.475e9 + 6 x 5.637e9) / 3.35e12 = 21.07 ms
    found = answer(f"mixtral-8x7b --hw h100 --batch 3 --context 0 --experts {experts}")
    assert found["decode_least_time_s"] == pytest.approx(seconds, rel=1e-3)


def test_l17_small_all_reduces_cost_their_latency(answer: Ask, chip: str) -> None:
    # 64 all-reduces of 2 serial steps each between 2 devices, 250 us a step: 32 ms, and 64 x 8,192 B over 100 GB/s.
    found = answer(f"llama-2-7b --hw {chip} --devices 2 --latency 250us --context 0 --prompt 1")
    assert found["decode_link_time_s"] == pytest.approx(0.032 + 64 * 8192 / 100e9)
    assert found["decode_bound"] == "link-bound"
    alone = answer(f"llama-2-7b --hw {chip} --context 0 --prompt 1")
    assert found["decode_total_time_s"] > alone["decode_total_time_s"]  # two are slower than one
    assert alone["decode_link_time_s"] is None


def test_l21_weights_bandwidth_and_tokens_are_of_all_devices(answer: Ask) -> None:
    found = answer("--params 70.55e9 --hw h100 --devices 8 --measured 100")
    assert found["decode_weights_byte"] == pytest.approx(17.64e9, rel=1e-3)
    assert found["decode_total_time_s"] == pytest.approx(5.265e-3, rel=1e-3)
    assert found["decode_total_time_tokens_per_s"] == pytest.approx(189.9, rel=1e-3)
    assert found["decode_measured_mbu"] == pytest.approx(0.5265, rel=1e-3)


@pytest.mark.parametrize(
    ("words", "least"),
    [
        ("llama-3.1-8b --context 0", 297),
        ("llama-3.1-8b --context 0 --weights int4 --keep none", 75),
        ("llama-3.1-8b --context 0 --weights fp8 --compute fp8 --keep none", 298),
    ],
)
def test_critical_batch_at_context_1(answer: Ask, words: str, least: int) -> None:
    """Worked elsewhere: the first whole batch that is compute-bound, with the LM head in the format of the weights."""
    batch = answer(f"{words} --hw h100")["critical_batch_at_context_1"]
    assert math.ceil(batch) == pytest.approx(least, rel=0.01)


# Memory.
def test_what_fits_only_if_gib_are_meant_is_told_as_that(answer: Ask, run: Run) -> None:
    """30.32 GB of q3_k, 1.342 GB of cache and 0.705 GB of activations are more than 32 GB, and less than 32 GiB."""
    found = answer("llama-3.1-70b --hw rtx5090 --weights q3_k")
    assert (found["fits"], found["hypothetical"]) == (None, False)
    assert (found["memory_usable_byte"], found["memory_possible_byte"]) == (32_000_000_000, 34_359_738_368)
    out = run("llama-3.1-70b --hw rtx5090 --weights q3_k").out
    assert (
        "= 32.36 GB of 32.00 GB as sold: fits only if the GB that it is sold with are GiB "
        "(34.36 GB, less what the driver keeps)\n" in out
    )


def test_70b_in_fp16_does_not_fit_80_gb_and_is_bounded_all_the_same(answer: Ask, run: Run) -> None:
    found = answer("llama-3.1-70b --hw h100 --kv-block 1")
    assert (found["fits"], found["hypothetical"], found["memory_usable_byte"]) == (False, True, 85_520_809_984)
    assert found["memory_weights_byte"] == 2 * 70_553_706_496
    assert found["memory_kv_byte"] == 4096 * 327_680
    assert (found["smallest_devices"], found["longest_context"], found["largest_batch"]) == (2, 0, 0)
    assert found["widest_weights"] == "q8_0"  # 8.5 bits: 75.0 GB
    # All weights but the input table, one row of it; 4,096 positions of cache are read, and one is written.
    read = 2 * 69_503_033_344 + 2 * 8192 + 4097 * 327_680
    assert found["decode_least_time_s"] == pytest.approx(read / 3.35e12)
    out = run("llama-3.1-70b --hw h100").out
    assert out.startswith(
        "Llama-3.1-70B, weights in bf16, on NVIDIA H100 SXM5 80GB (h100-sxm) (hypothetical: it does not"
    )
    assert "= 143.2 GB of 85.52 GB usable (sold as 80.00 GB): does not fit; the bounds are hypothetical" in out


def test_what_fits_by_hand(answer: Ask, chip: str) -> None:
    # 24 GB less 16.06 GB of weights and 704.6 MB of activations at 131,072 B a position: 55,197, in blocks of 16.
    found = answer(f"llama-3.1-8b --hw {chip}")
    assert (found["fits"], found["longest_context"]) == (True, 55_197 // 16 * 16)
    # Activations of 4,096 tokens are half as large: 24e9 - 16,060,522,496 - 352,321,536 hold 14 times 4,096 positions.
    assert (24 * 10**9 - 16_060_522_496 - 352_321_536) // (4096 * 131_072) == found["largest_batch"] == 14
    reserved = answer(f"llama-3.1-8b --hw {chip} --reserve 2GB")
    assert reserved["largest_batch"] == (24 * 10**9 - 16_060_522_496 - 352_321_536 - 2 * 10**9) // (4096 * 131_072)
    # 1,001 positions are 63 blocks of 16.
    short = answer(f"llama-3.1-8b --hw {chip} --context 1001")
    assert (short["memory_kv_byte"], short["memory_live_kv_byte"]) == (1008 * 131_072, 1001 * 131_072)


def test_what_is_unknown_is_not_zero(answer: Ask, run: Run) -> None:
    found = answer("--params 70B --hw m2ultra")
    assert found["parameters"] == 70_000_000_000
    assert found["decode_kv_byte"] is found["fits"] is found["longest_context"] is None
    assert found["critical_batch"] is None
    assert "whether the rest does is unknown" in run("--params 70B --hw m2ultra").out
    assert answer("--params 70B --hw h100")["fits"] is False  # the weights alone are too large


# Formats and devices.
def test_a_device_without_bf16_takes_fp16_and_says_so(answer: Ask) -> None:
    found = answer("llama-3.1-8b --hw m4max --weights q8_0")
    assert (found["compute_precision"], found["kv_format"]) == ("fp16", "fp16")
    assert found["decode_peak_flop_per_s"] == pytest.approx(16.16e12, rel=1e-3)
    assert "m4max has no bf16 peak: fp16 in its place" in found["notes"]


def test_a_processor_with_fp32_alone_converts_what_it_reads(answer: Ask, own_file: Callable[..., str]) -> None:
    processor = own_file(PROCESSOR, "cpu.yaml")
    found = answer(f"llama-3.1-8b --hw {processor} --weights fp8 --context 0")
    assert (found["compute_precision"], found["kv_format"], found["decode_peak_flop_per_s"]) == ("fp32", "bf16", 1e12)
    # The LM head stays in 16 bits, the rest has one byte a weight; norms stay in 16 bits too.
    head, vectors = 128_256 * 4096, 65 * 4096
    rest = 7_504_924_672 - head - vectors
    assert found["decode_weights_byte"] == rest + 2 * head + 2 * vectors + 2 * 4096


def test_8_bit_products_take_the_8_bit_peak_and_the_head_the_16_bit_one(answer: Ask, chip: str) -> None:
    found = answer(f"llama-3.1-8b --hw {chip} --weights fp8 --compute fp8 --context 0 --prompt 1")
    head = 2 * 128_256 * 4096
    attention = 4 * 32 * 32 * 128  # one position
    products = 2 * (7_504_924_672 - 65 * 4096) - head
    assert found["decode_work_flop"] == products + head + attention
    assert found["decode_compute_time_s"] == pytest.approx(products / 200e12 + (head + attention) / 100e12)
    assert answer(f"llama-3.1-8b --hw {chip} --weights fp8")["compute_precision"] == "bf16"  # weight-only by default


def test_bare_parameters_run_at_the_peak_that_is_named(answer: Ask, chip: str) -> None:
    """1e9 parameters and 1000 tokens are 2e12 FLOP: 10 ms at 200 TFLOP/s of fp8, 20 ms at 100 of bf16."""
    for compute, milliseconds in (("", 20), ("--compute fp8", 10)):
        found = answer(f"--params 1e9 --hw {chip} --prompt 1000 {compute}")
        assert found["prefill_work_flop"] == 2e12
        assert found["prefill_compute_time_s"] == pytest.approx(milliseconds / 1e3)
        assert found["decode_weights_byte"] == 2e9  # whatever multiplies them


def test_a_mix_of_formats_says_that_its_bits_are_an_average(answer: Ask) -> None:
    notes = answer("llama-3.1-8b --hw rtx4090 --weights q4_k_m")["notes"]
    assert any("4.8944 bit per weight is the average of Llama-3.1-8B" in note for note in notes)


def test_causal_prefill_counts_the_triangle_and_full_the_rectangle(answer: Ask) -> None:
    # 4 x 32 heads x 128 x 32 layers a pair: the rectangle has s^2, the triangle s (s + 1) / 2 of them.
    causal, full = (answer(f"llama-3.1-8b --hw h100 --count {count}") for count in ("causal", "full"))
    pairs = 4096**2 - 4096 * 4097 // 2
    assert full["prefill_work_flop"] - causal["prefill_work_flop"] == 4 * 32 * 128 * 32 * pairs
    assert "attention: exact causal triangle" in causal["assumptions"]
    assert "attention: full rectangle of pairs" in full["assumptions"]
    # Scores of every layer and head are written, read and written by softmax, and read: 4 x 2 B x 4,096^2.
    unfused = answer("llama-3.1-8b --hw h100 --attention unfused")
    assert unfused["prefill_traffic_byte"] - causal["prefill_traffic_byte"] == 32 * 32 * 4 * 2 * 4096**2


def test_absorbed_latent_attention_reads_the_latent_once(answer: Ask) -> None:
    absorbed, naive = (answer(f"deepseek-v3 --hw b200 --mla {way}") for way in ("absorbed", "naive"))
    assert absorbed["decode_kv_byte"] == 4097 * 70_272  # 4,096 positions read, one written
    assert absorbed["decode_total_time_s"] < naive["decode_total_time_s"]
    assert absorbed["prefill_work_flop"] > naive["prefill_work_flop"]
    assert answer("deepseek-v3 --hw b200")["prefill_work_flop"] == naive["prefill_work_flop"]


# Generating, estimates, measurements.
def test_generating_tokens(answer: Ask, run: Run) -> None:
    # Each term of decode is linear in the context, so the mean of 11 steps is the middle one, at 100 + 6 positions.
    found = answer("llama-3.1-8b --hw h100 --prompt 100 --generate 11")
    assert found["context_tokens"] == 111
    assert found["time_to_first_token_s"] == found["prefill_total_time_s"]
    assert found["last_token_time_s"] == found["decode_total_time_s"]
    middle = answer("llama-3.1-8b --hw h100 --prompt 100 --context 106")["decode_total_time_s"]
    assert found["time_per_token_s"] == pytest.approx(middle, rel=1e-12)
    assert found["generated_tokens_per_s"] == pytest.approx(1 / middle)
    out = run("llama-3.1-8b --hw h100 --prompt 100 --generate 11").out
    assert "generating, by the total time: the prefill makes the first token after " in out
    assert "; then 11 decode steps, a token of each sequence in each, take " in out
    assert (
        "; then 1 decode step, a token of each sequence in each, takes "
        in run("llama-3.1-8b --hw h100 --generate 1").out
    )


def test_lengths_follow_from_what_is_said_of_them(answer: Ask) -> None:
    def lengths(words: str) -> tuple[int, int]:
        found = answer(f"{words} --hw h100")
        return found["prompt_tokens"], found["context_tokens"]

    assert lengths("llama-3.1-8b") == (4096, 4096)
    assert lengths("llama-3.1-8b --context 100") == (100, 100)
    assert lengths("llama-3.1-8b --prompt 100") == (100, 100)
    assert lengths("llama-3.1-8b --context 0") == (1, 0)  # without a cache there is no prompt but the token itself
    assert lengths("gpt-2") == (1024, 1024)  # as many as it can take
    assert lengths("llama-3.1-8b --generate 96") == (4096, 4192)


def test_an_estimate_needs_a_measured_efficiency(answer: Ask, run: Run) -> None:
    found = answer("llama-3.1-8b --hw h100 --mfu 50% --mbu 0.8")
    assert found["prefill_estimated_time_s"] == pytest.approx(found["prefill_total_time_s"] / 0.5)
    assert found["decode_estimated_time_s"] == pytest.approx(found["decode_least_time_s"] / 0.8)
    assert found["decode_estimated_tokens_per_s"] == pytest.approx(found["decode_least_time_tokens_per_s"] * 0.8)
    without = run("llama-3.1-8b --hw h100")
    assert "estimated" not in without.out
    assert "predicted" not in without.out + run("--help").out


def test_a_measurement_has_its_shares_of_peak_and_bandwidth(answer: Ask) -> None:
    found = answer("llama-3.1-8b --hw h100 --measured 100")
    assert found["decode_measured_mbu"] == pytest.approx(found["decode_least_time_s"] * 100)
    assert found["decode_measured_mfu"] == pytest.approx(found["decode_work_flop"] * 100 / 989.4e12)
    assert found["decode_above_bound"] is False


def test_a_measurement_above_its_bound_is_kept_and_flagged(run: Run) -> None:
    result = run("llama-3.1-8b --hw h100 --context 0 --measured 500tok/s --format json")  # 223 at most
    found = json.loads(result.out)
    assert found["decode_above_bound"] is True
    assert found["decode_share_of_bound"] == pytest.approx(500 * 4.481e-3, rel=1e-3)
    assert result.err.startswith(
        "warning: decode on h100-sxm was measured at 224.0% of the bound by the least time: likely causes: "
    )


# Operators.
@pytest.mark.parametrize("phase", ["prefill", "decode"])
@pytest.mark.parametrize(
    "words", ["llama-3.1-70b --hw h100", "deepseek-v3 --hw b200 --devices 8", "gemma-3-27b --hw h100"]
)
def test_operators_add_up(answer: Ask, words: str, phase: str) -> None:
    found = answer(f"{words} --ops --phase {phase}")
    rows = found["operators"]
    assert sum(row["share_of_time"] for row in rows) == pytest.approx(1, abs=1e-12)
    assert sum(row["work_flop"] for row in rows) == found[f"{phase}_work_flop"]
    own = [row for row in rows if row["group"] != "communication"]  # of which the time of the links is told
    assert sum(row["traffic_byte"] for row in own) == found[f"{phase}_traffic_byte"]
    assert sum(row["least_time_s"] for row in rows) == pytest.approx(found[f"{phase}_operator_time_s"])
    for row in rows:
        assert row["weights_byte"] + row["kv_byte"] + row["activations_byte"] == row["traffic_byte"]


def test_each_linear_layer_is_a_gemm(answer: Ask) -> None:
    rows = {
        row["name"]: row for row in answer("llama-3.1-70b --hw h100 --ops --phase prefill --prompt 512")["operators"]
    }
    assert (rows["gate, up"]["times"], rows["gate, up"]["layers"]) == (80, "80")
    assert rows["gate, up"]["work_flop"] == 80 * 2 * 512 * 8192 * (2 * 28672)
    assert rows["gate, up"]["weights_byte"] == 80 * 2 * 8192 * (2 * 28672)
    assert rows["attention"]["work_flop"] == 80 * 4 * 64 * 128 * (512 * 513 // 2)
    assert rows["LM head"]["work_flop"] == 2 * 8192 * 128_256  # of the last token


def test_operators_are_told_by_type_of_layer(answer: Ask) -> None:
    rows = answer("gemma-3-27b --hw h100 --ops")["operators"]
    assert [row["layers"] for row in rows if row["name"] == "down"] == ["52 window 1024", "10"]
    rows = answer("deepseek-v3 --hw b200 --ops")["operators"]
    assert {row["layers"] for row in rows} == {"3 dense", "58 MoE", None}
    assert rows[0]["layers"] == "3 dense"  # what stands before and behind the layers comes last


# Several devices, formats of output, ways to name a model.
def test_devices_are_compared_a_row_each(answer: Ask, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = answer("llama-3.1-70b --hw h100 --hw h200 --hw m4max")["setups"]
    assert [(row["device"], row["fits"]) for row in found] == [
        ("h100-sxm", False),
        ("h200-sxm", True),
        ("m4max", False),
    ]
    one = answer("llama-3.1-70b --hw h200")
    assert found[1] | {"null_reasons": 0} == {key: one[key] for key in found[1]} | {"null_reasons": 0}
    monkeypatch.setenv("COLUMNS", "80")
    out = run("llama-3.1-70b --hw mi300x --hw h200 --hw m4max").out
    assert all(len(line) <= 80 for line in out.split("\n\n")[1].splitlines())
    assert "critical batch at context 4096 on mi300x: none" in out
    assert (
        "generating on h200-sxm, by the total time: the prefill makes"
        in run("llama-3.1-8b --hw h100 --hw h200 --generate 9").out
    )
    assert "too small, so that its bounds are hypothetical: m4max" in out


def test_every_format_of_output(run: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(run("llama-3.1-8b --hw h100 --hw a100 --format csv -q").out)))
    assert [row["device"] for row in rows] == ["h100-sxm", "a100-sxm-80gb"]
    assert float(rows[0]["decode_bandwidth_byte_per_s"]) == 3.35e12
    assert json.loads(run("llama-3.1-8b --hw h100 --format jsonl -q").out)["decode_bound"] == "memory-bound"
    assert run("llama-3.1-8b --hw h100 --format markdown").out.count("| ") > 20
    assert "decode_total_time_tokens_per_s" in run("llama-3.1-8b --hw h100 --format csv").out


def test_a_configuration_is_the_preset_that_it_describes(answer: Ask, tmp_path: Any) -> None:
    config = {
        "model_type": "llama",
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "vocab_size": 128256,
        "torch_dtype": "bfloat16",
        "tie_word_embeddings": False,
        "max_position_embeddings": 131072,
    }
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    preset = answer("llama-3.1-8b --hw h100")
    for named in (path, tmp_path):
        found = answer(f"{named} --hw h100")
        assert found["decode_total_time_s"] == preset["decode_total_time_s"]
        assert found["prefill_work_flop"] == preset["prefill_work_flop"]


def test_a_gguf_file_tells_its_shapes_and_bytes(answer: Ask, tmp_path: Any) -> None:
    from tests.transformer.gguf_files import LLAMA, LLAMA_TENSORS, header

    path = tmp_path / "tiny.gguf"
    path.write_bytes(header(LLAMA, LLAMA_TENSORS))
    found = answer(f"{path} --hw rtx4090")
    # Two tables of 256,000, and twice 2 x 65,536 + 2 x 16,384 + 3 x 131,072 and two norms of 256; one norm behind them.
    assert found["parameters"] == 2 * 256_000 + 2 * (2 * 65_536 + 2 * 16_384 + 3 * 131_072 + 512) + 256
    assert found["decode_bound"] == "memory-bound"


@pytest.mark.parametrize("name", ["llama3-70b", "LLAMA-3.1-70B", "meta-llama/Llama-3.1-70B-Instruct"])
def test_a_model_has_many_names(answer: Ask, name: str) -> None:
    assert answer(f"{name} --hw h100")["model"] == "Llama-3.1-70B"


@pytest.mark.parametrize(
    ("words", "current", "found"),
    [
        ("roofline llm qwen3-3", "2", ["qwen3-30b-a3b", "qwen3-32b"]),
        ("roofline llm sh", "2", ["show"]),
        ("roofline llm show gpt-o", "3", ["gpt-oss-120b", "gpt-oss-20b"]),
        ("roofline llm gptoss-1", "2", ["gptoss-120b"]),
        ("roofline llm llama-3.1-8b --hw rtx409", "4", ["rtx4090"]),
        ("roofline llm llama-3.1-8b --weights nf4", "4", ["nf4", "nf4-dq"]),
    ],
)
def test_models_devices_and_formats_complete(
    roofline: Runner, monkeypatch: pytest.MonkeyPatch, words: str, current: str, found: list[str]
) -> None:
    monkeypatch.setenv("_ROOFLINE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", current)
    assert [line.partition(",")[2] for line in roofline().out.split()] == found


BAD = [
    (2, "--format json", "error: name a MODEL, or give its --params; roofline llm list shows the presets"),
    (2, "llama-3.1-9b --hw h100", "error: unknown model 'llama-3.1-9b'; did you mean: llama-3.1-"),
    (2, "show gpt-9", "error: unknown model 'gpt-9'; did you mean: gpt-2"),
    # aliases are near too, but ids are named
    (2, "llama --hw h100", "error: unknown model 'llama'; did you mean: llama-3.1-8b, llama-2-7b, llama-3.1-70b, "),
    (2, "show gemma", "error: unknown model 'gemma'; did you mean: gemma-2-9b, gemma-3-27b, gemma-2-27b?"),
    (2, "llama-3.1-8b", "error: name a device with --hw; roofline hw list shows them; or give --peak and --bw"),
    (2, "llama-3.1-8b h100", "error: Got unexpected extra argument (h100); a device is named with --hw"),
    (
        2,
        "llama-3.1-8b --hw h100 --layers 3",
        "error: --layers describes a model by hand, but 'llama-3.1-8b' is named",
    ),
    (
        2,
        "--hw h100 --layers 3",
        "error: a model by hand lacks --hidden, --heads, --width, --vocab; or give its number of ",
    ),
    (
        2,
        "--hw h100 --params 7e9 --width 9",
        "error: --width beside --params, but not all of the shapes; give --layers, ",
    ),
    (2, "--hw h100 --params 70XB", "error: --params must be a number of parameters, got '70XB'; write 70e9 or 70B"),
    (2, "--hw h100 --params 1e30", "error: --params must be a whole number from 1 to 1e15, got more"),
    (2, f"--hw h100 {HAND} --heads 8 --kv-heads 3", "error: --kv-heads must divide --heads: 8 is no multiple of 3"),
    (2, f"--hw h100 {HAND} --heads 8 --kv-heads 16", "error: --kv-heads must not exceed --heads: 16 of 8"),
    (2, f"--hw h100 {HAND} --heads 7", "error: --head-dim is missing, and 7 heads do not divide the hidden size 64"),
    (
        2,
        f"--hw h100 {HAND} --heads 8 --top-k 2",
        "error: --num-experts and --top-k go together; one of them is missing",
    ),
    (
        2,
        "llama-3.1-8b --hw h100 --weights fp7",
        "error: --weights: unknown number format 'fp7'; did you mean: fp8, fp6, fp4? one of: fp64, fp32, ",
    ),
    (
        2,
        "llama-3.1-8b --hw h100 --weights zzzz",
        "error: --weights: unknown number format 'zzzz'; one of: fp64, fp32, ",
    ),
    (2, "llama-3.1-8b --hw h100 --kv q4_k_m", "error: --kv: q4_k_m is a mix of formats over the weights of a model"),
    (
        2,
        "llama-3.1-8b --hw h100 --keep tail",
        "error: --keep: no such part: 'tail'; one of: embedding, attention, mlp, ",
    ),
    (
        2,
        "llama-3.1-8b --hw m4max --compute bf16",
        "error: m4max has no bf16 peak; it has: fp32, fp16; name one with --compute, such as fp16",
    ),
    (2, "llama-3.1-8b --hw h100 --compute q4_k", "error: --compute: unknown precision 'q4_k'; one of: fp64, "),
    (2, "llama-3.1-8b --hw h100 --batch 0", "error: --batch must be a whole number from 1 to 1e15, got 0"),
    (2, "llama-3.1-8b --hw h100 --batch -3", "error: --batch must be a whole number from 1 to 1e15, got -3"),
    (2, "llama-3.1-8b --hw h100 --batch 1.5", "error: --batch must be a whole number from 1 to 1e15, got '1.5'"),
    (2, "llama-3.1-8b --hw h100 --batch 1e15", "error: a step has at most 1e9 new tokens, got 1,000,000,000,000,000 "),
    (
        2,
        f"llama-3.1-8b --hw h100 --context {'9' * 40}",
        "error: --context must be a whole number from 0 to 1e15, got '9",
    ),
    (
        2,
        f"llama-3.1-8b --hw h100 --prompt {'9' * 4000}",
        "error: --prompt must be a whole number from 1 to 1e15, got",
    ),
    (2, "llama-3.1-8b --hw h100 --context 9 --generate 9", "error: --context follows from prompt and generate; "),
    (
        2,
        "llama-3.1-8b --hw h100 --devices 1,2,4",
        "error: --devices must be a whole number from 1 to 1e15, got '1,2,4'; one number is wanted; --sweep dev",
    ),
    (
        2,
        "llama-3.1-8b --hw h100 --prompt 2,000",
        "error: --prompt must be a whole number from 1 to 1e15, got '2,000'; one number is written without commas: 20",
    ),
    (
        2,
        "13B --hw h100",
        "error: unknown model '13B'; a model by its size has no name: give its number of parameters in",
    ),
    (2, "llama-3.1-8b --hw h100 --keep none,head", "error: --keep is none or parts, got 'none,head'"),
    (2, "--hw h100 --params 13b", "error: --params must be a number of parameters, got '13b'; write 13B"),
    (2, "llama-3.1-8b --hw h100 --kv-block 0", "error: --kv-block must be a whole number from 1 to 1e15, got 0"),
    (2, "llama-3.1-8b --hw h100 --reserve 2GB/s", "error: --reserve is an amount of data (B), got a rate (GB/s)"),
    (
        2,
        "llama-3.1-8b --hw h100 --devices 3",
        "error: --devices must divide the 32 heads of a layer, got 3; fewer",
    ),
    (
        2,
        "llama-3.1-8b --hw m4max --devices 2",
        "error: no link of m4max to other devices is known; --link 64GB/s gives one, ",
    ),
    (2, "llama-3.1-8b --hw h100 --devices 2 --link x", "error: h100-sxm has no link 'x'; it has: NVLink 4"),
    (2, "llama-3.1-8b --hw h100 --link 450GB/s", "error: --link is of several devices; give --devices"),
    (2, "llama-3.1-8b --hw h100 --latency 5us", "error: --latency is of several devices; give --devices"),
    (2, "llama-3.1-8b --hw h100 --devices 2 --latency 5", "error: --latency is a bare 5: in which unit?"),
    (2, "llama-3.1-8b --hw h100 --experts min", "error: --experts is of a mixture of experts; Llama-3.1-8B is none"),
    (2, "mixtral-8x7b --hw h100 --experts few", "error: --experts must be one of expected, min, max, all, got 'few'"),
    (2, "mixtral-8x7b --hw h100 --experts 9", "error: --experts must be from 2 (those of one token) to 8 (all), got 9"),
    (2, "mixtral-8x7b --hw h100 --mla naive", "error: --mla is of multi-head latent attention; Mixtral-8x7B has none"),
    (2, "llama-3.1-8b --hw h100 --mfu 120%", "error: --mfu must be at most 100%, got 120%\n"),
    (2, "llama-3.1-8b --hw h100 --mfu 45", "error: --mfu must be at most 100%, got 45; write 45% or 0.45\n"),
    (2, "llama-3.1-8b --hw h100 --mbu 2.5", "error: --mbu must be at most 100%, got 2.5; write 2.5% or 0.025\n"),
    (2, "llama-3.1-8b --hw h100 --devices 2 --latency 1e9s", "error: --latency must be at most 1 s, got 1e9s\n"),
    (2, "llama-3.1-8b --hw h100 --strict", "error: --strict has no effect: it judges --measured, which is not given"),
    (2, "llama-3.1-8b --hw h100 --ops --measured 9", "error: --measured has no effect: --ops shows no measured run"),
    (
        2,
        "llama-3.1-8b --hw h100 --prompt 100 --context 50",
        "error: --context must be at least the prompt, which each decode step attends: got 50 below 100; leave out one",
    ),
    (
        2,
        "llama-3.1-8b --hw h100 --context 32k",
        "error: --context must be a whole number from 0 to 1e15, got '32k'; 32k is 32000 or 32768; write the number\n",
    ),
    (
        2,
        "llama-3.1-8b --hw h100 --prompt 4Ki",
        "error: --prompt must be a whole number from 1 to 1e15, got '4Ki'; 4Ki ",
    ),
    (2, "llama-3.1-8b --hw h100 --generate -1", "error: --generate must be a whole number from 0 to 1e15, got -1\n"),
    (2, "llama-3.1-8b --hw h100 --devices 2 --link 450", "error: --link is a bare 450: in which unit?; for example "),
    (2, "llama-3.1-8b --hw h100 --devices 2 --link 450GB", "error: --link is a bandwidth (B/s), got an amount (GB)"),
    (2, "llama-3.1-8b --hw h100 --devices 2 --link 0GB/s", "error: --link must be > 0, got 0GB/s"),
    (2, "llama-3.1-8b --hw h100 --mfu 0", "error: --mfu must be above 0 and at most 1 (100 %), got 0"),
    (2, "llama-3.1-8b --hw h100 --measured fast", "error: --measured must be a rate > 0 in tokens/s, got 'fast'; for "),
    (
        2,
        "llama-3.1-8b --hw h100 --measured 0",
        "error: --measured must be a rate > 0 in tokens/s, got '0'; for",
    ),
    (2, "llama-3.1-8b --hw h100 --phase decode", "error: --phase is of --ops; the sheet has both"),
    (2, "llama-3.1-8b --hw h100 --hw a100 --ops", "error: --ops is of one device"),
    (3, "/nowhere/config.json --hw h100", "error: /nowhere/config.json: no such file"),
    (3, "/nowhere/model.gguf --hw h100", "error: /nowhere/model.gguf: no such file"),
]


@pytest.mark.parametrize(("status", "line", "message"), BAD, ids=lambda value: str(value)[:60])
def test_bad_command_lines(run: Run, status: int, line: str, message: str) -> None:
    result = run(line)
    assert (result.status, result.out) == (status, "")
    assert result.err.startswith(message)
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("{", "is not valid JSON"),
        (
            '{"model_type": "llama"}',
            "no keys hidden_size, vocab_size, num_hidden_layers, num_attention_heads, intermediate_size\n",
        ),
        ('{"model_type": "mamba", "hidden_size": 64}', "mamba"),
        (
            json.dumps(TINY | {"num_key_value_heads": 3}),
            "num_key_value_heads must divide num_attention_heads: 4 is no multiple of 3",
        ),
        (
            json.dumps(TINY | {"num_key_value_heads": 8}),
            "num_key_value_heads must not exceed num_attention_heads: 8 of 4",
        ),
        (json.dumps(TINY | {"num_hidden_layers": 10**18}), "must be a whole number"),
    ],
)
def test_what_is_wrong_with_a_configuration_is_said_in_one_line(
    run: Run, tmp_path: Any, config: str, message: str
) -> None:
    path = tmp_path / "config.json"
    path.write_text(config, encoding="utf-8")
    result = run(f"{path} --hw h100")
    assert (result.status, result.out) == (3, "")
    assert result.err.startswith(f"error: {path}:")
    assert message in result.err
    assert result.err.count("\n") == 1
