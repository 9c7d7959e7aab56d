"""Text files as they come: a byte-order mark is no text, however the bytes arrive."""

from __future__ import annotations

import io
import sys

import pytest

from roofline.files import read_text


class Dripping(io.RawIOBase):
    """A pipe that gives one byte at a time."""

    def __init__(self, content: bytes) -> None:
        self.content = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        return self.content.readinto(buffer[:1])


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("text", ["name: x\n", "\N{LATIN SMALL LETTER E WITH ACUTE}: x\r\n", ""])
def test_a_byte_order_mark_is_no_text_even_in_parts(monkeypatch: pytest.MonkeyPatch, mark: str, text: str) -> None:
    raw = io.BufferedReader(Dripping((mark + text).encode("utf-8")))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))
    assert read_text("-", limit=100) == text
