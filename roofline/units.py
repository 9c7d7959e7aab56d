"""Quantities: text to a number in base units and back ("3.35 TB/s" <-> 3.35e12 B/s).

``G`` is 1e9 and ``Gi`` is 2**30, everywhere; ``b`` is a bit and ``B`` a byte; ``FLOP`` is an amount of work and
``FLOP/s`` a rate. What could be read in two ways is refused, with the two spellings to choose from.
"""

import math
import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from roofline.errors import InputError, UnitError, nearest
from roofline.text import clip, quote

Quantity = Literal["FLOP", "FLOP/s", "B", "B/s", "s", "FLOP/B", "MAC", "Hz", "W", "1"]

_DECIMAL: Final = {"": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_SUBMULTIPLE: Final = {"": 0, "m": -3, "u": -6, "n": -9, "p": -12}

_DESCRIPTION: Final[dict[str, str]] = {
    "FLOP": "an amount of work (FLOP)",
    "FLOP/s": "a rate (FLOP/s)",
    "B": "an amount of data (B)",
    "B/s": "a bandwidth (B/s)",
    "s": "a time (s)",
    "FLOP/B": "an arithmetic intensity (FLOP/B)",
    "MAC": "a count of multiply-accumulates (MAC)",
    "Hz": "a frequency (Hz)",
    "W": "a power (W)",
    "1": "a fraction (60% or 0.6)",
}
EXAMPLE: Final[dict[str, str]] = {
    "FLOP": "2e12 or 2 TFLOP",
    "FLOP/s": "989.4 TFLOP/s",
    "B": "140 GB or 140 GiB",
    "B/s": "3.35 TB/s or 400 Gbit/s",
    "s": "2.5 ms",
    "FLOP/B": "400",
    "MAC": "68.72 GMAC",
    "Hz": "1.83 GHz",
    "W": "700 W",
    "1": "60% or 0.6",
}
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LONGEST: Final = 400  # characters; no honest number is longer
_LONGEST_UNIT: Final = 20  # characters; longer text is no misspelt unit
_LONGEST_INTEGER: Final = 60  # digits kept exact; an integer of more becomes a float, or is refused as not finite


class Unit(NamedTuple):
    """What one spelling stands for: ``value * 10**power * 2**(10*binary) / divisor`` in base units."""

    quantity: Quantity
    power: int = 0
    binary: int = 0
    divisor: int = 1


def _spellings() -> dict[str, tuple[Unit, ...]]:
    """Every accepted unit; a spelling with two readings (``TFLOPs``) has two."""
    table: dict[str, tuple[Unit, ...]] = {}
    for prefix, power in _DECIMAL.items():
        work, rate, macs = (Unit("FLOP", power),), (Unit("FLOP/s", power),), (Unit("MAC", power),)
        for singular in ("FLOP", "flop", "Flop", "OP", "op", "Op"):
            table[prefix + singular] = work
            table[prefix + singular + "s"] = work + rate  # the field writes TFLOPs for both
            table[prefix + singular + "/s"] = table[prefix + singular + "s/s"] = rate
        table[prefix + "FLOPS"] = table[prefix + "OPS"] = rate
        for mac in ("MAC", "MACs", "mac", "macs"):
            table[prefix + mac] = macs
        table[prefix + "Hz"] = (Unit("Hz", power),)
        table[prefix + "W"] = (Unit("W", power),)
    scales = [(p, power, 0) for p, power in _DECIMAL.items()] + [(p, 0, n) for p, n in _BINARY.items()]
    for prefix, power, binary in scales:
        for names, divisor in ((("B", "byte", "bytes", "Byte", "Bytes"), 1), (("b", "bit", "bits"), 8)):
            data, rate = (Unit("B", power, binary, divisor),), (Unit("B/s", power, binary, divisor),)
            for name in names:
                if prefix == "k" and name == "b":
                    continue  # "kb" is as ambiguous as "gb"; refused with both spellings
                table[prefix + name], table[prefix + name + "/s"] = data, rate
                if len(name) == 1:
                    table[prefix + name + "ps"] = rate
    for prefix, power in _SUBMULTIPLE.items():
        for name in ("s", "sec", "second", "seconds"):
            table[prefix + name] = (Unit("s", power),)
    for name in ("FLOP/B", "FLOPs/B", "flop/B", "FLOP/byte", "FLOPs/byte", "flop/byte", "flops/byte"):
        table[name] = (Unit("FLOP/B"),)
    table["%"] = (Unit("1", -2),)
    return table


UNITS: Final[dict[str, tuple[Unit, ...]]] = _spellings()
_BARE_PREFIX: Final = {p: (power, 0) for p, power in _DECIMAL.items()} | {p: (0, n) for p, n in _BINARY.items()}
_NO_BARE_PREFIX: Final = frozenset({"s", "FLOP/B", "1"})


def parse(text: str, quantity: Quantity, *, name: str = "value", positive: bool = False) -> float:
    """A quantity in base units, from text such as ``2e12``, ``2T``, ``140 GiB`` or ``400 Gbit/s``.

    Args:
        text: a number, optionally followed by a prefix or a unit of ``quantity``; a bare number is in base units.
        quantity: the kind that is wanted; no other kind is accepted.
        name: what the value is called in an error.
        positive: refuse zero.

    Raises:
        UnitError: not a number, not finite, negative, or of another kind.

    >>> parse("3.35 TB/s", "B/s")
    3350000000000.0
    >>> parse("400 Gbit/s", "B/s")
    50000000000.0
    >>> parse("140 GiB", "B")
    150323855360
    >>> parse("2 TFLOP/s", "FLOP", name="--flops")
    Traceback (most recent call last):
    roofline.errors.UnitError: --flops is an amount of work (FLOP), got a rate (TFLOP/s)

    """
    text = text.strip()
    number = _NUMBER.match(text)
    if number is None or len(text) > _LONGEST:
        raise _not_a_number(text, quantity, name)
    digits, unit = number.group(), text[number.end() :].strip()
    if unit.startswith((",", ".", "_")) or unit[:1].isdigit():
        raise _not_a_number(text, quantity, name)
    value = _scale(digits.replace("_", ""), _reading(unit, text, quantity, name))
    if not math.isfinite(value):
        raise UnitError(f"{name} must be finite, got {quote(text)}")
    if value < 0 or (digits.startswith("-") and value == 0):
        raise UnitError(f"{name} must be {'> 0' if positive else '>= 0'}, got {clip(text)}")
    if positive and value == 0:
        raise UnitError(f"{name} must be > 0, got {clip(text)}")
    return value


def is_bare(text: str) -> bool:
    """Whether text is a number without a unit.

    >>> is_bare(" 1_000 "), is_bare("21us")
    (True, False)
    """
    try:
        float(text.strip().replace("_", ""))
    except ValueError:
        return False
    return True


def _scale(digits: str, unit: Unit) -> float:
    """The number times its unit, rounded once; an integer stays one."""
    if digits.lstrip("+-").isdigit() and len(digits) < _LONGEST_INTEGER and unit.power >= 0 and unit.divisor == 1:
        return (int(digits) * int(10**unit.power)) << (10 * unit.binary)
    mantissa, _, exponent = digits.lower().partition("e")
    # Shifting the decimal exponent in the text keeps 1978.9 TFLOP/s at 1.9789e15 exactly. Exponents are clamped
    # before they become integers: far beyond the range of a float, the sign is all that matters.
    size = exponent.lstrip("+-").lstrip("0")
    power = (int(size or "0") if len(size) < 5 else 9999) * (-1 if exponent.startswith("-") else 1) + unit.power
    return float(f"{mantissa}e{power}") * 2.0 ** (10 * unit.binary) / unit.divisor


def _reading(unit: str, text: str, quantity: Quantity, name: str) -> Unit:
    """The reading of a unit that fits the wanted quantity, or the error that says which units would."""
    unit = unit.replace("\N{MICRO SIGN}", "u").replace("\N{GREEK SMALL LETTER MU}", "u")
    if unit in _BARE_PREFIX and (unit == "" or quantity not in _NO_BARE_PREFIX):
        power, binary = _BARE_PREFIX[unit]
        return Unit(quantity, power, binary)
    readings = UNITS.get(unit, ())
    for reading in readings:
        if reading.quantity == quantity:
            return reading
    if readings:
        raise UnitError(_wrong_kind(name, quantity, readings[0].quantity, unit))
    raise UnitError(f"{name}: unknown unit {quote(unit)} in {quote(text)}", hint=_suggestion(unit, quantity))


def _wrong_kind(name: str, wanted: Quantity, got: Quantity, unit: str) -> str:
    families: dict[frozenset[str], tuple[str, str]] = {
        frozenset({"FLOP", "FLOP/s"}): ("an amount", "a rate"),
        frozenset({"B", "B/s"}): ("an amount", "a rate"),
    }
    amount, rate = families.get(frozenset({wanted, got}), ("", ""))
    noun = _DESCRIPTION[got].partition(" (")[0] if not amount else (rate if got.endswith("/s") else amount)
    message = f"{name} is {_DESCRIPTION[wanted]}, got {noun} ({unit})"
    return message + ("; MACs go to --macs, where each counts 2 FLOP" if got == "MAC" and wanted == "FLOP" else "")


@lru_cache(maxsize=100)  # a long list repeats its mistake
def _suggestion(unit: str, quantity: Quantity) -> str:
    known = [s for s, rs in UNITS.items() if any(r.quantity == quantity for r in rs)]
    near = [s for s in known if s.lower() == unit.lower()]
    if not near and len(unit) <= _LONGEST_UNIT:  # TB/sec: in which case, upper or lower, its own letters say
        closest = nearest(unit.lower(), dict.fromkeys(s.lower() for s in known))
        near = [s for s in known if s.lower() in closest]
        near = [s for s in near if s in unit] or near
    if quantity in ("B", "B/s"):
        bits = next((s for s in near if UNITS[s][0].divisor == 8), None)
        octets = next((s for s in near if UNITS[s][0].divisor == 1), None)
        if bits is not None and octets is not None:
            return f"write {bits} (bits) or {octets} (bytes)"
    if near:
        return f"did you mean: {', '.join(near[:3])}?"
    return f"for example {EXAMPLE[quantity]}"


def _not_a_number(text: str, quantity: Quantity, name: str) -> UnitError:
    if text.lstrip("+-").lower() in {"nan", ".nan", "inf", ".inf", "infinity"}:
        return UnitError(f"{name} must be finite, got {quote(text)}")
    hint = f"for example {EXAMPLE[quantity]}"
    if re.match(r"[+-]?[0-9]+,[0-9]", text):
        hint = f"write a decimal point and no thousands separators, {hint}"
    return UnitError(f"{name}: expected {_DESCRIPTION[quantity]}, got {quote(text)}", hint=hint)


def pattern(quantity: Quantity, *, bare: bool = True, positive: bool = False) -> str:
    """An anchored regular expression of what :func:`parse` takes for a quantity.

    Args:
        quantity: the kind that is wanted.
        bare: a number without a unit is taken too.
        positive: zero is not.

    """
    units = {s for s, rs in UNITS.items() if any(r.quantity == quantity for r in rs)}
    if quantity not in _NO_BARE_PREFIX:
        units |= (set(_BARE_PREFIX) - {""}) if bare else set()
    choice = "|".join(sorted(map(re.escape, units), key=lambda u: (-len(u), u)))
    not_zero = "(?=[0-9._]*[1-9])" if positive else ""
    number = _NUMBER.pattern.removeprefix("[+-]?")
    return rf"^\s*\+?{not_zero}{number}\s*(?:{choice}){'?' if bare else ''}\s*$"


_STEPS: Final[dict[str, tuple[tuple[str, int], ...]]] = {
    "s": (("ps", -12), ("ns", -9), ("us", -6), ("ms", -3), ("s", 0)),
}
_SI: Final = (("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18))
_TERA: Final = _SI[:5]  # rates and amounts stop at T: the field writes 1979 TFLOP/s, not 1.979 PFLOP/s
DIGITS: Final = 4


def significant(value: float, digits: int = DIGITS) -> str:
    """A number with so many significant digits, in plain notation where that stays readable.

    >>> significant(12.1875), significant(999.96), significant(0.08333333), significant(1978.9)
    ('12.19', '1000', '0.08333', '1979')
    """
    if value == 0:
        return "0"
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    if not -5 <= exponent < 10:
        return f"{value:.{digits - 1}e}"
    return f"{value:.{max(0, digits - 1 - exponent)}f}"


def intensity(value: float, digits: int = DIGITS) -> str:
    """An arithmetic intensity in FLOP/B: whole from 100 on, else with four significant digits.

    >>> intensity(590.746), intensity(14.2857), intensity(29.595), intensity(1365.33)
    ('591', '14.29', '29.59', '1365')
    """
    if math.isinf(value):
        return "inf"
    return f"{value:.0f}" if digits <= DIGITS and 99.995 <= value < 1e9 else significant(value, digits)


def ratio(value: float) -> str:
    """A ratio with four significant digits, and more where those would make it exactly 1.

    >>> ratio(8.2051), ratio(1.0000113), ratio(1.0)
    ('8.205', '1.00001', '1.000')
    """
    return next((t for t in (significant(value, d) for d in range(DIGITS, 17)) if value == 1 or float(t) != 1), "1.000")


def digits_apart(a: float, b: float) -> int:
    """How many significant digits it takes to show that two different intensities differ.

    >>> digits_apart(590.7, 590.9), digits_apart(14.29, 117.2)
    (5, 4)
    """
    for digits in range(DIGITS, 17):
        if a == b or intensity(a, digits) != intensity(b, digits):
            return digits
    return 17


def prefixed(value: float, quantity: Quantity) -> tuple[str, int]:
    """The unit, with the prefix that suits a value, and its power of ten; the prefix is chosen after rounding.

    >>> prefixed(999.96e9, "B/s"), prefixed(2.934e-8, "s"), prefixed(1979e12, "FLOP/s")
    (('TB/s', 12), ('ns', -9), ('TFLOP/s', 12))
    """
    if quantity in ("FLOP/B", "1"):
        return ("%", -2) if quantity == "1" else (quantity, 0)
    steps = _STEPS.get(quantity) or tuple((p + quantity, power) for p, power in _TERA)
    rounded = float(f"{value:.{DIGITS - 1}e}")
    unit, power = steps[0]
    if rounded == 0:
        return (quantity, 0)
    for name, step in steps:
        if abs(rounded) >= 10.0**step * (1 - 1e-12):
            unit, power = name, step
    return unit, power


def scaled(value: float, power: int) -> float:
    """A value in units of ``10**power``."""
    return value / 10.0**power if power >= 0 else value * 10.0**-power


def show(value: float, quantity: Quantity) -> str:
    """A quantity as people read it: four significant digits, prefix and unit.

    >>> show(7.8e12, "FLOP/s"), show(0.256410256, "s"), show(0.121875, "1"), show(117.216, "FLOP/B")
    ('7.800 TFLOP/s', '256.4 ms', '12.19 %', '117 FLOP/B')
    """
    if quantity == "FLOP/B":
        return f"{intensity(value)} FLOP/B"
    if quantity == "1":
        return f"{percent(value)} %"
    unit, power = prefixed(value, quantity)
    return f"{significant(scaled(value, power))} {unit}"


def percent(value: float) -> str:
    """A fraction in per cent, with more than four digits where those would make it exactly 100.

    >>> percent(0.121875), percent(0.999998), percent(1.0)
    ('12.19', '99.9998', '100.0')
    """
    texts = (significant(100 * value, digits) for digits in range(DIGITS, 17))
    return next((text for text in texts if value == 1 or float(text) != 100), "100.0")


def fraction(text: str, *, name: str) -> float:
    """A fraction of at most one, from ``60%`` or ``0.6``.

    Raises:
        InputError: above 100 %; a bare number up to 100 is told how to be written.

    >>> fraction("60%", name="--min-efficiency")
    0.6

    """
    value = parse(text, "1", name=name)
    if value > 1:
        percent_meant = value <= 100 and is_bare(text)
        hint = f"write {text.strip()}% or {value / 100:g}" if percent_meant else None
        raise InputError(f"{name} must be at most 100%, got {clip(text)}", hint=hint)
    return value
