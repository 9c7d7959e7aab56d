"""Collectives: the costs of Thakur et al. 2005, identities between them, and simulations of the algorithms."""

from __future__ import annotations

from collections.abc import Callable
from math import log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.core.kernel import Kernel
from roofline.errors import InputError
from roofline.operations.collective import Algorithm, allgather, allreduce, alltoall, p2p, reducescatter

algorithms: st.SearchStrategy[Algorithm] = st.sampled_from(["ring", "tree"])
lengths = st.integers(min_value=1, max_value=10**15)
devices = st.integers(min_value=1, max_value=10**6)
B = 2  # bytes of bf16


@pytest.mark.parametrize(
    ("operation", "algorithm", "wire", "messages", "flops", "moved"),
    [
        # n = 8000 elements, p = 8: (p - 1) / p n = 7000; Thakur et al. 2005
        pytest.param(allreduce, "ring", 2 * 7000, 14, 7000, 16000, id="allreduce-ring"),
        pytest.param(allreduce, "tree", 2 * 7000, 6, 7000, 16000, id="allreduce-tree"),
        pytest.param(reducescatter, "ring", 7000, 7, 7000, 9000, id="reducescatter-ring"),
        pytest.param(reducescatter, "tree", 7000, 3, 7000, 9000, id="reducescatter-tree"),
        pytest.param(allgather, "ring", 7000, 7, 0, 9000, id="allgather-ring"),
        pytest.param(allgather, "tree", 7000, 3, 0, 9000, id="allgather-tree"),
        pytest.param(alltoall, "pairwise", 7000, 7, 0, 16000, id="alltoall-pairwise"),
        pytest.param(alltoall, "bruck", 8000 // 2 * 3, 3, 0, 16000, id="alltoall-bruck"),
    ],
)
def test_costs_over_eight_devices(
    operation: Callable[..., Kernel], algorithm: str, wire: int, messages: int, flops: int, moved: int
) -> None:
    kernel = operation(n=8000, p=8, algorithm=algorithm)
    assert (kernel.wire, kernel.messages) == (wire * B, messages)
    assert (kernel.flops, kernel.bytes) == (flops, moved * B)


def test_two_allreduces_a_layer_of_a_70b_model() -> None:
    """Llama-3.1-70B, 8 devices, batch 8: 80 layers, two vectors of 8192 bf16 a token each: 36.7 MB by each device."""
    kernel = allreduce(n=8 * 8192, p=8)
    assert kernel.wire is not None
    assert 160 * kernel.wire == pytest.approx(36.7e6, rel=1e-3)


def test_a_message_is_sent_whole_in_one_step() -> None:
    kernel = p2p(n=1000, dtype="fp32")
    assert (kernel.wire, kernel.messages, kernel.bytes, kernel.flops) == (4000, 1, 4000, 0)


@given(lengths, devices, algorithms)
def test_allreduce_is_reducescatter_and_allgather(n: int, p: int, algorithm: Algorithm) -> None:
    whole = allreduce(n=n, p=p, algorithm=algorithm)
    halves = reducescatter(n=n, p=p, algorithm=algorithm), allgather(n=n, p=p, algorithm=algorithm)
    assert halves[0].wire is not None
    assert halves[1].wire is not None
    assert whole.wire == halves[0].wire + halves[1].wire
    assert whole.messages == halves[0].messages + halves[1].messages
    assert whole.flops == halves[0].flops


@given(lengths)
def test_one_device_sends_nothing_and_copies_at_most(n: int) -> None:
    for operation in (allreduce, reducescatter, allgather, alltoall):
        kernel = operation(n=n, p=1)
        assert (kernel.wire, kernel.messages, kernel.flops) == (0, 0, 0)
        assert kernel.bytes == 2 * n * B


@given(st.integers(min_value=1, max_value=30), st.integers(min_value=1, max_value=40))
def test_a_ring_simulated_sends_what_the_formula_says(n: int, p: int) -> None:
    """Reduce-scatter: in step s device d passes part d - s on; the busiest device counts."""
    parts = [n // p + (part < n % p) for part in range(p)]
    sent = [sum(parts[(device - step) % p] for step in range(p - 1)) for device in range(p)]
    kernel = reducescatter(n=n, p=p)
    assert (kernel.wire, kernel.messages) == (max(sent) * B, max(p - 1, 0))


@given(st.integers(min_value=1, max_value=200))
def test_bruck_simulated_sends_what_the_formula_says(p: int) -> None:
    """In step k each device passes on the parts whose distance to their device has bit k set."""
    steps = [[part for part in range(p) if part >> k & 1] for k in range(p.bit_length())]
    kernel = alltoall(n=3 * p, p=p, algorithm="bruck")
    assert kernel.wire == 3 * sum(len(step) for step in steps) * B
    assert kernel.messages == sum(1 for step in steps if step)


@given(st.integers(min_value=1, max_value=30))
def test_bruck_over_a_power_of_two_sends_half_of_everything_a_step(exponent: int) -> None:
    p = 2**exponent
    kernel = alltoall(n=6 * p, p=p, algorithm="bruck")
    assert kernel.wire == 3 * p * log2(p) * B  # n / 2 log2 p


@given(lengths, st.integers(min_value=2, max_value=10**6))
def test_a_tree_takes_as_many_bytes_in_fewer_steps(n: int, p: int) -> None:
    ring, tree = allreduce(n=n, p=p), allreduce(n=n, p=p, algorithm="tree")
    assert ring.wire == tree.wire
    assert tree.messages <= ring.messages
    assert 2 ** (tree.messages // 2) >= p > 2 ** (tree.messages // 2 - 1)


def test_three_devices_share_ten_elements_unevenly() -> None:
    # parts of 4, 3, 3: the busiest device passes on 4 + 3 elements
    assert reducescatter(n=10, p=3).wire == 7 * B


@pytest.mark.parametrize(
    ("operation", "options", "message"),
    [
        (allreduce, {"n": 0, "p": 2}, "n must be a whole number from 1 to 1e15, got 0"),
        (allgather, {"n": 8, "p": 0}, "p must be a whole number from 1 to 1e15, got 0"),
        (reducescatter, {"n": 8, "p": 10**30}, f"p must be a whole number from 1 to 1e15, got {10**30}"),
        (allreduce, {"n": 8, "p": 2, "algorithm": "star"}, "algorithm must be one of ring, tree, got 'star'"),
        (alltoall, {"n": 8, "p": 2, "algorithm": "ring"}, "algorithm must be one of pairwise, bruck, got 'ring'"),
        (alltoall, {"n": 10, "p": 4}, "p must divide n: 10 is no multiple of 4"),
        (p2p, {"n": -1}, "n must be a whole number from 1 to 1e15, got -1"),
    ],
)
def test_bad_shapes_name_the_argument(operation: Callable[..., Kernel], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        operation(**options)
    assert str(error.value) == message
