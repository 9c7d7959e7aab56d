"""Which measured bandwidth stands for a level, and which peak for an accumulation."""

from __future__ import annotations

import pytest

from roofline.core.choice import RoofQuery, choose, stream
from roofline.core.device import Ceiling, Device, Memory, Peak
from roofline.core.peaks import peak_of
from roofline.errors import UnknownNameError

READ = Ceiling(what="dram-read", value=9.5, quantity="B/s")  # no stores to wait for, hence the fastest
COPY = Ceiling(what="dram-copy", value=8.5, quantity="B/s")
TRIAD = Ceiling(what="dram-triad", value=8.0, quantity="B/s")
SCALE = Ceiling(what="dram-scale", value=9.0, quantity="B/s")


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        pytest.param((READ, COPY, TRIAD), TRIAD, id="triad"),
        pytest.param((READ, COPY, SCALE), COPY, id="else-copy"),
        pytest.param((SCALE, READ), READ, id="else-the-fastest"),
    ],
)
def test_the_measured_bandwidth_of_a_level(measured: tuple[Ceiling, ...], expected: Ceiling) -> None:
    device = Device(
        id="chip",
        name="Chip",
        peaks=(Peak(dtype="fp16", dense=100.0),),
        memory=(Memory(level="HBM", bandwidth=10.0),),
        measured=measured,
    )
    found = stream(device, None, "measured")
    assert (found.what, found.bandwidth, found.level) == (expected.what, expected.value, "HBM")


# Which rate serves sums of a named format: a row that names it, or one that names none and whose own it is.
SILENT = (
    Peak(dtype="int8", unit="matrix", dense=400.0),
    Peak(dtype="fp16", unit="vector", dense=20.0),
    Peak(dtype="fp16", unit="matrix", dense=100.0, accumulate=("fp32",)),
    Peak(dtype="bf16", unit="matrix", dense=110.0),
    Peak(dtype="fp64", unit="matrix", dense=10.0),
)


@pytest.mark.parametrize(
    ("dtype", "accumulate", "rate"),
    [
        pytest.param("int8", "int32", 400.0, id="whole-numbers-add-up-in-int32"),
        pytest.param("fp16", "fp32", 100.0, id="named"),
        pytest.param("fp16", "fp16", 20.0, id="a-vector-unit-returns-the-format-of-its-operands"),
        pytest.param("bf16", "fp32", 110.0, id="a-matrix-unit-may-widen"),
        pytest.param("bf16", "bf16", 110.0, id="or-not"),
        pytest.param("fp64", "fp64", 10.0, id="its-own"),
        pytest.param("int8", "fp32", None, id="no-floats-from-whole-numbers"),
        pytest.param("bf16", "fp16", None, id="narrower"),
        pytest.param("fp64", "fp32", None, id="no-narrower-than-itself"),
        pytest.param("fp16", "fp64", None, id="nobody-has-it"),
    ],
)
def test_the_rate_for_an_accumulation(dtype: str, accumulate: str, rate: float | None) -> None:
    device = Device(id="chip", name="Chip", peaks=SILENT, memory=(Memory(level="HBM", bandwidth=10.0),))
    if rate is None:
        with pytest.raises(UnknownNameError, match=f"^chip has no dense {dtype} with {accumulate} accumulation peak$"):
            peak_of(device, dtype, accumulate=accumulate)
    else:
        assert peak_of(device, dtype, accumulate=accumulate).dense == rate


def test_an_accumulation_that_no_source_names_is_not_in_the_label_of_the_roof() -> None:
    device = Device(id="chip", name="Chip", peaks=SILENT, memory=(Memory(level="HBM", bandwidth=10.0),))
    assert (
        choose(device, RoofQuery(dtype="int8", accumulate="int32")).roof.label == "int8 dense, matrix unit (unsourced)"
    )
    fp16 = choose(device, RoofQuery(dtype="fp16", accumulate="fp32")).roof
    assert fp16.label == "fp16 dense, matrix unit, fp32 accumulation (unsourced)"
