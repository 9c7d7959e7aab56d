"""What fits, in sentences: the reasons why nothing does, lengths that a model was not made for, formats by engine."""

from __future__ import annotations

import pytest

from roofline.report.llm.memory import memory_lines
from roofline.transformer.room import room
from tests.report.llm.setups import setup


def told(model: str, hw: str, **more: object) -> str:
    one = setup(model, hw, **more)
    return memory_lines(one, room(one))[-1]


def test_a_context_beyond_what_the_model_is_made_for_says_so() -> None:
    assert " positions (made for 40,960); largest batch " in told("qwen3-8b", "m3ultra")
    assert "made for" not in told("llama-3.1-8b", "rtx4090")  # 24 GB hold 7 GB of cache: 55,000 of 131,072 positions


def test_weights_that_do_not_fit_alone_leave_no_context_and_no_batch() -> None:
    # 141.1 GB of 85.52 GB
    assert "; no context and no batch, since the weights alone do not fit; " in told("llama-3.1-70b", "h100")
    # Two hold 70.55 GB each, and the cache of 1e6 positions is what does not fit.
    line = told("llama-3.1-70b", "h100", devices=2, prompt=1_000_000, context=1_000_000)
    assert "weights alone" not in line
    assert "largest batch at 1,000,000 positions: none" in line


def test_no_number_of_devices_says_on_how_many_it_still_does_not_fit() -> None:
    # 12 heads of GPT-2 can be shared by 12 at most; 1e9 positions of 2 x 768 x 2 B in 12 layers are 36.9 TB, a twelfth
    # of which is on each; beside it there are 497.8 MB of weights in 32 bits, split too, and activations.
    one = setup("gpt-2", "h100", prompt=1_000_000_000, context=1_000_000_000)
    found = room(one)
    assert found.devices is None
    assert found.split is not None
    devices, held = found.split
    assert devices == 12
    assert held == pytest.approx(1e9 * 2 * 768 * 2 * 12 / 12, rel=1e-3)
    assert "what fits: no number of devices (on each of 12, the most that can share the heads, 3.072 TB); " in told(
        "gpt-2", "h100", prompt=1_000_000_000, context=1_000_000_000
    )


@pytest.mark.parametrize(
    ("model", "hw", "widest"),
    [
        # 70.55e9 parameters, of which 2.10e9 stay in 16 bits as fp8 is served: 68.45 + 4.20 = 72.7 GB of 85.5 GB, and
        # q8_0 of llama.cpp takes 8.5 bits of all: 74.96 GB.
        ("llama-3.1-70b", "h100", "fp8 as served, q8_0 in GGUF"),
        # Of 24 GB: int4-g128 takes 4.15625 bits of 68.45e9 (35.6 GB). Cache and activations leave 21.95 GB, 2.489 bits
        # of 70.55e9: iq2_s has 2.5625, iq2_xs 2.3125.
        ("llama-3.1-70b", "rtx4090", "none as served, iq2_xs in GGUF"),
        # Of 48.31 GB they leave 46.26 GB, 5.245 bits: nvfp4 (4.5 bits of 68.45e9, 42.7 GB); q5_k_s has 5.5704, q4_k_m
        # 4.8944.
        ("llama-3.1-70b", "l40s", "nvfp4 as served, q4_k_m in GGUF"),
        ("llama-3.1-8b", "h100", "bf16"),
    ],
)
def test_the_widest_format_is_named_for_each_kind_of_engine(model: str, hw: str, widest: str) -> None:
    assert told(model, hw).endswith(f"; widest weights: {widest}")
