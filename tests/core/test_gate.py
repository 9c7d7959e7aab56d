"""Gates: what passes, what fails, and what is refused because the headline and the dense peak disagree."""

from __future__ import annotations

import re
from typing import Any

import pytest

from roofline.core.choice import RoofQuery
from roofline.core.device import Device, Headline, Memory, Peak
from roofline.core.gate import Expectation, bound_named, judge
from roofline.core.kernel import Kernel
from roofline.core.placement import Placed
from roofline.core.target import Target
from roofline.errors import AmbiguousVerdictError, InputError

# headline ridge 200 / 10 = 20 FLOP/B, dense ridge 100 / 10 = 10 FLOP/B
CHIP = Device(
    id="chip",
    name="Chip",
    headline=Headline(peak=200.0, dtype="fp16", sparsity="2:4"),
    peaks=(Peak(dtype="fp16", unit="matrix", dense=100.0, sparse=200.0),),
    memory=(Memory(level="HBM", bandwidth=10.0),),
)


def placed(query: RoofQuery | None = None, **kernel: Any) -> Placed:
    return Target(device=CHIP, query=query or RoofQuery()).place(Kernel(name="k", **kernel))


def texts(one: Placed, **asked: Any) -> list[str]:
    return [failure.text for failure in judge(one, Expectation(**asked))]


def test_a_bound_that_both_roofs_agree_on_needs_no_precision() -> None:
    assert texts(placed(flops=5, bytes=1), bound="memory") == []
    assert texts(placed(flops=5, bytes=1), bound="compute") == ["expected compute-bound, is memory-bound"]


def test_a_bound_between_the_ridges_is_refused_until_the_peak_is_named() -> None:
    with pytest.raises(AmbiguousVerdictError, match="expect cannot be judged") as caught:
        texts(placed(flops=15, bytes=1), bound="compute")
    assert "--dtype" in (caught.value.hint or "")
    assert caught.value.exit_status == 2
    assert texts(placed(RoofQuery(headline=True), flops=15, bytes=1), bound="memory") == []
    assert texts(placed(RoofQuery(dtype="fp16"), flops=15, bytes=1), bound="compute") == []


def test_efficiency_is_ambiguous_only_where_the_roofs_differ_in_the_answer() -> None:
    # 1000 FLOP in 12 s: 5 s at the headline (41.67 %), 10 s at the dense peak (83.33 %)
    kernel = placed(flops=1000, bytes=1, seconds=12)
    assert texts(kernel, min_efficiency=0.4) == []
    with pytest.raises(AmbiguousVerdictError):
        texts(kernel, min_efficiency=0.6)
    assert texts(kernel, min_efficiency=0.9) == ["reaches 41.67 % of the roof, 90.00 % is required"]


def test_what_cannot_be_judged_fails_and_says_so() -> None:
    assert texts(placed(flops=1, bytes=1), min_efficiency=0.1) == [
        "must reach 10.00 % of the roof but has no measured time"
    ]
    assert texts(placed(bytes=1, seconds=1e3), min_efficiency=0.5) == [
        "must reach 50.00 % of the roof but has no FLOP count"
    ]
    assert texts(placed(bytes=1, seconds=1), bound="memory") == ["expected memory-bound, is unknown"]
    assert texts(placed(flops=1, bytes=1), max_time=1.0) == ["has a limit of 1.000 s but no measured time"]


def test_a_lower_bound_that_is_high_enough_passes() -> None:
    assert texts(placed(bytes=100, seconds=10), min_efficiency=0.9) == []


def test_max_time() -> None:
    assert texts(placed(flops=1, bytes=1, seconds=2), max_time=2.0) == []
    assert texts(placed(flops=1, bytes=1, seconds=2), max_time=1.0) == ["takes 2.000 s, at most 1.000 s is allowed"]


def test_bound_names() -> None:
    assert (bound_named("memory-bound", name="x"), bound_named("Compute", name="x")) == ("memory", "compute")
    with pytest.raises(InputError, match=re.escape("x must be memory-bound, compute-bound or link-bound, got 'fast'")):
        bound_named("fast", name="x")


@pytest.mark.parametrize("query", [RoofQuery(unit="matrix"), RoofQuery(sparse=True)])
def test_a_unit_or_a_density_alone_names_no_precision(query: RoofQuery) -> None:
    """15 FLOP/B lies between the ridges of 10 and 20."""
    with pytest.raises(AmbiguousVerdictError):
        texts(placed(query, flops=15, bytes=1), bound="compute")
    assert texts(placed(query, flops=5, bytes=1), bound="memory") == []
