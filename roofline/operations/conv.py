"""Convolutions: direct, grouped, dilated and transposed, in one to three dimensions."""

from typing import Final

from roofline.core.kernel import Kernel
from roofline.errors import InputError
from roofline.operations.arguments import LARGEST, sizes
from roofline.operations.filters import Axis, convolution
from roofline.operations.registry import operation

_FAMILY: Final = "deep learning"


@operation(_FAMILY)
def conv1d(
    *,
    n: int = 1,
    c: int,
    w: int,
    k: int,
    s: int,
    stride: tuple[int, ...] = (1,),
    padding: tuple[int, ...] = (0,),
    dilation: tuple[int, ...] = (1,),
    groups: int = 1,
    transposed: bool = False,
    output_padding: tuple[int, ...] = (0,),
    bias: bool = False,
    dtype: str = "bf16",
    weights: str | None = None,
    result: str | None = None,
) -> Kernel:
    """Convolution of n sequences, k filters of c x s taps each, in FLOP and B.

    As :func:`conv2d`, along one axis.

    Args:
        n: sequences in the batch
        c: input channels
        w: length of the input
        k: output channels
        s: taps of a filter
        stride: step between output points (between input points, if transposed)
        padding: zeros added at each end
        dilation: distance between taps
        groups: independent groups of channels; divides c and k
        transposed: the transpose of a convolution, which enlarges
        output_padding: points added at the end of a transposed output
        bias: add a value to each output channel
        dtype: number format of the input
        weights: number format of the filters; None: that of the input
        result: number format of the output; None: that of the input

    Raises:
        InputError: a size that is not a whole number from 1 on, groups that do not divide the channels, or no output.

    >>> conv1d(c=2, w=5, k=4, s=3).flops  # 3 points, 4 channels, 2 x 3 products each: 2 x 3 x 4 x 6
    144

    """
    return convolution(
        name="conv1d",
        n=n,
        c=c,
        axes=(Axis("w", w, "s", s),),
        k=k,
        stride=stride,
        padding=padding,
        dilation=dilation,
        groups=groups,
        transposed=transposed,
        output_padding=output_padding,
        bias=bias,
        dtype=dtype,
        weights=weights,
        result=result,
    )


@operation(_FAMILY)
def conv2d(
    *,
    n: int = 1,
    c: int,
    h: int,
    w: int | None = None,
    k: int,
    r: int,
    s: int | None = None,
    stride: tuple[int, ...] = (1,),
    padding: tuple[int, ...] = (0,),
    dilation: tuple[int, ...] = (1,),
    groups: int = 1,
    transposed: bool = False,
    output_padding: tuple[int, ...] = (0,),
    bias: bool = False,
    dtype: str = "bf16",
    weights: str | None = None,
    result: str | None = None,
) -> Kernel:
    """Convolution of n images, k filters of c x r x s taps each, in FLOP and B.

    2 n k p q (c / groups) r s FLOP for p x q output points, with p = floor((h + 2 padding - dilation (r - 1) - 1) /
    stride) + 1 and q alike; transposed, each input point meets each tap instead: 2 n c h w (k / groups) r s FLOP, and
    p = (h - 1) stride - 2 padding + dilation (r - 1) + 1 + output_padding (Dumoulin, Visin: A guide to convolution
    arithmetic for deep learning, arXiv:1603.07285). Zeros of the padding count as data, as in a direct convolution;
    Winograd and FFT methods do less. A bias is where the sum starts, so it adds none. Compulsory traffic: input and
    filters are read and the output is written once.

    Args:
        n: images in the batch
        c: input channels
        h: height of the input
        w: width of the input; None: its height
        k: output channels
        r: height of a filter
        s: width of a filter; None: its height
        stride: step between output points (between input points, if transposed); one for all axes or one each
        padding: zeros added on each side; one for all axes or one each
        dilation: distance between taps; one for all axes or one each
        groups: independent groups of channels; divides c and k
        transposed: the transpose of a convolution, which enlarges
        output_padding: points added at the end of a transposed output; one for all axes or one each
        bias: add a value to each output channel
        dtype: number format of the input
        weights: number format of the filters; None: that of the input
        result: number format of the output; None: that of the input

    Raises:
        InputError: a size that is not a whole number from 1 on, groups that do not divide the channels, or no output.

    >>> conv2d(c=3, h=224, k=64, r=7, stride=(2,), padding=(3,)).flops  # 2 x 112 x 112 x 64 x 3 x 7 x 7
    236027904

    """
    return convolution(
        name="conv2d",
        n=n,
        c=c,
        axes=(Axis("h", h, "r", r), Axis("w", h if w is None else w, "s", r if s is None else s)),
        k=k,
        stride=stride,
        padding=padding,
        dilation=dilation,
        groups=groups,
        transposed=transposed,
        output_padding=output_padding,
        bias=bias,
        dtype=dtype,
        weights=weights,
        result=result,
    )


@operation(_FAMILY)
def conv3d(
    *,
    n: int = 1,
    c: int,
    d: int,
    h: int,
    w: int | None = None,
    k: int,
    t: int,
    r: int | None = None,
    s: int | None = None,
    stride: tuple[int, ...] = (1,),
    padding: tuple[int, ...] = (0,),
    dilation: tuple[int, ...] = (1,),
    groups: int = 1,
    transposed: bool = False,
    output_padding: tuple[int, ...] = (0,),
    bias: bool = False,
    dtype: str = "bf16",
    weights: str | None = None,
    result: str | None = None,
) -> Kernel:
    """Convolution of n volumes, k filters of c x t x r x s taps each, in FLOP and B.

    As :func:`conv2d`, along three axes.

    Args:
        n: volumes in the batch
        c: input channels
        d: depth (or frames) of the input
        h: height of the input
        w: width of the input; None: its height
        k: output channels
        t: depth of a filter
        r: height of a filter; None: its depth
        s: width of a filter; None: its height
        stride: step between output points (between input points, if transposed); one for all axes or one each
        padding: zeros added on each side; one for all axes or one each
        dilation: distance between taps; one for all axes or one each
        groups: independent groups of channels; divides c and k
        transposed: the transpose of a convolution, which enlarges
        output_padding: points added at the end of a transposed output; one for all axes or one each
        bias: add a value to each output channel
        dtype: number format of the input
        weights: number format of the filters; None: that of the input
        result: number format of the output; None: that of the input

    Raises:
        InputError: a size that is not a whole number from 1 on, groups that do not divide the channels, or no output.

    >>> conv3d(c=1, d=4, h=4, k=1, t=3).flops  # 2 x 2 x 2 points of 27 products each: 2 x 8 x 27
    432

    """
    tall = t if r is None else r
    return convolution(
        name="conv3d",
        n=n,
        c=c,
        axes=(
            Axis("d", d, "t", t),
            Axis("h", h, "r", tall),
            Axis("w", h if w is None else w, "s", tall if s is None else s),
        ),
        k=k,
        stride=stride,
        padding=padding,
        dilation=dilation,
        groups=groups,
        transposed=transposed,
        output_padding=output_padding,
        bias=bias,
        dtype=dtype,
        weights=weights,
        result=result,
    )


@operation(_FAMILY)
def depthwise(
    *,
    n: int = 1,
    c: int,
    h: int,
    w: int | None = None,
    r: int,
    s: int | None = None,
    multiplier: int = 1,
    stride: tuple[int, ...] = (1,),
    padding: tuple[int, ...] = (0,),
    dilation: tuple[int, ...] = (1,),
    bias: bool = False,
    dtype: str = "bf16",
    weights: str | None = None,
    result: str | None = None,
) -> Kernel:
    """Depthwise convolution: each of c channels with filters of its own, r x s taps each, in FLOP and B.

    A :func:`conv2d` of c groups and c x multiplier output channels: 2 n c multiplier p q r s FLOP (Howard et al.:
    MobileNets, arXiv:1704.04861, equation 4).

    Args:
        n: images in the batch
        c: channels
        h: height of the input
        w: width of the input; None: its height
        r: height of a filter
        s: width of a filter; None: its height
        multiplier: filters, and so output channels, for each channel
        stride: step between output points; one for both axes or one each
        padding: zeros added on each side; one for both axes or one each
        dilation: distance between taps; one for both axes or one each
        bias: add a value to each output channel
        dtype: number format of the input
        weights: number format of the filters; None: that of the input
        result: number format of the output; None: that of the input

    Raises:
        InputError: a size that is not a whole number from 1 on, too many output channels, or no output.

    >>> depthwise(c=128, h=56, r=3, padding=(1,)).flops  # 2 x 56 x 56 x 128 x 9
    7225344

    """
    sizes(c=c, multiplier=multiplier)
    if c * multiplier > LARGEST:
        raise InputError(f"c times multiplier must be at most 1e15 output channels, got {c} x {multiplier}")
    return convolution(
        name="depthwise",
        n=n,
        c=c,
        axes=(Axis("h", h, "r", r), Axis("w", h if w is None else w, "s", r if s is None else s)),
        k=c * multiplier,
        stride=stride,
        padding=padding,
        dilation=dilation,
        groups=c,
        transposed=False,
        output_padding=(0,),
        bias=bias,
        dtype=dtype,
        weights=weights,
        result=result,
    )
