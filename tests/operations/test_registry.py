"""What holds for every operation, whoever wrote it: documented, pure, exact, and polite about bad arguments."""

from __future__ import annotations

import inspect
import math
import pkgutil
from typing import Any

import pytest

import roofline.operations
from roofline.core.kernel import Kernel
from roofline.errors import InputError, UnknownNameError
from roofline.operations.registry import Operation, Parameter, find, operation, operations

NAMES = list(operations())


def arguments_of(name: str, *kinds: str) -> list[Parameter]:
    return [parameter for parameter in find(name).parameters if parameter.kind in kinds]


def smallest(name: str, size: int = 4) -> dict[str, Any]:
    """Arguments that an operation cannot do without: all sizes alike, so that all divide and fit one another."""
    kinds: dict[str, Any] = {"size": size, "sizes": (size, size)}
    return {p.name: kinds[p.kind] for p in find(name).parameters if p.required}


def test_the_issue_s_operations_are_there() -> None:
    families = {
        "dense linear algebra": {"gemm", "gemv", "grouped_gemm", "dot", "axpy", "scal", "lu", "cholesky", "qr"},
        "stream": {"stream_copy", "stream_scale", "stream_add", "stream_triad"},
        "deep learning": {
            *("conv1d", "conv2d", "conv3d", "depthwise", "attention", "softmax", "layernorm", "rmsnorm", "gelu"),
            *("silu", "swiglu", "embedding", "cross_entropy", "elementwise", "reduce", "transpose"),
            *("optimizer_sgd", "optimizer_adam"),
        },
        "communication": {"allreduce", "allgather", "reducescatter", "alltoall", "p2p"},
    }
    for family, names in families.items():
        assert {name for name, found in operations().items() if found.family == family} == names
    assert {"spmv", "spmm", "stencil", "fft", "nbody", "histogram", "sort"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_python_interface_is_the_same_functions(name: str) -> None:
    assert getattr(roofline.operations, name) is find(name).function
    assert name in dir(roofline.operations)


def test_no_module_hides_an_operation() -> None:
    assert not {module.name for module in pkgutil.iter_modules(roofline.operations.__path__)} & set(NAMES)


def test_an_operation_that_does_not_exist_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'gem'"):
        _ = roofline.operations.gem


@pytest.mark.parametrize("name", NAMES)
def test_the_docstring_says_what_it_is_and_shows_a_value(name: str) -> None:
    found = find(name)
    doc = inspect.getdoc(found.function) or ""
    assert found.summary.endswith(".")
    assert ">>> " in doc
    assert "\nRaises:\n" in doc
    assert "Args:" not in found.explanation


@pytest.mark.parametrize("name", NAMES)
def test_every_argument_is_keyword_only_and_has_its_line_of_help(name: str) -> None:
    signature = inspect.signature(find(name).function)
    assert {p.kind for p in signature.parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    for parameter in find(name).parameters:
        assert parameter.help, parameter.name
        # None is a value that stands for another one, which the help names.
        assert not parameter.optional or "None: " in parameter.help, parameter.name


@pytest.mark.parametrize("name", NAMES)
def test_the_same_arguments_give_the_same_kernel(name: str) -> None:
    arguments = smallest(name)
    first = find(name).function(**arguments)
    assert first == find(name).function(**arguments)
    assert isinstance(first, Kernel)
    assert first.assumptions
    assert arguments == smallest(name)


@pytest.mark.parametrize("name", NAMES)
def test_work_and_traffic_are_whole_numbers_however_large(name: str) -> None:
    # A power of two, so that logarithms are whole as well; its fourth power is beyond 2^63.
    kernel = find(name).function(**smallest(name, 2**17))
    for amount in (kernel.flops, kernel.bytes, *kernel.bytes_at.values(), kernel.wire or 0):
        assert isinstance(amount, int)


# Arguments that mean something only together with others.
COMPANIONS: dict[tuple[str, str], dict[str, Any]] = {
    ("spmv", "width"): {"scheme": "ell"},
    ("spmm", "width"): {"scheme": "ell"},
    ("stencil", "cache"): {"reuse": "layer"},
    ("stencil", "layer"): {"cache": 64},
}


def with_size(name: str, parameter: Parameter, value: Any) -> dict[str, Any]:
    """Arguments of which one size has some value; where there are several, the first of them."""
    if parameter.kind == "sizes":
        value = (value, *(4,) * (len(parameter.default or (1, 1)) - 1))
    return smallest(name) | COMPANIONS.get((name, parameter.name), {}) | {parameter.name: value}


@pytest.mark.parametrize("name", NAMES)
def test_a_bad_size_is_refused_by_its_name(name: str) -> None:
    for parameter in arguments_of(name, "size", "sizes"):
        for bad in (-1, 1.5, 4.0, True, 1e30, 10**30, 10**5000, math.nan, math.inf):
            with pytest.raises(InputError) as caught:
                find(name).function(**with_size(name, parameter, bad))
            assert str(caught.value).startswith(f"{parameter.name} must be ")
            assert len(str(caught.value)) < 160


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_a_size_is_refused_or_what_its_help_allows(name: str) -> None:
    for parameter in arguments_of(name, "size", "sizes"):
        arguments = with_size(name, parameter, 0)
        if allows_none(parameter):
            find(name).function(**arguments)
        else:
            with pytest.raises(InputError, match=f"^{parameter.name} must be "):
                find(name).function(**arguments)


def allows_none(parameter: Parameter) -> bool:
    return bool({"0", "zeros", "added"} & set(parameter.help.replace(",", " ").split()))


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_word_is_refused_with_those_known(name: str) -> None:
    for parameter in arguments_of(name, "word"):
        for word in parameter.words:
            find(name).function(**smallest(name) | COMPANIONS.get((name, word), {}) | {parameter.name: word})
        with pytest.raises(
            InputError, match=f"^{parameter.name} must be one of {', '.join(parameter.words)}, got 'wrod'"
        ):
            find(name).function(**smallest(name) | {parameter.name: "wrod"})


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_format_is_refused_by_the_argument_s_name(name: str) -> None:
    for parameter in arguments_of(name, "format"):
        with pytest.raises(UnknownNameError, match=f"^{parameter.name}: unknown number format 'bf17'"):
            find(name).function(**smallest(name) | {parameter.name: "bf17"})


@pytest.mark.parametrize("name", NAMES)
def test_a_mix_of_formats_is_noted_for_weights_and_else_refused(name: str) -> None:
    for parameter in arguments_of(name, "format"):
        arguments = smallest(name) | {parameter.name: "q4_k_m"}
        if parameter.name == "weights":
            assert any("average of Llama-3.1-8B" in note for note in find(name).function(**arguments).notes)
        else:
            with pytest.raises(InputError, match=f"^{parameter.name}: q4_k_m is a mix of formats"):
                find(name).function(**arguments)


# The registry itself ------------------------------------------------------------------------------------------------


def test_arguments_are_read_from_signature_and_docstring() -> None:
    found = {p.name: p for p in find("gemm").parameters}
    assert found["m"] == Parameter(
        name="m", kind="size", required=True, default=None, words=(), optional=False, help="rows of A and C"
    )
    assert (found["bias"].kind, found["bias"].default) == ("switch", False)
    assert (found["tile"].kind, found["tile"].optional) == ("sizes", True)
    assert (found["weights"].kind, found["weights"].optional) == ("format", True)
    count = {p.name: p for p in find("attention").parameters}["count"]
    assert (count.kind, count.words, count.default) == ("word", ("causal", "full"), "causal")


def test_help_that_goes_on_is_one_text() -> None:
    def wide(*, m: int, k: float = 1.0) -> Kernel:
        """Something wide.

        Two paragraphs,

        that explain.

        Args:
            m: rows of a matrix, which take
                more than a line: as here
            k: a number

        Raises:
            InputError: never.

        """
        return Kernel(flops=m * k)

    found = Operation("wide", "test", wide)
    assert found.summary == "Something wide."
    assert found.explanation == "Two paragraphs,\n\nthat explain."
    assert [(p.name, p.kind, p.help) for p in found.parameters] == [
        ("m", "size", "rows of a matrix, which take more than a line: as here"),
        ("k", "number", "a number"),
    ]


def test_names_are_found_with_either_dash_and_mistypings_get_the_nearest() -> None:
    assert find("Stream-Triad") is find("stream_triad")
    with pytest.raises(UnknownNameError, match="unknown operation 'gemn'") as caught:
        find("gemn")
    assert caught.value.hint is not None
    assert "gemm" in caught.value.hint
    with pytest.raises(UnknownNameError) as caught:
        find("x")
    assert caught.value.hint == "roofline op list shows them"


def test_two_modules_cannot_have_one_operation() -> None:
    def gemm() -> Kernel:
        return Kernel(flops=1)

    with pytest.raises(ValueError, match=r"operation gemm is in roofline.operations.linear and in .*test_registry"):
        operation("test")(gemm)
