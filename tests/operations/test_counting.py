"""Histogram and sort: no work, and traffic by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import InputError
from roofline.operations.counting import histogram, sort


def test_a_histogram_reads_keys_and_writes_counters() -> None:
    best = histogram(n=1000, bins=256, dtype="int8")
    assert (best.flops, best.bytes) == (0, 1000 * 1 + 256 * 4)
    worst = histogram(n=1000, bins=256, dtype="int8", reuse="worst")
    assert (worst.flops, worst.bytes) == (0, 1000 * 1 + 1000 * 2 * 4)


@pytest.mark.parametrize(
    ("options", "moved"),
    [
        # Adinets, Merrill 2022: a sweep to count, then 2 n a pass; 32 / 8 = 4 passes
        pytest.param({}, 9 * 1000 * 4, id="onesweep"),
        # ... against 3 n a pass before
        pytest.param({"scheme": "twosweep"}, 12 * 1000 * 4, id="twosweep"),
        # values: 2 n a pass
        pytest.param({"values": "fp64"}, 9 * 1000 * 4 + 8 * 1000 * 8, id="with-values"),
        pytest.param({"digit": 11}, 7 * 1000 * 4, id="three-passes-of-11-bits"),
        pytest.param({"dtype": "fp16"}, 5 * 1000 * 2, id="16-bit-keys"),
    ],
)
def test_a_radix_sort_moves_keys_and_values_once_a_pass(options: dict[str, Any], moved: int) -> None:
    kernel = sort(n=1000, **options)
    assert (kernel.flops, kernel.bytes) == (0, moved)


def test_without_arithmetic_there_is_no_precision_to_look_a_peak_up_for() -> None:
    assert sort(n=10).dtype is None
    assert histogram(n=10, bins=2).dtype is None


@given(st.integers(min_value=1, max_value=10**15), st.integers(min_value=1, max_value=32))
def test_counting_digits_beforehand_never_moves_more(n: int, digit: int) -> None:
    once, each = sort(n=n, digit=digit).bytes, sort(n=n, digit=digit, scheme="twosweep").bytes
    assert once is not None
    assert each is not None
    assert once <= each


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "n must be a whole number from 1 to 1e15, got 0"),
        ({"n": 8, "scheme": "merge"}, "scheme must be one of onesweep, twosweep, got 'merge'"),
        ({"n": 8, "digit": 0}, "digit must be a whole number from 1 to 1e15, got 0"),
        ({"n": 8, "digit": 33}, "digit must be at most the 32 bits of a key (int32), got 33"),
    ],
)
def test_bad_shapes_name_the_argument(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        sort(**options)
    assert str(error.value) == message


def test_bad_bins_are_named() -> None:
    with pytest.raises(InputError, match=r"^bins must be a whole number from 1 to 1e15, got -1$"):
        histogram(n=8, bins=-1)
