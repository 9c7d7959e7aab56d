"""Activations: the published formulas run on a counting number, and traffic worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from roofline.errors import InputError
from roofline.operations.activation import gelu, silu, swiglu
from roofline.operations.normalization import cross_entropy, layernorm, rmsnorm, softmax
from roofline.operations.optimizer import optimizer_adam, optimizer_sgd
from roofline.operations.pointwise import elementwise, embedding, reduce, transpose
from tests.operations.tally import Number, Tally


def gelu_erf(x: Number) -> Number:
    return x * ((x * (1 / math.sqrt(2))).map(math.erf) + 1) * 0.5


def gelu_tanh(x: Number) -> Number:
    cube = x * x * x
    return x * (((x + 0.044715 * cube) * math.sqrt(2 / math.pi)).map(math.tanh) + 1) * 0.5


def silu_of(x: Number) -> Number:
    return x / ((-x).exp() + 1)


@pytest.mark.parametrize(
    ("formula", "at_one", "kernel"),
    [
        (gelu_erf, 0.841345, gelu(n=1000)),  # the standard normal distribution at 1
        (gelu_tanh, 0.841192, gelu(n=1000, approximate="tanh")),  # tanh(0.797885 x 1.044715) = 0.682384
        (silu_of, 0.731059, silu(n=1000)),  # 1 / (1 + 1 / e)
        (lambda x: silu_of(x) * 3.0, 2.193176, swiglu(n=1000)),  # 3 / (1 + 1 / e)
    ],
)
def test_flops_are_those_of_the_formula(formula: Callable[[Number], Number], at_one: float, kernel: Any) -> None:
    tally = Tally()
    assert formula(tally.number(1.0)).value == pytest.approx(at_one, abs=1e-6)
    assert kernel.flops == 1000 * tally.flops


def test_traffic_of_activations() -> None:
    assert gelu(n=1000).bytes == silu(n=1000).bytes == 2 * 2000
    assert swiglu(n=1000, dtype="fp32").bytes == 3 * 4000


def test_activations_of_a_model_take_seven_milliseconds() -> None:
    # Llama-3.1-8B, 8192 tokens, width 14336, 32 layers, H100 at 3.35 TB/s; an independent calculator has 6.7 ms
    kernel = swiglu(n=8192 * 14336)
    assert 32 * (kernel.bytes or 0) / 3.35e12 == pytest.approx(6.7e-3, rel=1e-2)


def test_work_that_matrix_units_cannot_do_is_named() -> None:
    rows = [function(rows=2, cols=2) for function in (softmax, layernorm, rmsnorm)]
    elements = [f(n=2) for f in (gelu, silu, swiglu, elementwise, optimizer_sgd, optimizer_adam)]
    for kernel in (*rows, *elements, cross_entropy(rows=2, vocab=2), reduce(cols=2)):
        assert kernel.unit == "vector", kernel.name
    for kernel in (transpose(m=2, n=2), embedding(tokens=2, width=2)):  # no arithmetic at all
        assert kernel.notes == (), kernel.name


@pytest.mark.parametrize(
    ("function", "shape", "message"),
    [
        (gelu, {"n": 0}, "n must be a whole number from 1"),
        (gelu, {"n": 4, "approximate": "sigmoid"}, "approximate must be one of erf, tanh, got 'sigmoid'"),
        (swiglu, {"n": 2.5}, "n must be a whole number from 1"),
        (silu, {"n": -1}, "n must be a whole number from 1"),
    ],
)
def test_bad_arguments_are_named(function: Any, shape: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        function(**shape)
    assert str(error.value).startswith(message)
