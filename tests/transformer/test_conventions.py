"""Conventions: words that are none are refused, and each says in words what it counts."""

from __future__ import annotations

import pytest

from roofline.errors import InputError
from roofline.transformer.choices import EXPERTS, WORDS
from roofline.transformer.conventions import Conventions


@pytest.mark.parametrize("name", [*WORDS, "experts"])
def test_a_word_that_is_none_is_refused_with_those_that_are(name: str) -> None:
    with pytest.raises(InputError) as caught:
        Conventions(**{name: "sometimes"})  # type: ignore[arg-type]
    said = f"{caught.value} {caught.value.hint}"
    assert name in said
    assert all(word in said for word in WORDS.get(name, EXPERTS))


def test_experts_may_be_a_number_from_1_on() -> None:
    assert Conventions(experts=1).of_experts == "experts: 1 is touched in each layer, as given"
    assert Conventions(experts=4).of_experts == "experts: 4 are touched in each layer, as given"
    with pytest.raises(
        InputError, match="experts must be a whole number from 1 on, or one of expected, min, max, all, got 0"
    ):
        Conventions(experts=0)


def test_each_choice_is_said() -> None:
    usual, other = Conventions(), Conventions(attention="unfused", count="full", logits="all")
    assert len(set(usual.assumptions) - set(other.assumptions)) == 3
    assert "unfused: scores moved 4 times" in other.assumptions
