"""How the decoders of each ``model_type`` are built, as far as their configuration does not say it.

Read in the modelling code of transformers 5.24, and compared with its models parameter by parameter in
tests/transformer/test_config_witness.py. A model_type that is not here is refused: nothing is guessed from its name.
"""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from roofline.transformer.keys import WIDTH

Flag = bool | str  # a constant, or the key of the configuration that says it


class ExpertKeys(NamedTuple):
    """The keys by which a family describes its mixtures of experts."""

    number: tuple[str, ...]
    width: tuple[str, ...] = ("moe_intermediate_size",)  # of one
    layers: Literal["all", "every", "behind"] = "all"  # with experts: each n-th, or those behind the first n
    shared: str | None = None  # their number
    shared_width: str | None = None  # where shared experts are one MLP of a width of its own, with a learned gate


class Family(NamedTuple):
    """One ``model_type``; the defaults are those of its configuration class, for keys that a file leaves out."""

    attention: Literal["gqa", "mla"] = "gqa"
    grouped: bool = True  # whether heads of queries may share keys and values
    qkv_bias: Flag = False
    output_bias: Flag = False
    qk_norm: Literal["head", "all"] | None = None  # one norm for each head's width, or for all heads together
    qk_norm_key: Flag = True  # whether there are such norms at all
    sinks: bool = False
    window: Literal["never", "all", "asked", "late", "pattern"] = "never"  # layers with a sliding window
    period: int = 0  # of a pattern: each period-th layer attends all positions
    moe: ExpertKeys | None = None
    expert_bias: bool = False
    router_bias: bool = False
    biases: Flag = True  # whether there are any at all (OPT: all, or none)
    usual_width: int | None = None  # of the MLP, times the hidden size, where a file names none
    gated: bool = True
    mlp_bias: Flag = False
    norms: int = 2
    norm_bias: bool = False
    head_bias: bool = False
    tied: bool = False
    positions: int | None = None  # rows of the table of positions beyond the longest context; None: no table
    defaults: Mapping[str, int | bool] = {}


_MIXTRAL: Final = ExpertKeys(number=("num_local_experts", "num_experts"), width=WIDTH)
_QWEN: Final = ExpertKeys(
    number=("num_experts", "num_local_experts"), layers="every", shared_width="shared_expert_intermediate_size"
)
_ROUTED: Final = ExpertKeys(
    number=("n_routed_experts", "num_local_experts"), layers="behind", shared="n_shared_experts"
)

_OPTIONAL_BIAS: Final = Family(qkv_bias="attention_bias", output_bias="attention_bias")
_LLAMA: Final = _OPTIONAL_BIAS._replace(mlp_bias="mlp_bias")
_MISTRAL: Final = Family(window="all", defaults={"num_key_value_heads": 8})
_QWEN2: Final = Family(
    qkv_bias=True,
    window="late",
    defaults={
        "use_sliding_window": False,
        "sliding_window": 4096,
        "max_window_layers": 28,
        "num_key_value_heads": 32,
    },
)
_QWEN3: Final = _QWEN2._replace(qkv_bias="attention_bias", output_bias="attention_bias", qk_norm="head")
_GEMMA: Final = _OPTIONAL_BIAS._replace(tied=True, defaults={"head_dim": 256, "num_key_value_heads": 16})
_LAYER_NORM: Final = Family(
    grouped=False, qkv_bias=True, output_bias=True, mlp_bias=True, norm_bias=True, gated=False, tied=True, positions=0
)
_DEEPSEEK: Final = Family(attention="mla", qkv_bias="attention_bias", moe=_ROUTED)
_OLMO: Final = _OPTIONAL_BIAS._replace(qk_norm="all")

FAMILIES: Final[dict[str, Family]] = {
    "llama": _LLAMA,
    "granite": _LLAMA,
    "smollm3": _LLAMA._replace(tied=True, window="asked", defaults={"num_key_value_heads": 4}),
    "seed_oss": Family(
        qkv_bias="attention_bias",
        output_bias="attention_out_bias",
        mlp_bias="mlp_bias",
        defaults={"attention_bias": True, "head_dim": 128, "num_key_value_heads": 8},
    ),
    "mistral": _MISTRAL._replace(defaults={**_MISTRAL.defaults, "sliding_window": 4096}),
    "mixtral": _MISTRAL._replace(moe=_MIXTRAL),
    "phi3": Family(window="all"),
    "qwen2": _QWEN2,
    "qwen2_moe": _QWEN2._replace(
        qkv_bias="qkv_bias",
        moe=_QWEN,
        defaults={
            **_QWEN2.defaults,
            "qkv_bias": True,
            "num_key_value_heads": 16,
            "shared_expert_intermediate_size": 5632,
        },
    ),
    "qwen3": _QWEN3._replace(defaults={**_QWEN3.defaults, "head_dim": 128}),
    "qwen3_moe": _QWEN3._replace(
        window="asked", moe=_QWEN, defaults={"num_key_value_heads": 4, "sliding_window": 4096}
    ),
    "gemma": _GEMMA,
    "gemma2": _GEMMA._replace(
        norms=4,
        window="pattern",
        period=2,
        defaults={"head_dim": 256, "sliding_window": 4096, "num_key_value_heads": 4},
    ),
    "gemma3_text": _GEMMA._replace(
        norms=4,
        qk_norm="head",
        window="pattern",
        period=6,
        defaults={
            "head_dim": 256,
            "sliding_window": 4096,
            "vocab_size": 262_208,
            "num_attention_heads": 8,
            "num_key_value_heads": 4,
        },
    ),
    "deepseek_v2": _DEEPSEEK._replace(
        defaults={"first_k_dense_replace": 0, "n_shared_experts": 2, "q_lora_rank": 1536}
    ),
    "deepseek_v3": _DEEPSEEK._replace(
        router_bias=True,  # it corrects the scores
        defaults={"first_k_dense_replace": 3, "n_shared_experts": 1, "q_lora_rank": 1536},
    ),
    "gpt_oss": _OPTIONAL_BIAS._replace(
        sinks=True,
        window="pattern",
        period=2,
        moe=_MIXTRAL,
        expert_bias=True,
        router_bias=True,
        defaults={"attention_bias": True, "head_dim": 64, "num_key_value_heads": 8, "sliding_window": 128},
    ),
    "glm4": Family(
        qkv_bias="attention_bias",
        norms=4,
        defaults={"attention_bias": True, "head_dim": 128, "num_key_value_heads": 2},
    ),
    "glm4_moe": Family(
        qkv_bias="attention_bias",
        qk_norm="head",
        qk_norm_key="use_qk_norm",
        moe=_ROUTED,
        router_bias=True,
        defaults={"num_key_value_heads": 8, "first_k_dense_replace": 1, "n_shared_experts": 1},
    ),
    "olmo2": _OLMO,
    "olmo3": _OLMO._replace(window="pattern", period=4, defaults={"sliding_window": 4096}),
    "cohere": _OPTIONAL_BIAS._replace(qk_norm="all", qk_norm_key="use_qk_norm", norms=1, tied=True),
    "cohere2": _OPTIONAL_BIAS._replace(
        norms=1, tied=True, window="pattern", period=4, defaults={"sliding_window": 4096}
    ),
    "starcoder2": Family(
        qkv_bias="use_bias",
        output_bias="use_bias",
        mlp_bias="use_bias",
        norm_bias=True,
        gated=False,
        tied=True,
        window="all",
        defaults={"use_bias": True, "num_key_value_heads": 2},
    ),
    "gpt_neox": _LAYER_NORM._replace(
        qkv_bias="attention_bias",
        output_bias="attention_bias",
        tied=False,
        positions=None,
        defaults={"attention_bias": True},
    ),
    "phi": _LAYER_NORM._replace(grouped=True, norms=1, tied=False, positions=None, head_bias=True),
    "gpt2": _LAYER_NORM._replace(usual_width=4),  # n_inner is null or nothing in its own configurations
    "opt": _LAYER_NORM._replace(positions=2, biases="enable_bias", defaults={"enable_bias": True}),
}

# Other names of the same architecture: text parts of models that also see or hear, and copies under another name.
SAME_AS: Final = {
    "kimi_k2": "deepseek_v3",
    **dict.fromkeys(("gemma3",), "gemma3_text"),
    **dict.fromkeys(("qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text"), "qwen2"),
    **dict.fromkeys(("qwen3_vl", "qwen3_vl_text"), "qwen3"),
    **dict.fromkeys(("qwen3_vl_moe", "qwen3_vl_moe_text"), "qwen3_moe"),
}
_QWEN2_VL: Final = {"num_key_value_heads": 8, "max_window_layers": 80}
_QWEN3_VL_MOE: Final = {"num_key_value_heads": 16}
# Where configuration classes of such names have defaults of their own.
DEFAULTS: Final[dict[str, Mapping[str, int | bool]]] = {
    **dict.fromkeys(("qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text"), _QWEN2_VL),
    **dict.fromkeys(("qwen3_vl_moe", "qwen3_vl_moe_text"), _QWEN3_VL_MOE),
}

_STATE: Final = "a state space in place of a KV cache"
_HYBRID: Final = "layers with a recurrent state among those with attention"
_ENCODER: Final = "an encoder: it writes no tokens one by one"
_BOTH: Final = "an encoder and a decoder with cross-attention"
_SPARSE: Final = "sparse attention that an indexer chooses"
UNSUPPORTED: Final[dict[str, str]] = {
    **dict.fromkeys(("mamba", "mamba2", "falcon_mamba", "rwkv", "xlstm"), _STATE),
    **dict.fromkeys(("jamba", "bamba", "zamba", "zamba2", "nemotron_h", "falcon_h1", "granitemoehybrid"), _HYBRID),
    **dict.fromkeys(("qwen3_next", "qwen3_5", "qwen3_5_moe", "kimi_linear", "minimax", "recurrent_gemma"), _HYBRID),
    **dict.fromkeys(("lfm2", "lfm2_moe", "olmo_hybrid", "bailing_hybrid"), _HYBRID),
    **dict.fromkeys(("bert", "roberta", "distilbert", "xlm-roberta", "deberta-v2", "electra", "albert"), _ENCODER),
    **dict.fromkeys(("modernbert", "nomic_bert", "vit", "clip", "siglip", "wav2vec2", "eurobert"), _ENCODER),
    **dict.fromkeys(("t5", "mt5", "umt5", "t5gemma", "bart", "mbart", "pegasus", "whisper", "m2m_100"), _BOTH),
    **dict.fromkeys(("marian", "longt5", "led", "switch_transformers", "blenderbot", "mllama"), _BOTH),
    **dict.fromkeys(("deepseek_v32", "deepseek_v4", "glm_moe_dsa"), _SPARSE),
    "llama4": "attention in chunks",
    "llama4_text": "attention in chunks",
    "gemma3n": "layers that share their KV cache and embeddings of each layer",
    "gemma3n_text": "layers that share their KV cache and embeddings of each layer",
}
