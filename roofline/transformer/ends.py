"""What stands before and behind the layers: look-up of embeddings, the final norm, the LM head, and their tensors."""

from __future__ import annotations

from roofline.operations.pointwise import embedding
from roofline.transformer.architecture import Architecture
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats
from roofline.transformer.operator import Operator, Tensor, linear, norm, reading
from roofline.transformer.step import Step


def look_up(architecture: Architecture, *, tokens: int, formats: Formats) -> tuple[Operator, ...]:
    """The gather of one row for each token: no FLOP, T h elements read and written, not the table of V h.

    A learned table of positions (GPT-2, OPT) is a second gather.
    """
    if not architecture.vocab:
        return ()
    held = formats.of("embedding")
    tables = ["embedding"] + (["position embedding"] if architecture.positions else [])
    kernel = embedding(tokens=tokens, width=architecture.hidden, dtype=formats.activations, weights=held.name)
    rows = tokens * held.size_of(architecture.hidden)
    return tuple(Operator(name, "embedding", kernel, weights=rows) for name in tables)


def predict(
    architecture: Architecture, *, step: Step, formats: Formats, conventions: Conventions
) -> tuple[Operator, ...]:
    """The final norm and the LM head on the last token of each sequence (or on all), in FLOP and B: 2 R h V FLOP.

    The head reads its whole table each step, be it tied to the embedding or not.
    """
    rows = step.batch if conventions.logits == "last" else step.tokens
    ends: list[Operator] = []
    if architecture.final_norm and architecture.hidden:
        ends.append(norm("final norm", rows, architecture.hidden, bias=architecture.norm_bias, formats=formats))
    if architecture.vocab:
        head = linear(
            "LM head",
            "head",
            part="head",
            rows=rows,
            inputs=architecture.hidden,
            outputs=architecture.vocab,
            formats=formats,
        )
        ends.append(reading(head, formats.of("vectors").size_of(architecture.vocab * architecture.head_bias)))
    return tuple(ends)


def tables_of(model: Architecture) -> tuple[Tensor, ...]:
    """The tensors before and behind the layers; of a tied head its bias alone."""
    h, table = model.hidden, model.vocab * model.hidden
    found = (
        Tensor("embedding", "token_embd.weight", "embedding", table),
        Tensor("position embedding", "position_embd.weight", "embedding", model.positions * h),
        Tensor("final norm", "output_norm.weight", "vectors", model.final_norm * h),
        Tensor("final norm", "output_norm.bias", "vectors", model.final_norm * model.norm_bias * h),
        Tensor("LM head", "output.weight", "head", 0 if model.tied else table),
        Tensor("LM head", "output.bias", "vectors", model.head_bias * model.vocab),
    )
    return tuple(each for each in found if each.elements)
