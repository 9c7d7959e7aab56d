"""What fits: devices, context, batch and weight format, each worked by hand once and checked at its edge for many."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.catalog.find import device
from roofline.core.device import given_device
from roofline.errors import InputError
from roofline.transformer.by_hand import by_hand
from roofline.transformer.fit import (
    fits_into,
    largest_batch,
    longest_context,
    possible_capacity,
    smallest_devices,
    usable_capacity,
    widest_weights,
)
from roofline.transformer.formats import Formats
from roofline.transformer.memory import Demand, Load, demand
from roofline.transformer.presets import find
from roofline.transformer.room import GGUF, SERVED

BF16 = Formats()
LLAMA_8B, LLAMA_70B = find("llama-3.1-8b"), find("llama-3.1-70b")


def test_70b_in_fp16_does_not_fit_one_card_of_80_gb_and_fits_two() -> None:
    load = Load(positions=4096)
    capacity = usable_capacity(device("h100"))
    assert capacity == 85_520_809_984
    assert demand(LLAMA_70B, BF16, load).fits(capacity) is False  # 141.1 GB of weights
    assert smallest_devices(LLAMA_70B, BF16, load, capacity) == 2


def test_longest_context_by_hand() -> None:
    # 24 GB less 16.06 GB of weights and 704.6 MB of activations (3 x 14336 x 8192 x 2 B), at 131,072 B a position.
    assert (24 * 10**9 - 16_060_522_496 - 704_643_072) // 131_072 == 55_197
    assert longest_context(LLAMA_8B, BF16, Load(), 24e9) == 55_197
    # In blocks of 16 positions, of which 3,449 are whole.
    assert longest_context(LLAMA_8B, BF16, Load(block=16), 24e9) == 55_197 // 16 * 16


def test_largest_batch_by_hand() -> None:
    # 80 GB less weights and activations (3 x 14336 x 4096 x 2 B), at 4096 x 131,072 B a sequence.
    assert (80 * 10**9 - 16_060_522_496 - 352_321_536) // (4096 * 131_072) == 118
    assert largest_batch(LLAMA_8B, BF16, Load(positions=4096), 80e9) == 118
    assert largest_batch(LLAMA_8B, BF16, Load(positions=4096, reserve=8 * 10**9), 80e9) == 103  # 14.9 sequences fewer


def test_widest_weights_by_hand() -> None:
    # Llama-3.1-70B at 8.5 bits has 75.0 GB, at 16 twice as much; cache and activations take 2.05 GB.
    every = tuple(dict.fromkeys((*SERVED, *GGUF)))
    assert widest_weights(LLAMA_70B, BF16, Load(positions=4096), 80e9, every) == "q8_0"
    # In 48 GB: at 5.57 bits 49.1 GB, at 4.8944 43.2 GB.
    assert widest_weights(LLAMA_70B, BF16, Load(positions=4096), 48e9, every) == "q4_k_m"
    # NVFP4 leaves two tables at 16 bits, so 4.2 + 68.45e9 x 4.5 / 8 = 42.7 GB.
    assert widest_weights(LLAMA_70B, BF16, Load(positions=4096), 48e9, SERVED) == "nvfp4"
    assert widest_weights(LLAMA_70B, BF16, Load(positions=4096), 48e9, among=("fp8", "q4_k")) == "q4_k"
    assert widest_weights(LLAMA_70B, BF16, Load(positions=4096), 8e9, every) is None


@pytest.mark.parametrize("formats", [BF16, Formats(weights="mxfp4", kept=frozenset({"attention"}))])
def test_each_format_keeps_the_parts_that_its_own_checkpoints_do(formats: Formats) -> None:
    """Llama-3.1-70B in fp8: 70.55 GB, and two tables of 128256 x 8192 a byte more each, 72.66 GB.

    All in 8 bits would fit into 72 GB; attention in 16, as another checkpoint has it, would take 12.08 GB more.
    """
    assert 2 * 128_256 * 8192 + 70_553_706_496 == 72_655_052_800
    assert widest_weights(LLAMA_70B, formats, Load(), 72.5e9, among=("fp8",)) is None
    assert widest_weights(LLAMA_70B, formats, Load(), 72.7e9, among=("fp8",)) == "fp8"


def test_nothing_fits_where_weights_alone_do_not() -> None:
    assert longest_context(LLAMA_70B, BF16, Load(), 80e9) == 0
    assert largest_batch(LLAMA_70B, BF16, Load(), 80e9) == 0
    assert smallest_devices(LLAMA_70B, BF16, Load(), 1e9) is None  # 64 heads, and 1 GB for each device at most


def test_memory_sets_no_limit_to_a_context_that_windows_end() -> None:
    # Every layer of Mistral-7B-v0.1 keeps 4096 positions; v0.2 has no window.
    assert longest_context(find("mistral-7b-v0.1"), BF16, Load(), 24e9) is None
    assert longest_context(find("mistral-7b-v0.2"), BF16, Load(), 24e9) is not None


def test_devices_are_only_those_that_heads_can_be_split_between() -> None:
    # Phi-4, 29.3 GB, in 12 GB each: 3 would do if they divided its 40 heads; 4 leaves 10 KV heads between 4. So 5.
    assert smallest_devices(find("phi-4"), BF16, Load(), 12e9) == 5


def test_it_is_said_what_it_depends_on() -> None:
    with pytest.raises(InputError, match="depends on its KV cache and activations, of which nothing is known"):
        longest_context(by_hand(params=7e9), BF16, Load(), 80e9)
    with pytest.raises(InputError, match="depends on its activations"):
        smallest_devices(by_hand(params=7e9, layers=32, hidden=4096, heads=32), BF16, Load(), 80e9)
    with pytest.raises(InputError, match="devices must divide the 32 heads"):
        largest_batch(LLAMA_8B, BF16, Load(devices=3), 80e9)
    with pytest.raises(InputError, match="has no known memory capacity"):
        usable_capacity(given_device(1e12, 1e12))


@given(st.integers(1, 64), st.floats(17e9, 300e9), st.integers(1, 32))
def test_the_longest_context_fits_and_one_position_more_does_not(batch: int, capacity: float, block: int) -> None:
    load = Load(batch=batch, block=block)
    longest = longest_context(LLAMA_8B, BF16, load, capacity)
    assert longest is not None
    if longest:
        assert demand(LLAMA_8B, BF16, load._replace(positions=longest)).fits(capacity)
    assert not demand(LLAMA_8B, BF16, load._replace(positions=longest + 1)).fits(capacity)


@given(st.integers(1, 100_000), st.floats(17e9, 300e9))
def test_the_largest_batch_fits_and_one_sequence_more_does_not(positions: int, capacity: float) -> None:
    load = Load(positions=positions)
    largest = largest_batch(LLAMA_8B, BF16, load, capacity)
    assert largest is not None
    if largest:
        assert demand(LLAMA_8B, BF16, load._replace(batch=largest)).fits(capacity)
    assert not demand(LLAMA_8B, BF16, load._replace(batch=largest + 1)).fits(capacity)


@given(st.floats(2e9, 200e9))
def test_the_fewest_devices_fit_and_a_larger_memory_never_needs_more(capacity: float) -> None:
    load = Load(positions=4096)
    fewest = smallest_devices(LLAMA_70B, BF16, load, capacity)
    more = smallest_devices(LLAMA_70B, BF16, load, 2 * capacity)
    if fewest is not None:
        assert demand(LLAMA_70B, BF16, load._replace(devices=fewest)).fits(capacity)
        assert more is not None
        assert more <= fewest


def test_what_a_driver_shows_is_all_there_is_and_what_a_vendor_prints_may_be_gib() -> None:
    """An RTX 5090 is sold with 32 GB, which are 32 x 2^30 = 34,359,738,368 B if GiB are meant."""
    assert possible_capacity(device("h100")) == usable_capacity(device("h100")) == 85_520_809_984
    card = device("rtx5090")
    assert (usable_capacity(card), possible_capacity(card)) == (32e9, 34_359_738_368)
    for weights, known, fits in (
        (32 * 10**9, 0, True),
        (33 * 10**9, 0, None),
        (35 * 10**9, 0, False),
        (35 * 10**9, None, False),
        (10**9, None, None),
    ):
        asked = Demand(weights=weights, kv=known, live=known, activations=known, reserve=0)
        assert fits_into(asked, card) is fits
