"""``roofline llm`` as one line of text, for all tests of it; other commands have fixtures of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Result, Runner

Ask = Callable[[str], Any]
Run = Callable[[str], Result]


@pytest.fixture
def run(roofline: Runner) -> Run:
    return lambda line: roofline("llm", *line.split())


@pytest.fixture
def answer(run: Run) -> Ask:
    def ask(line: str) -> Any:
        result = run(f"{line} --format json")
        assert (result.status, result.err) == (0, ""), result.err
        return json.loads(result.out)

    return ask
