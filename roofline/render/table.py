"""A report as a table or sheet for people: rich lays it out, and nothing is ever cut but long names."""

from __future__ import annotations

from io import StringIO
from typing import Final

from rich.box import Box
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from roofline.render import Style, sheets
from roofline.render.cells import NUMERIC, cell, unit_of
from roofline.report import Column, Report, closing, shown
from roofline.text import printable

_NO_LIMIT: Final = 100_000
_SHORTEST_NAME: Final = 16
_SHORTEST_LINE: Final = 40
# An ASCII rule under the heading and nothing else: the same everywhere, and easy on grep and awk.
_RULE: Final = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
_BOUNDS: Final = {"memory": "cyan", "compute": "green", "link": "magenta", "latency": "yellow"}
_STYLES: Final = {"FAIL": "red"} | {word: _BOUNDS[bound] for bound in _BOUNDS for word in (bound, f"{bound}-bound")}


def render(report: Report, style: Style) -> str:
    """The text of a report; each line ends where its content does."""
    blocks = [_wrapped(printable(report.title), style.width) if report.title else []]
    if report.lines:
        blocks.append([printable(line) for line in report.lines])
    elif report.rows:
        table = _sheet(report) if report.layout == "sheet" else _table(report, style)
        blocks.append(_lines(table, style))
    for lines in (closing(report), report.explanation):
        blocks += [[part for line in lines for part in _wrapped(printable(line), style.width)]]
    return "\n".join("\n".join(block) + "\n" for block in blocks if block)


def _lines(table: Table, style: Style) -> list[str]:
    out = StringIO()
    console = Console(
        file=out,
        width=_NO_LIMIT,
        force_terminal=style.color,
        color_system="standard" if style.color else None,
        no_color=not style.color,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    console.print(table)
    return [line.rstrip() for line in out.getvalue().splitlines() if line.strip()]


def _wrapped(line: str, width: int | None) -> list[str]:
    """A sentence in the width of a terminal; what follows its first line is indented."""
    if width is None or cell_len(line) <= width:
        return [line]
    lines = [""]
    for word in line.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1].strip() else lines[-1] + word
        if cell_len(longer) > max(width, _SHORTEST_LINE) and lines[-1].strip():
            lines.append(f"  {word}")
        else:
            lines[-1] = longer
    return lines


def _table(report: Report, style: Style) -> Table:
    columns = shown(report)
    while (table := _laid_out(report, columns, style)) is None:
        last = max(number for number, column in enumerate(columns) if column.spare)
        del columns[last]
    return table


def _laid_out(report: Report, columns: list[Column], style: Style) -> Table | None:
    """The table with these columns; None where they are too wide, and there is one that can be left out."""
    scales = [unit_of(column, report.rows, columns) for column in columns]
    body = [
        [cell(column, row.get(column.key), power) for column, (_, power) in zip(columns, scales, strict=True)]
        for row in report.rows
    ]
    headings = [_heading(column, unit) for column, (unit, _) in zip(columns, scales, strict=True)]
    gap, rooms = _fit(body, headings, columns, style)
    if sum(rooms) + gap * (len(rooms) - 1) > (style.width or _NO_LIMIT) and any(column.spare for column in columns):
        return None
    table = Table(box=_RULE, pad_edge=False, padding=(0, gap - 1, 0, 0), show_edge=False, header_style="bold")
    tallest = max((len(lines) for lines in headings), default=0)
    for lines, column in zip(headings, columns, strict=True):
        lines[:0] = [""] * (tallest - len(lines))
        right = column.format in NUMERIC and column.format != "distance"
        table.add_column(Text("\n".join(lines)), justify="right" if right else "left", no_wrap=True)
    for texts in body:
        cells = [
            Text(_cut(column, text, room), style=_style(column, text))
            for text, column, room in zip(texts, columns, rooms, strict=True)
        ]
        table.add_row(*cells)
    return table


def _style(column: Column, text: str) -> str:
    """The colour of a verdict; other cells have none, whatever they say."""
    return _STYLES.get(text, "") if column.format in ("bound", "result") else ""


def _cut(column: Column, text: str, room: int) -> str:
    """A cell in the room there is: names give up their middle, lists their end."""
    if column.format == "name":
        return _shorten(text, room)
    if column.format == "list" and cell_len(text) > room:
        return _first_words(text, room)
    return text


def _first_words(text: str, room: int) -> str:
    """As many words of a list as there is room for, none of which is cut: half an id would look like one.

    >>> _first_words("qwen3-30b, qwen-3-30b-a3b", 16), _first_words("deepseek-v2-lite-16b", 16)
    ('qwen3-30b, ...', '...')

    """
    kept: list[str] = []
    for word in text.split(", "):
        if cell_len(", ".join([*kept, word, "..."])) > room:
            break
        kept.append(word)
    return ", ".join([*kept, "..."])


def _shorten(text: str, width: int) -> str:
    """A name cut in its middle to a width, since kernels of one family differ at both ends.

    Widths are cells of a terminal: a Chinese character takes two.
    """
    if cell_len(text) <= width:
        return text
    head = (width - 3) // 2
    tail = set_cell_size(text[::-1], width - 3 - head)[::-1]
    return f"{set_cell_size(text, head).rstrip()}...{tail.lstrip()}"


def _heading(column: Column, unit: str) -> list[str]:
    lines = [column.group] if column.group else []
    return [*lines, column.heading, *([unit] if unit else [])]


def _fit(
    body: list[list[str]], headings: list[list[str]], columns: list[Column], style: Style
) -> tuple[int, list[int]]:
    """The gap between columns and the room of each: on a narrow terminal lists give way, then the gap, then names."""
    widths = [
        max([cell_len(row[i]) for row in body] + [cell_len(line) for line in headings[i]]) for i in range(len(columns))
    ]
    gap = 2
    if style.width is None:
        return gap, widths

    def excess() -> int:
        return sum(widths) + gap * (len(columns) - 1) - (style.width or 0)

    def shrink(kind: str) -> None:
        for number, column in enumerate(columns):
            if column.format == kind and excess() > 0:
                widths[number] = max(min(widths[number], _SHORTEST_NAME), widths[number] - excess())

    shrink("list")
    if excess() > 0:
        gap = 1
    shrink("name")
    return gap, widths


def _sheet(report: Report) -> Table:
    """One line a heading, one column a roof."""
    groups = sheets.groups(report)
    named = len(groups) > 1
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=named, header_style="bold")
    table.add_column("", no_wrap=True)
    for group in groups:
        table.add_column(Text(group), no_wrap=True)
    for column, texts in sheets.lines(report):
        table.add_row(Text(column.heading), *(Text(text, style=_style(column, text)) for text in texts))
    return table
