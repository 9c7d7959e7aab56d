"""Sizes on the command line, alone, in lists and in ranges, and the number formats that go with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import click

from roofline import precision
from roofline.errors import InputError
from roofline.text import clip, quote

if TYPE_CHECKING:
    _IntType = click.ParamType[int]
    _SizesType = click.ParamType[tuple[int, ...]]
    _StrType = click.ParamType[str]
else:
    _IntType = _SizesType = _StrType = click.ParamType

_MOST_SIZES: Final = 10_000
# Compiled where they are used, for which not every command has a reason.
_DIGITS: Final = r"[0-9]{1,40}"  # ASCII alone
_WHOLE_FLOAT: Final = r"([0-9]{1,18})[eE]\+?([0-9]{1,2})"  # 1e6 is a size too
_PREFIXED: Final = r"([0-9]{1,15}(?:\.[0-9]{1,15})?) ?([kKMG])(i?)"  # decimal or binary: the user must say
_THOUSANDS: Final = r"[1-9][0-9]{0,2}(,[0-9]{3})+"
_ZERO_FIRST: Final = r",0"
_SEVERAL: Final = r"[0-9]{1,15}(,[0-9]{1,15})+"
_PREFIXES: Final = "kMG"


def size(text: str, *, name: str, least: int | None = None) -> int:
    """A whole number of at most 1e15, in digits or as 1e6.

    Args:
        text: what the user wrote
        name: what errors call it
        least: the smallest that is allowed; None: 1, which is left to the operation to judge

    Raises:
        InputError: anything else; the message names the argument and quotes the text.

    >>> size("4096", name="-m"), size("1e6", name="-m"), size("16_384", name="-m")
    (4096, 1000000, 16384)

    """
    from roofline.operations.arguments import LARGEST

    digits = text.strip().replace("_", "")
    power = re.fullmatch(_WHOLE_FLOAT, digits)
    number = None
    if power:
        number = int(power[1]) * int(10 ** int(power[2]))
    elif re.fullmatch(_DIGITS, digits.removeprefix("-")):
        number = int(digits)
    if number is not None and number <= LARGEST and (least is None or number >= least):
        return number
    first = 1 if least is None else least
    got = quote(text) if number is None or number > LARGEST else str(number)
    raise InputError(
        f"{name} must be a whole number from {first} to 1e15, got {got}",
        hint=_with_commas(text.strip()) or _instead(text.strip(), of_elements=least is None),
    )


def _with_commas(text: str) -> str | None:
    """What to write in place of a number with commas, or of several numbers.

    >>> _with_commas("2,000"), _with_commas("1,2,4")
    ('one number is written without commas: 2000', 'one number is wanted')

    """
    if not re.fullmatch(_SEVERAL, text):
        return None
    from roofline.operations.arguments import LARGEST

    plain = text.replace(",", "")
    right = re.fullmatch(_THOUSANDS, text) and int(plain) <= LARGEST
    return f"one number is written without commas: {plain}" if right else "one number is wanted"


def refuse_thousands(values: str, told: str) -> None:
    """Refuse a list of sizes that can only be one number with commas: no size begins with a zero.

    Raises:
        InputError: names what the list is of.

    """
    if re.fullmatch(_THOUSANDS, values.strip()) and re.search(_ZERO_FIRST, values):
        raise InputError(f"{told} takes sizes with commas between them, got {quote(values)}: a number has none in it")


def _instead(text: str, *, of_elements: bool = False) -> str | None:
    """What to write in place of a number with a prefix or a unit.

    >>> _instead("32k"), _instead("1.5Ki")
    ('32k is 32000 or 32768; write the number', '1.5Ki is 1536; write the number')

    """
    match = re.fullmatch(_PREFIXED, text)
    if match:
        from fractions import Fraction

        power = _PREFIXES.index(match[2].replace("K", "k")) + 1
        meant = [Fraction(match[1]) * base**power for base in ((1024,) if match[3] else (1000, 1024))]
        if all(number.denominator == 1 for number in meant):
            return f"{text} is {' or '.join(str(number) for number in meant)}; write the number"
    if not (text[:1].isdigit() and text[-1:].isalpha()):
        return None
    if of_elements and text[-1] in "bB":
        return "sizes count elements, without a unit: 16 MB of bf16 are 8e6"
    return "write the number alone, without a unit"


class SizeType(_IntType):
    """A size from a least one on; without one, from 1 on, which is left to others to judge."""

    name = "N"

    def __init__(self, least: int | None = None, *, swept: bool = False) -> None:
        self.least = least
        self.swept = swept  # so that several of it make a sweep

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ARG002
        """The number; an error names the option."""
        name = param.opts[0] if param else "size"
        try:
            return value if isinstance(value, int) else size(value, name=name, least=self.least)
        except InputError as error:
            several = value.strip().split(",")
            if self.swept and error.hint == "one number is wanted" and all(str(int(part)) == part for part in several):
                hint = f"{error.hint}; --sweep {name.lstrip('-')}={value.strip()} takes several"
                raise InputError(str(error), hint=hint) from None
            raise


def bytes_of(text: str, *, name: str) -> int:
    """A whole number of bytes, with or without their unit; what is begun of a byte is none.

    >>> bytes_of("32MiB", name="--cache"), bytes_of("1.1KiB", name="--cache")
    (33554432, 1126)

    """
    from roofline import units

    return int(units.parse(text, "B", name=name))


class BytesType(_IntType):
    """A whole number of bytes, with or without their unit."""

    name = "B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ARG002
        """The bytes; an error names the option."""
        name = param.opts[0] if param else "size"
        return value if isinstance(value, int) else bytes_of(value, name=name)


class SizesType(_SizesType):
    """Sizes with commas or x between them."""

    name = "N,..."

    def __init__(self, least: int | None = None) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:  # noqa: ARG002
        """The numbers; an error names the option."""
        if isinstance(value, tuple):
            return value
        name = param.opts[0] if param else "sizes"
        refuse_thousands(value, name)
        return tuple(size(part, name=name, least=self.least) for part in re.split(r"[,xX]", value.strip()))


class FormatType(_StrType):
    """A number format, of arithmetic or of storage."""

    name = "FORMAT"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG002
        """The standard names."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in precision.FORMATS if name.startswith(incomplete)]


def size_range(text: str, told: str) -> list[int]:
    """The sizes of FIRST:LAST:xFACTOR or FIRST:LAST:+STEP; without a step each is twice the one before it.

    Raises:
        InputError: no such range, one that does not rise, or too many sizes; ``told`` names the option.

    >>> size_range("1:9:+4", "--sweep batch"), size_range("256:1024", "--sweep context")
    ([1, 5, 9], [256, 512, 1024])

    """
    parts = text.split(":")
    step = parts[2].strip() if len(parts) == 3 else "x2"
    if len(parts) not in (2, 3) or step[:1] not in ("x", "+"):
        raise InputError(f"{told} takes FIRST:LAST:xFACTOR or FIRST:LAST:+STEP, got {clip(text)}")
    first, last = size(parts[0], name=told), size(parts[1], name=told)
    amount = size(step[1:], name=f"{told} step")
    if first < 1 or last < first or amount < (2 if step[0] == "x" else 1):
        raise InputError(f"{told} must rise from 1 or more, got {clip(text)}", hint="for example 256:16384:x2")
    values = []
    while first <= last:
        values.append(first)
        first = first * amount if step[0] == "x" else first + amount
        if len(values) > _MOST_SIZES:
            raise InputError(f"{told} gives more than {_MOST_SIZES} sizes", hint="take a larger step")
    return values
