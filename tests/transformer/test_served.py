"""What follows from a setup: estimates of a request, at efficiencies that somebody measured."""

from __future__ import annotations

import pytest

from roofline.transformer.served import Served
from tests.report.llm.setups import setup


def test_estimates_of_a_request_are_those_of_its_steps() -> None:
    """At 50 % of the bandwidth a step takes twice the time of its weights and cache; at 40 % of the peak a prefill of
    compute alone takes 2.5 times its own. In the mean of three steps, the middle one: context 4096 + 2.
    """
    asked = setup("llama-3.1-8b", prompt=4096, context=4099, generate=3, mfu=0.4, mbu=0.5)
    found = Served.of(asked)
    assert found.generation is not None
    assert found.estimated is not None
    middle = asked.with_(context=4098, generate=0)
    step = middle.bounds(middle.decode)
    assert found.estimated.mean_token == pytest.approx(2 * step.moved.least / 3.35e12)
    assert found.estimated.first_token == pytest.approx(found.bounds["prefill"].flops / 989.4e12 / 0.4)
    assert found.generation.mean_token == pytest.approx(step.total)
    assert found.estimated.tokens_per_s == pytest.approx(1 / found.estimated.mean_token)


def test_without_a_measured_efficiency_nothing_is_estimated() -> None:
    assert Served.of(setup("llama-3.1-8b", generate=3, context=4099)).estimated is None
    assert Served.of(setup("llama-3.1-8b", mfu=0.4)).estimated is None  # nothing is generated
