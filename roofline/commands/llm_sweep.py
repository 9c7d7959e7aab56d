"""Sweeps of a model's work: batches, lengths, formats and devices on the command line, to a grid of setups."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final

from roofline.commands.base import given_options
from roofline.commands.llm_types import ExpertsType
from roofline.commands.sizes import refuse_thousands, size, size_range
from roofline.errors import InputError
from roofline.text import quote
from roofline.transformer.choices import CONVENTIONS, WORDS

if TYPE_CHECKING:
    from roofline.transformer.architecture import Architecture
    from roofline.transformer.grid import Grid

_SIZES: Final = ("batch", "context", "prompt", "devices")
_FORMATS: Final = ("weights", "kv", "compute")
_NAMES: Final = (*_SIZES, *_FORMATS, *CONVENTIONS, "hw")
_MOST_ROWS: Final = 1_000_000


def take_grid(texts: tuple[str, ...], architecture: Architecture, given: dict[str, Any]) -> Grid:
    """The grid of the options ``--sweep``; takes the options of the work out of ``given``.

    Raises:
        InputError: no such axis or range, one that is given twice or also as an option, or too many rows.

    """
    from roofline.commands.llm_setup import take_setups
    from roofline.transformer.grid import Grid

    axes: dict[str, list[Any]] = {}
    for text in texts:
        name, values = _axis(text)
        if name in axes:
            raise InputError(f"--sweep {name} stands twice; leave out one")
        axes[name] = values
    _refuse_contradictions(axes, given)
    hw = axes.pop("hw", None)
    if hw is not None:
        given["hw"] = tuple(hw)
    setups = take_setups(architecture, given)
    rows = len(setups) * prod(map(len, axes.values()))
    if rows > _MOST_ROWS:
        raise InputError(f"the grid has {rows:,} rows, and at most {_MOST_ROWS:,} are made", hint="take larger steps")
    return Grid(setups=setups, axes=axes)


def _axis(text: str) -> tuple[str, list[Any]]:
    """What is swept and its values: sizes as FIRST:LAST:xFACTOR or with commas, all else with commas."""
    from roofline.operations.arguments import one_of

    written, equals, values = text.partition("=")
    name = written.strip().lstrip("-").replace("-", "_")
    if not equals or name not in _NAMES or not values.strip():
        raise InputError(
            f"--sweep takes NAME=VALUES, got {quote(text)}",
            hint=f"names: {', '.join(_NAMES)}; for example batch=1:1024 or weights=fp16,fp8",
        )
    told = f"--sweep {name}"
    if name not in _SIZES:
        found: list[Any] = [part.strip() for part in values.split(",")]
        if name == "experts":
            found = [ExpertsType().convert(part, None, None) for part in found]
        for word in found if name in WORDS else ():
            one_of(told, word, WORDS[name])
        if not all(found):
            raise InputError(f"{told} has an empty value: {quote(values)}")
        if name in _FORMATS:  # of two spellings of one format the last stays
            found = list({_format(name, part, told): part for part in found}.values())
    else:
        least = 0 if name == "context" else 1
        refuse_thousands(values, told)
        alone = [] if ":" in values else values.split(",")
        found = [size(part, name=told, least=least) for part in alone] or size_range(values, told)
    return name, list(dict.fromkeys(found))


def _format(name: str, text: str, told: str) -> str:
    """The one name of a format or precision of an axis."""
    from roofline.precision import parse, storage

    return parse(text, name=told) if name == "compute" else storage(text, name=told, mixes=name == "weights").name


def _refuse_contradictions(axes: dict[str, list[Any]], given: dict[str, Any]) -> None:
    """What is swept is not said by an option too, and a row has one phase.

    Raises:
        InputError: it is, or has two.

    """
    said = given_options()
    for name in axes:
        if name in said:
            raise InputError(f"--{name} is given and swept; leave one out")
    if "prompt" in axes and "context" in axes:
        raise InputError("--sweep prompt= is of prefill and context= of decode; sweep them one after the other")
    if given.get("generate") is not None:
        raise InputError("--generate is not of a grid; leave out --sweep or --generate")
