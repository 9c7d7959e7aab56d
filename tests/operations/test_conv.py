"""Convolutions: worked cases, published networks, brute force over indices, and identities with other operations."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import InputError
from roofline.operations.conv import conv1d, conv2d, conv3d, depthwise
from roofline.operations.linear import gemm

small = st.integers(1, 6)


def written(function: Any, **shape: Any) -> int:
    """Elements of the output: it grows by 2 B each where it is fp32 and not bf16."""
    return int(function(**shape, result="fp32").bytes - function(**shape, result="bf16").bytes) // 2


def filter_elements(function: Any, **shape: Any) -> int:
    return int(function(**shape, weights="fp32").bytes - function(**shape, weights="bf16").bytes) // 2


def test_strided_convolution_of_an_image() -> None:
    # (224 + 2 x 3 - 7) // 2 + 1 = 112 points a side; 2 x 112 x 112 x 64 x 3 x 49 FLOP
    kernel = conv2d(n=1, c=3, k=64, h=224, w=224, r=7, s=7, stride=(2,), padding=(3,))
    assert kernel.flops == 2 * 112 * 112 * 64 * 3 * 49 == 236_027_904
    assert kernel.bytes == 2 * (3 * 224 * 224 + 64 * 3 * 49 + 64 * 112 * 112)


def test_groups_divide_the_work_once() -> None:
    # 2 x 56 x 56 x 128 x 9 FLOP over (2 x 56 x 56 x 128 + 9 x 128) x 2 B
    kernel = conv2d(n=1, c=128, k=128, groups=128, h=56, r=3, padding=(1,), dtype="fp16")
    assert kernel.flops == 7_225_344
    assert kernel.bytes == (2 * 56 * 56 * 128 + 9 * 128) * 2
    assert kernel.arithmetic_intensity == pytest.approx(4.494, abs=5e-4)


def test_transposed_work_comes_from_the_input_points() -> None:
    # 4 input points x 3 channels in x 1 out x 4 taps x 2; 4 x 4 output points
    shape: dict[str, Any] = {"n": 1, "c": 3, "k": 1, "h": 2, "r": 2, "stride": (2,), "transposed": True}
    assert conv2d(**shape).flops == 2 * 4 * 3 * 1 * 4 == 96
    assert written(conv2d, **shape) == 16


# c, k, h, r, stride, padding, groups
ALEXNET = (
    (3, 96, 227, 11, 4, 0, 1),
    (96, 256, 27, 5, 1, 2, 2),
    (256, 384, 13, 3, 1, 1, 1),
    (384, 384, 13, 3, 1, 1, 2),
    (384, 256, 13, 3, 1, 1, 2),
)
VGG16_WIDTHS = {
    224: (3, 64, 64),
    112: (64, 128, 128),
    56: (128, 256, 256, 256),
    28: (256, 512, 512, 512),
    14: (512, 512, 512, 512),
}
VGG16 = tuple((c, k, h, 3, 1, 1, 1) for h, widths in VGG16_WIDTHS.items() for c, k in pairwise(widths))


@pytest.mark.parametrize(("layers", "macs", "weights"), [(ALEXNET, 666e6, 2.3e6), (VGG16, 15.3e9, 14.7e6)])
def test_published_networks(layers: tuple[tuple[int, ...], ...], macs: float, weights: float) -> None:
    """V. Sze et al.: Efficient processing of deep neural networks, Proceedings of the IEEE 105(12), 2017, table 2."""
    shapes: list[dict[str, Any]] = [
        {"c": c, "k": k, "h": h, "r": r, "stride": (u,), "padding": (p,), "groups": g} for c, k, h, r, u, p, g in layers
    ]
    # Printed with 3 digits (weights of AlexNet with 2).
    assert sum(conv2d(**s).flops or 0 for s in shapes) / 2 == pytest.approx(macs, rel=5e-3)
    assert sum(filter_elements(conv2d, **s) for s in shapes) == pytest.approx(weights, rel=2e-2)


@given(small, small, small, small, st.integers(1, 12), st.integers(1, 4), st.integers(0, 3), st.integers(1, 3))
def test_every_product_is_counted(n: int, c: int, k: int, r: int, h: int, stride: int, padding: int, gap: int) -> None:
    """Brute force: walk over the starts of the filter and keep those from which its last tap is still inside."""
    padded = h + 2 * padding
    points = sum(1 for start in range(0, padded, stride) if start + gap * (r - 1) < padded)
    shape: dict[str, Any] = {"n": n, "c": c, "k": k, "w": h, "s": r}
    shape |= {"stride": (stride,), "padding": (padding,), "dilation": (gap,)}
    if points == 0:
        with pytest.raises(InputError, match=r"^s must fit the input"):
            conv1d(**shape)
        return
    assert written(conv1d, **shape) == n * k * points
    assert conv1d(**shape).flops == 2 * n * k * points * c * r


@given(small, small, small, small, small, st.integers(1, 4), st.integers(0, 2), st.integers(1, 3), st.data())
def test_transposed_is_the_adjoint(
    n: int, c: int, k: int, r: int, h: int, stride: int, padding: int, gap: int, data: st.DataObject
) -> None:
    """It undoes the shape of the convolution with the channels swapped, and does the same products."""
    extra = data.draw(st.integers(0, stride - 1))
    steps: dict[str, Any] = {"stride": (stride,), "padding": (padding,), "dilation": (gap,)}
    up: dict[str, Any] = {"n": n, "c": c, "k": k, "w": h, "s": r, "transposed": True, "output_padding": (extra,)}
    if (h - 1) * stride - 2 * padding + gap * (r - 1) + 1 + extra < 1:
        with pytest.raises(InputError, match=r"^padding must leave an output"):
            conv1d(**up, **steps)
        return
    wide = written(conv1d, **up, **steps) // (n * k)
    down: dict[str, Any] = {"n": n, "c": k, "k": c, "w": wide, "s": r, **steps}
    assert written(conv1d, **down) == n * c * h
    assert conv1d(**down).flops == conv1d(**up, **steps).flops
    assert conv1d(**down).bytes == conv1d(**up, **steps).bytes


@given(small, small, small, small, small, st.booleans(), st.sampled_from([None, "fp8", "mxfp4"]))
def test_pointwise_convolution_is_a_gemm(
    n: int, c: int, k: int, h: int, w: int, bias: bool, weights: str | None
) -> None:
    conv = conv2d(n=n, c=c, k=k, h=h, w=w, r=1, bias=bias, weights=weights)
    product = gemm(m=n * h * w, n=k, k=c, bias=bias, weights=weights)
    assert (conv.flops, conv.bytes, conv.dtype) == (product.flops, product.bytes, product.dtype)


@given(small, small, st.integers(4, 9), small, st.integers(1, 3), st.integers(1, 2))
def test_depthwise_is_grouped_by_channel(n: int, c: int, h: int, multiplier: int, r: int, stride: int) -> None:
    one = depthwise(n=n, c=c, h=h, r=r, multiplier=multiplier, stride=(stride,))
    other = conv2d(n=n, c=c, k=c * multiplier, h=h, r=r, groups=c, stride=(stride,))
    assert (one.flops, one.bytes) == (other.flops, other.bytes)


@given(small, small, small, st.integers(3, 9), st.integers(3, 9), st.integers(1, 3), st.integers(1, 3))
def test_an_axis_of_one_point_changes_nothing(n: int, c: int, k: int, h: int, w: int, r: int, s: int) -> None:
    flat, deep = conv2d(n=n, c=c, k=k, h=h, w=w, r=r, s=s), conv3d(n=n, c=c, k=k, d=1, h=h, w=w, t=1, r=r, s=s)
    assert (flat.flops, flat.bytes) == (deep.flops, deep.bytes)
    line, thin = conv1d(n=n, c=c, k=k, w=w, s=s), conv2d(n=n, c=c, k=k, h=1, w=w, r=1, s=s)
    assert (line.flops, line.bytes) == (thin.flops, thin.bytes)


def test_axes_have_steps_of_their_own() -> None:
    # (17 - 3) // 1 + 1 = 15 rows, (17 + 2 - 3) // 2 + 1 = 9 columns
    assert written(conv2d, c=1, k=1, h=17, r=3, stride=(1, 2), padding=(0, 1)) == 15 * 9
    # a clip of 8 frames, 3 x 7 x 7 taps, stride 1 in time: 8 x 112 x 112 points
    clip: dict[str, Any] = {"c": 3, "k": 64, "d": 8, "h": 224, "t": 3, "r": 7}
    assert written(conv3d, **clip, stride=(1, 2, 2), padding=(1, 3, 3)) == 64 * 8 * 112 * 112


def test_bias_and_formats() -> None:
    shape: dict[str, Any] = {"c": 4, "k": 8, "h": 5, "r": 1}  # 100 in, 32 weights, 200 out
    plain, biased = conv2d(**shape), conv2d(**shape, bias=True)
    assert biased.flops == plain.flops == 2 * 32 * 25  # a bias is where the sum starts
    assert (biased.bytes or 0) - (plain.bytes or 0) == 8 * 2
    mixed = conv2d(**shape, dtype="fp8", weights="int4", result="fp32")
    assert (mixed.bytes, mixed.dtype) == (100 + 16 + 800, "fp8")
    # 32 weights are one block of 17 B: they are converted, and multiplied in the format of the input
    blocks = conv2d(**shape, weights="mxfp4")
    assert (blocks.bytes, blocks.dtype) == (200 + 17 + 400, "bf16")


def test_a_format_that_is_an_average_says_so() -> None:
    assert any("average of Llama-3.1-8B" in note for note in conv2d(c=4, k=8, h=5, r=1, weights="q4_k_m").notes)
    assert conv2d(c=4, k=8, h=5, r=1).notes == ()


def test_work_beyond_64_bits_is_exact() -> None:
    # 10^6 x 10^6 points x 10^5 x 10^5 channels, 1 x 1: 2 x 10^22
    assert conv2d(c=10**5, k=10**5, h=10**6, r=1).flops == 2 * 10**22


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"c": 0}, "c must be a whole number from 1"),
        ({"h": -3}, "h must be a whole number from 1"),
        ({"r": 2.5}, "r must be a whole number from 1"),
        ({"groups": 3}, "groups must divide c: 4 is no multiple of 3"),
        ({"c": 6, "groups": 3}, "groups must divide k: 8 is no multiple of 3"),
        ({"r": 9}, "r must fit the input: 9 taps reach over 9 points, and h has 5 with its padding"),
        ({"dilation": (3,)}, "r must fit the input: 3 taps reach over 7 points, and h has 5 with its padding"),
        ({"stride": (0,)}, "stride must be a whole number from 1"),
        ({"stride": (1, 1, 1)}, "stride must be one number or 2, got 3"),
        ({"padding": (-1,)}, "padding must be a whole number from 0"),
        ({"output_padding": (1,)}, "output_padding is for transposed"),
        ({"output_padding": (1,), "transposed": True}, "output_padding must be smaller than the stride"),
        ({"padding": (4,), "transposed": True}, "padding must leave an output: 4 on each side of h leaves -1 points"),
    ],
)
def test_bad_shapes_name_the_argument(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        conv2d(**{"c": 4, "k": 8, "h": 5, "r": 3} | change)
    assert str(error.value).startswith(message)
