"""What stands before and behind the layers: weights that a step reads of it, by hand."""

from __future__ import annotations

from roofline.transformer.architecture import Architecture
from roofline.transformer.conventions import Conventions
from roofline.transformer.ends import predict
from roofline.transformer.formats import Formats
from roofline.transformer.step import Step


def test_the_bias_of_the_head_is_read_with_it() -> None:
    """Phi-2: 51200 x 2560 weights and 51200 of bias, beside a layer norm of weight and bias; the bias has no FLOP."""
    phi = Architecture(
        name="phi", hidden=2560, vocab=51_200, layers=(), unplaced=1, norm_bias=True, head_bias=True, dtype="fp16"
    )
    for formats, size in ((Formats(), 2), (Formats(weights="fp8", kept=frozenset({"vectors"})), 1)):
        norm, head = predict(phi, step=Step.decode(9, batch=4), formats=formats, conventions=Conventions())
        assert norm.weights == 2 * 2 * 2560
        assert head.weights == size * 51_200 * 2560 + 2 * 51_200
        assert head.flops == 2 * 4 * 51_200 * 2560
        assert head.activations == 2 * 4 * (2560 + 51_200)
