"""The three bounds: their order, their conventions, and the peak that each product runs at."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.catalog.find import device
from roofline.core.choice import RoofQuery
from roofline.core.link import Port
from roofline.core.roof import Roof, Stream
from roofline.core.target import Target
from roofline.errors import InputError, UnknownNameError
from roofline.transformer.architecture import Architecture
from roofline.transformer.bounds import Bounds, Roofs, bounds, shares
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats
from roofline.transformer.parallel import parallel_table
from roofline.transformer.presets import find
from roofline.transformer.step import Step
from roofline.transformer.table import Moved, table
from tests.transformer.machines import H100, chip
from tests.transformer.test_presets import MODELS

LLAMA, V3 = find("llama-3.1-8b"), find("deepseek-v3")
steps = st.builds(
    Step, batch=st.integers(1, 500), new=st.integers(1, 5000) | st.just(1), cached=st.integers(0, 100_000)
)


def two_roofs(bf16: float, fp8: float, bandwidth: float) -> Roofs:
    memory = Stream(bandwidth=bandwidth)
    return Roofs(by_precision={"bf16": Roof(peak=bf16, memory=memory), "fp8": Roof(peak=fp8, memory=memory)})


@given(step=steps, model=st.sampled_from([LLAMA, V3]))
def test_least_total_and_by_operator_are_in_order_and_shares_add_up(step: Step, model: Architecture) -> None:
    rows = table(model, step, Formats())
    found = bounds(rows, H100)
    assert found.least <= found.total <= found.by_operator * (1 + 1e-12)
    assert sum(shares(rows, H100)) == pytest.approx(1.0)
    assert 0 <= found.idle_share < 1
    assert found.attainable <= 989.5e12 * (1 + 1e-12)
    assert (found.bound == "compute") == (found.intensity >= found.ridge_point)


@given(step=steps, devices=st.sampled_from([1, 8]))
def test_times_are_those_of_the_placements(step: Step, devices: int) -> None:
    """The roofline of each operator by the core, which knows nothing of transformers."""
    roofs = Roofs(by_precision=H100.by_precision, link=Port("NVLink", 450e9, latency=1e-6))
    for operator in parallel_table(LLAMA, step, Formats(), devices=devices).operators:
        assert max(roofs.times(operator)) == roofs.place(operator).least_time


def test_each_product_runs_at_the_peak_of_its_precision() -> None:
    """V3 in fp8 with 16-bit attention at batch 64, context 4096: 4.5 ms of attention at 989.5 TFLOP/s.

    Attention 61 layers x 2 x 128 heads x 1088 x 4096 x 64 = 4.455e12 FLOP; with router and LM head in 16 bit too.
    """
    rows = table(V3, Step.decode(4096, batch=64), Formats(weights="fp8", compute="fp8"))
    attention = 61 * 2 * 128 * 1088 * 4096 * 64
    sixteen = attention + 64 * 2 * (58 * 7168 * 256 + 7168 * 129280)
    assert rows.flops_by_precision["bf16"] == sixteen
    found = bounds(rows, two_roofs(989.5e12, 1979e12, 3.35e12))
    assert found.compute == pytest.approx(sixteen / 989.5e12 + (rows.flops - sixteen) / 1979e12)
    assert attention / 989.5e12 * 1e3 == pytest.approx(4.5, abs=0.05)
    assert 989.5e12 < found.peak < 1979e12


def test_each_placement_is_on_the_roof_of_its_precision() -> None:
    """V3 in fp8: attention, router and LM head in 16 bits at 989.5 TFLOP/s, all other products at 1979."""
    rows = table(V3, Step.decode(4096), Formats(weights="fp8", compute="fp8")).operators
    roofs = two_roofs(989.5e12, 1979e12, 3.35e12)
    peaks = {row.name: roofs.place(row).roof.peak for row in rows if row.flops}
    assert {name for name, peak in peaks.items() if peak == 989.5e12} == {"attention", "router", "LM head"}
    assert peaks["experts' down"] == peaks["q up"] == 1979e12


def test_the_whole_read_at_batch_one_idles_more_than_99_percent() -> None:
    """70 billion parameters in fp16: 140 GB and 140 GFLOP a token, I = 1, 41.8 ms on an H100."""
    found = bounds(table(find("llama-3.1-70b"), Step.decode(1), Formats()), H100)
    assert found.intensity == pytest.approx(1.0, abs=0.01)
    assert found.idle_share > 0.99
    assert found.bound == "memory"


def test_resident_is_not_read() -> None:
    """Llama-3.1-8B: 15.01 GB of 16.06 GB are read, 4.481 ms and 223.2 tok/s at 3.35 TB/s, 15.01 GFLOP a token."""
    found = bounds(table(LLAMA, Step.decode(0), Formats()), H100)
    assert found.moved.weights == pytest.approx(15.01e9, rel=5e-4)
    assert found.least * 1e3 == pytest.approx(4.481, rel=5e-4)
    assert found.least_time_tokens_per_s == pytest.approx(223.2, rel=5e-4)
    assert found.flops == pytest.approx(15.01e9, rel=5e-4)


def test_norms_and_sums_take_6_4_ms_of_a_long_prefill() -> None:
    """Llama-3.1-8B, 8192 tokens: 10 h a T L = 21.5 GB at 3.35 TB/s."""
    rows = table(LLAMA, Step.prefill(8192), Formats())
    part = sum(s for o, s in zip(rows.operators, shares(rows, H100), strict=True) if o.group == "norms")
    assert part * bounds(rows, H100).by_operator * 1e3 == pytest.approx(6.4, abs=0.05)


def test_unfused_attention_lengthens_the_prefill() -> None:
    """By operator on an H100: 32.0 to 41.6, 140 to 288 and 774 to 3122 ms at 2048, 8192 and 32768 tokens.

    The scores are counted at 4 moves of S^2 a head whatever kernel moves them.
    """
    for tokens, fused, apart in ((2048, 32.0, 41.6), (8192, 140, 288), (32768, 774, 3122)):
        for attention, expected in (("flash", fused), ("unfused", apart)):
            conventions = Conventions(attention=attention)  # type: ignore[arg-type]
            found = bounds(table(LLAMA, Step.prefill(tokens), Formats(), conventions), H100)
            assert found.by_operator * 1e3 == pytest.approx(expected, rel=5e-3)


def test_roofs_of_a_device_are_its_sourced_dense_peaks() -> None:
    """H100: 989.4 TFLOP/s bf16, not the 1979 of its headline."""
    rows = table(V3, Step.decode(100), Formats(weights="fp8", compute="fp8"))
    roofs = Roofs.of(Target(device=device("h100"), query=RoofQuery()), rows)
    assert roofs.roof("bf16").peak == 989.4e12
    assert roofs.roof("fp8").peak == pytest.approx(1979e12, rel=1e-3)
    assert roofs.bandwidth == 3.35e12


def test_a_precision_that_the_device_lacks_is_an_error() -> None:
    rows = table(LLAMA, Step.decode(100), Formats(weights="fp8", compute="fp8"))
    with pytest.raises(UnknownNameError, match="fp8"):
        Roofs.of(Target(device=device("a100"), query=RoofQuery()), rows)


def test_a_precision_without_a_roof_is_an_error() -> None:
    roofs = Roofs(by_precision={"fp8": Roof(peak=1.0, memory=Stream(bandwidth=1.0))})
    with pytest.raises(InputError, match="no roof is given for bf16"):
        bounds(table(LLAMA, Step.decode(1), Formats()), roofs)


def test_roofs_are_over_one_memory() -> None:
    one, other = (Roof(peak=1.0, memory=Stream(bandwidth=b)) for b in (1.0, 2.0))
    with pytest.raises(InputError, match="over one memory"):
        Roofs(by_precision={"bf16": one, "fp8": other})
    with pytest.raises(InputError, match="over one memory"):
        Roofs(by_precision={})


@pytest.mark.parametrize("devices", [1, 2, 8])
@pytest.mark.parametrize("name", [model for model, *_ in MODELS])
def test_least_total_and_by_operator_are_in_that_order_for_every_model(name: str, devices: int) -> None:
    """Each counts all that the one before it does; up to rounding, since sums are taken in another order."""
    model = find(name)
    heads = [layer.attention.heads for _, layer in model.layers]
    if any(count % devices for count in heads) or (name, devices) == ("phi-4", 8):  # which has 10 KV heads
        with pytest.raises(InputError, match="devices must divide"):
            parallel_table(model, Step.decode(2000), model.formats(), devices=devices)
        return
    peaks = {**H100.by_precision, "fp16": H100.roof("bf16")}
    roofs = Roofs(by_precision=peaks, link=Port("NVLink", 450e9, latency=1e-6))
    for step in (Step.prefill(2000), Step.decode(2000), Step.decode(300, batch=64)):
        found = bounds(parallel_table(model, step, model.formats(), devices=devices), roofs)
        assert 0 < found.least <= found.total * (1 + 1e-12)
        assert found.total <= found.by_operator * (1 + 1e-12)


def test_the_peak_of_one_precision_is_that_of_its_roof_to_the_last_digit() -> None:
    found = bounds(table(LLAMA, Step.decode(777, batch=3), Formats()), H100)
    assert (found.peak, found.ridge_point) == (989.5e12, 989.5e12 / 3350e9)
    mixed = {
        "fp8": Roof(peak=2e12, memory=Stream(bandwidth=1e12)),
        "bf16": Roof(peak=1e12, memory=Stream(bandwidth=1e12)),
    }
    rows = table(LLAMA, Step.decode(1), Formats(weights="fp8", compute="fp8"))
    work = rows.flops_by_precision
    found = bounds(rows, Roofs(by_precision=mixed))
    assert found.peak == pytest.approx(sum(work.values()) / (work["fp8"] / 2e12 + work["bf16"] / 1e12))


def test_at_the_ridge_a_step_is_compute_bound() -> None:
    """1e9 parameters of 2 B at batch B: 2e9 B FLOP and 2e9 bytes, so B FLOP/B; 100 TFLOP/s over 1 TB/s are 100."""
    model = Architecture(name="1B", hidden=0, vocab=0, layers=(), unplaced=10**9)
    verdicts = {}
    for batch in (99, 100, 101):
        found = bounds(table(model, Step.decode(0, batch=batch), Formats()), chip(100e12, 1e12))
        assert (found.intensity, found.ridge_point) == (batch, 100)
        verdicts[batch] = found.bound
    assert verdicts == {99: "memory", 100: "compute", 101: "compute"}


def test_a_link_binds_where_it_takes_longer_than_all_else() -> None:
    """3 s of arithmetic and 2 s of memory beside 3 s on the link: arithmetic; a moment more: the link."""
    at = Bounds(
        tokens=1, flops=3, moved=Moved(2, 0, 0), compute=3, peak=1, bandwidth=1, memory=2, link=3, by_operator=8
    )
    assert at.bound == "compute"
    assert at._replace(link=3.001).bound == "link"
    assert at._replace(compute=1, link=1.5).bound == "memory"


def test_rates_and_idle_share_are_those_of_the_total_time() -> None:
    """12 FLOP and 6 tokens in max(1, 2) + 1 = 3 s, of which 1 s computes; without the 0.5 s of activations 1.5 s."""
    moved = Moved(weights=2, kv=1, activations=1)
    found = Bounds(tokens=6, flops=12, moved=moved, compute=1, peak=12, bandwidth=2, memory=2, link=1, by_operator=4)
    assert (found.total, found.attainable, found.total_time_tokens_per_s) == (3, 4, 2)
    assert found.idle_share == pytest.approx(2 / 3)
    assert (found.least, found.least_time_tokens_per_s) == (1.5, 4)
    assert (found.intensity, found.ridge_point) == (3, 6)
