"""Direct convolution along any number of axes: the arithmetic that the operations of ``conv`` share.

Output sizes after V. Dumoulin, F. Visin: A guide to convolution arithmetic for deep learning, arXiv:1603.07285.
"""

from math import prod
from typing import NamedTuple

from roofline.core.kernel import FLOP_PER_MAC, Kernel
from roofline.errors import InputError
from roofline.operations.arguments import counts, divides, held, sizes
from roofline.precision import remarks, storage


class Axis(NamedTuple):
    """One spatial axis: its points and the taps of the filter along it, with the names of their arguments."""

    name: str
    points: int
    tap_name: str
    taps: int


def convolution(
    *,
    name: str,
    n: int,
    c: int,
    axes: tuple[Axis, ...],
    k: int,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    groups: int,
    transposed: bool,
    output_padding: tuple[int, ...],
    bias: bool,
    dtype: str,
    weights: str | None,
    result: str | None,
) -> Kernel:
    """The kernel of a convolution along any number of axes, in FLOP and B; ``conv2d`` explains the arguments.

    Raises:
        InputError: a size out of its domain, groups that do not divide the channels, or no output.

    """
    sizes(n=n, c=c, k=k, groups=groups)
    for axis in axes:
        sizes(**{axis.name: axis.points, axis.tap_name: axis.taps})
    divides("groups", groups, "c", c)
    divides("groups", groups, "k", k)
    steps = _per_axis("stride", stride, len(axes))
    zeros = _per_axis("padding", padding, len(axes), least=0)
    gaps = _per_axis("dilation", dilation, len(axes))
    extras = _per_axis("output_padding", output_padding, len(axes), least=0)
    if any(extras) and not transposed:
        raise InputError("output_padding is for transposed convolutions alone")
    length = _enlarged if transposed else _reduced
    outputs = prod(length(*along) for along in zip(axes, steps, zeros, gaps, extras, strict=True))
    inputs, taps = prod(axis.points for axis in axes), prod(axis.taps for axis in axes)
    # Every pair of channels of a group meets at each tap, once for each output point (input point, if transposed).
    macs = n * (inputs if transposed else outputs) * (c * k // groups) * taps
    written = n * k * outputs
    held_in = storage(dtype, name="dtype")
    held_filters, held_out = held("weights", weights, held_in), held("result", result, held_in)
    return Kernel(
        name=f"{name} {n}x{c}x{'x'.join(str(a.points) for a in axes)}, {k} of {'x'.join(str(a.taps) for a in axes)}",
        flops=FLOP_PER_MAC * macs,
        bytes=held_in.size_of(n * c * inputs)
        + held_filters.size_of(k * (c // groups) * taps)
        + (held_out.size_of(k) if bias else 0)
        + held_out.size_of(written),
        dtype=held_in.arithmetic,
        unit="vector" if groups == c else None,  # one channel a group: no sum over channels, so no matrix product
        assumptions=(
            "each array is moved once",
            *(("a bias starts the sum: no FLOP",) if bias else ()),
            "transposed: each input point meets each tap" if transposed else "direct: zeros of the padding count",
        ),
        notes=remarks(held_filters.name),
    )


def _per_axis(name: str, values: tuple[int, ...], axes: int, *, least: int = 1) -> tuple[int, ...]:
    """One number for all axes, or one each."""
    if len(values) not in (1, axes):
        wanted = f"one number or {axes}" if axes > 1 else "one number"
        raise InputError(f"{name} must be {wanted}, got {len(values)}")
    for value in values:
        (sizes if least else counts)(**{name: value})
    return values * axes if len(values) == 1 else values


def _reduced(axis: Axis, stride: int, padding: int, dilation: int, _extra: int) -> int:
    """Output points along an axis."""
    extent, padded = dilation * (axis.taps - 1) + 1, axis.points + 2 * padding
    if extent > padded:
        raise InputError(
            f"{axis.tap_name} must fit the input: {axis.taps} taps reach over {extent} points, and {axis.name} has "
            f"{padded} with its padding"
        )
    return (padded - extent) // stride + 1


def _enlarged(axis: Axis, stride: int, padding: int, dilation: int, extra: int) -> int:
    """Output points along an axis of a transposed convolution."""
    if extra >= max(stride, dilation):
        raise InputError(f"output_padding must be smaller than the stride or the dilation, got {extra}")
    points = (axis.points - 1) * stride - 2 * padding + dilation * (axis.taps - 1) + 1 + extra
    if points < 1:
        raise InputError(f"padding must leave an output: {padding} on each side of {axis.name} leaves {points} points")
    return points
