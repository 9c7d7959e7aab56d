"""Stencils: operation counts of Datta et al., traffic of the layer conditions, and the order of the reuse models."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import InputError
from roofline.operations.stencils import Shape, stencil

CUBE = (100, 100, 100)


def per_point(**options: Any) -> tuple[float, float]:
    kernel = stencil(**options)
    points = 1
    for along in options["grid"]:
        points *= along
    assert kernel.flops is not None
    assert kernel.bytes is not None
    return kernel.flops / points, kernel.bytes / points


@pytest.mark.parametrize(
    ("options", "flops", "moved"),
    [
        # Datta et al. 2009: 8 FLOP and 24 B with write-allocate, 0.33 FLOP/B
        pytest.param({"coefficients": 2, "write_allocate": True}, 8, 24, id="7-point-Datta"),
        # Datta et al., iWAPT 2009: 30 FLOP a point for 27 points of 4 coefficients (26 additions, 4 products)
        pytest.param({"shape": "box", "coefficients": 4, "write_allocate": True}, 30, 24, id="27-point-Datta"),
        pytest.param({}, 7 + 6, 16, id="7-point-each-its-own-coefficient"),
        pytest.param({"shape": "box"}, 27 + 26, 16, id="27-point-each-its-own-coefficient"),
        pytest.param({"radius": 4, "dtype": "fp32"}, 25 + 24, 8, id="25-point-star-of-radius-4"),
        pytest.param({"reuse": "none"}, 13, (7 + 1) * 8, id="every-neighbour-from-memory"),
        pytest.param({"steps": 10}, 130, 160, id="ten-sweeps"),
    ],
)
def test_flops_and_bytes_of_a_point_in_three_dimensions(options: dict[str, Any], flops: float, moved: float) -> None:
    assert per_point(grid=CUBE, **options) == (flops, moved)


def test_five_and_nine_points_in_two_dimensions() -> None:
    assert per_point(grid=(50, 50)) == (5 + 4, 16)
    assert per_point(grid=(50, 50), shape="box") == (9 + 8, 16)


@pytest.mark.parametrize(
    ("cache", "moved"),
    [
        # fp64, 100^3, radius 1; 3 planes of 100 x 100 are 240 kB, 5 rows of 100 are 4 kB; half of the cache counts
        pytest.param(480_000, 24, id="planes-fit"),  # 1 read, store, write-allocate
        pytest.param(479_999, 40, id="rows-fit"),  # 3 planes read, store, write-allocate
        pytest.param(8_000, 40, id="rows-just-fit"),
        pytest.param(7_999, 56, id="nothing-fits"),  # 5 rows read, store, write-allocate
    ],
)
def test_layer_conditions_of_the_7_point_stencil(cache: int, moved: float) -> None:
    """24, 40 and 56 B a point, as in Stengel et al. 2015 and its tables of the long-range and Jacobi stencils."""
    assert per_point(grid=CUBE, reuse="layer", cache=cache, write_allocate=True)[1] == moved


def test_layer_condition_of_the_5_point_stencil_in_single_precision() -> None:
    """The worked example of the layer-condition page of RRZE: 1024 x 1024, 3 x 1024 x 4 B want a cache of 24 kiB."""
    grid = (1024, 1024)
    assert per_point(grid=grid, reuse="layer", cache=24 * 1024, dtype="fp32")[1] == (1 + 1) * 4
    assert per_point(grid=grid, reuse="layer", cache=24 * 1024 - 1, dtype="fp32")[1] == (3 + 1) * 4


def test_a_box_touches_nine_rows() -> None:
    # 9 rows of 100 fp64 are 7.2 kB: they want 14.4 kB
    assert per_point(grid=CUBE, shape="box", reuse="layer", cache=14_400)[1] == (3 + 1) * 8
    assert per_point(grid=CUBE, shape="box", reuse="layer", cache=14_399)[1] == (9 + 1) * 8


shapes: st.SearchStrategy[Shape] = st.sampled_from(["star", "box"])


@given(
    st.lists(st.integers(min_value=9, max_value=2000), min_size=2, max_size=3),
    shapes,
    st.integers(min_value=1, max_value=4),
    st.integers(min_value=1, max_value=10**9),
)
def test_perfect_reuse_moves_least_and_none_most(grid: list[int], shape: Shape, radius: int, cache: int) -> None:
    common: dict[str, Any] = {"grid": tuple(grid), "shape": shape, "radius": radius}
    perfect, layer, none = (
        stencil(**common, reuse="perfect"),
        stencil(**common, reuse="layer", cache=cache),
        stencil(**common, reuse="none"),
    )
    assert perfect.bytes is not None
    assert layer.bytes is not None
    assert none.bytes is not None
    assert perfect.bytes <= layer.bytes <= none.bytes
    assert perfect.flops == layer.flops == none.flops


@given(shapes, st.integers(min_value=1, max_value=4), st.integers(min_value=1, max_value=10**7), st.integers(0, 10**7))
def test_a_larger_cache_never_moves_more(shape: Shape, radius: int, cache: int, more: int) -> None:
    small = stencil(grid=CUBE, shape=shape, radius=radius, reuse="layer", cache=cache).bytes
    large = stencil(grid=CUBE, shape=shape, radius=radius, reuse="layer", cache=cache + more).bytes
    assert small is not None
    assert large is not None
    assert large <= small


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grid": (10,)}, "grid must have two or three dimensions, got 1"),
        ({"grid": (10, 0)}, "grid must be a whole number from 1 to 1e15, got 0"),
        ({"grid": (10**30, 10, 10)}, f"grid must be a whole number from 1 to 1e15, got {10**30}"),
        ({"grid": (10, 8), "radius": 4}, "grid must have at least 2 radius + 1 = 9 points along each dimension, got 8"),
        ({"grid": (10, 10), "coefficients": 6}, "coefficients must be at most the 5 points of the stencil, got 6"),
        ({"grid": (10, 10), "reuse": "layer"}, "cache must be given with the layer model of reuse"),
        ({"grid": (10, 10), "cache": 1024}, "cache is for the layer model, not for reuse perfect"),
        ({"grid": (10, 10), "shape": "hex"}, "shape must be one of star, box, got 'hex'"),
        ({"grid": (10, 10), "reuse": "some"}, "reuse must be one of perfect, layer, none, got 'some'"),
        ({"grid": (10, 10), "steps": 0}, "steps must be a whole number from 1 to 1e15, got 0"),
    ],
)
def test_bad_shapes_name_the_argument(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        stencil(**options)
    assert str(error.value) == message


def test_the_model_of_reuse_is_named() -> None:
    assert "perfect reuse: each element read once a sweep: 1 element read a point" in stencil(grid=CUBE).assumptions
    rows_fit = stencil(grid=CUBE, reuse="layer", cache=100_000).assumptions
    assert "5 rows fit half of the cache, 3 planes do not: 3 elements read a point" in rows_fit
