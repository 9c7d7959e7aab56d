"""Records that check themselves: whichever way one is made, it is checked."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from roofline.core.device import given_device
from roofline.core.kernel import Kernel
from roofline.core.roof import Roof, Stream
from roofline.errors import InputError
from roofline.records import self_checked
from roofline.transformer.formats import Formats


@self_checked
class Word(NamedTuple):
    text: str
    note: str = ""

    def check(self) -> Word:
        if not self.text:
            raise ValueError("no text")
        return self if self.text.islower() else self._replace(text=self.text.lower())


def test_it_is_checked_however_it_is_made() -> None:
    made: list[Callable[[], Word]] = [
        lambda: Word(""),
        lambda: Word(text=""),
        lambda: Word._make(("", "b")),
        lambda: Word("a")._replace(text=""),
    ]
    for make in made:
        with pytest.raises(ValueError, match="no text"):
            make()


def test_what_the_check_returns_stands_in_its_place() -> None:
    assert Word("A", note="B") == ("a", "B")
    assert Word("a")._replace(text="C") == ("c", "")
    assert Word._make(("D", "E")) == ("d", "E")


def test_it_keeps_its_kind_and_signature() -> None:
    assert type(Word("a")) is type(Word("a")._replace(note="b")) is Word
    assert list(inspect.signature(Word).parameters) == ["text", "note"]
    with pytest.raises(TypeError, match="unexpected keyword argument 'txt'"):
        Word(txt="a")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("record", "name", "value"),
    [
        (Kernel(flops=1), "flops", -1.0),
        (Roof(peak=1.0, memory=Stream(bandwidth=1.0)), "peak", 0.0),
        (given_device(1.0, 1.0), "peaks", ()),
        (Formats(), "kept", frozenset({"roof"})),
    ],
)
def test_records_of_the_model_refuse_changes_too_and_can_be_pickled(record: Any, name: str, value: object) -> None:
    with pytest.raises(InputError):
        record._replace(**{name: value})
    with pytest.raises(AttributeError):
        setattr(record, name, value)
    assert pickle.loads(pickle.dumps(record)) == record


def test_devices_can_stand_in_a_set() -> None:
    one, alike, other = given_device(1.0, 1.0), given_device(1.0, 1.0), given_device(2.0, 1.0)
    assert len({one, alike, other}) == 2
    assert hash(one) == hash(alike)
