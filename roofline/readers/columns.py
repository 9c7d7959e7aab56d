"""Column names of kernel lists: which quantity a column holds, and in which unit its bare numbers are."""

import re
from typing import Final, NamedTuple

from roofline.errors import FileError, nearest
from roofline.text import quote
from roofline.units import Quantity

_NAMES: Final = {
    "name": "name",
    "kernel": "name",
    "kernel_name": "name",
    "dtype": "dtype",
    "precision": "dtype",
    "expect": "expect",
    "min_efficiency": "min_efficiency",
}
# base word -> what it is and its quantity; longer words first, so that bytes_read is no unit of bytes
_BASES: Final[tuple[tuple[str, str, Quantity], ...]] = (
    ("max_time", "max_time", "s"),
    ("bytes_read", "bytes_read", "B"),
    ("bytes_write", "bytes_write", "B"),
    ("bytes_written", "bytes_write", "B"),
    ("read_bytes", "bytes_read", "B"),
    ("write_bytes", "bytes_write", "B"),
    ("intensity", "intensity", "FLOP/B"),
    ("arithmetic_intensity", "intensity", "FLOP/B"),
    ("duration", "time", "s"),
    ("time", "time", "s"),
    ("bytes", "bytes", "B"),
    ("traffic", "bytes", "B"),
    ("flops", "flops", "FLOP"),
    ("flop", "flops", "FLOP"),
    ("macs", "macs", "MAC"),
    ("mac", "macs", "MAC"),
)
_PREFIXES: Final = {"": "", "k": "k", "m": "M", "g": "G", "t": "T", "p": "P"}
_UNITS: Final[dict[Quantity, dict[str, str]]] = {
    "s": {unit: unit for unit in ("s", "ms", "us", "ns", "ps")} | {"sec": "s", "seconds": "s"},
    "B": {f"{p}b": f"{unit}B" for p, unit in _PREFIXES.items()}
    | {f"{p}ib": f"{unit.upper()}iB" for p, unit in _PREFIXES.items() if p}
    | {f"{p}byte{s}": f"{unit}B" for p, unit in _PREFIXES.items() for s in ("", "s")},
    "FLOP": {f"{p}flop": f"{unit}FLOP" for p, unit in _PREFIXES.items()},
    "MAC": {f"{p}mac": f"{unit}MAC" for p, unit in _PREFIXES.items()},
    "FLOP/B": {"flop_per_byte": "FLOP/B"},
}
_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9 _.()\[\]-]*")
_AMOUNT: Final = re.compile(r"([kmgt]i?|)(?:b|bytes?)")
_PERCENT: Final = re.compile(r"min[_ ]efficiency[_ ]*[(\[]?%[)\]]?", re.IGNORECASE)
_GATES: Final = ("expect", "min_efficiency", "max_time")
_BITS: Final = re.compile(r"(?:^|[_\s(\[])[KMGTP]i?b[)\]]?$")  # Mb and Gib: a small b after a capital prefix
# A word that may be work or a rate cannot head a column.
_AMBIGUOUS: Final = re.compile(r"^[kmgtp]flops$")


class Meaning(NamedTuple):
    """What a column holds: the field, its quantity, the unit of bare numbers (None: base units), the level."""

    field: str
    quantity: Quantity | None = None
    unit: str | None = None
    level: str | None = None


def meaning(heading: str, where: str) -> Meaning | None:
    """What a heading means; None if it is none of ours.

    ``time_ms``, ``Time [ms]``, ``bytes_mb``, ``gflop``, ``bytes_l2`` and ``bytes_at_L2`` are understood.

    Raises:
        FileError: the heading has two readings.

    >>> meaning("Time (ms)", "k.csv:1")
    Meaning(field='time', quantity='s', unit='ms', level=None)
    >>> meaning("bytes_at_L2", "k.csv:1").level
    'L2'

    """
    bare = heading.strip().replace("\N{MICRO SIGN}", "u").replace("\N{GREEK SMALL LETTER MU}", "u")
    word = re.sub(r"[^0-9a-z]+", "_", bare.lower()).strip("_")
    if _PERCENT.fullmatch(bare):
        return Meaning("min_efficiency", "1", "%")
    plain = _PLAIN.fullmatch(bare) is not None  # a rate or a formula is no amount
    found = _amount(bare, word, where) if plain else None
    if found is None and (_is_like_a_gate(word) or (plain and nearest(word, _GATES))):
        raise FileError(  # a misspelt expectation would be one that nobody checks
            f"column {quote(bare)} looks like an expectation and is none",
            where=where,
            rule="unknown-column",
            hint=f"known are {', '.join(_GATES)}",
        )
    return found


def _amount(bare: str, word: str, where: str) -> Meaning | None:
    """What a heading of plain words means: ``word`` is the heading in lower case with underscores."""
    if word in _NAMES:
        return Meaning(_NAMES[word], "1" if word == "min_efficiency" else None)
    if _AMBIGUOUS.match(word):
        raise FileError(
            f"column {quote(bare)} may be work or a rate; call it {word[:-1]} if it is work",
            where=where,
            rule="ambiguous-unit",
        )
    for quantity in ("FLOP", "MAC"):
        if word in _UNITS[quantity]:  # gflop, gmac: the unit is the name
            return Meaning("flops" if quantity == "FLOP" else "macs", quantity, _UNITS[quantity][word])
    for base, field, quantity in _BASES:
        if word == base:
            return Meaning(field, quantity)
        if word.startswith(base + "_"):
            rest = word.removeprefix(base + "_")
            if quantity == "B" and _BITS.search(bare):
                raise FileError(
                    f"column {quote(bare)} may be bits or bytes; write {base}_{rest}",
                    where=where,
                    rule="ambiguous-unit",
                )
            if rest in _UNITS[quantity]:
                return Meaning(field, quantity, _UNITS[quantity][rest])
            if field == "bytes":
                return _at_level(bare, rest)
    return None


def _is_like_a_gate(word: str) -> bool:
    parts = set(word.split("_"))
    limit = bool(parts & {"min", "max", "limit"}) and bool(parts & {"time", "duration", "efficiency"})
    return word.startswith(("min_", "max_", "expect")) or "efficiency" in parts or limit


def _at_level(heading: str, rest: str) -> Meaning:
    """``bytes_l2`` or ``bytes_at_L2_mb``: traffic through another memory level."""
    unit = None
    name, _, last = rest.rpartition("_")
    if name and name != "at" and last in _UNITS["B"]:
        rest, unit = name, _UNITS["B"][last]
    level = rest.removeprefix("at_")
    start = heading.lower().rfind(level)
    return Meaning("bytes_at", "B", unit, heading[start : start + len(level)] if start >= 0 else level)


def renamed(heading: str) -> str | None:
    """What to call a column that is named after its unit alone, or None if it does not look like one.

    >>> renamed("us"), renamed("MB"), renamed("mbytes"), renamed("note")
    ('time_us', 'bytes_mb', 'bytes_mb', None)
    """
    if _BITS.search(heading.strip()):
        return None  # Mb may be bits
    word = heading.strip().lower()
    amount = _AMOUNT.fullmatch(word)
    if amount:
        return f"bytes_{amount[1]}b"
    return f"time_{word}" if word in ("s", "ms", "us", "ns", "sec") else None


def suggest(headings: list[str]) -> str | None:
    """What may be wrong with headings that mean nothing here: the separator, or a typing error."""
    if any(";" in heading for heading in headings):
        return "columns are separated by commas, or by tabs in a .tsv file"
    known = [*_NAMES, *(base for base, _, _ in _BASES)]
    near = [m for h in headings for m in ([renamed(h)] if renamed(h) else nearest(h.strip().lower(), known))]
    return f"did you mean: {', '.join(dict.fromkeys(n for n in near if n))}?" if near else None
