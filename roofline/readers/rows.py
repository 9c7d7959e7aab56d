"""Rows of a kernel list to kernels: cells with or without units, a Problem in the place of a bad one."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from roofline import precision, units
from roofline.core.amounts import Amounts
from roofline.core.device import level_key
from roofline.core.gate import Expectation, bound_named
from roofline.core.kernel import Kernel
from roofline.errors import FileError, InputError, RooflineError
from roofline.files import Problem
from roofline.readers.columns import Meaning, meaning, renamed, suggest
from roofline.text import quote


class Row(NamedTuple):
    """One kernel of a list, what its row expects of it, and where the row stands."""

    kernel: Kernel
    expectation: Expectation
    where: str


def meanings_of(header: list[str], unused: list[str], where: str) -> dict[str, Meaning]:
    """The meanings of a header row.

    Raises:
        FileError: a column is repeated or ambiguous, or a needed one is absent.

    """
    meanings: dict[str, Meaning] = {}
    for number, heading in enumerate(header, 1):
        if heading.strip() and heading in header[: number - 1]:
            raise FileError(f"column {quote(heading)} is repeated", where=where, rule="duplicate-column")
        found = meaning(heading, where)
        if found is None:
            unused += [heading] if heading.strip() else []
            continue
        _no_twin(meanings, heading, found, where)
        meanings[heading] = found
    _take_units(meanings, unused, where)
    _need(meanings, header, where)
    return meanings


def _take_units(meanings: dict[str, Meaning], unused: list[str], where: str) -> None:
    """A column named after its unit alone (``us``, ``MB``) says what no other column does."""
    for heading in list(unused):
        better = renamed(heading)
        found = meaning(better, where) if better else None
        if found is None:
            continue
        alike = {"bytes", "bytes_read", "bytes_write"} if found.field == "bytes" else {found.field}
        if not any(taken.field in alike for taken in meanings.values()):
            meanings[heading] = found
            unused.remove(heading)


def _no_twin(meanings: Mapping[str, Meaning], heading: str, found: Meaning, where: str) -> None:
    same = (found.field, level_key(found.level or ""))
    twin = next((h for h, m in meanings.items() if h != heading and (m.field, level_key(m.level or "")) == same), None)
    if twin is not None:
        message = f"columns {quote(twin)} and {quote(heading)} both say {found.field}"
        raise FileError(message, where=where, rule="duplicate-column")


def _need(meanings: Mapping[str, Meaning], header: list[str], where: str) -> None:
    fields = {m.field for m in meanings.values()}
    work, moved = {"flops", "macs"} & fields, {"bytes", "bytes_read", "bytes_write", "bytes_at"} & fields
    if (work and moved) or "intensity" in fields:
        return
    missing = "'flops' (or 'macs')" if not work else "'bytes' (or 'bytes_read' and 'bytes_write')"
    hint = suggest([h for h in header if h not in meanings])
    raise FileError(f"no column {missing}", where=where, rule="missing-column", hint=hint)


def from_records(
    records: Iterable[tuple[Any, str]], unused: list[str], time_unit: str | None
) -> Iterator[Row | Problem]:
    """Rows from objects, each with its own keys."""
    for record, where in records:
        if isinstance(record, FileError):
            yield Problem.of(record)
            continue
        if not isinstance(record, Mapping):
            yield Problem(where=where, message=f"expected a kernel with its fields, got {_kind(record)}", rule="kind")
            continue
        cells: dict[str, Any] = {}
        meanings: dict[str, Meaning] = {}
        for key, value in record.items():
            if key == "bytes" and isinstance(value, Mapping):  # bytes: {HBM3: 1 GB, L2: 4 GB}
                levels = {f"bytes at {level}": Meaning("bytes_at", "B", None, level) for level in value}
                meanings |= levels
                cells |= dict(zip(levels, value.values(), strict=True))
            else:
                cells[key] = value
        try:
            for key in cells:
                found = meanings.get(key) or meaning(key, where)
                if found is not None:
                    _no_twin(meanings, key, found, where)
                    meanings[key] = found
            rest = [key for key in cells if key not in meanings]
            _take_units(meanings, rest, where)
            unused += [key for key in rest if key not in unused]
            _need(meanings, list(cells), where)
        except FileError as error:
            yield Problem.of(error)
            continue
        yield from_cells(cells, meanings, where, time_unit)


def _kind(value: object) -> str:
    names = {dict: "a mapping", list: "a list", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a single value")


def from_cells(
    cells: Mapping[str, Any], meanings: Mapping[str, Meaning], where: str, time_unit: str | None
) -> Row | Problem:
    """One kernel from its cells; a Problem names the column that is wrong."""
    values: dict[str, Any] = {}
    levels: dict[str, float] = {}
    for heading, found in meanings.items():
        try:
            value = _cell(cells[heading], heading, found, time_unit)
        except RooflineError as error:
            return Problem(where=f"{where}:{heading}", message=str(error), rule="value", hint=error.hint)
        if found.field == "name" and not value:
            return Problem(where=f"{where}:{heading}", message="the name is empty", rule="value")
        if found.level is not None and value is not None:
            levels[found.level] = value
        elif value is not None:
            values[found.field] = value
    try:
        called = {found.field: heading.strip() for heading, found in meanings.items()}
        return Row(kernel=_kernel(values, levels, where, called), expectation=_expectation(values), where=where)
    except InputError as error:
        return Problem(where=where, message=str(error), rule="value", hint=error.hint)


def _cell(raw: Any, heading: str, found: Meaning, time_unit: str | None) -> Any:
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return None
    if not isinstance(raw, str):
        raise InputError(f"expected text or a number, got {_kind(raw)}")
    if found.field == "name":
        return raw
    if found.field == "dtype":
        return precision.parse(raw, name="precision")
    if found.field == "expect":
        return bound_named(raw, name="'expect'")
    if found.field == "min_efficiency":
        text = f"{raw.strip()}%" if found.unit and units.is_bare(raw) else raw
        return units.fraction(text, name="'min_efficiency'")
    assert found.quantity is not None  # noqa: S101  (all other fields have one)
    bare = units.is_bare(raw)
    unit = found.unit
    if bare and unit is None and found.quantity == "s":
        unit = time_unit
        if unit is None:
            raise InputError(
                f"{quote(heading)} is a bare {raw.strip()}: in which unit?",
                hint="name the column time_ms, write 0.1 ms, or give --time-unit",
            )
    return units.parse(f"{raw.strip()} {unit}" if bare and unit else raw, found.quantity, name=f"'{heading.strip()}'")


def _kernel(values: Mapping[str, Any], levels: Mapping[str, float], where: str, called: Mapping[str, str]) -> Kernel:
    fields = ("flops", "macs", "bytes", "bytes_read", "bytes_write", "intensity")
    amounts = Amounts(
        bytes_at=levels, seconds=values.get("time"), **{key: values[key] for key in fields if key in values}
    )
    if not amounts.work and not amounts.traffic and amounts.intensity is None:
        raise InputError("neither FLOPs nor bytes are given")
    name = values.get("name") or where.rpartition("/")[2]
    return amounts.kernel(name, dtype=values.get("dtype"), called=lambda key: quote(called.get(key, key)))


def _expectation(values: Mapping[str, Any]) -> Expectation:
    return Expectation(
        bound=values.get("expect"), min_efficiency=values.get("min_efficiency"), max_time=values.get("max_time")
    )
