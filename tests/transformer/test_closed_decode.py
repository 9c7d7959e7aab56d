"""The closed form of decode is the table of the step, to the byte, whatever the model, batch and context."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.core.link import Port
from roofline.errors import InputError
from roofline.transformer.bounds import bounds
from roofline.transformer.closed_decode import closed_decode
from roofline.transformer.conventions import Conventions
from roofline.transformer.critical import crossover_context
from roofline.transformer.formats import Formats
from roofline.transformer.parallel import parallel_table
from roofline.transformer.presets import find
from roofline.transformer.step import Step
from roofline.transformer.table import table
from tests.transformer.machines import H100

MODELS = ("llama-3.1-8b", "gemma-3-27b", "mixtral-8x7b", "deepseek-v3", "gpt-oss-120b", "opt-66b", "qwen3-32b")
FORMATS = (Formats(), Formats(weights="int4-g128", kv="fp8"), Formats(weights="fp8", compute="fp8", kv="q8_0"))
WAYS = (
    Conventions(),
    Conventions(attention="unfused", mla="naive"),
    Conventions(experts="max"),
    Conventions(experts="all"),
    Conventions(experts="min", mla="absorbed"),
)
PEAKS = {"bf16": 989.5e12, "fp8": 989.5e12, "fp4": 989.5e12}


@given(
    name=st.sampled_from(MODELS),
    formats=st.sampled_from(FORMATS),
    conventions=st.sampled_from(WAYS),
    batch=st.integers(1, 3000),
    context=st.integers(1, 200_000),
)
def test_closed_form_is_the_table(
    name: str, formats: Formats, conventions: Conventions, batch: int, context: int
) -> None:
    model = find(name)
    closed = closed_decode(model, formats, conventions)
    rows = table(model, Step.decode(context, batch=batch), formats, conventions)
    assert closed.moved(batch, context) == rows.moved
    assert {d: batch * f for d, f in closed.flops_of(context).items()} == rows.flops_by_precision
    found = bounds(rows, H100)
    assert closed.least_time(batch, context, PEAKS, 3.35e12) == pytest.approx(found.least)
    assert closed.total_time(batch, context, PEAKS, 3.35e12) == pytest.approx(found.total)


@given(batch=st.integers(1, 500), context=st.integers(1, 50_000), devices=st.sampled_from([1, 2, 8]))
def test_several_devices_and_their_link(batch: int, context: int, devices: int) -> None:
    model, link = find("llama-3.1-70b"), Port("NVLink", 450e9, latency=1e-6)
    closed = closed_decode(model, Formats(), devices=devices)
    rows = parallel_table(model, Step.decode(context, batch=batch), Formats(), devices=devices)
    assert closed.moved(batch, context) == rows.moved
    assert batch * closed.wire == sum(o.times * int(o.kernel.wire or 0) for o in rows.operators)
    seconds = closed.total_time(batch, context, PEAKS, 3.35e12, link)
    # 160 all-reduces of 2 (p - 1) serial steps of 1 us each, and 4 L (p - 1) / p B h a bytes.
    on_link = 160 * 2 * (devices - 1) * 1e-6 + 4 * 80 * (devices - 1) * batch * 8192 * 2 / devices / 450e9
    assert seconds == pytest.approx(closed.total_time(batch, context, PEAKS, 3.35e12) + on_link)


@given(
    name=st.sampled_from(["llama-3.1-8b", "gpt-oss-20b", "deepseek-v2-lite"]),
    kv=st.sampled_from(["q4_k", "q4_0", "q6_k", "nf4-dq", "int4-g128", "fp8-128x128"]),
    devices=st.sampled_from([1, 2, 8]),
    batch=st.integers(1, 300),
    context=st.integers(1, 20_000),
)
def test_blocks_that_positions_share_cost_what_they_hold(
    name: str, kv: str, devices: int, batch: int, context: int
) -> None:
    """A position of 128 elements takes half a block of 256 of q4_k, 72 B: within a block an operator of the table."""
    model, formats = find(name), Formats(kv=kv)
    closed = closed_decode(model, formats, devices=devices)
    rows = parallel_table(model, Step.decode(context, batch=batch), formats, devices=devices)
    runs = sum(operator.times for operator in rows.operators if operator.kv)
    assert rows.moved.kv - 2 * 144 * 128 * runs <= closed.moved(batch, context).kv <= rows.moved.kv
    assert closed.moved(batch, context).weights == rows.moved.weights


def test_the_crossover_of_a_cache_in_blocks_of_k_is_that_of_its_bits() -> None:
    """q4_k and q4_0 both have 4.5 bits; on 8 devices a position has 128 elements a layer, half a block of q4_k."""
    found = {}
    for kv in ("q4_k", "q4_0"):
        for devices in (1, 8):
            closed = closed_decode(find("llama-3.1-8b"), Formats(kv=kv), devices=devices)
            found[kv, devices] = crossover_context(closed, PEAKS, 3.35e12)
    assert found["q4_k", 1] == pytest.approx(found["q4_0", 1], rel=1e-12)
    assert found["q4_k", 8] == pytest.approx(found["q4_0", 8], rel=1e-12)
    assert found["q4_k", 8] == pytest.approx(1448, abs=1)


def test_windows_stop_growing() -> None:
    """gpt-oss-120b: 18 layers of 128 positions, 18 of all; 2 g d 2 B = 2048 B a position and layer."""
    closed = closed_decode(find("gpt-oss-120b"), Formats())
    assert closed.kv_read(8192) == 18 * 2048 * (8192 + 128)
    assert closed.kv_read(100) == 36 * 2048 * 100


def test_unfused_attention_reads_no_more_than_a_window_holds() -> None:
    """gpt-oss-120b as above; 4 moves of 64 x 2 B of scores a position and layer beside."""
    flash = closed_decode(find("gpt-oss-120b"), Formats())
    unfused = closed_decode(find("gpt-oss-120b"), Formats(), Conventions(attention="unfused"))
    assert unfused.kv_read(8192) == 18 * 2048 * (8192 + 128)
    more = unfused.activations_of(8192) - flash.activations_of(8192)
    assert more == 18 * 4 * 64 * 2 * (8192 + 128)


@pytest.mark.parametrize("number", [1, 9])
def test_a_number_of_experts_that_no_step_touches_is_refused_here_too(number: int) -> None:
    """Mixtral: from the 2 of one token to all 8; a critical batch of fewer would be that of no step."""
    with pytest.raises(InputError, match=f"from 2 .* to 8 .*, got {number}"):
        closed_decode(find("mixtral-8x7b"), Formats(), Conventions(experts=number))
