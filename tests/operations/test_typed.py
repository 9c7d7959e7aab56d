"""Arguments of another type than the annotations have: one error that names the argument, whatever the operation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import roofline.operations
from roofline.core.kernel import Kernel
from roofline.errors import InputError
from roofline.operations.conv import conv2d, depthwise
from roofline.operations.linear import gemm, grouped_gemm
from roofline.operations.registry import find, operations
from roofline.operations.sdpa import attention
from roofline.operations.sparse import spmv
from roofline.operations.spectral import fft
from roofline.operations.stencils import stencil
from roofline.operations.vector import stream_copy
from tests.operations.test_registry import smallest

Call = Callable[..., Kernel]


class WholeNumber:
    """A whole number of another library, as numpy's are."""

    def __index__(self) -> int:
        return 8


def lazily() -> Iterator[int]:
    yield 4


@pytest.mark.parametrize(
    ("call", "arguments", "message"),
    [
        (gemm, {"m": 8, "n": 8, "k": 8, "dtype": None}, "dtype must be the name of a number format, such as 'bf16', "),
        (gemm, {"m": 8, "n": 8, "k": 8, "weights": 4}, "weights must be the name of a number format, such as 'bf16', "),
        (gemm, {"m": "8", "n": 8, "k": 8}, "m must be a whole number, got '8'"),
        (gemm, {"m": None, "n": 8, "k": 8}, "m must be a whole number, got None"),
        (gemm, {"m": [8], "n": 8, "k": 8}, "m must be a whole number, got a value of type list"),
        (gemm, {"m": 8, "n": 8, "k": 8, "tile": 64}, "tile must be three sizes M,N,K, got 1"),
        (gemm, {"m": 8, "n": 8, "k": 8, "bias": "no"}, "bias must be True or False, got 'no'"),
        (conv2d, {"c": 1, "k": 1, "h": 8, "r": 2, "stride": None}, "stride must be whole numbers, such as (4, 4), got"),
        (attention, {"h": 1, "s_q": 8, "d": 8, "count": None}, "count must be a word, got None"),
        (spmv, {"rows": 8, "columns": 8, "nnz": 8, "scheme": 5}, "scheme must be a word, got a value of type int"),
        (stencil, {"grid": 5}, "grid must have two or three dimensions, got 1"),
        (
            grouped_gemm,
            {"m": lazily(), "n": 8, "k": 8},
            "m must be whole numbers, such as (4, 4), got a value of type ",
        ),
        (grouped_gemm, {"m": (4, "x"), "n": 8, "k": 8}, "m must be whole numbers, such as (4, 4), got 'x'"),
        (fft, {"n": "8"}, "n must be whole numbers, such as (4, 4), got '8'"),
        (stream_copy, {"n": 8, "write_allocate": 7}, "write_allocate must be True or False, got a value of type int"),
    ],
)
def test_another_type_is_refused_by_the_argument_s_name(call: Call, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        call(**arguments)


@pytest.mark.parametrize("name", list(operations()))
@pytest.mark.parametrize("bad", [None, object(), [object()], {}, b"bf16", 2j])
def test_no_argument_of_any_operation_gives_anything_but_an_input_error(name: str, bad: object) -> None:
    for parameter in find(name).parameters:
        if bad is None and parameter.optional:
            continue
        with pytest.raises(InputError, match=f"^{parameter.name} must be "):
            find(name).function(**smallest(name) | {parameter.name: bad})


def test_whole_numbers_of_other_libraries_are_sizes() -> None:
    """8 x 8 x 8 products of 2 FLOP; 3 x 64 values of 2 B."""
    kernel = gemm(m=WholeNumber(), n=8, k=8)  # type: ignore[arg-type]
    assert (kernel.name, kernel.flops, kernel.bytes) == ("gemm 8x8x8", 1024, 384)
    assert isinstance(kernel.flops, int)


def test_one_number_or_a_list_stands_for_a_tuple() -> None:
    """As on the command line, where -n 8 is one dimension: 5 x 8 x 3 FLOP."""
    assert fft(n=8).flops == fft(n=[8]).flops == fft(n=(8,)).flops == 120  # type: ignore[arg-type]
    assert conv2d(c=1, k=1, h=8, r=2, stride=2) == conv2d(c=1, k=1, h=8, r=2, stride=(2, 2))  # type: ignore[arg-type]


def test_what_is_positional_missing_or_unknown_is_named_by_python() -> None:
    with pytest.raises(TypeError, match="takes 0 positional arguments but 1 was given"):
        gemm(8)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'k'"):
        gemm(m=8, n=8)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'q'"):
        gemm(m=8, n=8, k=8, q=8)  # type: ignore[call-arg]


def test_sizes_whose_product_is_too_large_are_named() -> None:
    """2 x 10^15 x 10^15 x 10^15 x 10^15 FLOP are more than 10^60; a batch of 1 has no part in it."""
    huge = 10**15
    with pytest.raises(
        InputError, match=r"^m, n, k, batch are too large together: FLOPs must be 0 or between 1e-30 and"
    ):
        gemm(m=huge, n=huge, k=huge, batch=huge)
    with pytest.raises(InputError, match=r"^c times multiplier must be at most 1e15 output channels, got 10{15} x 2$"):
        depthwise(c=huge, h=8, r=3, multiplier=2)


def test_names_with_dots_are_no_attributes() -> None:
    for name in ("gemm.x", "nothing.at.all", "", "1"):
        assert not hasattr(roofline.operations, name)


def test_a_star_import_brings_the_operations_and_nothing_else() -> None:
    found: dict[str, Any] = {}
    exec("from roofline.operations import *", found)
    assert found.keys() - {"__builtins__"} == set(operations())
