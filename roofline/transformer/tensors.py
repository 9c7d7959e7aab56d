"""Bytes of a model tensor by tensor, where a file holds each in a type of its own, and in which formats its parts are.

A file quantises its tensors differently by kind and by layer (llama.cpp, src/llama-quant.cpp), so that no one format
prices them all. Weights of traffic, memory and shards come from the same tensors, which layers and tables list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from roofline.core.kernel import Kernel
from roofline.precision import storage
from roofline.transformer.architecture import Architecture
from roofline.transformer.conventions import Conventions
from roofline.transformer.ends import tables_of
from roofline.transformer.formats import PARTS, Formats, Part
from roofline.transformer.layer import Layer
from roofline.transformer.operator import Operator, Tensor, reading

_SHOWN: Final = 3  # tensors that a label names


def bytes_by_part(model: Architecture, formats: Formats) -> dict[Part, int]:
    """Bytes that are stored of each part, in its format or in those of its tensors; a tied LM head has none."""
    if not model.holds(formats):
        return {part: formats.of(part).size_of(count) for part, count in model.parameters_by_part.items()}
    found: dict[Part, int] = dict.fromkeys(PARTS, 0)
    for times, tensor, held in _held(model):
        found[tensor.part] += times * tensor.copies * _size(tensor, held, formats)
    return found


def formats_by_part(model: Architecture, formats: Formats) -> dict[Part, tuple[str, ...]]:
    """The names of the formats that hold each part, the one of most elements first."""
    if not model.holds(formats):
        return {part: (formats.of(part).name,) for part in PARTS}
    counted: dict[Part, Counter[str]] = {part: Counter() for part in PARTS}
    for times, tensor, held in _held(model):
        name = held.get(tensor.name, formats.of(tensor.part).name)
        counted[tensor.part][name] += times * tensor.copies * tensor.elements
    return {part: tuple(name for name, _ in counter.most_common()) for part, counter in counted.items()}


def priced(
    operators: Iterable[Operator], layer: Layer, hidden: int, formats: Formats, conventions: Conventions, tokens: int
) -> Iterator[Operator]:
    """The operators of one layer, the weights of each being those of its tensors in their own types."""
    held = dict(layer.types)
    sizes: dict[str, list[int]] = {}
    for tensor in layer.tensors(hidden):
        for reader in (tensor.operator, tensor.instead):
            if reader is not None:
                sizes.setdefault(reader, []).append(_size(tensor, held, formats))
    for operator in operators:
        own = sizes.get(operator.name)
        if own is None:
            yield operator
        elif operator.experts:
            copies = conventions.touched(*operator.experts, tokens)
            yield _weighing(operator, round(copies * sum(own)))._replace(expert_weights=sum(own))
        elif operator.times > 1:  # norms, each a run of its own
            each = len(own) // operator.times
            runs = Counter(sum(own[at : at + each]) for at in range(0, len(own), each))
            yield from (_weighing(operator, size)._replace(times=times) for size, times in runs.items())
        else:
            yield _weighing(operator, sum(own))


def priced_tables(
    operators: Iterable[Operator], model: Architecture, formats: Formats, tokens: int
) -> Iterator[Operator]:
    """The same outside of layers: an embedding reads a row for each token, and a tied head the table of that."""
    held = dict(model.quantization.types) if model.quantization else {}
    sizes: dict[str, int] = {}
    for tensor in tables_of(model):
        if tensor.part == "embedding":
            row = tensor._replace(elements=model.hidden)
            sizes[tensor.operator] = tokens * _size(row, held, formats)
            if model.tied and tensor.operator == "embedding":
                sizes["LM head"] = sizes.get("LM head", 0) + _size(tensor, held, formats)
        else:
            sizes[tensor.operator] = sizes.get(tensor.operator, 0) + _size(tensor, held, formats)
    for operator in operators:
        yield _weighing(operator, sizes[operator.name]) if operator.name in sizes else operator


def rotary(model: Architecture) -> Iterator[Operator]:
    """The read of the factors of a rotary embedding, one tensor for all layers, where a file has them."""
    size = model.quantization.rotary if model.quantization else 0
    if size:
        kernel = Kernel(name="rotary factors", flops=0, bytes=size, dtype="fp32")
        yield Operator("rotary factors", "attention", kernel, weights=size)


def difference(layer: Layer, others: Iterable[Layer]) -> str:
    """The tensors of a layer whose types tell it from others that are built alike, in words.

    >>> from roofline.transformer.gqa import Gqa
    >>> like = Layer(attention=Gqa(heads=2, kv_heads=1, head_dim=4), mlp=None, types=(("attn_v.weight", "q6_k"),))
    >>> difference(like, [Layer(attention=like.attention, mlp=None, types=(("attn_v.weight", "q4_k"),))])
    'attn_v q6_k'

    """
    bare = without_types(layer)
    alike = [set(other.types) for other in others if other.types != layer.types and without_types(other) == bare]
    own = [pair for pair in layer.types if any(pair not in other for other in alike)]
    words = [f"{name.removesuffix('.weight')} {held}" for name, held in own]
    further = len(words) - _SHOWN
    return ", ".join(words[:_SHOWN]) + (f" and {further} more" if further > 0 else "")


def without_types(layer: Layer) -> Layer:
    """The same layer whatever its tensors are held in."""
    return layer._replace(types=())


def _held(model: Architecture) -> Iterator[tuple[int, Tensor, dict[str, str]]]:
    """Every tensor with the number of its layers and the types among which its own is."""
    for count, layer in model.layers:
        held = dict(layer.types)
        for tensor in layer.tensors(model.hidden):
            yield count, tensor, held
    held = dict(model.quantization.types) if model.quantization else {}
    for tensor in tables_of(model):
        yield 1, tensor, held


def _size(tensor: Tensor, held: dict[str, str], formats: Formats) -> int:
    """Bytes of one of it; what the file does not list is held as its part is."""
    name = held.get(tensor.name)
    return (storage(name) if name else formats.of(tensor.part)).size_of(tensor.elements)


def _weighing(operator: Operator, weights: int) -> Operator:
    return reading(operator, weights - operator.weights)
