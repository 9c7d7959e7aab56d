"""Row-wise operations: the formulas run on a counting number, and traffic worked out by hand."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import InputError
from roofline.operations.normalization import cross_entropy, layernorm, rmsnorm, softmax
from roofline.operations.pointwise import elementwise
from tests.operations.tally import Number, Tally

# The model of the reference figures: Llama-3.1-8B, hidden size 4096, 32 layers, 8192 tokens; H100 at 3.35 TB/s.
TOKENS, HIDDEN, LAYERS, BANDWIDTH = 8192, 4096, 32, 3.35e12


def row(tally: Tally, cols: int) -> list[Number]:
    return [tally.number(0.5 + i) for i in range(cols)]


def total(values: list[Number]) -> Number:
    return reduce(lambda a, b: a + b, values)


def largest(values: list[Number]) -> Number:
    return reduce(Number.maximum, values)


@given(st.integers(1, 9), st.integers(1, 40))
def test_softmax_does_five_steps_an_element(rows: int, cols: int) -> None:
    tally = Tally()
    for _ in range(rows):
        values = row(tally, cols)
        top = largest(values)
        powers = [(x - top).exp() for x in values]
        norm = total(powers)
        assert sum((p / norm).value for p in powers) == pytest.approx(1)
    # The first element of a maximum and of a sum costs nothing: 2 a row less.
    assert softmax(rows=rows, cols=cols).flops == tally.flops + 2 * rows


@given(st.integers(1, 9), st.integers(2, 40))
def test_layernorm_does_seven_steps_an_element(rows: int, cols: int) -> None:
    tally, weight, bias = Tally(), 2.0, 1.0
    for _ in range(rows):
        values = row(tally, cols)
        mean = total(values).value / cols
        centred = [x - mean for x in values]
        scale = 1 / math.sqrt(total([x * x for x in centred]).value / cols)
        normal = [x * scale for x in centred]
        assert sum(x.value for x in normal) == pytest.approx(0, abs=1e-9)
        for x in normal:
            x * weight + bias
    # Two sums, of which the first element costs nothing.
    assert layernorm(rows=rows, cols=cols).flops == tally.flops + 2 * rows
    assert layernorm(rows=rows, cols=cols, bias=False).flops == 6 * rows * cols
    assert layernorm(rows=rows, cols=cols, affine=False).flops == 5 * rows * cols


@given(st.integers(1, 9), st.integers(1, 40))
def test_rmsnorm_does_four_steps_an_element(rows: int, cols: int) -> None:
    tally, weight = Tally(), 2.0
    for _ in range(rows):
        values = row(tally, cols)
        scale = 1 / math.sqrt(total([x * x for x in values]).value / cols)
        for x in values:
            x * scale * weight
    assert rmsnorm(rows=rows, cols=cols).flops == tally.flops + rows
    assert rmsnorm(rows=rows, cols=cols, affine=False).flops == 3 * rows * cols
    assert rmsnorm(rows=rows, cols=cols, residual=True).flops == 5 * rows * cols


@given(st.integers(1, 9), st.integers(1, 40))
def test_cross_entropy_does_four_steps_a_logit(rows: int, vocab: int) -> None:
    tally = Tally()
    for _ in range(rows):
        values = row(tally, vocab)
        top = largest(values)
        loss = total([(x - top).exp() for x in values]).map(math.log) + top - values[0]
        assert loss.value >= 0
    assert cross_entropy(rows=rows, vocab=vocab).flops == tally.flops + 2 * rows


def test_softmax_of_32_heads() -> None:
    # 32 x 4096 x 4096 = 536,870,912 elements: 2.684 GFLOP, 2.147 GB
    kernel = softmax(rows=32 * 4096, cols=4096, dtype="fp16")
    assert (kernel.flops, kernel.bytes) == (2_684_354_560, 2_147_483_648)


@pytest.mark.parametrize(("passes", "accesses"), [("fused", 2), ("online", 3), ("safe", 4)])
def test_accesses_of_softmax_algorithms(passes: Any, accesses: int) -> None:
    """Milakov and Gimelshein: 4 accesses of an element in the safe algorithm, 3 in the online one."""
    assert softmax(rows=7, cols=11, passes=passes, dtype="fp32").bytes == accesses * 77 * 4


def test_traffic_of_norms() -> None:
    # 3 x 8 elements of 2 B in and out, vectors of 8
    assert layernorm(rows=3, cols=8).bytes == 2 * (24 + 24 + 8 + 8)
    assert layernorm(rows=3, cols=8, bias=False).bytes == rmsnorm(rows=3, cols=8).bytes == 2 * (24 + 24 + 8)
    assert layernorm(rows=3, cols=8, affine=False).bytes == 2 * (24 + 24)
    # with a residual: two arrays in, sum and norm out
    assert rmsnorm(rows=3, cols=8, residual=True).bytes == 2 * (4 * 24 + 8)


def test_norms_and_residuals_of_a_layer_move_ten_times_the_hidden_state() -> None:
    # 2 norms (read, write) and 2 additions (read, read, write): 2 x 2 + 2 x 3 = 10
    norm, add = rmsnorm(rows=TOKENS, cols=HIDDEN, affine=False), elementwise(n=TOKENS * HIDDEN, inputs=2)
    assert 2 * (norm.bytes or 0) + 2 * (add.bytes or 0) == 10 * TOKENS * HIDDEN * 2


def test_fused_norms_of_a_model_take_five_milliseconds() -> None:
    # An independent calculator has 5.1 ms for 2 fused additions and norms a layer
    kernel = rmsnorm(rows=TOKENS, cols=HIDDEN, residual=True)
    assert 2 * LAYERS * (kernel.bytes or 0) / BANDWIDTH == pytest.approx(5.1e-3, rel=1e-2)


def test_traffic_of_cross_entropy() -> None:
    # 6 x 10 logits of 2 B, 6 targets of 4 B, 6 losses of 4 B
    assert cross_entropy(rows=6, vocab=10).bytes == 120 + 24 + 24


@pytest.mark.parametrize("function", [softmax, layernorm, rmsnorm])
@pytest.mark.parametrize(("rows", "cols", "named"), [(0, 4, "rows"), (4, -1, "cols"), (4, 1.5, "cols")])
def test_bad_shapes_name_the_argument(function: Any, rows: int, cols: int, named: str) -> None:
    with pytest.raises(InputError, match=f"^{named} must be a whole number from 1"):
        function(rows=rows, cols=cols)


def test_an_unknown_algorithm_is_named() -> None:
    with pytest.raises(InputError, match=r"^passes must be one of fused, online, safe, got 'two'$"):
        softmax(rows=1, cols=1, passes="two")  # type: ignore[arg-type]


def test_a_bad_vocabulary_is_named() -> None:
    with pytest.raises(InputError, match=r"^vocab must be a whole number from 1"):
        cross_entropy(rows=1, vocab=0)
