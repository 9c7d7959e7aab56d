"""Fast Fourier transforms: nominal counts by hand, real against complex, and one dimension against several."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import InputError
from roofline.operations.spectral import fft

powers = st.integers(min_value=1, max_value=20).map(lambda exponent: 2**exponent)


@pytest.mark.parametrize(
    ("options", "flops", "moved"),
    [
        pytest.param({"n": (1024,)}, 5 * 1024 * 10, 2 * 1024 * 8, id="complex"),
        pytest.param({"n": (1024,), "dtype": "fp64"}, 5 * 1024 * 10, 2 * 1024 * 16, id="complex-fp64"),
        # 1024 reals in, 513 complex values out
        pytest.param({"n": (1024,), "real": True}, 25 * 1024, 1024 * 4 + 513 * 8, id="real"),
        pytest.param({"n": (64, 64, 64)}, 5 * 64**3 * 18, 2 * 64**3 * 8, id="three-dimensions"),
        # 64 x 64 x 33 complex values out
        pytest.param({"n": (64, 64, 64), "real": True}, 64**3 * 45, 64**3 * 4 + 64 * 64 * 33 * 8, id="real-3D"),
        pytest.param({"n": (1024,), "batch": 100}, 100 * 51200, 100 * 16384, id="batch"),
        pytest.param({"n": (1024,), "passes": 3}, 51200, 3 * 16384, id="three-passes"),
        # read 1024 x 4, write 513 x 8, then read and write 513 x 8
        pytest.param({"n": (1024,), "real": True, "passes": 2}, 25600, 4096 + 3 * 4104, id="real-two-passes"),
        pytest.param({"n": (1,)}, 0, 16, id="one-point-is-a-copy"),
        # 5 x 3 x log2 3 = 23.77
        pytest.param({"n": (3,)}, 24, 48, id="no-power-of-two"),
        # 5 x 1000 x log2 1000 = 49828.92
        pytest.param({"n": (1000,)}, 49829, 16000, id="a-thousand-points"),
    ],
)
def test_flops_and_bytes(options: dict[str, Any], flops: int, moved: int) -> None:
    kernel = fft(**options)
    assert (kernel.flops, kernel.bytes) == (flops, moved)


def test_counts_of_powers_of_two_are_exact_far_beyond_floats() -> None:
    # 5 x 2^120 x 120 = 600 x 2^120
    assert fft(n=(2**40, 2**40, 2**40)).flops == 600 * 2**120


# log2 of 3 and of 10 to 80 decimals (OEIS A020857 and A020862)
LOG2_3 = "1.58496250072115618145373894394781650875981440769248106045575265454109822779435856"
LOG2_10 = "3.32192809488736234787031942948939017586483139302458061205475639581593477660862521"


@pytest.mark.parametrize(
    ("lengths", "times", "logarithm"),
    [
        # N log2 N of 3^k is k 3^k log2 3, and so on
        pytest.param((3**31,), 31 * 3**31, LOG2_3, id="3^31"),
        pytest.param((3**31,) * 3, 93 * 3**93, LOG2_3, id="3^93"),
        pytest.param((10**15,), 15 * 10**15, LOG2_10, id="10^15"),
        pytest.param((10**15,) * 3, 45 * 10**45, LOG2_10, id="10^45"),
    ],
)
def test_counts_are_the_nearest_whole_number_however_large(
    lengths: tuple[int, ...], times: int, logarithm: str
) -> None:
    digits = int(logarithm.replace(".", ""))  # x 10^80
    for factor, real in ((10, False), (5, True)):  # halves of 5 and of 2.5
        twice = factor * times * digits  # 2 x 10^80 times the count
        assert fft(n=lengths, real=real).flops == (twice + 10**80) // (2 * 10**80)


def test_a_count_of_ten_to_the_fifteen_is_written_down() -> None:
    # 5 x 15 x 10^15 x 3.32192 80948 87362 34787 03 = 249 144 607 116 552 176.09
    assert fft(n=(10**15,)).flops == 249_144_607_116_552_176


@given(powers)
def test_a_real_transform_is_half_the_work(points: int) -> None:
    whole = fft(n=(points,)).flops
    half = fft(n=(points,), real=True).flops
    assert half is not None
    assert whole == 2 * half


@given(powers, powers)
def test_a_transform_of_two_dimensions_is_rows_and_columns_of_one(rows: int, columns: int) -> None:
    along_rows = fft(n=(columns,), batch=rows).flops
    along_columns = fft(n=(rows,), batch=columns).flops
    assert along_rows is not None
    assert along_columns is not None
    assert fft(n=(rows, columns)).flops == along_rows + along_columns


@given(st.integers(min_value=2, max_value=10**12))
def test_every_size_is_within_one_half_of_the_formula(points: int) -> None:
    assert fft(n=(points,)).flops == pytest.approx(5 * points * math.log(points) / math.log(2), rel=1e-12, abs=0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": ()}, "n must have one to 3 dimensions, got 0"),
        ({"n": (2, 2, 2, 2)}, "n must have one to 3 dimensions, got 4"),
        ({"n": (0,)}, "n must be a whole number from 1 to 1e15, got 0"),
        ({"n": (8, -1)}, "n must be a whole number from 1 to 1e15, got -1"),
        ({"n": (8,), "batch": 0}, "batch must be a whole number from 1 to 1e15, got 0"),
    ],
)
def test_bad_shapes_name_the_argument(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        fft(**options)
    assert str(error.value) == message
