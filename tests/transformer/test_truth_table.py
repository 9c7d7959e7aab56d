"""A truth table of steps, worked out apart from this program: FLOPs, bytes and times of 13 rows.

One device, memory fit ignored. Bytes by operator: each product reads its input and writes its output, norms and
residual sums unfused, SwiGLU inside the products of the MLP, attention fused. Least bytes: weights touched, KV cache
read and written, rows of the embedding. Experts by expectation. DeepSeek-V3: weights 1 B, but LM head, cache and
activations 2 B; gpt-oss: experts 4.25 bit, the rest 16.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from roofline.transformer.bounds import Bounds, Roofs, bounds
from roofline.transformer.formats import Formats
from roofline.transformer.presets import find
from roofline.transformer.step import Step
from roofline.transformer.table import table
from tests.transformer.machines import A100, H100, H100_FP8

BF16 = Formats()
FP8 = Formats(weights="fp8", compute="fp8")  # the LM head stays at 16 bit, the rows of the embedding too
MXFP4 = Formats(weights="mxfp4", kept=frozenset({"attention", "embedding", "head", "router", "vectors"}))


class Row(NamedTuple):
    number: int
    model: str
    chip: Roofs
    phase: str
    batch: int
    context: int
    formats: Formats
    flops: str  # as printed
    moved: float  # B, by operator
    least: float  # B
    intensity: float  # FLOP/B
    total_ms: float
    by_operator_ms: float
    least_ms: float
    bound: str


ROWS = [
    Row(1, "llama-2-7b", A100, "prefill", 1, 2048, BF16, "2.76260e+13",
        3.22737e10, 1.53789e10, 855.99, 88.545, 91.849, 88.545, "compute"),
    Row(3, "llama-2-7b", A100, "decode", 64, 2048, BF16, "9.14425e+11",
        8.25008e10, 8.19682e10, 11.08, 40.461, 40.461, 40.200, "memory"),
    Row(5, "llama-2-70b", H100, "prefill", 1, 4096, BF16, "5.82747e+14",
        3.30837e11, 1.40180e11, 1761.43, 588.931, 605.554, 588.931, "compute"),
    Row(7, "llama-2-70b", H100, "decode", 32, 4096, BF16, "4.74124e+12",
        1.81882e11, 1.80390e11, 26.07, 54.293, 54.293, 53.848, "memory"),
    Row(9, "llama-3.1-8b", H100, "prefill", 1, 8192, BF16, "1.31945e+14",
        9.35275e10, 1.72244e10, 1410.76, 133.345, 140.429, 133.345, "compute"),
    Row(11, "llama-3.1-8b", H100, "decode", 256, 2048, BF16, "4.11726e+12",
        8.62172e10, 8.37650e10, 47.75, 25.736, 25.736, 25.004, "memory"),
    Row(13, "llama-3.1-8b", H100, "decode", 1, 131072, BF16, "8.37288e+10",
        3.21994e10, 3.21898e10, 2.60, 9.612, 9.612, 9.609, "memory"),
    Row(15, "mixtral-8x7b", H100, "decode", 1, 2048, BF16, "2.65709e+10",
        2.57810e10, 2.57663e10, 1.03, 7.696, 7.696, 7.691, "memory"),
    Row(17, "qwen3-32b", H100, "decode", 1, 4096, BF16, "7.25570e+10",
        6.50725e10, 6.50424e10, 1.12, 19.425, 19.425, 19.416, "memory"),
    Row(19, "qwen3-30b-a3b", H100, "decode", 32, 4096, BF16, "2.97745e+11",
        6.63161e10, 6.59786e10, 4.49, 19.796, 19.796, 19.695, "memory"),
    Row(21, "deepseek-v3", H100_FP8, "decode", 64, 4096, FP8, "9.14183e+12",
        6.09038e11, 6.03843e11, 15.01, 181.802, 181.802, 180.252, "memory"),
    Row(23, "gpt-oss-120b", H100, "decode", 1, 8192, MXFP4, "1.27159e+10",
        5.31671e9, 5.30661e9, 2.39, 1.587, 1.587, 1.584, "memory"),
    Row(25, "llama-3.1-70b", H100, "prefill", 8, 2048, BF16, "2.28702e+15",
        9.12639e11, 1.50012e11, 2505.94, 2311.291, 2377.770, 2311.291, "compute"),
]  # fmt: skip


def bounds_of(row: Row) -> Bounds:
    make = Step.prefill if row.phase == "prefill" else Step.decode
    step = make(row.context, batch=row.batch)
    return bounds(table(find(row.model), step, row.formats), row.chip)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.number}-{row.model}-{row.phase}")
def test_flops_to_the_printed_digit_and_the_rest_within_a_thousandth(row: Row) -> None:
    found = bounds_of(row)
    assert f"{found.flops:.5e}" == row.flops
    assert found.moved.all == pytest.approx(row.moved, rel=1e-3)
    assert found.moved.least == pytest.approx(row.least, rel=1e-3)
    assert found.intensity == pytest.approx(row.intensity, rel=1e-3, abs=0.005)  # two decimals are printed
    assert found.total * 1e3 == pytest.approx(row.total_ms, rel=1e-3)
    assert found.by_operator * 1e3 == pytest.approx(row.by_operator_ms, rel=1e-3)
    assert found.least * 1e3 == pytest.approx(row.least_ms, rel=1e-3)
    assert found.bound == row.bound


def test_bounds_are_in_order() -> None:
    for row in ROWS:
        found = bounds_of(row)
        assert found.least <= found.total <= found.by_operator * (1 + 1e-12)
