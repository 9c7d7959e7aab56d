"""Arithmetic, reductions, transposes and gathers: work and traffic worked out by hand."""

from __future__ import annotations

from functools import reduce as fold
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import InputError
from roofline.operations.pointwise import elementwise, embedding, reduce, transpose
from tests.operations.tally import Tally


@given(st.integers(1, 1000), st.integers(0, 5), st.integers(1, 3), st.integers(0, 9))
def test_elementwise_moves_each_array_once(n: int, inputs: int, outputs: int, flops: int) -> None:
    kernel = elementwise(n=n, inputs=inputs, outputs=outputs, flops=flops)
    assert (kernel.flops, kernel.bytes) == (flops * n, 2 * n * (inputs + outputs))


def test_a_change_of_format_reads_one_and_writes_the_other() -> None:
    kernel = elementwise(n=1000, flops=0, dtype="fp32", result="fp8")
    assert (kernel.flops, kernel.bytes) == (0, 4000 + 1000)


@given(st.integers(1, 20), st.integers(1, 50))
def test_a_reduction_adds_once_less_than_it_has_elements(rows: int, cols: int) -> None:
    tally = Tally()
    for _ in range(rows):
        fold(lambda a, b: a + b, [tally.number(1.0) for _ in range(cols)])
    kernel = reduce(rows=rows, cols=cols, dtype="bf16", result="fp32")
    assert (kernel.flops, kernel.bytes) == (tally.flops, 2 * rows * cols + 4 * rows)


def test_a_transpose_does_no_arithmetic() -> None:
    kernel = transpose(m=1000, n=500, batch=3, dtype="fp32")  # 1.5 million elements in, as many out
    assert (kernel.flops, kernel.bytes, kernel.arithmetic_intensity) == (0, 2 * 1_500_000 * 4, 0)


def test_an_embedding_is_a_gather() -> None:
    # 8192 tokens x 4096 x (2 + 2) B, and 8192 indices of 4 B; the table of 128,256 rows would be 1.05 GB
    kernel = embedding(tokens=8192, width=4096)
    assert (kernel.flops, kernel.bytes) == (0, 8192 * 4096 * 4 + 8192 * 4)
    # an fp8 table: 1 B read and 2 B written
    assert embedding(tokens=8192, width=4096, weights="fp8").bytes == 8192 * 4096 * 3 + 8192 * 4
    # rows of 100 4-bit elements with a scale byte for each 32 begun: 50 + 4 B
    assert embedding(tokens=10, width=100, weights="mxfp4").bytes == 10 * (50 + 4) + 10 * 100 * 2 + 10 * 4


@pytest.mark.parametrize(
    ("function", "shape", "message"),
    [
        (elementwise, {"n": 4, "inputs": -1}, "inputs must be a whole number from 0"),
        (elementwise, {"n": 4, "outputs": 0}, "outputs must be a whole number from 1"),
        (elementwise, {"n": 4, "flops": -2}, "flops must be a whole number from 0"),
        (reduce, {"cols": 0}, "cols must be a whole number from 1"),
        (transpose, {"m": 4, "n": 10**30}, "n must be a whole number from 1"),
        (embedding, {"tokens": 0, "width": 4}, "tokens must be a whole number from 1"),
    ],
)
def test_bad_shapes_name_the_argument(function: Any, shape: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        function(**shape)
    assert str(error.value).startswith(message)
