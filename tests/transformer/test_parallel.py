"""Tensor parallelism: what a device holds, does and sends, against hand calculations and published measurements."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.core.link import Port
from roofline.errors import InputError
from roofline.transformer.architecture import Architecture
from roofline.transformer.bounds import bounds
from roofline.transformer.closed_decode import closed_decode
from roofline.transformer.conventions import Conventions
from roofline.transformer.critical import critical_batch_of
from roofline.transformer.formats import Formats
from roofline.transformer.gqa import Gqa
from roofline.transformer.layer import Layer
from roofline.transformer.memory import Load, demand
from roofline.transformer.mlp import Dense
from roofline.transformer.moe import Moe
from roofline.transformer.parallel import parallel_table, shard
from roofline.transformer.presets import find
from roofline.transformer.step import Step
from tests.transformer.machines import H100, chip

LLAMA70 = find("llama-3.1-70b")
NVLINK = H100._replace(link=Port("NVLink", 450e9))
PEAK, BANDWIDTH = 989.4e12, 3.35e12


@pytest.mark.parametrize(
    ("step", "device_ms", "link_ms", "sent"),
    [
        (Step.decode(4096, batch=8), 5.59, 0.082, 36.7e6),
        (Step.decode(4096, batch=64), 8.39, 0.65, 8 * 36.7e6),
        (Step.prefill(4096), 73.6, 41.8, 18.8e9),
    ],
)
def test_70b_on_eight_h100(step: Step, device_ms: float, link_ms: float, sent: float) -> None:
    """4 L (p - 1) / p T h a bytes a device over 450 GB/s one way; weights and cache a device."""
    rows = parallel_table(LLAMA70, step, Formats(), devices=8)
    found = bounds(rows, NVLINK)
    wire = sum(o.times * int(o.kernel.wire or 0) for o in rows.operators)
    assert wire == 4 * 80 * 7 * step.tokens * 8192 * 2 // 8
    assert wire == pytest.approx(sent, rel=2e-3)
    assert found.link * 1e3 == pytest.approx(link_ms, rel=6e-3)
    assert found.least * 1e3 == pytest.approx(device_ms, rel=2e-3)
    assert found.total == max(found.compute, found.memory) + found.link


def test_a_group_of_eight_reads_an_eighth_each() -> None:
    """70.55e9 parameters in bf16 over 8 x 3.35 TB/s: 5.265 ms, 189.9 tok/s, 17.64 GB a device."""
    model = Architecture(name="by hand", hidden=0, vocab=0, layers=(), unplaced=70_550_000_000)
    found = bounds(parallel_table(model, Step.decode(0), Formats(), devices=8), H100)
    assert found.moved.weights == 2 * 70_550_000_000 // 8
    assert found.moved.weights / 1e9 == pytest.approx(17.64, abs=0.005)
    assert found.least * 1e3 == pytest.approx(5.265, rel=2e-4)
    assert found.least_time_tokens_per_s == pytest.approx(189.9, rel=5e-4)


def test_latency_of_each_all_reduce_counts() -> None:
    """Two devices at 900 GB/s, 13.48 GB, 64 all-reduces of 500 us: 7.489 ms + 32.00 ms, 25.32 tok/s.

    32 layers of two all-reduces each, of two serial steps on two devices, so 250 us a step. The measured 17 tok/s are
    below it; by bandwidth alone it would be 133.5.
    """
    layer = Layer(attention=Gqa(heads=32, kv_heads=32, head_dim=128), mlp=Dense(width=11008))
    known = sum(n * (part.attention.matrices(4096) + 3 * 4096 * 11008 + 2 * 4096) for n, part in ((32, layer),))
    model = Architecture(
        name="7B", hidden=4096, vocab=0, final_norm=False, layers=((32, layer),), unplaced=6_740_000_000 - known
    )
    link = Port("PCIe", 1e18, latency=250e-6)
    rows = parallel_table(model, Step.decode(0), Formats(), devices=2)
    found = bounds(rows, chip(1e15, 900e9)._replace(link=link))
    assert sum(o.times for o in rows.operators if o.group == "communication") == 64
    assert found.link * 1e3 == pytest.approx(32.00, rel=1e-4)
    assert found.least * 1e3 == pytest.approx(7.489, rel=1e-3)
    assert found.total * 1e3 == pytest.approx(39.49, rel=1e-3)
    assert found.total_time_tokens_per_s == pytest.approx(25.32, rel=1e-3)
    assert found.bound == "link"


@pytest.mark.parametrize(("devices", "kv_heads"), [(2, 4), (8, 1), (16, 1), (64, 1)])
def test_kv_heads_are_replicated_beyond_their_number(devices: int, kv_heads: int) -> None:
    """Llama-3.1-70B has 64 heads and 8 KV heads: max(8 / p, 1) on a device."""
    attention = shard(LLAMA70, devices).layers[0][1].attention
    assert isinstance(attention, Gqa)
    assert (attention.heads, attention.kv_heads) == (64 // devices, kv_heads)


def test_the_latent_of_mla_is_on_every_device() -> None:
    """DeepSeek-V3 on 8: the cache of each is that of one, and core FLOPs are an eighth."""
    v3 = find("deepseek-v3")
    one, eight = (parallel_table(v3, Step.decode(4096), Formats(), devices=n) for n in (1, 8))
    assert one.moved.kv == eight.moved.kv == 70_272 * 4097
    cores = [sum(o.flops for o in rows.operators if o.name == "attention") for rows in (one, eight)]
    assert cores[0] == 8 * cores[1]


def test_matrices_are_split_and_norms_are_not() -> None:
    """An eighth of q, k, v, o, MLP and head; norms (161 of 8192) whole; one row of the embedding."""
    moved = parallel_table(LLAMA70, Step.decode(1), Formats(), devices=8).moved
    matrices = 69_503_033_344 - 161 * 8192
    assert moved.weights == 2 * (matrices // 8 + 161 * 8192 + 8192)


def test_the_fullest_device_has_the_larger_part_of_what_does_not_divide() -> None:
    """On 4 devices 97 columns of an MLP are 25, 1001 words 251, 10 further parameters 3; a head each, of 2 KV heads.

    A layer: q and o of 64 x 16, k and v of 64 x 16, three matrices of 64 x 25, two norms; all in 2 B.
    """
    layer = Layer(attention=Gqa(heads=4, kv_heads=2, head_dim=16), mlp=Dense(width=97))
    model = Architecture(name="odd", hidden=64, vocab=1001, layers=((3, layer),), unplaced=10)
    rows = parallel_table(model, Step.decode(1), Formats(), devices=4)
    layers = 3 * (4 * 64 * 16 + 3 * 64 * 25 + 2 * 64)
    assert rows.moved.weights == 2 * (layers + 64 * 251 + 3 + 64 + 64)  # head, rest, last norm, a row of the embedding
    assert demand(model, Formats(), Load(devices=4)).weights == 2 * (layers + 2 * 64 * 251 + 3 + 64)


def test_shared_experts_are_split_as_the_one_mlp_that_they_are() -> None:
    """Two shared experts of 25 are 50 columns, 13 on the fullest of 4 devices, not 2 x 7; routed ones of 30 are 8.

    The router, 64 x 6, is whole on each; 2 of 6 experts are touched by one token.
    """
    moe = Moe(experts=6, per_token=2, width=30, shared_experts=2, shared_width=25).shard(4)
    rows = moe.operators(hidden=64, tokens=1, formats=Formats(), conventions=Conventions())
    assert {row.name: row.weights for row in rows} == {
        "router": 2 * 64 * 6,
        "experts' gate, up": 2 * 2 * 2 * 64 * 8,
        "experts' down": 2 * 2 * 64 * 8,
        "shared experts' gate, up": 2 * 2 * 64 * 13,
        "shared experts' down": 2 * 64 * 13,
    }


@pytest.mark.parametrize(
    ("link", "seconds"),
    [
        (1e12, 2 * 7 / 8 * 8192 * 2 / 1e12),  # slower than memory: 14,336 B a device at 1 TB/s
        (1e15, 2 * 8192 * 2 / 3.35e12),  # faster: the sum is read and written once, 32,768 B at 3.35 TB/s
    ],
)
def test_an_all_reduce_takes_as_long_as_the_slower_of_memory_and_link(link: float, seconds: float) -> None:
    """Two a layer of 8192 elements, in 80 layers of Llama-3.1-70B on 8 devices."""
    rows = parallel_table(LLAMA70, Step.decode(1), Formats(), devices=8)
    found = bounds(rows, H100._replace(link=Port("link", link)))
    assert found.link == pytest.approx(160 * seconds)
    assert found.total == pytest.approx(max(found.compute, found.memory) + 160 * seconds)


def test_one_device_sends_nothing() -> None:
    rows = parallel_table(LLAMA70, Step.decode(1), Formats(), devices=1)
    assert not any(o.kernel.communicates for o in rows.operators)


def test_devices_that_fit_no_heads_are_refused() -> None:
    with pytest.raises(InputError, match="devices must divide the 64 heads of a layer, got 7") as caught:
        shard(LLAMA70, 7)
    assert caught.value.hint == "fewer that do: 2, 4"
    layer = Layer(attention=Gqa(heads=12, kv_heads=4, head_dim=8), mlp=Dense(width=8))
    odd = Architecture(name="odd", hidden=8, vocab=8, layers=((1, layer),))
    with pytest.raises(InputError, match="devices must divide the 4 KV heads or be a multiple of them, got 6"):
        shard(odd, 6)


def test_a_step_that_communicates_needs_a_link() -> None:
    with pytest.raises(InputError, match="the device has no link"):
        bounds(parallel_table(LLAMA70, Step.decode(1), Formats(), devices=2), H100)


@given(
    name=st.sampled_from(["llama-3.2-1b", "qwen3-8b", "qwen3-30b-a3b", "deepseek-v2-lite"]),
    weights=st.sampled_from(["bf16", "fp8", "int4-g128"]),
    devices=st.sampled_from([1, 2, 4]),
    batch=st.integers(1, 3000),
    tokens=st.integers(1, 300),
    prefill=st.booleans(),
)
def test_the_verdict_is_that_of_intensity_and_ridge_on_any_number_of_devices(
    name: str, weights: str, devices: int, batch: int, tokens: int, prefill: bool
) -> None:
    """What all-reduces move is time of the links, and no traffic that the intensity counts."""
    step = Step.prefill(tokens, batch=batch) if prefill else Step.decode(tokens, batch=batch)
    found = bounds(parallel_table(find(name), step, Formats(weights=weights), devices=devices), NVLINK)
    assert found.memory == pytest.approx(found.moved.all / found.bandwidth)
    if found.bound != "link":
        assert (found.bound == "compute") == (found.intensity >= found.ridge_point * (1 - 1e-12))


@given(
    name=st.sampled_from(["llama-3.2-1b", "qwen3-8b", "qwen3-30b-a3b"]),
    devices=st.sampled_from([1, 2, 4]),
    context=st.integers(1, 100),
)
def test_the_critical_batch_with_activations_is_where_the_verdict_turns(name: str, devices: int, context: int) -> None:
    model, formats = find(name), Formats(weights="int4-g128")
    closed = closed_decode(model, formats, devices=devices)
    batch = critical_batch_of(closed, context, {"bf16": PEAK}, BANDWIDTH, activations=True)
    if batch is None:
        return
    for whole, computes in ((math.ceil(batch * 1.0001) + 1, True), (max(math.floor(batch * 0.9999) - 1, 1), False)):
        found = bounds(
            parallel_table(model, Step.decode(context, batch=whole), formats, devices=devices),
            chip(PEAK, BANDWIDTH)._replace(link=Port("fast", 1e15)),
        )
        assert (found.compute >= found.memory) is computes
