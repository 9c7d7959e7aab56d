"""Optimiser steps: the published updates run on a counting number, and bytes per parameter by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from roofline.errors import InputError
from roofline.operations.optimizer import optimizer_adam, optimizer_sgd
from tests.operations.tally import Number, Tally


def sgd(w: Number, g: Number, v: Number, *, momentum: bool, decay: bool) -> Number:
    if decay:
        g = g + 0.1 * w
    if momentum:
        g = 0.9 * v + g
    return w - 0.5 * g


def adam(w: Number, g: Number, m: Number, v: Number, *, decay: bool) -> Number:
    """One step with the bias corrections in the rate, as at the end of section 2 of the paper."""
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * (g * g)
    if decay:
        w = w * 0.99
    return w - 0.5 * m / (v.map(math.sqrt) + 1e-8)


@pytest.mark.parametrize("momentum", [False, True])
@pytest.mark.parametrize("decay", [False, True])
def test_sgd_does_the_steps_of_its_formula(momentum: bool, decay: bool) -> None:
    tally = Tally()
    sgd(*(tally.number(1.0) for _ in range(3)), momentum=momentum, decay=decay)
    assert optimizer_sgd(n=1000, momentum=momentum, decay=decay).flops == 1000 * tally.flops


@pytest.mark.parametrize("decay", [False, True])
def test_adam_does_the_steps_of_its_formula(decay: bool) -> None:
    tally = Tally()
    adam(*(tally.number(1.0) for _ in range(4)), decay=decay)
    assert optimizer_adam(n=1000, decay=decay).flops == 1000 * tally.flops


@pytest.mark.parametrize(
    ("formats", "per_parameter"),
    [
        # weights, m and v: 3 x (4 read + 4 written); gradient 4
        ({"dtype": "fp32"}, 28),
        # master weights, m and v: 24; gradient 2; bf16 weights 2 written
        ({"master": "fp32"}, 28),
        # the same with gradients kept in fp32
        ({"master": "fp32", "gradient": "fp32"}, 30),
        # bf16 weights 4, gradient 2, bf16 moments 8
        ({"state": "bf16"}, 14),
        # bf16 weights 4, gradient 2, 8-bit moments 4
        ({"state": "int8"}, 10),
    ],
)
def test_bytes_of_adam_by_parameter(formats: dict[str, Any], per_parameter: int) -> None:
    assert optimizer_adam(n=1000, **formats).bytes == 1000 * per_parameter


def test_bytes_of_sgd_by_parameter() -> None:
    # fp32: weights 8, gradient 4; velocity 8 more; bf16 weights with fp32 master: 8 + 2 + 2
    assert optimizer_sgd(n=1000, dtype="fp32").bytes == 12_000
    assert optimizer_sgd(n=1000, dtype="fp32", momentum=True).bytes == 20_000
    assert optimizer_sgd(n=1000, master="fp32").bytes == 12_000


def test_the_arithmetic_is_single_precision_whatever_is_stored() -> None:
    assert optimizer_adam(n=10, dtype="bf16", state="int8").dtype == "fp32"
    assert any("fp32 master weights" in words for words in optimizer_adam(n=10, master="fp32").assumptions)


@pytest.mark.parametrize("function", [optimizer_sgd, optimizer_adam])
@pytest.mark.parametrize("n", [0, -1, 1.5, True, 10**30])
def test_bad_shapes_name_the_argument(function: Any, n: int) -> None:
    with pytest.raises(InputError, match=r"^n must be a whole number from 1"):
        function(n=n)
