"""Steps: tokens, positions and phase by hand, and numbers that are none."""

from __future__ import annotations

from typing import Any

import pytest

from roofline.errors import InputError
from roofline.transformer.step import Step


def test_steps() -> None:
    prefill, decode = Step.prefill(4096, batch=2), Step.decode(4096, batch=8)
    assert (prefill.cached, prefill.tokens, prefill.positions, prefill.is_decode) == (0, 8192, 4096, False)
    assert (decode.cached, decode.tokens, decode.positions, decode.is_decode) == (4095, 8, 4096, True)
    assert Step.decode(0) == Step.decode(1) == Step()


@pytest.mark.parametrize("numbers", [{"batch": 0}, {"new": 0}, {"cached": -1}, {"batch": 10**16}, {"new": True}])
def test_steps_of_nothing(numbers: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="must be a whole number"):
        Step(**numbers)
