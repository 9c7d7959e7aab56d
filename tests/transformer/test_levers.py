"""The levers of decode, against bytes counted by hand; where memory binds, what a lever gains is a ratio of bytes."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.catalog.find import device
from roofline.core.choice import RoofQuery
from roofline.core.device import given_device
from roofline.core.target import Target
from roofline.transformer.architecture import Architecture
from roofline.transformer.conventions import Conventions
from roofline.transformer.gqa import Gqa
from roofline.transformer.layer import Layer
from roofline.transformer.levers import Effect, Way, effects, joined_devices, next_levers, without_levers
from roofline.transformer.mlp import Dense
from roofline.transformer.presets import find
from roofline.transformer.setup import Setup

CONTEXT = 4096
# Llama-3.1-70B, bytes of a decode step without the activations that each operator moves.
MATRICES = 80 * (150_994_944 + 704_643_072)  # of attention and MLP
KEPT = 2 * (128_256 * 8192 + 161 * 8192)  # LM head and norms stay at 16 bit
ROW = 2 * 8192  # of the embedding
MHA, GQA = 2 * 2 * 64 * 128 * 80, 327_680  # B of cache a position


def setup(model: str = "llama-3.1-70b", hw: str = "h100", **more: object) -> Setup:
    target = Target(device=device(hw), query=RoofQuery())
    return Setup(architecture=find(model), target=target, context=CONTEXT).with_(**more)


def by_name(one: Setup) -> dict[str, Effect]:
    return {effect.name: effect for effect in effects(one)}


@pytest.mark.parametrize(
    ("name", "weights", "kv"),
    [
        ("no lever", 2 * MATRICES + KEPT + ROW, MHA * (CONTEXT + 1)),  # all read, one written
        ("batch 32", 2 * MATRICES + KEPT + 32 * ROW, 32 * MHA * (CONTEXT + 1)),
        ("batch 64", 2 * MATRICES + KEPT + 64 * ROW, 64 * MHA * (CONTEXT + 1)),
        ("GQA: 8 KV heads of 64", 2 * MATRICES + KEPT + ROW, GQA * (CONTEXT + 1)),
        ("KV cache fp8", 2 * MATRICES + KEPT + ROW, MHA // 2 * (CONTEXT + 1)),
        ("weights fp8", MATRICES + KEPT + ROW, MHA * (CONTEXT + 1)),
        ("weights int4-g128", MATRICES * 532 // 1024 + KEPT + ROW, MHA * (CONTEXT + 1)),  # 4 + 20/128 bit
        ("FlashAttention", 2 * MATRICES + KEPT + ROW, MHA * (CONTEXT + 1)),
    ],
)
def test_bytes_of_each_lever_alone(name: str, weights: int, kv: int) -> None:
    found = by_name(setup())[name].bounds
    assert found is not None
    assert (found.moved.weights, found.moved.kv) == (weights, kv)


def test_gains_are_ratios_of_bytes_where_memory_binds() -> None:
    found = by_name(setup())
    base = found["no lever"].bounds
    assert base is not None
    for name, batch in (("batch 32", 32), ("batch 64", 64), ("weights fp8", 1), ("KV cache fp8", 1)):
        bounds = found[name].bounds
        assert bounds is not None
        assert bounds.bound == "memory"
        assert found[name].gain == pytest.approx(batch * base.moved.all / bounds.moved.all)


def test_unfused_attention_moves_its_scores_four_times() -> None:
    """4 passes x 2 B x 64 heads x 4096 positions x 80 layers = 167.8 MB of 150 GB: nothing in decode."""
    found = by_name(setup())
    base, fused = found["no lever"].bounds, found["FlashAttention"].bounds
    assert base is not None
    assert fused is not None
    assert base.moved.activations - fused.moved.activations == 4 * 2 * 64 * 4096 * 80 == 167_772_160
    assert found["FlashAttention"].gain == pytest.approx(1 + 0.1678e9 / 149.79e9, rel=1e-5)


def test_eight_devices_share_the_bytes_and_pay_for_the_link() -> None:
    """Two all-reduces a layer of 8192 elements: 4 L (p - 1) / p h a bytes at 450 GB/s one way."""
    effect = by_name(setup())["8 devices"]
    assert effect.bounds is not None
    assert effect.bounds.link == pytest.approx(4 * 80 * 7 / 8 * 8192 * 2 / 450e9)
    assert effect.bounds.moved.kv == MHA // 8 * (CONTEXT + 1)
    assert effect.fits  # 17.6 GB of weights a device
    assert effect.gain == pytest.approx(8, rel=0.005)


def test_all_together_and_what_each_adds_last() -> None:
    """Batch 64, GQA, fp8 cache, int4 weights, fused, on 8 devices: 4.71 GB of weights and 5.37 GB of cache on each.

    MHA in its place would move 8 times the cache, 37.6 GB more, which takes 11.2 ms beside the 4.2 ms of the step.
    """
    found = by_name(setup())
    best = found["all together"]
    assert best.bounds is not None
    assert best.bounds.moved.kv == 64 * GQA // 8 // 2 * (CONTEXT + 1)
    head = 2 * (128_256 // 8 * 8192 + 161 * 8192)  # norms on every device
    assert best.bounds.moved.weights == MATRICES // 8 * 532 // 1024 + head + 64 * ROW
    more = 7 * best.bounds.moved.kv / 3.35e12
    assert found["GQA: 8 KV heads of 64"].last == pytest.approx(1 + more / best.bounds.total)
    assert found["batch 32"].last is found["weights fp8"].last is None  # batch 64 and int4 go further
    assert best.gain == pytest.approx(best.bounds.total_time_tokens_per_s * found["no lever"].bounds.total)  # type: ignore[union-attr]


def test_a_latent_against_the_heads_that_it_stands_for() -> None:
    """DeepSeek-V2, table 1: MHA caches 2 n d of each layer, MLA its latent: 3,997,696 B against 70,272 B a token."""
    found = by_name(setup("deepseek-v3"))
    base, latent = found["no lever"].bounds, found["MLA: latent of 576"].bounds
    assert base is not None
    assert latent is not None
    assert base.moved.kv == 2 * 128 * 128 * 61 * 2 * (CONTEXT + 1) == 3_997_696 * (CONTEXT + 1)
    assert latent.moved.kv == 70_272 * (CONTEXT + 1)
    assert latent.flops - base.flops == 2 * 128 * 61 * CONTEXT * ((576 + 512) - (128 + 128))  # absorbed: more FLOP
    assert found["GQA"].why == "its latent serves all heads"


@pytest.mark.parametrize("mla", ["absorbed", "naive", "auto"])
def test_all_matrices_stay_whatever_the_latent_is_counted_as(mla: Literal["absorbed", "naive", "auto"]) -> None:
    """All but the norms of the latents, 61 layers of 1536 + 512 weights, which MHA has not."""
    one = setup("deepseek-v3").with_(conventions=Conventions(mla=mla))
    found = Way(setup=one, mha=True).decode.moved.weights
    assert found + 2 * 61 * (1536 + 512) == one.decode.moved.weights


def test_whether_the_baseline_fits_is_asked_of_the_cache_of_all_heads() -> None:
    """Llama-3.1-8B at 140,000 positions: 16.06 GB of weights, and 18.35 GB of cache with 8 KV heads, 73.40 with 32.

    An H100 has 85.52 GB: 34.4 fit, 89.5 do not; an fp8 cache of all heads, 36.7 GB, does.
    """
    weights, grouped = 2 * 8_030_261_248, 131_072 * 140_000
    assert weights + grouped < weights + 2 * grouped < 85_520_809_984 < weights + 4 * grouped
    found = by_name(setup("llama-3.1-8b").with_(context=140_000))
    fits = {name: found[name].fits for name in ("no lever", "FlashAttention", "GQA: 8 KV heads of 32", "KV cache fp8")}
    assert fits == {"no lever": False, "FlashAttention": False, "GQA: 8 KV heads of 32": True, "KV cache fp8": True}


def test_levers_that_do_not_apply_say_why() -> None:
    found = by_name(setup("llama-2-7b", "rtx4090"))
    assert {name: effect.why for name, effect in found.items() if effect.why} == {
        "GQA": "it has as many KV heads as heads",
        "MLA": "it caches keys and values, no latent",
        "tensor parallel": "no link of rtx4090 to other devices is known",
    }
    assert all(effect.bounds is None and effect.gain is None for effect in found.values() if effect.why)


def test_a_model_of_mha_is_its_own_baseline() -> None:
    one = setup("llama-2-7b")
    assert sorted(Way(setup=one, mha=True).decode.operators) == sorted(one.decode.operators)
    assert one.architecture.as_mha == one.architecture


def test_a_quantised_checkpoint_starts_from_16_bit() -> None:
    """gpt-oss-120b: 116.8 G parameters at 2 B; its own MXFP4 is a lever between fp8 and int4."""
    found = by_name(setup("gpt-oss-120b"))
    assert [name for name in found if name.startswith("weights")] == [
        "weights fp8",
        "weights mxfp4",
        "weights int4-g128",
    ]
    assert without_levers(setup("gpt-oss-120b")).setup.formats.weights == "bf16"


def test_devices_and_batch_that_were_asked_for_are_levers() -> None:
    found = by_name(setup(batch=256, devices=4))
    assert {"batch 32", "batch 64", "batch 256", "4 devices"} <= found.keys()
    assert found["batch 64"].last is None
    assert found["batch 256"].last is not None


def test_the_baseline_is_without_whatever_was_asked_for() -> None:
    """One device, one sequence, 16 bits: 141.1 GB less the table of the embedding, and the cache of all heads."""
    asked = setup(batch=256, devices=4, kv="q4_0", weights="fp8")
    found = by_name(asked)["no lever"].bounds
    assert found is not None
    assert (found.tokens, found.link) == (1, 0)
    assert (found.moved.weights, found.moved.kv) == (2 * MATRICES + KEPT + ROW, MHA * (CONTEXT + 1))


def test_a_cache_that_was_asked_for_is_a_lever_beside_fp8() -> None:
    """q4_0 holds 32 elements in 18 B: 4.5 bit."""
    found = by_name(setup(kv="q4_0"))
    assert found["KV cache fp8"].last is None
    narrow = found["KV cache q4_0"]
    assert narrow.bounds is not None
    assert narrow.bounds.moved.kv == pytest.approx(MHA * 4.5 / 16 * (CONTEXT + 1), rel=1e-9)
    assert narrow.last is not None


def test_formats_of_16_bits_are_where_levers_start() -> None:
    assert [name for name in by_name(setup()) if name.startswith(("weights", "KV cache"))] == [
        "KV cache fp8",
        "weights fp8",
        "weights int4-g128",
    ]


def test_heads_that_no_devices_can_share_say_so_of_the_most_that_were_tried() -> None:
    """7 heads: neither 8, nor 4, nor 2 devices share them."""
    layer = Layer(attention=Gqa(heads=7, kv_heads=7, head_dim=8), mlp=Dense(width=64))
    odd = Architecture(name="odd", hidden=56, vocab=100, layers=((2, layer),))
    found = by_name(setup().with_(architecture=odd))
    assert found["tensor parallel"].why == "devices must divide the 7 heads of a layer, got 8"


def test_heads_that_eight_devices_cannot_share() -> None:
    """Phi-4 has 40 heads and 10 KV heads: 8 devices do not share them, 2 do."""
    assert "2 devices" in by_name(setup("phi-4"))


def test_a_model_of_which_only_the_size_is_known() -> None:
    """70e9 parameters: 140 GB, and as many FLOP; batch 32 gains 32."""
    bare = Architecture(name="70B", hidden=0, vocab=0, layers=(), unplaced=70_000_000_000)
    found = by_name(setup().with_(architecture=bare))
    assert found["no lever"].bounds is not None
    assert found["no lever"].bounds.moved.weights == 140e9
    assert found["batch 32"].gain == pytest.approx(32)
    assert found["KV cache fp8"].why == found["FlashAttention"].why == "nothing is known of the layers"
    assert found["no lever"].fits is False


def test_without_a_known_capacity_nobody_knows_what_fits() -> None:
    target = Target(device=given_device(1e15, 1e12, "bf16"), query=RoofQuery())
    found = by_name(setup().with_(target=target))
    assert found["no lever"].fits is None


@given(
    model=st.sampled_from(["llama-3.1-8b", "mixtral-8x7b", "deepseek-v3", "gemma-2-9b"]),
    context=st.integers(1, 100_000),
    hw=st.sampled_from(["h100", "m3ultra"]),
)
def test_no_lever_of_memory_makes_decode_slower(model: str, context: int, hw: str) -> None:
    for effect in effects(setup(model, hw).with_(context=context)):
        if effect.gain is not None and not effect.name.startswith("MLA"):
            assert effect.gain >= 1 - 1e-9, effect.name


def test_the_next_lever_is_measured_from_what_is_asked() -> None:
    """7e9 weights of 2 B and nothing else: a batch of 64 reads them once for all, 8 devices an eighth each.

    From batch 32 a batch of 64 gains 2, and int4-g128 16 / 4.15625; what is pulled already, or less, gains nothing.
    """
    bare = Architecture(name="7B", hidden=0, vocab=0, layers=(), unplaced=7_000_000_000)
    asked = Setup(architecture=bare, target=Target(device=device("h100"), query=RoofQuery()), batch=32)
    gains = [(each.name, each.gain) for each in next_levers(asked)]
    assert [name for name, _ in gains] == ["8 devices", "weights int4-g128", "batch 64", "weights fp8"]
    assert [gain for _, gain in gains] == pytest.approx([8, 16 / 4.15625, 2, 2])
    assert joined_devices(asked) == 8
    assert joined_devices(asked._replace(target=Target(device=device("m4max"), query=RoofQuery()))) is None
