"""Formats of a model: names in every spelling, the parts that keep 16 bits, and names that are none."""

from __future__ import annotations

import pytest

from roofline.errors import InputError, UnknownNameError
from roofline.transformer.formats import PARTS, Formats
from roofline.transformer.presets import find


def test_names_in_their_standard_spelling() -> None:
    formats = Formats(weights="AWQ", kv="Q8_0", activations="half", compute="BFloat16")
    assert (formats.weights, formats.kv, formats.activations, formats.compute) == ("int4-g128", "q8_0", "fp16", "bf16")


@pytest.mark.parametrize(
    ("weights", "sixteen"),
    [
        ("bf16", set(PARTS)),
        ("int4-g128", {"embedding", "router", "vectors", "head"}),
        ("fp8-128x128", {"embedding", "router", "vectors", "head"}),
        ("mxfp4", {"embedding", "router", "vectors", "head"}),
        ("q4_k", {"router", "vectors"}),
        ("q4_k_m", {"router", "vectors"}),
        ("fp32", set()),
    ],
)
def test_parts_that_keep_16_bits(weights: str, sixteen: set[str]) -> None:
    formats = Formats(weights=weights)
    assert {part for part in PARTS if formats.of(part).bits == 16} == sixteen
    assert all(formats.of(part).name == weights for part in PARTS if part not in sixteen)


def test_attention_of_gpt_oss_is_not_quantised_with_its_experts() -> None:
    formats = find("gpt-oss-20b").formats()
    assert (formats.of("experts").name, formats.of("attention").name) == ("mxfp4", "bf16")
    assert formats.compute == "bf16"


def test_parts_may_be_chosen() -> None:
    assert Formats(weights="fp8", kept=frozenset()).of("head").name == "fp8"
    with pytest.raises(InputError, match="kept: no such part: 'heart'") as caught:
        Formats(weights="fp8", kept=frozenset({"heart"}))  # type: ignore[arg-type]
    assert "head" in str(caught.value.hint)


def test_a_mix_is_of_weights_alone_and_says_so() -> None:
    assert any("q4_k_m is a mix" in note for note in Formats(weights="q4_k_m").notes)
    with pytest.raises(InputError, match="kv: q4_k_m is a mix"):
        Formats(kv="q4_k_m")


@pytest.mark.parametrize("field", ["weights", "kv", "activations", "compute", "plain"])
def test_an_unknown_name_is_told_the_nearest_or_all(field: str) -> None:
    with pytest.raises(UnknownNameError, match=rf"{field}: unknown") as caught:
        Formats(**{field: "b16"})  # type: ignore[arg-type]
    assert "bf16" in str(caught.value.hint)
    with pytest.raises(UnknownNameError) as caught:
        Formats(**{field: "zzzzzz"})  # type: ignore[arg-type]
    assert "one of: fp64, fp32" in str(caught.value.hint)
