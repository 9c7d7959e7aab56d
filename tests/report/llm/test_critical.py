"""Critical batch and crossover context in words and for JSON; the figures are those of tests/transformer."""

from __future__ import annotations

import math

import pytest

from roofline.report import plain
from roofline.report.llm.critical import critical_cells, critical_lines
from roofline.transformer.architecture import Architecture
from roofline.transformer.served import critical
from roofline.transformer.setup import Setup
from tests.report.llm.setups import setup


@pytest.mark.parametrize(
    ("context", "batch", "whole"),
    [(0, 295, 296), (512, 452, 453), (1024, 963, 965), (1500, None, None), (4096, None, None)],
)
def test_70b_on_an_h100(context: int, batch: int | None, whole: int | None) -> None:
    """Worked elsewhere within 1 %: 295 / 452 / 963 / never.

    By hand at 1024: W P / (F H - K P) = 964.0 (tests/transformer/test_critical.py, with 989.4 TFLOP/s), so the first
    whole batch is 965.
    """
    one = setup(context=context)
    found = critical(one)
    cells, lines = critical_cells(found), critical_lines(one, found)
    if batch is None:
        assert plain(cells["critical_batch"]) is None
        assert cells["critical_batch"].why == "no batch is compute-bound at this context"
        counted = "none by weights and KV cache; at context 1: 296, 329 with activations"
        assert lines[0] == f"critical batch at context {context}: {counted}"
    else:
        assert plain(cells["critical_batch"]) == pytest.approx(batch, rel=0.01)
        assert lines[0].startswith(f"critical batch at context {context}: {whole} by weights and KV cache, ")
    assert plain(cells["crossover_context_tokens"]) == pytest.approx(1476, rel=0.01)
    assert lines[1].startswith("crossover context: 1476 by weights and KV cache, ")
    assert lines[1].endswith(" with activations; beyond it no batch of decode is compute-bound")


@pytest.mark.parametrize(
    ("model", "context"),
    [("llama-2-7b", 86), ("llama-3.1-8b", 393), ("llama-3.1-70b", 1476), ("deepseek-v3", 19_400)],
)
def test_crossover_contexts(model: str, context: int) -> None:
    assert critical(setup(model)).crossover == pytest.approx(context, rel=0.01)


def test_weights_in_four_bits_need_a_quarter_of_the_batch() -> None:
    """The LM head stays at 16 bit: 2 x 525,336,576 + 4.15625 / 8 x 6.979e9 B over 15.01 GFLOP, at 295.3 FLOP/B."""
    weights = 2 * 525_602_816 + 4.15625 / 8 * (7_504_924_672 - 525_602_816)
    by_hand = weights / (2 * (7_504_924_672 - 65 * 4096)) * 989.4 / 3.35
    assert critical(setup("llama-3.1-8b", weights="int4-g128", context=0)).at_one == pytest.approx(by_hand, rel=0.01)


def test_activations_count_for_the_mark_in_a_sweep() -> None:
    """Between the two figures a step is compute-bound by the least time, but memory-bound with activations."""
    one = setup(context=512)
    found = critical(one)
    assert found.batch is not None
    assert found.with_activations is not None
    between = one.with_(batch=round((found.batch + found.with_activations) / 2))
    after = one.with_(batch=math.ceil(found.with_activations + 1))
    seen = between.bounds(between.decode)
    assert seen.compute > seen.moved.least / seen.bandwidth
    assert (seen.bound, after.bounds(after.decode).bound) == ("memory", "compute")


def test_experts_are_said_to_be_solved_for() -> None:
    one = setup("mixtral-8x7b", context=0)
    found = critical(one)
    assert found.batch == pytest.approx(1083, rel=0.01)
    assert critical_lines(one, found)[0].endswith("(solved for the experts that a batch touches)")


def test_a_low_ridge_and_a_latent_have_no_crossover() -> None:
    """241.8 FLOP/B of absorbed attention against a ridge of 29.6."""
    one = setup("deepseek-v3", "m4max")
    found = critical(one)
    assert found.crossover is None
    assert critical_cells(found)["crossover_context_tokens"].why == (
        "from some batch on decode is compute-bound at any context"
    )
    assert critical_lines(one, found, of="m4max")[1].startswith("crossover context on m4max: none, from some batch on")


def test_what_is_not_known_of_a_model_is_said() -> None:
    """70e9 parameters and nothing else: 2 FLOP and 2 B each, so the critical batch is I* = 989.4 / 3.35."""
    bare = Architecture(name="70B", hidden=0, vocab=0, layers=(), unplaced=70_000_000_000)
    one = Setup(architecture=bare, target=setup().target)
    found = critical(one)
    cells = critical_cells(found)
    assert found.at_one == pytest.approx(989.4 / 3.35)
    assert plain(cells["critical_batch"]) is plain(cells["crossover_context_tokens"]) is None
    assert cells["critical_batch"].why == "nothing is known of the layers, and so of the KV cache"
    assert critical_lines(one, found) == ["critical batch: 296 without the KV cache, of which nothing is known"]
