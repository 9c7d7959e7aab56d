"""MLPs by hand: FLOPs, weights and activations, gated and not."""

from __future__ import annotations

import pytest

from roofline.transformer.formats import Formats
from roofline.transformer.mlp import Dense


@pytest.mark.parametrize(("gated", "matrices", "elements"), [(True, 3, 5), (False, 2, 3)])
def test_flops_weights_and_activations(*, gated: bool, matrices: int, elements: int) -> None:
    """2 T h I FLOP a matrix. Gated: write 2 I, read them, move I; plain: write I, read it, move the result."""
    rows = Dense(width=96, gated=gated).products(hidden=64, tokens=10, formats=Formats())
    assert sum(o.flops for o in rows) == matrices * 2 * 10 * 64 * 96
    assert sum(o.weights for o in rows) == matrices * 2 * 64 * 96
    assert sum(o.activations for o in rows) == 2 * 10 * (2 * 64 + elements * 96)


def test_biases_are_weights() -> None:
    """GPT-2: 3072 + 768 beside 2 x 768 x 3072."""
    rows = Dense(width=3072, gated=False, bias=True).products(hidden=768, tokens=1, formats=Formats())
    assert sum(o.weights for o in rows) == 2 * (2 * 768 * 3072 + 3072 + 768)


def test_dense_mlps() -> None:
    assert Dense(width=14336).matrices(4096) == 3 * 4096 * 14336
    gpt2 = Dense(width=3072, gated=False, bias=True)
    assert gpt2.matrices(768) + gpt2.vectors(768) == 4_722_432
    assert Dense(width=10, bias=True).vectors(4) == 10 + 10 + 4
