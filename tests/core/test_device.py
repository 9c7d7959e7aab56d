"""Which row of a precision is the default: the matrix unit with the accumulation that frameworks run."""

from __future__ import annotations

from roofline.core.device import Device, Peak
from roofline.core.peaks import peak_of


def int8_rate(*rows: Peak) -> float | None:
    return peak_of(Device(id="chip", name="Chip", peaks=rows), "int8").dense


INT32 = Peak(dtype="int8", unit="matrix", accumulate=("int32",), dense=100.0)


def test_int8_with_int32_accumulation_goes_before_a_faster_row_without() -> None:
    """Products of int8 are summed in int32; a row that sums in 16 bits is twice as fast and overflows."""
    assert int8_rate(INT32, Peak(dtype="int8", unit="matrix", accumulate=("fp16",), dense=200.0)) == 100.0


def test_the_matrix_unit_with_int32_accumulation_goes_before_the_vector_unit() -> None:
    """Dot-product instructions of the vector unit (dp4a) name no accumulator, and are not what a GEMM runs on."""
    assert int8_rate(Peak(dtype="int8", unit="vector", dense=150.0), INT32) == 100.0


def test_a_row_that_names_no_accumulator_is_not_held_against_it() -> None:
    # both are as good; the faster one it is
    assert int8_rate(INT32, Peak(dtype="int8", unit="matrix", dense=120.0)) == 120.0
