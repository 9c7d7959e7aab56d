"""Time to first token, time per token and its mean over a generation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.transformer.bounds import bounds
from roofline.transformer.formats import Formats
from roofline.transformer.generation import generation, mean_time
from roofline.transformer.presets import find
from roofline.transformer.step import Step
from roofline.transformer.table import Table, table
from tests.transformer.machines import H100


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
