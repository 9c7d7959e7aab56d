"""Quantities: text to base units and back. Expected values are exact by definition of the prefixes."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline import units
from roofline.errors import InputError, RooflineError, UnitError


@pytest.mark.parametrize(
    ("text", "quantity", "value"),
    [
        pytest.param("2e12", "FLOP", 2e12, id="bare-number-is-base-units"),
        pytest.param("2T", "FLOP", 2e12, id="bare-prefix"),
        pytest.param("2 TFLOP", "FLOP", 2e12, id="amount"),
        pytest.param("2TFLOPs", "FLOP", 2e12, id="FLOPs-as-amount"),
        pytest.param("2TFLOPs", "FLOP/s", 2e12, id="FLOPs-as-rate"),
        pytest.param("3 TFLOPs/s", "FLOP/s", 3e12, id="FLOPs-a-second"),
        pytest.param("5 TOPs/s", "FLOP/s", 5e12, id="OPs-a-second"),
        pytest.param("2TFLOPS", "FLOP/s", 2e12, id="FLOPS-is-a-rate"),
        pytest.param("624 TOPS", "FLOP/s", 624e12, id="TOPS"),
        pytest.param("624 TOP/s", "FLOP/s", 624e12, id="TOP/s"),
        pytest.param("1978.9 TFLOP/s", "FLOP/s", 1.9789e15, id="rounded-once"),
        pytest.param("140GB", "B", 140e9, id="SI-not-IEC"),
        pytest.param("140 GiB", "B", 140 * 2**30, id="IEC"),
        pytest.param("1.5 KiB", "B", 1536, id="fraction-of-IEC"),
        pytest.param("8 Mbit", "B", 1e6, id="bits"),
        pytest.param("3.35TB/s", "B/s", 3.35e12, id="bandwidth"),
        pytest.param("400 Gbit/s", "B/s", 50e9, id="U05-bits-per-second"),
        pytest.param("400Gb/s", "B/s", 50e9, id="U05-b-is-a-bit"),
        pytest.param("400GB/s", "B/s", 400e9, id="U05-B-is-a-byte"),
        pytest.param("400 Gbps", "B/s", 50e9, id="bps"),
        pytest.param("2.5 ms", "s", 2.5e-3, id="ms"),
        pytest.param("3 µs", "s", 3e-6, id="micro-sign"),
        pytest.param("3 μs", "s", 3e-6, id="greek-mu"),
        pytest.param("7ns", "s", 7e-9, id="ns"),
        pytest.param("68.72 GMAC", "MAC", 68.72e9, id="MAC"),
        pytest.param("60%", "1", 0.6, id="percent"),
        pytest.param("1_000", "FLOP", 1000, id="underscore"),
        pytest.param("+5", "FLOP", 5, id="plus"),
        pytest.param(".5", "FLOP/B", 0.5, id="no-leading-zero"),
    ],
)
def test_parse(text: str, quantity: Any, value: float) -> None:
    assert units.parse(text, quantity) == value


@pytest.mark.parametrize(
    ("text", "quantity", "message"),
    [
        pytest.param("2TFLOP/s", "FLOP", "x is an amount of work (FLOP), got a rate (TFLOP/s)", id="U09-rate"),
        pytest.param("2TFLOP", "FLOP/s", "x is a rate (FLOP/s), got an amount (TFLOP)", id="U09-amount-for-rate"),
        pytest.param("2TFLOPS", "FLOP", "x is an amount of work (FLOP), got a rate (TFLOPS)", id="FLOPS-for-amount"),
        pytest.param("1GB/s", "B", "x is an amount of data (B), got a rate (GB/s)", id="bandwidth-for-bytes"),
        pytest.param("3 ms", "B", "x is an amount of data (B), got a time (ms)", id="time-for-bytes"),
        pytest.param("400gb/s", "B/s", "x: unknown unit 'gb/s' in '400gb/s'", id="U05-gb"),
        pytest.param("1kb", "B", "x: unknown unit 'kb' in '1kb'", id="kb"),
        pytest.param("1 tflops", "FLOP/s", "x: unknown unit 'tflops' in '1 tflops'", id="lower-case-prefix"),
        pytest.param("nan", "FLOP", "x must be finite, got 'nan'", id="nan"),
        pytest.param("-inf", "FLOP", "x must be finite, got '-inf'", id="inf"),
        pytest.param("1e999", "FLOP", "x must be finite, got '1e999'", id="overflow"),
        pytest.param("-1e12", "FLOP", "x must be >= 0, got -1e12", id="T01-negative"),
        pytest.param("0/0", "FLOP", "x: unknown unit '/0' in '0/0'", id="division"),
        pytest.param("1,234", "FLOP", "x: expected an amount of work (FLOP), got '1,234'", id="thousands"),
        pytest.param("3:35", "FLOP/s", "x: unknown unit ':35' in '3:35'", id="Y07-base-60"),
        pytest.param("", "FLOP", "x: expected an amount of work (FLOP), got ''", id="empty"),
        pytest.param("٣", "FLOP", "x: expected an amount of work (FLOP), got '٣'", id="other-digits"),
        pytest.param("0x10", "FLOP", "x: unknown unit 'x10' in '0x10'", id="hexadecimal"),
        pytest.param("2 GMAC", "FLOP", "x is an amount of work (FLOP), got a count of multiply-accumulates (GMAC); "
                     "MACs go to --macs, where each counts 2 FLOP", id="MACs-for-FLOPs"),
        pytest.param("9" * 500, "FLOP", None, id="endless"),
    ],
)  # fmt: skip
def test_refusals_say_what_is_wrong(text: str, quantity: Any, message: str | None) -> None:
    with pytest.raises(UnitError, match=re.escape(message) if message else "x"):
        units.parse(text, quantity, name="x")


def test_bits_and_bytes_are_both_offered_for_gb() -> None:
    with pytest.raises(UnitError) as caught:
        units.parse("400gb/s", "B/s")
    assert caught.value.hint == "write Gb/s (bits) or GB/s (bytes)"


def test_zero_is_refused_where_a_positive_value_is_needed() -> None:
    assert units.parse("0", "B") == 0
    with pytest.raises(UnitError, match="must be > 0, got 0"):
        units.parse("0", "s", name="--time", positive=True)


def test_integers_stay_exact() -> None:
    assert units.parse(str(2**63 + 1), "FLOP") == 2**63 + 1
    assert units.parse("3 GiB", "B") == 3 * 2**30
    assert isinstance(units.parse("3 GiB", "B"), int)


def test_every_prefix_is_a_thousand_times_the_one_before() -> None:
    decimal = [units.parse(f"1 {p}B", "B") for p in ("", "k", "M", "G", "T", "P", "E")]
    binary = [units.parse(f"1 {p}B", "B") for p in ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")]
    assert [b / a for a, b in pairwise(decimal)] == [1000] * 6
    assert [b / a for a, b in pairwise(binary)] == [1024] * 6


def test_pint_agrees_on_bytes_bits_seconds_hertz_and_watts() -> None:
    """An independent witness; pint has no FLOP, and reads ``B`` as byte and ``b`` as barn, hence the words."""
    registry: Any = pint.UnitRegistry()
    base = {"B": "byte", "B/s": "byte/second", "s": "second", "Hz": "hertz", "W": "watt"}
    checked = 0
    for spelling, readings in units.UNITS.items():
        reading = readings[0]
        if reading.quantity not in base or spelling.endswith("ps"):
            continue
        name = spelling.replace("K", "k", 1) if re.match(r"K(?!i)", spelling) else spelling
        word = re.sub(r"(?<=[A-Za-z])?(bytes?|Bytes?|bits?|B|b)(?=/|$)", _word, name)
        expected = registry.Quantity(1, word).to(base[reading.quantity]).magnitude
        assert units.parse(f"1 {spelling}", reading.quantity) == pytest.approx(expected, rel=1e-12), spelling
        checked += 1
    assert checked > 150


def _word(match: re.Match[str]) -> str:
    return "byte" if match[1][0] == "B" or match[1].startswith("byte") else "bit"


@pytest.mark.parametrize(
    ("value", "quantity", "text"),
    [
        (7.8e12, "FLOP/s", "7.800 TFLOP/s"),
        (1979e12, "FLOP/s", "1979 TFLOP/s"),
        (999.96e9, "B/s", "1.000 TB/s"),
        (2.934e-8, "s", "29.34 ns"),
        (0.2564, "s", "256.4 ms"),
        (0.001693, "1", "0.1693 %"),
        (0, "FLOP", "0 FLOP"),
        (590.7462, "FLOP/B", "591 FLOP/B"),
        (295.343, "FLOP/B", "295 FLOP/B"),
        (14.2857, "FLOP/B", "14.29 FLOP/B"),
        (0.083333, "FLOP/B", "0.08333 FLOP/B"),
        (99.996, "FLOP/B", "100 FLOP/B"),
    ],
)
def test_show(value: float, quantity: Any, text: str) -> None:
    assert units.show(value, quantity) == text


@given(st.floats(min_value=1e-30, max_value=1e30), st.integers(2, 8))
def test_significant_digits_are_within_half_a_unit_of_the_last(value: float, digits: int) -> None:
    assert float(units.significant(value, digits)) == pytest.approx(value, rel=0.5001 * 10 ** (1 - digits))


@given(st.floats(min_value=0.01, max_value=1e6), st.floats(min_value=0.01, max_value=1e6))
def test_digits_apart_tells_different_intensities_apart(a: float, b: float) -> None:
    digits = units.digits_apart(a, b)
    if a != b:
        assert digits == 17 or units.intensity(a, digits) != units.intensity(b, digits)


@given(st.floats(min_value=1e-6, max_value=1e18), st.sampled_from(["FLOP", "FLOP/s", "B", "B/s", "s"]))
def test_what_is_shown_can_be_read_again(value: float, quantity: Any) -> None:
    assert units.parse(units.show(value, quantity), quantity) == pytest.approx(value, rel=1e-3)


@given(st.text(max_size=40), st.sampled_from(sorted(units.EXAMPLE)))
def test_no_text_breaks_the_parser(text: str, quantity: Any) -> None:
    try:
        value = units.parse(text, quantity)
    except RooflineError as error:
        assert "\n" not in str(error)
    else:
        assert 0 <= value < float("inf")


@given(st.sampled_from(sorted(units.UNITS)), st.sampled_from(["1", "2.5", "1e3"]))
def test_the_pattern_of_a_quantity_is_what_the_parser_takes(unit: str, number: str) -> None:
    for quantity in units.EXAMPLE:
        text = f"{number} {unit}"
        try:
            units.parse(text, quantity)  # type: ignore[arg-type]
            taken = True
        except UnitError:
            taken = False
        assert bool(re.match(units.pattern(quantity), text)) == taken, quantity  # type: ignore[arg-type]


def test_fraction_of_more_than_one_is_refused() -> None:
    assert units.fraction("0.5", name="x") == 0.5
    with pytest.raises(InputError, match="at most 100%"):
        units.fraction("60", name="x")
