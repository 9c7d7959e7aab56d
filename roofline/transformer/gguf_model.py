"""A GGUF file to an Architecture: what its key-values say of the shapes, and its tensors of biases, ties and formats.

The key-values are put into the words of a ``config.json``, so that one reader knows how each family is built; the
elements of the tensors are then held against its parameters.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Final

from roofline.errors import FileError
from roofline.files import shown_path
from roofline.text import quote
from roofline.transformer import limits
from roofline.transformer.architecture import Architecture
from roofline.transformer.config import architecture
from roofline.transformer.gguf_formats import held_in, quantization_of, sixteen_bits, types_by_layer
from roofline.transformer.gguf_header import Header, Tensor, Value
from roofline.transformer.gguf_parts import read_parts

_ALIKE: Final = (
    *("llama", "qwen2", "qwen3", "gemma", "gemma2", "phi3", "gpt2", "starcoder2", "olmo2", "granite", "smollm3"),
    *("seed_oss", "glm4", "cohere2"),
)
# general.architecture of llama.cpp, and the model_type whose decoder it is; llama is also Mistral, and Mixtral too.
_FAMILIES: Final = {
    **dict(zip(_ALIKE, _ALIKE, strict=True)),
    "qwen2moe": "qwen2_moe",
    "qwen3moe": "qwen3_moe",
    "gemma3": "gemma3_text",
    "gpt-oss": "gpt_oss",
    "deepseek2": "deepseek_v2",
    "command-r": "cohere",
}
_REQUIRED: Final = ("embedding_length", "block_count", "attention.head_count", "feed_forward_length")
_KEYS: Final = {
    "hidden_size": "embedding_length",
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "intermediate_size": "feed_forward_length",
    "max_position_embeddings": "context_length",
    "head_dim": "attention.key_length",
    "sliding_window": "attention.sliding_window",
    "num_experts_per_tok": "expert_used_count",
    "moe_intermediate_size": "expert_feed_forward_length",
    "shared_expert_intermediate_size": "expert_shared_feed_forward_length",
    "n_shared_experts": "expert_shared_count",
    "first_k_dense_replace": "leading_dense_block_count",
    "q_lora_rank": "attention.q_lora_rank",
    "kv_lora_rank": "attention.kv_lora_rank",
    "qk_rope_head_dim": "rope.dimension_count",
}
_EXPERTS: Final = {"deepseek_v2": "n_routed_experts", "deepseek_v3": "n_routed_experts", "gpt_oss": "num_local_experts"}


def load(path: str) -> Architecture:
    """The architecture of a GGUF file, and the bytes of its tensors.

    Raises:
        FileError: it cannot be read, is broken, lacks a key, or its architecture is not supported.

    """
    where, (header, missing) = shown_path(path), read_parts(path)
    kind = header.values.get("general.architecture")
    if not isinstance(kind, str):
        raise FileError(
            f"{where}: no key general.architecture, by which the shapes are known",
            hint="a file of a model is wanted, as llama.cpp converts it",
        )
    if kind not in _FAMILIES:
        raise FileError(
            f"{where}: general.architecture {quote(kind)} is not read from GGUF",
            hint=f"its config.json may be known; from GGUF: {', '.join(_FAMILIES)}",
        )
    tensors = _by_name(header, where)
    if "token_embd.weight" not in tensors or not tensors["token_embd.weight"].shape:
        raise FileError(
            f"{where}: no tensor token_embd.weight with the rows of a vocabulary",
            hint="name a file with the weights of a model, not one of its vocabulary or its vision tower alone",
        )
    config = _config(header, kind, tensors, where)
    depth = config["num_hidden_layers"]
    listed = not missing and isinstance(depth, int) and 1 <= depth <= limits.DEPTH
    name = header.values.get("general.name")
    model = architecture(
        config,
        name=name if isinstance(name, str) and name else os.path.basename(path).removesuffix(".gguf"),
        where=where,
        names={word: f"{kind}.{key}" for word, key in _KEYS.items()} | {"vocab_size": "token_embd.weight"},
        types=types_by_layer(header, depth) if listed else (),
    )
    held = quantization_of(header, complete=not missing)
    model = replace(model, quantization=held, notes=(*model.notes, *(missing or _held_against(model, header))))
    return replace(model, quantization=held_in(model, header))


def _by_name(header: Header, where: str) -> dict[str, Tensor]:
    tensors: dict[str, Tensor] = {}
    for tensor in header.tensors:
        first = tensors.setdefault(tensor.name, tensor)
        if first is not tensor:
            raise FileError(
                f"{where}: two tensors are called {quote(first.name)}, the first at byte {first.at}",
                hint="the file is damaged: download or convert it again",
            )
    return tensors


def _config(header: Header, kind: str, tensors: dict[str, Tensor], where: str) -> dict[str, Any]:
    """The key-values in the words of a config.json."""

    def said(key: str) -> Value | None:
        value = header.values.get(f"{kind}.{key}")
        if isinstance(value, list) and len(set(map(str, value))) == 1:
            return value[0]  # a value for each layer, all alike
        return value

    for key in _REQUIRED:
        if said(key) is None:
            raise FileError(f"{where}: no key {kind}.{key}", hint="the file is damaged, or converted by other rules")
    for key in _KEYS.values():
        if isinstance(said(key), list):
            raise FileError(f"{where}: {kind}.{key} differs from layer to layer, which is not supported")
    config: dict[str, Any] = {word: said(key) for word, key in _KEYS.items() if said(key) is not None}
    config["model_type"] = family = _family(kind, said("expert_count"), tensors)
    config[_EXPERTS.get(family, "num_experts")] = said("expert_count")
    config["vocab_size"] = tensors["token_embd.weight"].shape[-1]
    config["tie_word_embeddings"] = "output.weight" not in tensors
    config["torch_dtype"] = sixteen_bits(header)
    config["attention_bias"] = config["qkv_bias"] = config["use_bias"] = "blk.0.attn_q.bias" in tensors
    config["attention_out_bias"] = "blk.0.attn_output.bias" in tensors
    config["mlp_bias"] = "blk.0.ffn_up.bias" in tensors
    config["use_qk_norm"] = "blk.0.attn_q_norm.weight" in tensors
    if "kv_lora_rank" in config:
        width = said("attention.key_length_mla") or said("attention.key_length")
        value = said("attention.value_length_mla") or said("attention.value_length")
        if not (isinstance(width, int) and isinstance(value, int) and isinstance(config["qk_rope_head_dim"], int)):
            raise FileError(f"{where}: no keys {kind}.attention.key_length and value_length")
        config["qk_nope_head_dim"], config["v_head_dim"] = width - config["qk_rope_head_dim"], value
    elif said("attention.value_length") != said("attention.key_length"):
        raise FileError(f"{where}: {kind}.attention: keys and values of different lengths, which is not supported")
    pattern = said("attention.sliding_window_pattern")
    if isinstance(pattern, list):
        config["layer_types"] = ["sliding_attention" if windowed else "full_attention" for windowed in pattern]
    return config


def _family(kind: str, experts: object, tensors: dict[str, Tensor]) -> str:
    if kind == "llama" and experts:
        return "mixtral"
    if kind == "deepseek2" and any(name.endswith("exp_probs_b.bias") for name in tensors):
        return "deepseek_v3"
    return _FAMILIES[kind]


def _held_against(model: Architecture, header: Header) -> tuple[str, ...]:
    """A note where the tensors hold another number of elements than the shapes have parameters."""
    found = sum(tensor.elements for tensor in header.tensors if not tensor.name.startswith("rope_"))
    if found == model.parameters:
        return ()
    return (
        f"the tensors hold {found} elements, but the shapes have {model.parameters} parameters:"
        " the memory is that of the tensors, and traffic that of the shapes",
    )
