"""A step adds up: to its parameters, to the steps before it, and to the facts that published tables print."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import InputError
from roofline.transformer.architecture import Architecture
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats
from roofline.transformer.gqa import Gqa
from roofline.transformer.layer import Layer
from roofline.transformer.mla import Mla
from roofline.transformer.mlp import Dense
from roofline.transformer.presets import find, presets
from roofline.transformer.step import Step
from roofline.transformer.table import table

BF16 = Formats()


def small(attention: Gqa | Mla) -> Architecture:
    layer = Layer(attention=attention, mlp=Dense(width=96))
    return Architecture(name="small", hidden=64, vocab=1000, layers=((3, layer),))


@st.composite
def attentions(draw: st.DrawFn) -> Gqa | Mla:
    if draw(st.booleans()):
        rank = draw(st.none() | st.integers(8, 32))
        return Mla(
            heads=draw(st.integers(1, 8)), q_lora_rank=rank, kv_lora_rank=16, nope_dim=8, rope_dim=4, value_dim=6
        )
    g = draw(st.integers(1, 4))
    window = draw(st.none() | st.integers(1, 40))
    return Gqa(heads=g * draw(st.integers(1, 4)), kv_heads=g, head_dim=draw(st.integers(1, 16)), window=window)


@given(attention=attentions(), tokens=st.integers(1, 60), batch=st.integers(1, 5))
def test_causal_prefill_of_s_tokens_is_s_decode_steps_in_flops(attention: Gqa | Mla, tokens: int, batch: int) -> None:
    """With the LM head on all tokens, and one way of MLA for both."""
    all_tokens = Conventions(mla="absorbed", logits="all")
    model = small(attention)
    prefill = table(model, Step.prefill(tokens, batch=batch), BF16, all_tokens).flops
    steps = [table(model, Step.decode(n, batch=batch), BF16, all_tokens).flops for n in range(1, tokens + 1)]
    assert prefill == sum(steps)


@given(heads=st.integers(1, 8), dim=st.integers(1, 16), new=st.integers(1, 50), cached=st.integers(0, 50))
def test_gqa_with_as_many_kv_heads_as_heads_is_mha(heads: int, dim: int, new: int, cached: int) -> None:
    """MHA by hand: 8 T h n d FLOP of projections, 4 n d for each pair, a cache of 2 n d elements a position."""
    model = small(Gqa(heads=heads, kv_heads=heads, head_dim=dim))
    step = Step(new=new, cached=cached)
    rows = {o.name: o for o in table(model, step, BF16).operators}
    pairs = new * cached + new * (new + 1) // 2
    assert rows["q, k, v"].flops + rows["output"].flops == 3 * 8 * new * 64 * heads * dim
    assert rows["attention"].flops == 3 * 4 * heads * dim * pairs
    assert rows["attention"].kv == 2 * 2 * heads * dim * (new + cached)
    assert rows["KV append"].kv == 2 * 2 * heads * dim * new


def test_fewer_kv_heads_change_bytes_and_not_the_flops_of_attention() -> None:
    def core(kv_heads: int) -> tuple[int, int]:
        rows = table(small(Gqa(heads=8, kv_heads=kv_heads, head_dim=16)), Step.decode(100), BF16).operators
        row = next(o for o in rows if o.name == "attention")
        return row.flops, row.kv

    assert core(8)[0] == core(2)[0] == 3 * 4 * 8 * 16 * 100
    assert core(8)[1] == 4 * core(2)[1]


@pytest.mark.parametrize("name", list(presets()))
def test_weights_of_one_token_are_the_active_parameters(name: str) -> None:
    """2 B each in bf16: what a decode step reads is all but the experts not chosen and a table only looked up.

    Of tables that are looked up, one row is read: the embedding's, and that of positions. A router's scores are
    corrected by a bias for each expert, in models that have one, which does not depend on those chosen.
    """
    model = find(name)
    moved = table(model, Step.decode(1), BF16).moved
    rows = model.hidden * (1 + bool(model.positions))
    looked_up = model.positions * model.hidden
    assert moved.weights == 2 * (model.active_parameters_without_embedding - looked_up + rows)


@pytest.mark.parametrize("name", list(presets()))
def test_the_cache_grows_by_what_the_architecture_says(name: str) -> None:
    model = find(name)
    appended = sum(o.times * o.kv for o in table(model, Step.decode(1), BF16).operators if o.name == "KV append")
    assert appended == 2 * model.kv_elements_per_token


def test_decode_flops_are_two_a_parameter_and_those_of_attention() -> None:
    """Llama-3.1-8B: 7,504,924,672 parameters without the embedding, of which norms (65 x 4096) multiply nothing."""
    flops = table(find("llama-3.1-8b"), Step.decode(1024), BF16).flops
    assert flops == 2 * (7_504_924_672 - 65 * 4096) + 4 * 32 * 32 * 128 * 1024


def test_full_count_is_the_rectangle_and_the_head_may_be_on_all_tokens() -> None:
    model, step = find("llama-3.1-8b"), Step.prefill(8192)
    causal = table(model, step, BF16).flops
    full = table(model, step, BF16, Conventions(count="full")).flops
    every = table(model, step, BF16, Conventions(logits="all")).flops
    assert full - causal == 4 * 32 * 32 * 128 * (8192 * 8192 - 8192 * 8193 // 2)
    assert full / causal == pytest.approx(1.133, abs=0.001)  # + 13.3 % at 8192 tokens
    assert every - causal == 2 * 8191 * 4096 * 128256
    assert every / causal == pytest.approx(1.065, abs=0.001)  # + 6.5 %


@pytest.mark.parametrize(
    ("tokens", "flash", "unfused", "ratio"),
    [(2048, 1.34e9, 35.7e9, 26.6), (8192, 5.37e9, 555e9, 103), (32768, 21.5e9, 8.82e12, 411)],
)
def test_flash_against_unfused_traffic(tokens: int, flash: float, unfused: float, ratio: float) -> None:
    """Llama-3.1-8B: a S d (2 n + 2 g) against 4 a n S^2 more, in 32 layers."""

    def moved(conventions: Conventions) -> int:
        rows = table(find("llama-3.1-8b"), Step.prefill(tokens), BF16, conventions).operators
        return sum(o.bytes for o in rows if o.name == "attention")

    fused, apart = moved(Conventions()), moved(Conventions(attention="unfused"))
    assert fused == 32 * 2 * tokens * 128 * (2 * 32 + 2 * 8)
    assert apart == fused + 32 * 4 * 2 * 32 * tokens**2
    assert fused == pytest.approx(flash, rel=0.005)
    assert apart == pytest.approx(unfused, rel=0.005)
    assert apart / fused == pytest.approx(ratio, rel=0.005)


def test_positions_of_a_learned_table_are_a_second_gather() -> None:
    rows = [o for o in table(find("gpt-2"), Step.prefill(10), BF16).operators if o.group == "embedding"]
    assert [o.name for o in rows] == ["embedding", "position embedding"]
    assert all(o.weights == 10 * 768 * 2 and o.flops == 0 for o in rows)


def test_parameters_known_in_sum_only_are_two_flops_a_token_each() -> None:
    model = Architecture(name="70B", hidden=0, vocab=0, layers=(), unplaced=70 * 10**9)
    found = table(model, Step.decode(1, batch=4), Formats(weights="fp16", compute="fp16"))
    assert found.flops == 2 * 4 * 70 * 10**9
    assert tuple(found.moved) == (140 * 10**9, 0, 0)


def test_precision_of_each_product_is_that_of_its_weights() -> None:
    """fp8 products and 16-bit attention, router and LM head: a checkpoint of DeepSeek-V3."""
    formats = Formats(weights="fp8", compute="fp8")
    rows = table(find("deepseek-v3"), Step.decode(100), formats).operators
    by_name = {o.name: o.kernel.dtype for o in rows if o.flops}
    assert {name for name, dtype in by_name.items() if dtype == "bf16"} == {"attention", "router", "LM head"}
    assert by_name["experts' down"] == by_name["q into latent"] == "fp8"


def test_4_bit_weights_are_multiplied_in_16_bit() -> None:
    found = table(find("llama-3.1-8b"), Step.decode(100), Formats(weights="int4-g128"))
    assert set(found.flops_by_precision) == {"bf16"}


def test_fp8_in_blocks_of_deepseek_counts_its_scales() -> None:
    """q down: 7168 x 1536 weights of 8 bit and 56 x 12 scales of 32 bit."""
    rows = table(find("deepseek-v3"), Step.decode(1), Formats(weights="fp8-128x128", compute="fp8")).operators
    assert next(o for o in rows if o.name == "q down").weights == 7168 * 1536 + 4 * 56 * 12


def test_absurd_sizes_do_not_overflow_and_are_refused_in_words() -> None:
    model = find("llama-3.1-405b")
    found = table(model, Step.prefill(10**6, batch=1000), BF16)
    assert found.flops > 4 * 126 * 128 * 128 * 1000 * 10**12 // 2
    assert table(model, Step.decode(10**15, batch=10**9), BF16).moved.kv > 10**24
    with pytest.raises(InputError, match="at most 1e9 new tokens, got 1,000,000 sequences of 1,000,000"):
        table(model, Step.prefill(10**6, batch=10**6), BF16)


def test_conventions_are_said_where_they_matter() -> None:
    dense = table(find("llama-3.1-8b"), Step.decode(9), BF16).assumptions
    assert "attention: exact causal triangle" in dense
    assert not any("MLA" in text or "experts" in text for text in dense)
    latent = table(find("deepseek-v3"), Step.decode(9), BF16).assumptions
    assert "MLA absorbed: all heads attend the latent itself" in latent
    assert "experts: expected number of distinct ones, each token's drawn uniformly and independently" in latent
    given_number = table(find("mixtral-8x7b"), Step.prefill(9), BF16, Conventions(experts=4)).assumptions
    assert "experts: 4 are touched in each layer, as given" in given_number


def test_operators_say_which_type_of_layer_they_belong_to() -> None:
    """Gemma-2-9B: 21 layers with a window and 21 without; DeepSeek-V3: 3 dense and 58 with experts."""
    for name, counts in (("gemma-2-9b", [21, 21]), ("deepseek-v3", [3, 58])):
        rows = table(find(name), Step.decode(9), BF16).operators
        assert [o.times for o in rows if o.name == "attention"] == counts
        assert [o.layer for o in rows if o.name == "attention"] == [0, 1]
        assert rows[0].layer is rows[-1].layer is None
