"""MFU and MBU of measured runs, flagged where they exceed what the device can do."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.core.link import Port
from roofline.errors import InputError
from roofline.transformer.architecture import Architecture
from roofline.transformer.bounds import Bounds, bounds
from roofline.transformer.efficiency import efficiency, estimate
from roofline.transformer.formats import Formats
from roofline.transformer.parallel import parallel_table
from roofline.transformer.presets import find
from roofline.transformer.step import Step
from roofline.transformer.table import table
from tests.transformer.machines import H100, chip


def by_hand(parameters: float, weights: str = "bf16") -> Architecture:
    return Architecture(name="by hand", hidden=0, vocab=0, layers=(), unplaced=round(parameters))


def of_bytes(gigabytes: float, bandwidth: float) -> Bounds:
    """A model of so many GB that a step reads, in fp8."""
    model = by_hand(gigabytes * 1e9)
    formats = Formats(weights="fp8", compute="fp8")
    return bounds(table(model, Step.decode(0), formats), chip(1e15, bandwidth))


@pytest.mark.parametrize(("bandwidth", "ceiling", "milliseconds"), [(273e9, 58.33, 17.14), (1008e9, 215.4, 4.643)])
def test_ceiling_of_4_68_gigabytes(bandwidth: float, ceiling: float, milliseconds: float) -> None:
    found = of_bytes(4.68, bandwidth)
    assert found.least_time_tokens_per_s == pytest.approx(ceiling, rel=1e-4)
    assert found.least * 1e3 == pytest.approx(milliseconds, rel=2e-4)


def test_6_2_tokens_a_second_are_10_63_percent_of_the_first() -> None:
    found = efficiency(of_bytes(4.68, 273e9), tokens_per_s=6.203)
    assert found.mbu == pytest.approx(0.1063, abs=5e-5)
    assert found.share == found.mbu
    assert not found.above_bound
    assert found.warning is None


def test_mbu_of_a_group_is_against_its_whole_bandwidth() -> None:
    """70.55e9 parameters on 8 H100: 100 tok/s of at most 189.9 are 52.65 %, not 421 %."""
    rows = parallel_table(by_hand(70.55e9), Step.decode(0), Formats(), devices=8)
    assert efficiency(bounds(rows, H100), tokens_per_s=100).mbu == pytest.approx(0.5265, abs=5e-5)


def test_bits_of_block_formats_count() -> None:
    """8e9 parameters in q4_k: 4.5 bit, 4.500 GB, 60.67 tok/s at 273 GB/s."""
    found = bounds(table(by_hand(8e9), Step.decode(0), Formats(weights="q4_k")), chip(1e15, 273e9))
    assert found.moved.weights == 4_500_000_000
    assert found.least_time_tokens_per_s == pytest.approx(60.67, rel=1e-4)


def test_above_the_bound_is_flagged() -> None:
    """A published rate of 110 tok/s of Llama-2-70B in fp16 on one H100 is 4.5 times what it can read."""
    formats = Formats(weights="fp16", activations="fp16", kv="fp16", compute="fp16", plain="fp16")
    rows = table(find("llama-2-70b"), Step.decode(0), formats)
    roofs = chip(989.5e12, 3350e9)
    fp16 = type(roofs)(by_precision={"fp16": roofs.roof("bf16")})
    found = efficiency(bounds(rows, fp16), tokens_per_s=110)
    assert found.share == pytest.approx(4.5125, rel=1e-3)
    assert found.above_bound
    assert found.warning is not None
    assert found.warning.startswith("451.")


def test_mfu_of_prefill_is_flops_over_peak() -> None:
    """Llama-3.1-8B, 8192 tokens, 1.31945e14 FLOP in 0.2 s on 989.5 TFLOP/s."""
    found = efficiency(
        bounds(table(find("llama-3.1-8b"), Step.prefill(8192), Formats()), H100), tokens_per_s=8192 / 0.2
    )
    assert found.seconds == pytest.approx(0.2)
    assert found.mfu == pytest.approx(1.31945e14 / 0.2 / 989.5e12, rel=1e-5)
    assert found.share == found.mfu > found.mbu


def test_an_estimate_needs_a_measured_share() -> None:
    found = bounds(table(find("llama-3.1-8b"), Step.decode(2048), Formats()), H100)
    read = found.moved.least / 3350e9  # s, of weights and KV cache
    assert estimate(found, mbu=0.5) == pytest.approx(2 * read)
    assert estimate(found, mfu=0.5) == found.total > read  # memory binds, with the activations
    assert estimate(found, mfu=found.compute / 1.0, mbu=1.0) == pytest.approx(1.0)  # s
    with pytest.raises(InputError, match="needs a measured mfu or mbu"):
        estimate(found)
    with pytest.raises(InputError, match="mbu must be above 0 and at most 1"):
        estimate(found, mbu=1.2)


@given(
    name=st.sampled_from(["llama-3.1-8b", "gpt-2", "deepseek-v2-lite"]),
    batch=st.integers(1, 500),
    context=st.integers(1, 5000),
    devices=st.sampled_from([1, 2]),
    slower=st.floats(1, 1000),
)
def test_the_shares_of_a_run_give_its_time_back(
    name: str, batch: int, context: int, devices: int, slower: float
) -> None:
    roofs = H100._replace(link=Port("link", 50e9, latency=1e-5))
    step = Step.decode(context, batch=batch)
    found = bounds(parallel_table(find(name), step, Formats(), devices=devices), roofs)
    rate = found.least_time_tokens_per_s / slower
    seen = efficiency(found, tokens_per_s=rate)
    seconds = estimate(found, mfu=min(seen.mfu, 1.0), mbu=min(seen.mbu, 1.0))
    assert seconds == pytest.approx(max(batch / rate, found.total))


@pytest.mark.parametrize("rate", [0, -1, math.inf, math.nan])
def test_rates_are_finite_and_positive(rate: float) -> None:
    with pytest.raises(InputError, match=r"must be from 1e-15 to 1e\+15"):
        efficiency(of_bytes(1, 1e12), tokens_per_s=rate)
