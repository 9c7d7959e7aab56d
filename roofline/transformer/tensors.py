"""The tensors of a model as GGUF names them: elements of each, and bytes where each is held in a type of its own.

A file quantises its tensors differently by kind and by layer (llama.cpp, src/llama-quant.cpp), so that no one format
prices them all. Here are the tensors behind each operator: weights of traffic, memory and shards come from the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from roofline.core.kernel import Kernel
from roofline.precision import storage
from roofline.transformer.architecture import Architecture
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import PARTS, Formats, Part
from roofline.transformer.layer import Dense, Gqa, Layer, Mla, Moe
from roofline.transformer.moe import touched
from roofline.transformer.operator import Operator, reading

# All norms of the hidden size that layers have, in their order; a layer has as many of them as it has norms.
_NORMS: Final = ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm")
_SHOWN: Final = 3  # tensors that a label names


class Tensor(NamedTuple):
    """One tensor, or as many alike as there are experts."""

    operator: str  # that reads it
    name: str
    part: Part
    elements: int  # of one
    copies: int = 1


def tensors_of(layer: Layer, hidden: int) -> tuple[Tensor, ...]:
    """The tensors of one layer.

    >>> sum(t.elements for t in tensors_of(Layer(attention=Gqa(heads=2, kv_heads=1, head_dim=4), mlp=None), 8))
    208

    """
    mlp = layer.mlp
    found = [*(_gqa(layer.attention, hidden) if isinstance(layer.attention, Gqa) else _mla(layer.attention, hidden))]
    if isinstance(mlp, Dense):
        found += _mlp(mlp, hidden)
    elif mlp is not None:
        found += _moe(mlp, hidden)
    there = dict(layer.types)
    names = [name for name in _NORMS if not there or f"{name}.weight" in there][: layer.norms]
    names += _NORMS[: layer.norms - len(names)]
    for name in names:
        found.append(Tensor("norms", f"{name}.weight", "vectors", hidden))
        if layer.norm_bias:
            found.append(Tensor("norms", f"{name}.bias", "vectors", hidden))
    return tuple(each for each in found if each.elements)


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
    for tensor in tensors_of(layer, hidden):
        sizes.setdefault(tensor.operator, []).append(_size(tensor, held, formats))
    if "kv up" not in sizes and "q into latent" in sizes:
        sizes["kv up"] = sizes["q into latent"] + sizes["out of latent"]
    for operator in operators:
        own = sizes.get(operator.name)
        if own is None:
            yield operator
        elif operator.experts:
            copies = touched(*operator.experts, tokens, conventions)
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
        for tensor in tensors_of(layer, model.hidden):
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


def _gqa(gqa: Gqa, hidden: int) -> Iterator[Tensor]:
    wide, narrow = gqa.heads * gqa.head_dim, gqa.kv_heads * gqa.head_dim
    for letter, size in (("q", wide), ("k", narrow), ("v", narrow)):
        yield Tensor("q, k, v", f"attn_{letter}.weight", "attention", hidden * size)
        yield Tensor("q, k, v", f"attn_{letter}.bias", "vectors", gqa.qkv_bias * size)
    yield Tensor("output", "attn_output.weight", "attention", wide * hidden)
    yield Tensor("output", "attn_output.bias", "vectors", gqa.output_bias * hidden)
    # One norm for the width of a head, or one for all heads together.
    queries = gqa.head_dim if gqa.qk_norm == 2 * gqa.head_dim else gqa.qk_norm * wide // (wide + narrow)
    if gqa.qk_norm:
        yield Tensor("KV append", "attn_q_norm.weight", "vectors", queries)
        yield Tensor("KV append", "attn_k_norm.weight", "vectors", gqa.qk_norm - queries)
    yield Tensor("attention", "attn_sinks.weight", "vectors", gqa.sinks * gqa.heads)


def _mla(mla: Mla, hidden: int) -> Iterator[Tensor]:
    n, r, rank = mla.heads, mla.kv_lora_rank, mla.q_lora_rank
    wide = n * (mla.nope_dim + mla.rope_dim)
    if rank is None:
        yield Tensor("q", "attn_q.weight", "attention", hidden * wide)
    else:
        yield Tensor("q down", "attn_q_a.weight", "attention", hidden * rank)
        yield Tensor("q down", "attn_q_a.bias", "vectors", mla.bias * rank)
        yield Tensor("q up", "attn_q_b.weight", "attention", rank * wide)
        yield Tensor("KV append", "attn_q_a_norm.weight", "vectors", rank)
    yield Tensor("kv down", "attn_kv_a_mqa.weight", "attention", hidden * mla.kv_elements)
    yield Tensor("kv down", "attn_kv_a_mqa.bias", "vectors", mla.bias * mla.kv_elements)
    yield Tensor("KV append", "attn_kv_a_norm.weight", "vectors", r)
    yield Tensor("q into latent", "attn_k_b.weight", "attention", n * mla.nope_dim * r)
    yield Tensor("out of latent", "attn_v_b.weight", "attention", n * r * mla.value_dim)
    yield Tensor("output", "attn_output.weight", "attention", n * mla.value_dim * hidden)
    yield Tensor("output", "attn_output.bias", "vectors", mla.bias * hidden)


def _mlp(
    mlp: Dense, hidden: int, *, suffix: str = "", called: str = "", part: Part = "mlp", copies: int = 1
) -> Iterator[Tensor]:
    into = f"{called}{'gate, up' if mlp.gated else 'up'}"
    for word in ("gate", "up") if mlp.gated else ("up",):
        yield Tensor(into, f"ffn_{word}{suffix}.weight", part, hidden * mlp.width, copies)
        yield Tensor(into, f"ffn_{word}{suffix}.bias", "vectors", mlp.bias * mlp.width, copies)
    yield Tensor(f"{called}down", f"ffn_down{suffix}.weight", part, mlp.width * hidden, copies)
    yield Tensor(f"{called}down", f"ffn_down{suffix}.bias", "vectors", mlp.bias * hidden, copies)


def _moe(moe: Moe, hidden: int) -> Iterator[Tensor]:
    yield Tensor("router", "ffn_gate_inp.weight", "router", hidden * moe.experts)
    yield Tensor("router", "ffn_gate_inp_shexp.weight", "router", hidden * moe.shared_gate)
    bias = "ffn_gate_inp.bias" if moe.bias else "exp_probs_b.bias"
    yield Tensor("router", bias, "vectors", moe.experts * moe.router_bias)
    yield from _mlp(moe.expert, hidden, suffix="_exps", called="experts' ", part="experts", copies=moe.experts)
    if moe.shared is not None:
        yield from _mlp(moe.shared, hidden, suffix="_shexp", called="shared experts' ")
