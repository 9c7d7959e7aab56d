"""An independent witness: the parameters of models that transformers builds from the same configuration.

Each family is built small, with sizes that all differ, on the meta device, which holds no data. Scores that routers add
are buffers there and stored in checkpoints, so they count.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from roofline.transformer.config import architecture
from roofline.transformer.families import DEFAULTS, FAMILIES, SAME_AS

torch: Any = pytest.importorskip("torch", reason="no torch to compare with: pip install '.[witness]'")
transformers: Any = pytest.importorskip("transformers", reason="no transformers: pip install '.[witness]'")

COMMON: dict[str, Any] = {
    "hidden_size": 96,
    "intermediate_size": 208,
    "num_hidden_layers": 6,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "vocab_size": 1000,
    "max_position_embeddings": 77,
    "pad_token_id": 0,  # some classes pad with the last token of their own vocabulary
}
GPT2 = {"n_embd": 96, "n_layer": 6, "n_head": 6, "n_positions": 77, "vocab_size": 1000}
MOE = {"num_experts_per_tok": 3, "moe_intermediate_size": 40}
DEEPSEEK = {
    **MOE,
    "n_routed_experts": 8,
    "n_shared_experts": 2,
    "first_k_dense_replace": 1,
    "n_group": 2,
    "topk_group": 1,
    "kv_lora_rank": 24,
    "qk_nope_head_dim": 20,
    "qk_rope_head_dim": 12,
    "v_head_dim": 28,
    "num_key_value_heads": 6,
}
# What is varied within a family, beside the common sizes.
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "llama": [{}, {"head_dim": 20}, {"attention_bias": True, "mlp_bias": True}, {"tie_word_embeddings": True}],
    "granite": [{}, {"attention_bias": True}],
    "smollm3": [{}, {"num_key_value_heads": 6, "tie_word_embeddings": False}],
    "seed_oss": [{"head_dim": 20}, {"head_dim": 20, "attention_out_bias": True, "attention_bias": False}],
    "mistral": [{}, {"head_dim": 20, "sliding_window": None}],
    "mixtral": [{"num_local_experts": 5, "num_experts_per_tok": 2}],
    "phi3": [{}],
    "qwen2": [
        {},
        {"tie_word_embeddings": True},
        {"use_sliding_window": True, "sliding_window": 9, "max_window_layers": 4},
    ],
    "qwen2_moe": [{**MOE, "num_experts": 8, "shared_expert_intermediate_size": 56, "decoder_sparse_step": 4}],
    "qwen3": [{"head_dim": 20}, {"head_dim": 20, "attention_bias": True}],
    "qwen3_moe": [{**MOE, "num_experts": 8, "head_dim": 20, "mlp_only_layers": [2, 3]}],
    "gemma": [{"head_dim": 20}],
    "gemma2": [{"head_dim": 20}],
    "gemma3_text": [{"head_dim": 20}],
    "deepseek_v2": [{**DEEPSEEK, "q_lora_rank": 36}, {**DEEPSEEK, "q_lora_rank": None}],
    "deepseek_v3": [{**DEEPSEEK, "q_lora_rank": 36}, {**DEEPSEEK, "q_lora_rank": 36, "attention_bias": True}],
    "gpt_oss": [{"head_dim": 20, "num_local_experts": 5, "num_experts_per_tok": 2}],
    "glm4": [{"head_dim": 20}, {"head_dim": 20, "attention_bias": False}],
    "glm4_moe": [{**MOE, "n_routed_experts": 8, "n_shared_experts": 1, "head_dim": 20, "use_qk_norm": True}],
    "olmo2": [{}, {"attention_bias": True}],
    "olmo3": [{"sliding_window": 9}],
    "cohere": [{}, {"use_qk_norm": True, "attention_bias": True}],
    "cohere2": [{}],
    "starcoder2": [{}, {"use_bias": False}],
    "gpt_neox": [{}, {"attention_bias": False}],
    "phi": [{}],
    "gpt2": [{}, {"n_inner": 200}],
    "opt": [
        {"ffn_dim": 208, "word_embed_proj_dim": 96},
        {"ffn_dim": 208, "word_embed_proj_dim": 96, "enable_bias": False},
    ],
}
CASES = [(kind, index) for kind, variants in VARIANTS.items() for index in range(len(variants))]


def config_of(kind: str, index: int) -> dict[str, Any]:
    return (COMMON if kind != "gpt2" else GPT2) | VARIANTS[kind][index] | {"model_type": kind}


def built(config: dict[str, Any]) -> Any:
    given = transformers.AutoConfig.for_model(**config)
    with torch.device("meta"):
        return transformers.AutoModelForCausalLM.from_config(given)


@pytest.mark.parametrize(("kind", "index"), CASES, ids=str)
@pytest.mark.filterwarnings("ignore")  # of libraries that warn of themselves
def test_parameters_equal_those_of_transformers(kind: str, index: int) -> None:
    config = config_of(kind, index)
    model = built(config)
    scores = sum(b.numel() for name, b in model.named_buffers() if name.endswith("e_score_correction_bias"))
    assert architecture(config, name=kind, where="config.json").parameters == model.num_parameters() + scores


@pytest.mark.parametrize(("kind", "index"), CASES, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_windows_equal_those_of_transformers(kind: str, index: int) -> None:
    config = config_of(kind, index)
    given = transformers.AutoConfig.for_model(**config)
    types = getattr(given, "layer_types", None)
    if types is None:
        types = ["sliding_attention" if getattr(given, "sliding_window", None) else "full_attention"] * 6
    ours = architecture(config, name=kind, where="config.json").layers
    assert sum(count for count, layer in ours if layer.attention.window) == types.count("sliding_attention")


OPTIONAL = (  # what a configuration may leave out without an error
    *("num_key_value_heads", "head_dim", "sliding_window", "use_sliding_window", "max_window_layers", "use_qk_norm"),
    *("attention_bias", "attention_out_bias", "mlp_bias", "qkv_bias", "use_bias", "enable_bias"),
    *("q_lora_rank", "n_shared_experts", "first_k_dense_replace", "shared_expert_intermediate_size"),
)


@pytest.mark.parametrize("kind", [*FAMILIES, *sorted(DEFAULTS)])
def test_defaults_are_those_of_the_configuration_class(kind: str) -> None:
    family = FAMILIES[SAME_AS.get(kind, kind)]
    ours = {**family.defaults, **DEFAULTS.get(kind, {})}
    theirs = transformers.CONFIG_MAPPING[kind if kind in FAMILIES or kind.endswith("_text") else f"{kind}_text"]
    for field in dataclasses.fields(theirs):
        if field.name in OPTIONAL and not (family.attention == "mla" and field.name == "num_key_value_heads"):
            assert ours.get(field.name, False) == (field.default or False), field.name


def test_every_family_has_a_witness() -> None:
    assert set(VARIANTS) == set(FAMILIES)
