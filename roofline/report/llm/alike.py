"""Critical batches and crossover contexts of a grid in sentences, each told once for all the lines that it is of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from roofline.report.llm.critical import critical_lines
from roofline.text import counted
from roofline.transformer.grid import Grid, Point

_TOLD: Final = 6  # sentences; those of three devices
_UNSAID: Final = ("batch", "context")  # a critical batch is that of all batches, and says its context itself
_WORDS: Final = {"kv": "KV cache", "compute": "precision of products", "devices": "number of devices"}

Key = tuple[tuple[Any, ...], ...]  # for each axis the values that a sentence holds for


def critical_summary(grid: Grid, points: Iterable[Point]) -> Iterator[str]:
    """The sentences of the lines along which batches are swept, the first few of them."""
    lines = {grid.line(point.setup, "batch"): point for point in points if point.critical is not None}
    kinds: list[list[str]] = []
    # A line of the grid has a sentence or two, of which the second says less and is that of more lines.
    texts = {line: critical_lines(point.setup, point.critical) for line, point in lines.items() if point.critical}
    for number in range(max(map(len, texts.values()), default=0)):
        said = {tuple((value,) for value in line): text[number] for line, text in texts.items() if text[number:]}
        kinds.append([])
        for key in _joined(said):
            point = lines[tuple(values[0] for values in key)]
            assert point.critical is not None  # noqa: S101  (for the type checker)
            kinds[-1].append(critical_lines(point.setup, point.critical, of=_names(grid, key) or None)[number])
    many = sum(map(len, kinds)) > _TOLD
    told = [line for kind in kinds for line in (kind[: _TOLD // len(kinds)] if many else kind)]
    yield from told
    more = sum(map(len, kinds)) - len(told)
    if more:
        yield f"and {counted(more, 'more such line')}; --format csv and json have the figures of each row"


def _joined(said: dict[Key, str]) -> list[Key]:
    """Keys of the same text that differ in one axis alone made one, axis by axis.

    >>> _joined({(("fp8",), (1,)): "x", (("fp8",), (2,)): "y", (("bf16",), (1,)): "x", (("bf16",), (2,)): "y"})
    [(('fp8', 'bf16'), (1,)), (('fp8', 'bf16'), (2,))]

    """
    for axis in range(max(map(len, said), default=0)):
        groups: dict[tuple[Any, ...], Key] = {}
        for key, text in said.items():
            others = (*key[:axis], *key[axis + 1 :], text)
            before = groups.get(others)
            values = (*before[axis], *key[axis]) if before else key[axis]
            groups[others] = (*key[:axis], values, *key[axis + 1 :])
        said = {key: others[-1] for others, key in groups.items()}
    return list(said)


def _names(grid: Grid, key: Key) -> str:
    """What tells these lines from others: the devices, values of axes, and the axes on which nothing depends."""
    devices = [setup.target.device.id for setup in grid.setups]
    swept = [name for name in grid.axes if name != "batch"]
    said, whatever = [], []
    for name, values in zip(swept, key[1:], strict=True):
        if name in _UNSAID or len(grid.axes[name]) == 1:
            continue
        if len(values) == len(grid.axes[name]):
            whatever.append(f"whatever the {_WORDS.get(name, name)}")
        else:
            said.append(f"{name} {_listed(values)}")
    if not (said or whatever or devices[1:]):
        return ""
    return ", ".join([_listed(key[0], "and"), *said, *whatever])


def _listed(values: Sequence[Any], last: str = "or") -> str:
    words = [str(value) for value in values]
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if words[1:] else words[0]
