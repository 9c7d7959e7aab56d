"""Latent attention of DeepSeek-V3, absorbed and naive, at one layer by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.precision import storage
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats
from roofline.transformer.mla import Mla
from roofline.transformer.operator import Operator
from roofline.transformer.step import Step

V3 = Mla(heads=128, q_lora_rank=1536, kv_lora_rank=512, nope_dim=128, rope_dim=64, value_dim=128)
FP8 = Formats(weights="fp8", compute="fp8")


def rows(way: str, step: Step, formats: Formats = FP8) -> dict[str, Operator]:
    conventions = Conventions(mla="absorbed" if way == "absorbed" else "naive")
    return {o.name: o for o in V3.operators(hidden=7168, step=step, formats=formats, conventions=conventions)}


def test_absorbed_at_context_4096() -> None:
    """Core 1141 MFLOP and 5.0 MB, 33.6 MFLOP into and out of the latent."""
    found = rows("absorbed", Step.decode(4096))
    core = found["attention"]
    assert core.flops == 2 * 128 * 4096 * (512 + 64 + 512) == 1_140_850_688
    assert core.kv == 2 * 4096 * 576
    assert core.bytes == core.kv + 2 * 128 * (576 + 512)
    assert f"{core.bytes:.1e}" == "5.0e+06"
    ends = found["q into latent"], found["out of latent"]
    assert sum(o.flops for o in ends) == 2 * 128 * 512 * (128 + 128) == 33_554_432
    assert sum(o.weights for o in ends) == 128 * 512 * 256


def test_naive_from_the_latent_at_context_4096() -> None:
    """Expansion 137,439 MFLOP, core 336 MFLOP, 626 MB together: 71 times the absorbed FLOPs."""
    found = rows("naive", Step.decode(4096))
    up, core = found["kv up"], found["attention"]
    assert up.flops == 2 * 4096 * 512 * 128 * (128 + 128) == 137_438_953_472
    assert core.flops == 2 * 128 * 4096 * (128 + 64 + 128) == 335_544_320
    # Latent read, expanded keys and values written, read with rotary keys, weights of 1 B, queries and output.
    expanded = 2 * 4096 * 128 * 256, 2 * 4096 * 128 * 320
    assert up.bytes + core.bytes == 2 * 4096 * 576 + sum(expanded) + 512 * 128 * 256 + 2 * 128 * (192 + 128)
    assert round((up.bytes + core.bytes) / 1e6) == 626


def test_both_ways_share_the_projections() -> None:
    """q 2 T (h r_q + r_q n (d_n + d_r)), kv 2 T h (r + d_r), output 2 T n d_v h."""
    for way in ("absorbed", "naive"):
        found = rows(way, Step.decode(10, batch=3))
        assert found["q down"].flops == 2 * 3 * 7168 * 1536
        assert found["q up"].flops == 2 * 3 * 1536 * 128 * 192
        assert found["kv down"].flops == 2 * 3 * 7168 * 576
        assert found["output"].flops == 2 * 3 * 128 * 128 * 7168
        assert found["KV append"].kv == 2 * 3 * 576


@pytest.mark.parametrize("way", ["absorbed", "naive"])
def test_biases_are_read_with_their_matrices(way: str) -> None:
    """On the projections to the two latents and on the output: 1536, 576 and 7168, in 2 B each; none has FLOP."""
    conventions = Conventions(mla="absorbed" if way == "absorbed" else "naive")
    biased = V3._replace(bias=True).operators(hidden=7168, step=Step.decode(9), formats=FP8, conventions=conventions)
    plain = rows(way, Step.decode(9))
    more = {row.name: row.weights - plain[row.name].weights for row in biased}
    assert {name: size for name, size in more.items() if size} == {
        "q down": 2 * 1536,
        "kv down": 2 * 576,
        "output": 2 * 7168,
    }
    assert all(row.flops == plain[row.name].flops for row in biased)


def test_activations_of_an_absorbed_layer_by_hand() -> None:
    """A token reads h and writes r_q, reads r_q and writes n (d_n + d_r); its latent goes to the cache alone.

    Then n d_n to n r, the core's n (r + d_r) and n r, n r to n d_v, and n d_v to h: 3 h + 2 r_q + 2,688 n elements.
    """
    a_head = (128 + 64) + (128 + 512) + (576 + 512) + (512 + 128) + 128
    found = rows("absorbed", Step.decode(50, batch=3), Formats())
    assert sum(row.activations for row in found.values()) == 2 * 3 * (3 * 7168 + 2 * 1536 + 128 * a_head)


def test_the_widest_of_core_and_what_reads_the_hidden_state() -> None:
    """Keys and queries of n (128 + 64) each and values of n 128, with as many results, or the hidden state before."""
    assert V3.widest(7168) == 128 * (2 * 192 + 128) + 128 * 128  # results of 16,384 are more than 7,168
    assert V3.shard(4).widest(7168) == 32 * (2 * 192 + 128) + 7168  # results of 4,096 are less


def test_queries_without_a_latent_are_one_product() -> None:
    """DeepSeek-V2-Lite: 2 T h n (d_n + d_r)."""
    lite = Mla(heads=16, q_lora_rank=None, kv_lora_rank=512, nope_dim=128, rope_dim=64, value_dim=128)
    found = lite.operators(hidden=2048, step=Step.decode(9), formats=Formats(), conventions=Conventions())
    assert found[0].flops == 2 * 2048 * 16 * 192


def test_the_default_is_absorbed_in_decode_and_naive_in_prefill() -> None:
    def names(step: Step) -> set[str]:
        found = V3.operators(hidden=7168, step=step, formats=FP8, conventions=Conventions())
        return {o.name for o in found}

    assert "q into latent" in names(Step.decode(100))
    assert "kv up" in names(Step.prefill(100))
    assert "kv up" in names(Step.prefill(1))
    assert "q into latent" in names(Step.decode(1))


def test_prefill_pairs_cost_3_4_times_less_naive() -> None:
    """2 n 320 against 2 n 1088 FLOP a pair."""
    step = Step.prefill(1000)
    ratio = rows("absorbed", step)["attention"].flops / rows("naive", step)["attention"].flops
    assert ratio == 1088 / 320 == 3.4


@given(batch=st.integers(1, 64), context=st.integers(1, 10_000))
def test_the_cache_is_read_once_for_all_heads(batch: int, context: int) -> None:
    for way in ("absorbed", "naive"):
        found = rows(way, Step.decode(context, batch=batch), Formats())
        assert sum(o.kv for o in found.values()) == 2 * batch * 576 * (context + 1)


def test_latent_attention() -> None:
    latent = V3
    assert latent.matrices(7168) + latent.vectors(7168) == 187_107_328  # DeepSeek-V3
    lite = Mla(heads=16, q_lora_rank=None, kv_lora_rank=512, nope_dim=128, rope_dim=64, value_dim=128)
    assert lite.matrices(2048) + lite.vectors(2048) == 13_763_072  # DeepSeek-V2-Lite
    assert V3._replace(bias=True).vectors(7168) - latent.vectors(7168) == 1536 + 512 + 64 + 7168


def test_heads_in_place_of_a_latent_are_of_the_size_of_its_values() -> None:
    """DeepSeek-V2, table 1: 2 n d elements a token. Here d_n = 8, d_r = 4 and d_v = 6: the output takes 3 x 6 of them.

    So a cache of 2 x 3 x 6 elements, and 4 n d_v FLOP a pair, not 4 n d_n nor 4 n (d_n + d_r).
    """
    mla = Mla(heads=3, q_lora_rank=None, kv_lora_rank=16, nope_dim=8, rope_dim=4, value_dim=6)
    heads = mla.as_mha()
    core = heads.core(step=Step.decode(10), formats=Formats(), conventions=Conventions())
    assert (core.kv, core.flops) == (2 * 2 * 3 * 6 * 10, 4 * 3 * 6 * 10)
    out = heads.operators(hidden=32, step=Step.decode(10), formats=Formats(), conventions=Conventions())[-1]
    rows = mla.operators(hidden=32, step=Step.decode(10), formats=Formats(), conventions=Conventions())
    assert out.weights == rows[-1].weights == 2 * 3 * 6 * 32


@given(
    step=st.builds(Step, batch=st.integers(1, 5), new=st.integers(1, 100), cached=st.integers(0, 200)),
    unfused=st.booleans(),
    kv=st.sampled_from(["bf16", "fp8", "q8_0"]),
)
def test_the_core_moves_queries_output_scores_and_cache_and_nothing_else(*, step: Step, unfused: bool, kv: str) -> None:
    """Absorbed, all heads read one latent; naive, expanded keys and values of each head, which are no cache."""
    pairs = 4 * 2 * step.tokens * 128 * step.positions if unfused else 0
    for way, query, value in (("absorbed", 576, 512), ("naive", 192, 128)):
        conventions = Conventions(
            mla="absorbed" if way == "absorbed" else "naive", attention="unfused" if unfused else "flash"
        )
        found = V3.operators(hidden=64, step=step, formats=Formats(kv=kv), conventions=conventions)
        (row,) = (each for each in found if each.core)
        positions = step.batch * step.positions
        cache = storage(kv).size_of(positions * 576) if way == "absorbed" else 0
        expanded = 0 if way == "absorbed" else 2 * positions * 128 * (192 + 128)
        activations = 2 * step.tokens * 128 * (query + value) + expanded + pairs
        assert (row.weights, row.kv, row.activations) == (0, cache, activations)
        assert row.bytes == cache + activations
        assert sum(each.kv for each in found) == storage(kv).size_of(positions * 576) + storage(kv).size_of(
            step.tokens * 576
        )
