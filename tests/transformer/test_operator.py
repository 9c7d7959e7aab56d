"""Operators by hand: a linear layer, a norm and an append, in formats that differ between their operands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roofline.precision import storage
from roofline.transformer.formats import Formats
from roofline.transformer.operator import append, linear, norm

some = st.builds(
    lambda weights, kv, activations: Formats(weights=weights, kv=kv, activations=activations),
    weights=st.sampled_from(["bf16", "fp8", "int4-g128", "q4_k"]),
    kv=st.sampled_from(["bf16", "fp8", "q8_0"]),
    activations=st.sampled_from(["bf16", "fp32"]),
)
size = st.integers(1, 300)


def test_an_operator_in_layers_is_the_same_but_for_their_number() -> None:
    one = linear("x", "mlp", part="mlp", rows=1, inputs=2, outputs=3, formats=Formats())._replace(
        times=2, kv=5, window=6, experts=(8, 2), expert_weights=7, core=True, assumes="so"
    )
    assert one.in_layers(3, 4) == one._replace(times=6, layer=4)


@given(rows=size, inputs=size, outputs=size, batch=st.integers(1, 4), bias=st.booleans(), formats=some)
def test_a_linear_layer_moves_its_weights_input_and_output(
    *, rows: int, inputs: int, outputs: int, batch: int, bias: bool, formats: Formats
) -> None:
    one = linear(
        "x", "mlp", part="mlp", rows=rows, inputs=inputs, outputs=outputs, batch=batch, bias=bias, formats=formats
    )
    moved = storage(formats.activations)
    weights = batch * (storage(formats.weights).size_of(inputs * outputs) + bias * 2 * outputs)
    activations = moved.size_of(batch * rows * inputs) + moved.size_of(batch * rows * outputs)
    assert one.flops == 2 * batch * rows * inputs * outputs
    assert (one.weights, one.kv, one.activations) == (weights, 0, activations)
    assert one.bytes == weights + activations


@given(tokens=size, hidden=size, bias=st.booleans(), formats=some)
def test_a_norm_reads_and_writes_the_hidden_state(*, tokens: int, hidden: int, bias: bool, formats: Formats) -> None:
    one = norm("norms", tokens, hidden, bias=bias, formats=formats)
    weights, activations = (1 + bias) * 2 * hidden, 2 * storage(formats.activations).size_of(tokens * hidden)
    assert (one.flops, one.weights, one.kv, one.activations) == (0, weights, 0, activations)
    assert one.bytes == weights + activations


@given(elements=size, tokens=size, norms=st.integers(0, 300), formats=some)
def test_an_append_writes_to_the_cache_alone(elements: int, tokens: int, norms: int, formats: Formats) -> None:
    one = append(elements, tokens=tokens, formats=formats, norms=norms)
    written = storage(formats.kv).size_of(tokens * elements)
    assert (one.flops, one.weights, one.kv, one.activations) == (0, 2 * norms, written, 0)
    assert one.bytes == written + 2 * norms
