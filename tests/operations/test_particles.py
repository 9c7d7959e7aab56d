"""Particles: the count of GPU Gems 3, and what tiles cost in traffic."""

from __future__ import annotations

import math
from typing import Any

import pytest

from roofline.errors import InputError
from roofline.operations.particles import nbody
from tests.operations.tally import Tally


def test_gpu_gems_3_count_of_16384_bodies() -> None:
    # 16384^2 = 268,435,456 interactions of 20; 16384 x (4 + 3) values of 4 B
    kernel = nbody(n=16384)
    assert (kernel.flops, kernel.bytes) == (20 * 268_435_456, 16384 * 28)
    assert nbody(n=16384, flops=38).flops == 38 * 268_435_456


def test_one_interaction_written_out_is_20_operations() -> None:
    """The interaction of listing 31-1 of GPU Gems 3, run on numbers that count."""
    tally = Tally()
    body, other = ([tally.number(x) for x in place] for place in ((1.0, 2.0, 3.0), (4.0, 6.0, 3.0)))
    mass, acceleration = tally.number(2.0), [tally.number(0.0)] * 3
    apart = [theirs - ours for ours, theirs in zip(body, other, strict=True)]  # 3
    square = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2] + 1e-2  # 6, softened
    sixth = square * square * square  # 2
    pull = mass * (tally.number(1.0) / sixth.map(math.sqrt))  # root, division, mass
    for axis in range(3):
        acceleration[axis] = acceleration[axis] + apart[axis] * pull  # 2 each
    assert tally.flops == 20
    assert nbody(n=1).flops == tally.flops


def test_tiles_read_all_bodies_again() -> None:
    # 1024 bodies in tiles of 300: 4 tiles; own values once, all bodies for each tile, accelerations once
    assert nbody(n=1024, tile=300).bytes == (1024 * 4 + 4 * 1024 * 4 + 1024 * 3) * 4
    assert nbody(n=1024, tile=1024).bytes == nbody(n=1024).bytes == 1024 * 28


def test_steps_repeat_everything() -> None:
    one, ten = nbody(n=100), nbody(n=100, steps=10)
    assert (one.flops, one.bytes) == (200_000, 2_800)
    assert (ten.flops, ten.bytes) == (2_000_000, 28_000)


@pytest.mark.parametrize("options", [{"n": 0}, {"n": 8, "tile": 0}, {"n": 8, "flops": -1}, {"n": 8, "steps": 0}])
def test_bad_shapes_name_the_argument(options: dict[str, Any]) -> None:
    name, value = list(options.items())[-1]
    with pytest.raises(InputError, match=f"^{name} must be a whole number from 1 to 1e15, got {value}$"):
        nbody(**options)
