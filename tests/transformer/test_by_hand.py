"""Models by hand: how much must be known, what then follows, and what stays unknown."""

from __future__ import annotations

from typing import Any

import pytest

from roofline.errors import InputError
from roofline.transformer.by_hand import by_hand
from roofline.transformer.presets import find

LLAMA_8B: dict[str, Any] = {"layers": 32, "hidden": 4096, "heads": 32, "kv_heads": 8, "width": 14336, "vocab": 128256}


def test_parameters_alone() -> None:
    model = by_hand(params=70e9)
    assert model.parameters == model.active_parameters == model.active_parameters_without_embedding == 70 * 10**9
    assert any("KV cache, attention and activations are unknown" in note for note in model.notes)
    with pytest.raises(InputError, match=r"the KV cache of a model of 70.00 B parameters is unknown"):
        _ = model.kv_elements_per_token


def test_parameters_and_attention() -> None:
    model = by_hand(params=70e9, layers=80, hidden=8192, heads=64, kv_heads=8)
    assert model.parameters == 70 * 10**9
    assert model.kv_elements_per_token == 80 * 2 * 8 * 128
    assert model.parameters_by_part["attention"] == 80 * (2 * 8192 * 8192 + 2 * 8192 * 1024)
    assert any("norms, and activations of MLP, embedding and LM head are not counted" in note for note in model.notes)


def test_shapes_are_the_model() -> None:
    assert by_hand(**LLAMA_8B).layers == find("llama-3.1-8b").layers
    assert by_hand(**LLAMA_8B).parameters == 8_030_261_248
    tied = by_hand(**{**LLAMA_8B, "tied": True})
    assert tied.parameters == 8_030_261_248 - 128256 * 4096


def test_case_l07_resident_is_not_read() -> None:
    model = by_hand(**LLAMA_8B)
    assert model.parameters - model.active_parameters_without_embedding == 128256 * 4096
    assert model.active_parameters_without_embedding == 7_504_924_672  # 7.505e9


def test_experts() -> None:
    model = by_hand(**{**LLAMA_8B, "vocab": 32000, "num_experts": 8, "top_k": 2})
    assert model.parameters == 46_702_792_704  # Mixtral-8x7B
    assert model.active_parameters == 12_879_925_248


def test_heads_may_have_a_size_of_their_own() -> None:
    model = by_hand(layers=64, hidden=5120, heads=64, kv_heads=8, head_dim=128, width=25600, vocab=151936)
    # Qwen3-32B without its norms of queries and keys, 256 weights a layer
    assert model.parameters == 32_762_123_264 - 64 * 256


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "a model by hand lacks layers, hidden, heads, width, vocab"),
        ({"layers": 32, "hidden": 4096}, "a model by hand lacks heads, width, vocab"),
        ({"params": 7e9, "layers": 32}, "the attention of a model by hand lacks hidden, heads"),
        ({"params": 7e9, "kv_heads": 8}, "the attention of a model by hand lacks layers, hidden, heads"),
        ({**LLAMA_8B, "params": 8e9}, "params follows from the shapes, which are all given"),
        ({"params": 8e9, "vocab": 32000}, "vocab beside params, but not all of the shapes"),
        ({"params": 8e9, "num_experts": 8}, "num_experts beside params, but not all of the shapes"),
        ({**LLAMA_8B, "num_experts": 8}, "num_experts and top_k go together"),
        ({**LLAMA_8B, "num_experts": 8, "top_k": 9}, "top_k must not exceed num_experts: 9 of 8"),
        ({**LLAMA_8B, "kv_heads": 5}, "kv_heads must divide heads: 32 is no multiple of 5"),
        ({**LLAMA_8B, "heads": 33}, "head_dim is missing, and 33 heads do not divide the hidden size 4096"),
        ({**LLAMA_8B, "heads": 0}, "heads must be a whole number from 1 to 1e15, got 0"),
        ({**LLAMA_8B, "layers": 10**400}, "layers must be a whole number from 1 to 1e15"),
        ({**LLAMA_8B, "layers": 10**6}, "layers must be at most 100,000, got 1,000,000"),
        ({**LLAMA_8B, "hidden": 10**12}, "hidden must be at most 500,000, got 1,000,000,000,000"),
        ({**LLAMA_8B, "head_dim": 10**5}, "heads x head_dim must be at most 500,000, got 32 x 100,000"),
        ({"params": 8e9, "layers": 2, "hidden": 8, "heads": 10**9}, "heads must be at most 500,000, got 1,000,000,000"),
        (
            {**LLAMA_8B, "num_experts": 1000, "top_k": 1000},
            "top_k x width must be at most 500,000, got 1,000 x 14,336",
        ),
        ({"params": 8e9, "tied": True}, "tied has no effect beside params"),
        ({"params": 8e9, "gated": False}, "gated has no effect beside params"),
        ({**LLAMA_8B, "tied": "yes"}, "tied must be True or False, got 'yes'"),
        ({"params": "70B"}, "params must be a number, such as 70e9, got '70B'"),
        ({"params": True}, "params must be a number, such as 70e9, got True"),
        ({**LLAMA_8B, "layers": "32"}, "layers must be a whole number from 1 to 1e15, got '32'"),
        ({"params": 0}, "params must be a whole number from 1 to 1e15, got 0"),
        ({"params": 1.5}, "params must be a whole number from 1 to 1e15, got 1.5"),
        ({"params": float("nan")}, "params must be a whole number from 1 to 1e15, got nan"),
        ({"params": float("inf")}, "params must be a whole number from 1 to 1e15, got more"),
        ({"params": 10**400}, "params must be a whole number from 1 to 1e15, got more"),
        (
            {"params": 1e6, "layers": 80, "hidden": 8192, "heads": 64},
            "params is 1000000, but the attention of 80 such layers alone has 21474836480",
        ),
    ],
)
def test_too_little_too_much_or_contradictory(given: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        by_hand(**given)
    assert str(caught.value).startswith(says)
