"""An independent witness: FLOPs at random shapes as PyTorch counts them while it runs the same operation.

PyTorch's counter (``torch.utils.flop_counter``) sees the matrix products and convolutions that are dispatched; on the
meta device they have shapes and no data. It counts a bias as nothing and an attention mask as no saving.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofline.operations.conv import conv1d, conv2d, conv3d
from roofline.operations.linear import gemm, gemv
from roofline.operations.sdpa import attention

torch: Any = pytest.importorskip("torch", reason="no torch to compare with: pip install '.[witness]'")
counter: Any = pytest.importorskip("torch.utils.flop_counter")
functional: Any = torch.nn.functional

small, wide = st.integers(1, 9), st.integers(1, 20_000)
# The first call of a process loads kernels, so no single example has a deadline.
unhurried = settings(deadline=None, max_examples=50)


def counted(run: Callable[[], object]) -> int:
    with counter.FlopCounterMode(display=False) as mode:
        run()
    total = mode.get_total_flops()
    assert isinstance(total, int)
    return total


def empty(*shape: int) -> Any:
    return torch.empty(*shape, device="meta", dtype=torch.bfloat16)


def test_the_counter_counts() -> None:
    assert counted(lambda: empty(2, 3) @ empty(3, 5)) == 2 * 2 * 3 * 5


@unhurried
@given(wide, wide, wide, st.integers(1, 64))
def test_products_of_matrices(m: int, n: int, k: int, batch: int) -> None:
    assert gemm(m=m, n=n, k=k).flops == counted(lambda: empty(m, k) @ empty(k, n))
    assert gemm(m=m, n=n, k=k, batch=batch).flops == counted(lambda: torch.bmm(empty(batch, m, k), empty(batch, k, n)))
    assert gemm(m=m, n=n, k=k, accumulate=True).flops == counted(
        lambda: torch.addmm(empty(m, n), empty(m, k), empty(k, n))
    )


@unhurried
@given(wide, wide, small, small, st.booleans())
def test_linear_layers(n: int, k: int, sequences: int, tokens: int, bias: bool) -> None:
    layer = torch.nn.Linear(k, n, bias=bias, device="meta", dtype=torch.bfloat16)
    assert gemm(m=sequences * tokens, n=n, k=k, bias=bias).flops == counted(lambda: layer(empty(sequences, tokens, k)))
    assert gemv(m=n, n=k).flops == counted(lambda: layer(empty(1, k)))


@st.composite
def convolutions(draw: st.DrawFn) -> dict[str, Any]:
    """A convolution along one to three axes, with groups, stride, padding and dilation; its output has a point."""
    axes, groups = draw(st.integers(1, 3)), draw(st.integers(1, 4))

    def each(low: int, high: int) -> tuple[int, ...]:
        return tuple(draw(st.integers(low, high)) for _ in range(axes))

    taps, dilation = each(1, 4), each(1, 3)
    reach = [d * (t - 1) + 1 for t, d in zip(taps, dilation, strict=True)]
    return {
        "n": draw(small),
        "c": groups * draw(small),
        "k": groups * draw(small),
        "points": tuple(r + draw(small) for r in reach),
        "taps": taps,
        "stride": each(1, 3),
        "padding": tuple(draw(st.integers(0, (r - 1) // 2)) for r in reach),
        "dilation": dilation,
        "groups": groups,
        "transposed": draw(st.booleans()),
    }


@unhurried
@given(convolutions())
def test_convolutions(shape: dict[str, Any]) -> None:
    axes, c, k, groups = len(shape["points"]), shape["c"], shape["k"], shape["groups"]
    options = {name: shape[name] for name in ("stride", "padding", "dilation", "groups")}
    image = empty(shape["n"], c, *shape["points"])
    if shape["transposed"]:
        weight = empty(c, k // groups, *shape["taps"])
        run = (functional.conv_transpose1d, functional.conv_transpose2d, functional.conv_transpose3d)[axes - 1]
    else:
        weight = empty(k, c // groups, *shape["taps"])
        run = (functional.conv1d, functional.conv2d, functional.conv3d)[axes - 1]
    ours: Callable[..., Any] = (conv1d, conv2d, conv3d)[axes - 1]
    points = dict(zip("dhw"[3 - axes :], shape["points"], strict=True))
    taps = dict(zip("trs"[3 - axes :], shape["taps"], strict=True))
    kernel = ours(n=shape["n"], c=c, k=k, **points, **taps, **options, transposed=shape["transposed"])
    assert kernel.flops == counted(lambda: run(image, weight, **options))
    # What it makes has as many elements as PyTorch's output: they grow by 2 B each in fp32.
    grown = ours(n=shape["n"], c=c, k=k, **points, **taps, **options, transposed=shape["transposed"], result="fp32")
    assert grown.bytes - kernel.bytes == 2 * run(image, weight, **options).numel()


@unhurried
@given(
    small,
    small,
    st.integers(1, 4),
    st.integers(1, 4096),
    st.integers(1, 4096),
    st.integers(1, 256),
    st.integers(1, 256),
)
def test_attention(b: int, h_kv: int, group: int, s_q: int, s_kv: int, d: int, d_v: int) -> None:
    h = h_kv * group
    query, key, value = empty(b, h, s_q, d), empty(b, h_kv, s_kv, d), empty(b, h_kv, s_kv, d_v)
    ran = counted(lambda: functional.scaled_dot_product_attention(query, key, value, enable_gqa=True))
    assert attention(b=b, h=h, h_kv=h_kv, s_q=s_q, s_kv=s_kv, d=d, d_v=d_v, count="full").flops == ran
