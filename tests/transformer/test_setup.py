"""Setups: the formats that follow from model and device, what is said of them, and whether all fits."""

from __future__ import annotations

import pytest

from roofline.catalog.find import device
from roofline.core.choice import RoofQuery
from roofline.core.target import Target
from roofline.errors import InputError, UnknownNameError
from roofline.transformer.presets import find
from roofline.transformer.setup import Setup


def on(hw: str, model: str = "llama-3.1-8b") -> Setup:
    return Setup(architecture=find(model), target=Target(device=device(hw), query=RoofQuery()))


@pytest.mark.parametrize(
    ("hw", "model", "compute", "weights", "kv", "activations", "multiplied", "instead"),
    [
        ("h100", "llama-3.1-8b", None, "bf16", "bf16", "bf16", "bf16", None),
        ("h100", "llama-3.1-8b", "fp8", "bf16", "bf16", "bf16", "fp8", None),
        ("h100", "gpt-oss-20b", None, "mxfp4", "bf16", "bf16", "bf16", None),
        # Turing and Volta have fp16 tensor cores and none of bf16.
        ("t4", "llama-3.1-8b", None, "fp16", "fp16", "fp16", "fp16", "fp16"),
        ("t4", "gpt-oss-20b", None, "mxfp4", "fp16", "fp16", "fp16", "fp16"),
        # Without 16-bit arithmetic weights and cache keep their 16 bits, and are converted as they are read.
        ("epyc9654", "llama-3.1-8b", None, "bf16", "bf16", "fp32", "fp32", "fp32"),
        ("epyc9654", "llama-3.1-8b", "fp64", "bf16", "bf16", "fp32", "fp64", "fp32"),
    ],
)
def test_formats_follow_from_model_and_device(
    hw: str,
    model: str,
    compute: str | None,
    weights: str,
    kv: str,
    activations: str,
    multiplied: str,
    instead: str | None,
) -> None:
    setup = on(hw, model).with_(compute=compute)
    formats = setup.formats
    assert (formats.weights, formats.kv, formats.activations, formats.compute) == (weights, kv, activations, multiplied)
    assert setup.notes == (() if instead is None else (f"{hw} has no bf16 peak: {instead} in its place",))


def test_formats_that_are_named_go_before_all_others() -> None:
    formats = on("t4").with_(weights="int4-g128", kv="int8", kept=frozenset()).formats
    assert (formats.weights, formats.kv, formats.activations) == ("int4-g128", "int8", "fp16")
    assert formats.of("head").name == "int4-g128"
    with pytest.raises(UnknownNameError, match="weights: unknown number format 'q9'"):
        _ = on("h100").with_(weights="q9").formats


def test_a_16_bit_type_of_the_weights_is_that_of_all_else_too() -> None:
    formats = on("h100").with_(weights="half").formats
    assert (formats.weights, formats.kv, formats.activations, formats.compute) == ("fp16", "fp16", "fp16", "fp16")
    named = on("h100").with_(weights="fp16", kv="bf16", compute="bf16").formats
    assert (named.weights, named.kv, named.compute) == ("fp16", "bf16", "bf16")


def test_a_share_that_was_not_given_beside_the_other_is_said() -> None:
    assert "estimates: MFU was not given with the MBU, and is taken as 100 %" in on("h100").with_(mbu=0.7).notes
    assert "estimates: MBU was not given with the MFU, and is taken as 100 %" in on("h100").with_(mfu=0.7).notes
    assert not any("100 %" in note for note in on("h100").with_(mfu=0.5, mbu=0.7).notes)


@pytest.mark.parametrize("size", [{"batch": 0}, {"prompt": 0}, {"context": -1}, {"devices": 0}, {"chunk": 1.5}])
def test_impossible_sizes_are_refused(size: dict[str, float]) -> None:
    with pytest.raises(InputError, match="must be a whole number"):
        on("h100").with_(**size)


def test_whether_it_fits_is_asked_of_each_device() -> None:
    """141.1 GB of weights of Llama-3.1-70B: too much for 85.52 GB, and half of it is not."""
    large = on("h100", "llama-3.1-70b").with_(chunk=1, context=1, prompt=1)
    assert large.demand().weights == 2 * 70_553_706_496
    assert large.fits() is False
    assert large.with_(devices=2).fits() is True


@pytest.mark.parametrize(
    ("context", "positions"),
    [
        (1200, 1500),  # a prompt of 1000 and 500 tokens behind it end beyond the context
        (2000, 2000),
    ],
)
def test_memory_holds_the_longest_of_prompt_with_what_follows_and_context(context: int, positions: int) -> None:
    """Llama-3.1-8B: 131,072 B a position; the prompt alone is prefilled, and gate and up are 3 x 14336 elements."""
    needed = on("h100").with_(prompt=1000, generate=500, context=context).demand()
    assert needed.live == 131_072 * positions
    assert needed.activations == 3 * 14_336 * 1000 * 2
