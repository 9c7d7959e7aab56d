"""Time to first token, time per token and its mean over a generation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.core.kernel import Kernel
from roofline.transformer.bounds import bounds
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats
from roofline.transformer.generation import generation, mean_time
from roofline.transformer.operator import Operator
from roofline.transformer.presets import find
from roofline.transformer.step import Step
from roofline.transformer.table import Table, table
from tests.transformer.machines import H100, chip


@given(
    first=st.integers(1, 200),
    more=st.integers(0, 300),
    kink=st.integers(1, 400),
    slopes=st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 5000)),
)
def test_mean_is_the_sum_over_all_steps(first: int, more: int, kink: int, slopes: tuple[int, int, int]) -> None:
    """Against adding up one by one, with a window that fills at ``kink`` and a bound that changes somewhere."""
    a, b, floor = slopes

    def seconds(context: int) -> float:
        return float(max(floor, a * context + b * min(context, kink)))

    each = [seconds(n) for n in range(first, first + more + 1)]
    assert mean_time(first, first + more, seconds, [kink]) == pytest.approx(sum(each) / len(each))


def test_mean_context_where_nothing_bends() -> None:
    """Llama-3.1-8B behind 1000 tokens, 999 more: the mean is the time at context 1000 + 1000 / 2."""

    def of(step: Step) -> Table:
        return table(find("llama-3.1-8b"), step, Formats())

    found = generation(of, H100, prompt=1000, generated=999, batch=4)
    middle = bounds(of(Step.decode(1500, batch=4)), H100).total
    assert found.mean_token == pytest.approx(middle, rel=1e-12)
    assert found.next_token == bounds(of(Step.decode(1001, batch=4)), H100).total
    assert found.last_token == bounds(of(Step.decode(1999, batch=4)), H100).total
    assert found.first_token == bounds(of(Step.prefill(1000, batch=4)), H100).total
    assert found.tokens_per_s == 4 / found.mean_token


def test_windows_that_fill_on_the_way() -> None:
    """gpt-oss-20b from context 101 to 300, windows of 128: as adding up one by one."""

    def of(step: Step) -> Table:
        return table(find("gpt-oss-20b"), step, Formats())

    found = generation(of, H100, prompt=100, generated=200)
    each = [bounds(of(Step.decode(n)), H100).total for n in range(101, 301)]
    assert found.mean_token == pytest.approx(sum(each) / 200, rel=1e-12)


def test_a_window_is_no_place_to_mistake_for_a_straight_line() -> None:
    """A time that is flat, steep, then gentle can meet its chord in the middle; cut at the window, no part can.

    At 1 FLOP/s and 1 B/s a step takes max(44, C + 3 min(C, 18)) s: 44 up to C = 11, 4 more a position up to 72 at 18,
    and 1 more up to 84 at 30. At 16, in the middle of 2 and 30, it is 64, as (44 + 84) / 2 is, but the mean of all
    29 steps is (10 x 44 + 7 x 60 + 12 x 78.5) / 29 = 1802 / 29 = 62.1.
    """

    def of(step: Step) -> Table:
        cache = step.positions + 3 * min(step.positions, 18)
        kernel = Kernel(name="attention", flops=44, bytes=cache, dtype="bf16")
        return Table(step, (Operator("attention", "attention", kernel, kv=cache, window=18),), Conventions())

    found = generation(of, chip(1.0, 1.0), prompt=1, generated=29)
    assert (found.next_token, found.last_token) == (44, 84)
    assert found.mean_token == pytest.approx(1802 / 29, rel=1e-12)


def test_a_cache_in_blocks_is_summed_in_bounded_time_and_close_to_step_by_step() -> None:
    """A staircase of 30 contexts a step, over a rise and a kink: within a thousandth of adding up 100,000 steps."""
    asked = []

    def seconds(context: int) -> float:
        asked.append(context)
        return float(max(20_000, context // 30 * 30 + min(context, 5000)))

    found = mean_time(1, 100_000, seconds, [5000])
    assert len(asked) < 5000
    each = [float(max(20_000, n // 30 * 30 + min(n, 5000))) for n in range(1, 100_001)]
    assert found == pytest.approx(sum(each) / len(each), rel=1e-3)
