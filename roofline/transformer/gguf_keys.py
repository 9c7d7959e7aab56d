"""The key-values of a GGUF file in the words of a ``config.json``, whose reader knows each family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from roofline.errors import FileError
from roofline.text import clip, counted
from roofline.transformer import limits
from roofline.transformer.families import FAMILIES
from roofline.transformer.gguf_formats import sixteen_bits
from roofline.transformer.gguf_header import Header, Tensor, Value

_ALIKE: Final = (
    *("llama", "qwen2", "qwen3", "gemma", "gemma2", "phi3", "gpt2", "starcoder2", "olmo2", "granite", "smollm3"),
    *("seed_oss", "glm4", "cohere2"),
)
# general.architecture of llama.cpp, and the model_type whose decoder it is; llama is also Mistral, and Mixtral too.
ARCHITECTURES: Final = {
    **dict(zip(_ALIKE, _ALIKE, strict=True)),
    "qwen2moe": "qwen2_moe",
    "qwen3moe": "qwen3_moe",
    "gemma3": "gemma3_text",
    "gpt-oss": "gpt_oss",
    "deepseek2": "deepseek_v2",
    "command-r": "cohere",
}
_DEPTH: Final = "block_count"
_REQUIRED: Final = ("embedding_length", _DEPTH, "attention.head_count", "feed_forward_length")
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


# What llama.cpp has a default for, or demands. Of the others, what is not there is none, and null says so.
_DEFAULTED: Final = ("sliding_window",)
_PATTERN: Final = "attention.sliding_window_pattern"
_MADE: Final = "the file is damaged, or converted by other rules"


def names_of(kind: str) -> dict[str, str]:
    """What the file calls the keys of :func:`config_of`, for errors."""
    less = f"{kind}.attention.key_length less {kind}.rope.dimension_count"
    return {
        **{word: f"{kind}.{key}" for word, key in _KEYS.items()},
        **dict.fromkeys(("num_experts", *_EXPERTS.values()), f"{kind}.expert_count"),
        "qk_nope_head_dim": less,
        "v_head_dim": f"{kind}.attention.value_length",
        "layer_types": f"{kind}.{_PATTERN}",
        "vocab_size": "the number of rows of token_embd.weight",
    }


def config_of(header: Header, kind: str, tensors: Mapping[str, Tensor], where: str) -> dict[str, Any]:
    """The configuration of a file whose ``general.architecture`` is one of ``ARCHITECTURES``.

    Raises:
        FileError: a key is missing, is no one value, or contradicts others.

    """
    said = _Values(header, kind, where)
    for key in _REQUIRED:
        if said.one(key) is None:
            raise said.missing(key)
    config: dict[str, Any] = {word: said.one(key) for word, key in _KEYS.items()}
    for word in _DEFAULTED:
        if config[word] is None:
            del config[word]
    config["model_type"] = family = _family(kind, said.one("expert_count"), tensors)
    config[_EXPERTS.get(family, "num_experts")] = said.one("expert_count")
    config["vocab_size"] = _rows(tensors["token_embd.weight"])
    config["tie_word_embeddings"] = "output.weight" not in tensors
    config["torch_dtype"] = sixteen_bits(header)
    config["attention_bias"] = config["qkv_bias"] = config["use_bias"] = "blk.0.attn_q.bias" in tensors
    config["attention_out_bias"] = "blk.0.attn_output.bias" in tensors
    config["mlp_bias"] = "blk.0.ffn_up.bias" in tensors
    config["use_qk_norm"] = "blk.0.attn_q_norm.weight" in tensors
    if FAMILIES[family].attention == "mla":
        config |= _latent(said)
    elif said.one("attention.value_length") != said.one("attention.key_length"):
        raise FileError(f"{where}: {kind}.attention: keys and values of different lengths, which is not supported")
    windows = _windows(said, config["num_hidden_layers"])
    if windows is not None and config.get("sliding_window") != 0:  # a window of 0 is none in any layer
        config["use_sliding_window"] = True
        config["layer_types"] = ["sliding_attention" if windowed else "full_attention" for windowed in windows]
    return config


class _Values:
    """The key-values of one architecture, by their names without its own before them."""

    def __init__(self, header: Header, kind: str, where: str) -> None:
        self.header, self.kind, self.where = header, kind, where

    def error(self, key: str, message: str) -> FileError:
        return FileError(f"{self.where}: {self.kind}.{key} {message}", hint=_MADE)

    def missing(self, key: str) -> FileError:
        return FileError(f"{self.where}: no key {self.kind}.{key}", hint=_MADE)

    def any(self, key: str) -> Value | None:
        """As the file has it; None where it has none."""
        length = self.header.lengths.get(f"{self.kind}.{key}")
        if length is not None:
            raise self.error(key, f"must be a number, got a list of {length} values")
        return self.header.values.get(f"{self.kind}.{key}")

    def one(self, key: str) -> Value | None:
        """One value, or that of all layers where each of them has one and they are alike."""
        value = self.any(key)
        if not isinstance(value, list):
            return value
        depth = self.header.values.get(f"{self.kind}.{_DEPTH}")
        if value and type(depth) is int and len(value) != depth:
            layers, model = counted(len(value), "layer"), f"{self.kind}.{_DEPTH}"
            raise self.error(key, f"has values for {layers}, but {model} is {depth}")
        if len(set(map(str, value))) == 1:
            return value[0]
        raise self.error(key, "differs from layer to layer, which is not supported" if value else "is an empty list")

    def whole(self, *keys: str) -> tuple[str, int]:
        """The first of these keys that is there, and its value, a whole number."""
        key = next((key for key in keys if self.one(key) is not None), keys[-1])
        value = self.one(key)
        if value is None:
            raise self.missing(key)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(key, f"must be a whole number, got {clip(repr(value))}")
        return key, value


def _rows(table: Tensor) -> int:
    """The rows of a table of two dimensions, behind which some files write dimensions of 1."""
    rows = table.shape
    while len(rows) > 2 and rows[-1] == 1:
        rows = rows[:-1]
    return rows[-1]


def _latent(said: _Values) -> dict[str, Any]:
    """The sizes of MLA; since 2025 those of its heads end in ``_mla``, and those without are of the latent."""
    key, width = said.whole("attention.key_length_mla", "attention.key_length")
    _, value = said.whole("attention.value_length_mla", "attention.value_length")
    rope_key, rope = said.whole("rope.dimension_count")
    if width <= rope:
        raise said.error(key, f"must exceed {said.kind}.{rope_key}, got {width} and {rope}")
    return {"qk_nope_head_dim": width - rope, "v_head_dim": value}


def _windows(said: _Values, depth: object) -> list[bool] | None:
    """Whether each layer has a window, by a list or by a period (llama.cpp, llama_hparams::set_swa_pattern).

    The last layer of each period attends all positions; with a period of 0 none does.
    """
    pattern = said.any(_PATTERN)
    if pattern is None:
        return None
    if isinstance(pattern, list) and all(isinstance(each, int) for each in pattern):
        return [bool(each) for each in pattern]
    if isinstance(pattern, bool) or not isinstance(pattern, int) or not 0 <= pattern <= limits.DEPTH:
        raise said.error(_PATTERN, f"must be a period or a list of layers, got {clip(repr(pattern))}")
    if not isinstance(depth, int) or not 1 <= depth <= limits.DEPTH:
        return None  # which is the error
    return [pattern == 0 or layer % pattern < pattern - 1 for layer in range(depth)]


def _family(kind: str, experts: object, tensors: Mapping[str, Tensor]) -> str:
    if kind == "llama" and experts:
        return "mixtral"
    if kind == "deepseek2" and any(name.endswith("exp_probs_b.bias") for name in tensors):
        return "deepseek_v3"
    return ARCHITECTURES[kind]
