"""Records that check themselves: whichever way one is made, it is checked."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from roofline.core.choice import RoofQuery
from roofline.core.device import Ceiling, Headline, Link, Memory, Peak, given_device
from roofline.core.kernel import Kernel
from roofline.core.roof import Roof, Stream
from roofline.core.target import Target
from roofline.errors import InputError, UnknownNameError
from roofline.records import FrozenDict, self_checked
from roofline.transformer.by_hand import by_hand
from roofline.transformer.formats import Formats
from roofline.transformer.presets import find
from roofline.transformer.serving import Serving
from roofline.transformer.setup import Setup

CHIP = given_device(1e12, 1e9)
MODEL = by_hand(params=1e9)


@self_checked
class Word(NamedTuple):
    text: str
    note: str = ""

    def _check(self) -> Word | None:
        if not self.text:
            raise ValueError("no text")
        return None if self.text.islower() else self._replace(text=self.text.lower())


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
        (Kernel(flops=1, wire=1.0), "messages", -1),
        (Kernel(flops=1, wire=1.0), "messages", math.nan),
        (Kernel(flops=1), "devices", -1),
        (Kernel(flops=1), "devices", 0),
        (Kernel(flops=1), "devices", 2.5),
        (Kernel(flops=1, wire=1.0), "messages", 1.5),
        (CHIP, "links", (Link("fabric", 1.0, peers=2.5),)),  # type: ignore[arg-type]
        (CHIP, "measured", Ceiling("matmul", 1.0, "FLOP/s")),
        (Kernel(flops=1), "unit", "matrix"),
        (CHIP, "peaks", Peak("bf16", dense=1.0)),
        (CHIP, "memory", Memory("HBM", bandwidth=1.0)),
        (CHIP, "links", Link("fabric", 1.0)),
        (CHIP, "peaks", (Peak("bf16", dense=math.inf),)),
        (CHIP, "links", (Link("fabric", -1.0),)),
        (CHIP, "links", (Link("fabric", math.nan),)),
        (CHIP, "links", (Link("fabric", 1.0, "both ways"),)),
        (CHIP, "links", (Link("fabric", 1.0, peers=0),)),
        (CHIP, "headline", Headline(peak=math.nan, dtype="fp16")),
        (CHIP, "measured", (Ceiling("matmul", -1.0, "FLOP/s"),)),
        (CHIP, "tdp", -5.0),
        (RoofQuery(), "kind", "x"),
        (MODEL, "longest_context", -5),
        (MODEL, "dtype", "bf17"),
        (Setup(MODEL, Target(device=CHIP)), "latency", -1.0),
        (Setup(MODEL, Target(device=CHIP)), "latency", math.nan),
        (Setup(MODEL, Target(device=CHIP)), "mfu", 5.0),
        (Roof(peak=1.0, memory=Stream(bandwidth=1.0)), "peak", 0.0),
        (given_device(1.0, 1.0), "peaks", ()),
        (Formats(), "kept", frozenset({"roof"})),
    ],
)
def test_records_of_the_model_refuse_changes_too_and_can_be_pickled(record: Any, name: str, value: object) -> None:
    with pytest.raises((InputError, UnknownNameError)):
        record._replace(**{name: value})
    with pytest.raises(AttributeError):
        setattr(record, name, value)
    assert pickle.loads(pickle.dumps(record)) == record


def test_devices_can_stand_in_a_set() -> None:
    one, alike, other = given_device(1.0, 1.0), given_device(1.0, 1.0), given_device(2.0, 1.0)
    assert len({one, alike, other}) == 2
    assert hash(one) == hash(alike)


def test_nobody_changes_what_a_record_holds_by_key() -> None:
    mine = {"L2": 5.0}
    kernel = Kernel(flops=1, bytes_at=mine)
    mine["L2"] = -1e12
    assert kernel.bytes_at == {"L2": 5.0}
    for mapping in (kernel.bytes_at, Kernel(flops=1).bytes_at, CHIP.sources, find("gpt-2").parameters_by_part):
        assert isinstance(mapping, FrozenDict)
        changes: tuple[Callable[[Any], object], ...] = (
            lambda found: found.update(a=1),
            lambda found: found.__setitem__("a", 1),
            lambda found: found.__delitem__("a"),
            lambda found: found.__ior__({"a": 1}),
            lambda found: found.setdefault("a", 1),
            lambda found: found.pop("a", None),
            lambda found: found.popitem(),
            lambda found: found.clear(),
        )
        for change in changes:
            with pytest.raises(TypeError, match="cannot be changed"):
                change(mapping)
        before = dict(mapping)
        mapping.__init__(a=1)  # type: ignore[misc]  # as dictionaries can be filled once more
        assert mapping == before
        assert pickle.loads(pickle.dumps(mapping)) == copy.deepcopy(mapping) == dict(mapping)


def test_results_are_equal_and_have_a_hash_by_what_they_are_of() -> None:
    setup = Setup(MODEL, Target(device=CHIP))
    for one, other in ((Target(device=CHIP), Target(device=given_device(1e12, 1e9))), (setup, copy.deepcopy(setup))):
        assert one == other == pickle.loads(pickle.dumps(other))
        assert len({one, other}) == 1
    kernel = Kernel(flops=1, bytes=2)
    assert len({kernel, Kernel(flops=1, bytes=2), kernel._replace(bytes=3)}) == 2
    assert Target(device=CHIP) != Target(device=CHIP, query=RoofQuery(latency=1.0))
    assert Target(device=CHIP) != "given"


def test_what_is_computed_once_cannot_be_set() -> None:
    setup = Setup(MODEL, Target(device=CHIP))
    placement = Target(device=CHIP).place(Kernel(flops=1, bytes=2)).first
    records: list[tuple[Any, str]] = [
        (setup, "decode"),
        (MODEL, "parameters_by_part"),
        (placement, "intensity"),
        (Serving(setup), "room"),
        (MODEL, "hiden"),
    ]
    for record, name in records:
        before = getattr(record, name, None)
        with pytest.raises(AttributeError, match=f"{name} of a {type(record).__name__} cannot be set; _replace makes"):
            setattr(record, name, 1)
        with pytest.raises(AttributeError):
            delattr(record, name)
        assert getattr(record, name, None) is before


def test_a_value_of_another_type_is_named() -> None:
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: Kernel(flops="2e12", bytes=1), r"^flops must be a number, got '2e12'$"),  # type: ignore[arg-type]
        (lambda: Kernel(flops=1, seconds=[1]), r"^seconds must be a number, got \[1\]$"),  # type: ignore[arg-type]
        (lambda: Kernel(flops=1, bytes_at={3: 4.0}), r"^Kernel: "),  # type: ignore[dict-item]
        (lambda: Kernel(flops=1, seconds=10**400), r"^(Kernel|time)"),
        (lambda: CHIP._replace(peaks=3), r"^peaks must be tuple"),  # type: ignore[arg-type]
        (lambda: RoofQuery(latency="2us"), r"^latency must be a number, got '2us'$"),  # type: ignore[arg-type]
        (lambda: Formats(weights=3), r"^weights must be str, got 3$"),  # type: ignore[arg-type]
        (lambda: MODEL._replace(dtype=3), r"^dtype must be str, got 3$"),  # type: ignore[arg-type]
        (lambda: Target(device="h100"), r"^device must be a Device, got 'h100'$"),  # type: ignore[arg-type]
        (lambda: Target(device=CHIP, query="bf16"), r"^query must be a RoofQuery"),  # type: ignore[arg-type]
    ]
    for make, says in wrong:
        with pytest.raises(InputError, match=says):
            make()


def test_lists_become_tuples_that_nobody_changes() -> None:
    peaks = [Peak("bf16", dense=1e12)]
    device = CHIP._replace(peaks=peaks, memory=[Memory("HBM", bandwidth=1e9)])  # type: ignore[arg-type]
    peaks.append(Peak("fp8", dense=-1.0))
    assert (len(device.peaks), type(device.peaks), type(device.memory)) == (1, tuple, tuple)
    notes, kept = ["x"], {"head"}
    kernel, formats = Kernel(flops=1, notes=notes), Formats(kept=kept)  # type: ignore[arg-type]
    notes.append("y")
    kept.add("router")
    assert (kernel.notes, formats.kept) == (("x",), frozenset({"head"}))
