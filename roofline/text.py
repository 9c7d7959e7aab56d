"""Text of users in messages and tables: safe, short, quoted."""

from __future__ import annotations


def clip(text: str, longest: int = 60) -> str:
    """Text made safe and short for one line of an error: control characters are escaped.

    >>> clip("a\\nb")
    'a\\\\nb'
    """
    shown = printable(text[: longest + 1])
    return shown if len(shown) <= longest else shown[: longest - 3] + "..."


def printable(text: str) -> str:
    """Text with its control characters and lone surrogates escaped, so that no name can drive a terminal.

    >>> printable("k<float>\\x1b[31m")
    'k<float>\\\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def quote(text: str) -> str:
    """Text clipped and in single quotes, as errors quote what the user wrote."""
    return f"'{clip(text)}'"


def counted(number: int, noun: str) -> str:
    """A number of things that a plain s makes several.

    >>> counted(1, "device"), counted(4096, "token")
    ('1 device', '4,096 tokens')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
