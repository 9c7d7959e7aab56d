"""What fits, in sentences: the reasons why nothing does, lengths that a model was not made for, formats by engine."""

from __future__ import annotations

import pytest

from roofline.report.llm.fits import memory_lines
from roofline.transformer.by_hand import by_hand
from roofline.transformer.room import Edges, room
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


def test_fewer_devices_that_cannot_share_the_heads_are_named() -> None:
    # 141.1 GB of weights and 1.3 GB of cache are split, 0.7 GB of activations nearly all are: 28.6 GB on each of 5 and
    # 35.8 GB on each of 4, of 32 GB; 64 heads are shared by 4 and by 8.
    sentence = told("llama-3.1-70b", "rtx5090")
    assert sentence.startswith(
        "what fits into 32.00 GB: 8 devices at least (5 to 7 cannot share the 64 heads evenly), "
        "though no link between them is known; "
    )
    # 300,000 positions of 327,680 B are 98.3 GB: 239.4 GB on 2 are 119.9 GB each, on 3 80.0 GB, of 85.5 GB.
    long = {"prompt": 300_000, "context": 300_000}
    assert "4 devices at least (3 cannot share the 64 heads evenly); " in told("llama-3.1-70b", "h100", **long)
    # 3 of 141.1 GB / 3 = 47 GB would not do either with a reserve of 40 GB.
    assert "4 devices at least; " in told("llama-3.1-70b", "h100", reserve=40 * 10**9)
    assert "2 devices at least; " in told("llama-3.1-70b", "h100")


def test_heads_of_keys_that_cannot_be_shared_are_not_taken_for_those_of_queries() -> None:
    """6 divide 12 heads, but neither divide 4 heads of keys nor are a multiple of them; 5 share neither."""
    model = by_hand(layers=32, hidden=4096, heads=12, kv_heads=4, head_dim=256, width=14336, vocab=128256)
    one = setup("llama-3.1-8b", "rtx4090")._replace(architecture=model)
    held = one.demand().known
    for times, which in ((4.8, "5 to 11 cannot share the heads evenly"), (6.5, "7 to 11 cannot share the 12 heads")):
        # What is split but for the activations, so many times the memory of a device.
        reserve = round(24e9 - (held - (one.demand().activations or 0)) / times - (one.demand().activations or 0))
        assert which in memory_lines(one._replace(reserve=reserve), room(one._replace(reserve=reserve)))[-1]


def test_what_is_too_large_beside_any_weights_is_named() -> None:
    # 10e6 positions of 131,072 B; 1e9 tokens at once of 3 x 14,336 elements of 2 B; a reserve of 90 GB of 85.5 GB
    cache = told("llama-3.1-8b", "h100", batch=1000, prompt=10_000, context=10_000)
    assert cache.endswith("; widest weights: none, since the KV cache alone (1.311 TB) does not fit")
    work = told("llama-3.1-8b", "h100", prompt=1, context=1, batch=2_000_000)
    assert work.endswith("; widest weights: none, since the KV cache alone (4.194 TB) does not fit")
    step = told("llama-3.1-8b", "h100", prompt=100_000, context=100_000, batch=1, chunk=100_000, reserve=65 * 10**9)
    # 13.11 GB of cache + 8.602 GB of activations + 65 GB
    assert step.endswith(
        "; widest weights: none, since KV cache and activations and reserve alone (86.71 GB) do not fit"
    )
    chunk = told("gpt-2", "rtx4090", prompt=2_000_000, context=2_000_000, chunk=10**7)
    assert "; widest weights: none, since the KV cache alone (73.73 GB) does not fit" in chunk
    reserve = told("llama-3.1-8b", "h100", reserve=90 * 10**9)
    assert reserve.endswith("; widest weights: none, since the reserve alone (90.00 GB) does not fit")


def test_what_follows_from_the_weights_alone_is_told_as_a_bound() -> None:
    # 140 GB of 32 GiB, if GiB are meant, 34.36 GB: 28 GB on each of 5, 35 GB on each of 4. iq3_m takes 3.7628 bits:
    # 32.92 GB, q3_k_m 3.996: 34.97 GB; int4-g128 4.15625: 36.4 GB.
    one = setup("llama-3.1-70b", "rtx5090")._replace(architecture=by_hand(params=70e9))
    line = "from the weights alone, as bounds: 5 devices at least; weights no wider than iq3_m in GGUF; no format as"
    assert memory_lines(one, room(one))[1] == f"{line} served is narrow enough"
    found = room(one)
    assert found.bounds == Edges(devices=5, served=None, gguf="iq3_m")
    assert (found.bounds.weights, found.devices, found.weights) == ("iq3_m", None, None)  # the others nobody knows
    # Its cache of 2 x 80 x 64 x 128 x 2 B a position is 10.7 GB at 4,096: 75.4 GB on each of 2, of 85.5 GB.
    attention = by_hand(params=70e9, layers=80, hidden=8192, heads=64)
    known = setup("llama-3.1-70b", "h100")._replace(architecture=attention)
    assert memory_lines(known, room(known))[1] == (
        "from the weights and KV cache alone, as bounds: 2 devices at least; weights no wider than fp8 as served and "
        "q8_0 in GGUF"
    )
    small = setup("llama-3.1-70b", "h100")._replace(architecture=by_hand(params=7e9))
    assert len(memory_lines(small, room(small))) == 1  # nothing follows of what fits as far as it is known
    assert room(small).bounds == Edges(devices=1, served="bf16", gguf="bf16")


def test_what_a_driver_shows_is_told_beside_what_a_device_is_sold_by() -> None:
    one = setup("llama-3.1-8b", "h100")
    assert " of 85.52 GB usable (sold as 80.00 GB): fits" in memory_lines(one, room(one))[0]
    sold = setup("llama-3.1-8b", "rtx4090")  # no driver was asked
    assert " of 24.00 GB as sold: fits" in memory_lines(sold, room(sold))[0]


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


def test_weights_between_gb_and_gib_are_told_as_that_where_nothing_else_is_known() -> None:
    """12.5e9 parameters in 16 bits are 25 GB: more than 24 GB, and less than 24 x 2^30 = 25.77e9 B."""
    one = setup("llama-3.1-8b", "rtx4090")._replace(architecture=by_hand(params=12.5e9))
    line = memory_lines(one, room(one))[0]
    assert (
        "25.00 GB weights of 24.00 GB as sold: what is known fits only if the GB that it is sold with are GiB "
        "(25.77 GB, less what the driver keeps); whether the rest does is unknown: " in line
    )
    bounds = room(one).bounds
    assert bounds is not None
    assert bounds.devices == 1


def test_a_system_shares_the_memory_of_a_chip_that_it_is_on() -> None:
    one = setup("llama-3.1-8b", "m4max")
    assert "of 128.0 GB as sold, with the system's share: fits" in memory_lines(one, room(one))[0]


def test_the_reserve_is_said_beside_what_fits() -> None:
    assert told("llama-3.1-8b", "m4max", reserve=32 * 10**9).startswith(
        "what fits into 128.0 GB beside 32.00 GB of reserve: "
    )
    assert told("llama-3.1-8b", "h100", reserve=10**9).startswith("what fits beside 1.000 GB of reserve: ")
