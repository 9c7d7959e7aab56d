"""Names of number formats."""

from __future__ import annotations

import pytest

from roofline import precision
from roofline.errors import UnknownNameError


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("bf16", "bf16"),
        ("BFloat16", "bf16"),
        ("half", "fp16"),
        ("torch.float32", "fp32"),
        ("E4M3", "fp8"),
        ("double", "fp64"),
    ],
)
def test_aliases(text: str, name: str) -> None:
    assert precision.parse(text) == name


def test_an_unknown_precision_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown precision 'fp7'") as caught:
        precision.parse("fp7")
    assert "fp8" in (caught.value.hint or "")


def test_bits_are_those_of_the_name() -> None:
    for name, found in precision.PRECISIONS.items():
        assert found.bits == (32 if name == "tf32" else int(name.lstrip("fpbint")))  # tf32 is stored in 32 bits


def test_no_alias_is_used_twice() -> None:
    names = [n for p in precision.PRECISIONS.values() for n in (p.name, *p.aliases)]
    assert len(names) == len(set(names))
