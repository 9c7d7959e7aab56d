"""Configurations: all spellings, the traps that others fall into, and one line for what cannot be read."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import FileError, RooflineError
from roofline.transformer.architecture import Architecture
from roofline.transformer.config import architecture, load
from roofline.transformer.formats import Formats
from roofline.transformer.gqa import Gqa
from roofline.transformer.memory import weight_bytes
from roofline.transformer.mla import Mla
from roofline.transformer.mlp import Dense
from roofline.transformer.moe import Moe
from roofline.transformer.step import Step
from roofline.transformer.table import table

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 160,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 500,
    "torch_dtype": "bfloat16",
}
Writer = Callable[[object], str]


@pytest.fixture
def written(tmp_path: Path) -> Writer:
    def write(content: object) -> str:
        folder = tmp_path / "tiny-llama"
        folder.mkdir(exist_ok=True)
        path = folder / "config.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return str(path)

    return write


def read(**changes: Any) -> Architecture:
    config = {key: value for key, value in {**LLAMA, **changes}.items() if value != "absent"}
    return architecture(config, name="tiny", where="config.json")


def attention(model: Architecture) -> Gqa:
    ((_, layer), *_) = model.layers
    assert isinstance(layer.attention, Gqa)
    return layer.attention


def test_a_small_llama_by_hand(written: Writer) -> None:
    model = load(written(LLAMA))
    # a layer: q and o 64 x 64 each, k and v 64 x 32 each; MLP 3 x 64 x 160; 2 norms of 64. Two tables, one last norm.
    assert model.parameters == 3 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 160 + 2 * 64) + 2 * 500 * 64 + 64
    assert model.kv_elements_per_token == 3 * 2 * 2 * 16
    assert model.name == "tiny-llama"
    assert model.source.endswith("config.json")
    assert model.notes == ()


def test_head_dim_is_never_derived_where_it_is_given() -> None:
    assert attention(read(head_dim=32)).head_dim == 32
    assert attention(read()).head_dim == 16
    with pytest.raises(FileError, match="does not divide the hidden size 64"):
        read(num_attention_heads=5)


@pytest.mark.parametrize(
    ("changes", "windows"),
    [
        ({"model_type": "qwen2", "sliding_window": 131072, "use_sliding_window": False}, []),
        ({"model_type": "qwen2", "sliding_window": 9, "use_sliding_window": True, "max_window_layers": 2}, [(1, 9)]),
        ({"model_type": "mistral", "sliding_window": None}, []),
        ({"model_type": "mistral", "sliding_window": 4096}, [(3, 4096)]),
        ({"model_type": "gemma2", "sliding_window": 8}, [(2, 8)]),  # layers 0 and 2
        ({"model_type": "gemma3_text", "sliding_window": 8, "num_hidden_layers": 12}, [(10, 8)]),  # all but 5 and 11
        ({"model_type": "gemma3_text", "sliding_window": 8, "sliding_window_pattern": 3}, [(2, 8)]),
        ({"model_type": "gemma3_text", "sliding_window": 8, "layer_types": ["full_attention"] * 3}, []),
        ({"model_type": "llama", "sliding_window": 8}, []),  # transformers' Llama has no window
    ],
)
def test_windows(changes: dict[str, Any], windows: list[tuple[int, int]]) -> None:
    layers = read(**changes).layers
    found = [(count, layer.attention.window) for count, layer in layers if layer.attention.window is not None]
    assert found == windows


def test_mixtral_calls_the_width_of_an_expert_intermediate_size() -> None:
    ((_, layer),) = read(model_type="mixtral", num_local_experts=8, num_experts_per_tok=2).layers
    assert layer.mlp == Moe(experts=8, per_token=2, width=160)


def test_qwen_moe_has_a_width_of_its_own_and_dense_layers_where_they_are_listed() -> None:
    moe = {"model_type": "qwen3_moe", "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 24}
    (one, dense), (two, sparse) = read(**moe, mlp_only_layers=[0], head_dim=16).layers
    assert (one, two) == (1, 2)
    assert dense.mlp == Dense(width=160)
    assert sparse.mlp == Moe(experts=8, per_token=2, width=24)


EXPERTS = {"num_experts_per_tok": 2, "moe_intermediate_size": 24}
QWEN_MOE = {"model_type": "qwen2_moe", "num_experts": 8, **EXPERTS}
LATENT = {"kv_lora_rank": 24, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8, "q_lora_rank": None}
DEEPSEEK = {"model_type": "deepseek_v2", "n_routed_experts": 8, **EXPERTS, **LATENT}


@pytest.mark.parametrize(
    ("changes", "sparse"),
    [
        # (i + 1) % 4 = 0 in the code of Qwen2-MoE: of layers 0 to 5 layer 3; i % 4 = 0 would be 0 and 4.
        (QWEN_MOE | {"decoder_sparse_step": 4}, 1),
        (QWEN_MOE | {"decoder_sparse_step": 1}, 6),
        (QWEN_MOE | {"decoder_sparse_step": 4, "mlp_only_layers": [3]}, 0),
        # i >= 1 and i % 2 = 0 in the code beside DeepSeek-V2's own checkpoint: layers 2 and 4; by i + 1: 1, 3 and 5.
        (DEEPSEEK | {"first_k_dense_replace": 1, "moe_layer_freq": 2}, 2),
        (DEEPSEEK | {"first_k_dense_replace": 2, "moe_layer_freq": 1}, 4),
        (DEEPSEEK | {"first_k_dense_replace": 0, "moe_layer_freq": 3}, 2),  # 0 and 3
    ],
)
def test_layers_with_experts_are_those_that_the_code_of_the_model_takes(changes: dict[str, Any], sparse: int) -> None:
    layers = read(num_hidden_layers=6, **changes).layers
    assert sum(count for count, layer in layers if isinstance(layer.mlp, Moe)) == sparse
    assert sum(count for count, layer in layers if layer.mlp == Dense(width=160)) == 6 - sparse


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (QWEN_MOE | {"mlp_only_layers": [0, 6]}, "mlp_only_layers names layer 6, but the model has 6 layers"),
        (QWEN_MOE | {"mlp_only_layers": [-1]}, "mlp_only_layers names layer -1, but the model has 6 layers"),
        (DEEPSEEK | {"first_k_dense_replace": 7}, "first_k_dense_replace is 7, but the model has 6 layers"),
    ],
)
def test_dense_layers_that_are_not_there_are_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(FileError, match=f"^config\\.json: {says}$") as caught:
        read(num_hidden_layers=6, **changes)
    assert caught.value.exit_status == 3


def test_the_last_layers_may_be_dense() -> None:
    for changes in (QWEN_MOE | {"mlp_only_layers": [0, 5]}, DEEPSEEK | {"first_k_dense_replace": 6}):
        assert {count for count, layer in read(num_hidden_layers=6, **changes).layers if layer.mlp == Dense(width=160)}


def test_deepseek_without_a_query_latent() -> None:
    mla = {"q_lora_rank": None, "kv_lora_rank": 24, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8}
    model = read(model_type="deepseek_v2", n_routed_experts=None, moe_intermediate_size=1, num_experts_per_tok=1, **mla,
                 first_k_dense_replace=3)  # fmt: skip
    ((_, layer),) = model.layers
    assert layer.attention == Mla(heads=4, q_lora_rank=None, kv_lora_rank=24, nope_dim=8, rope_dim=4, value_dim=8)
    assert model.kv_elements_per_token == 3 * (24 + 4)


def test_a_nested_text_config_is_the_language_model_and_the_rest_is_said() -> None:
    outer: dict[str, Any] = {
        "model_type": "gemma3",
        "text_config": {**LLAMA, "model_type": "gemma3_text"},
        "vision_config": {"x": 1},
    }
    model = architecture(outer, name="eyes", where="config.json")
    assert model.tied
    assert any("vision_config" in note for note in model.notes)
    outer = {"model_type": "llava", "text_config": LLAMA, "tie_word_embeddings": True, "torch_dtype": "float16"}
    assert architecture(outer, name="llava", where="config.json").tied


def test_ties_follow_the_class_where_the_file_is_silent() -> None:
    assert read(model_type="gemma", head_dim=16).tied
    assert not read(model_type="gemma", head_dim=16, tie_word_embeddings=False).tied
    assert not read().tied
    assert read(tie_word_embeddings=None, model_type="gemma", head_dim=16).tied


def test_defaults_of_a_class_are_said() -> None:
    model = read(model_type="gemma3_text", head_dim="absent", num_key_value_heads="absent")
    assert attention(model).head_dim == 256
    assert "head_dim is not in the file: 256, as transformers takes it for gemma3_text" in model.notes
    assert "num_key_value_heads is not in the file: 4, as transformers takes it for gemma3_text" in model.notes


NO_DEFAULT = {"num_key_value_heads": "absent"}
LATENT_ALONE = {key: of for key, of in LATENT.items() if key != "q_lora_rank"}
ROUTED = {"n_routed_experts": 8, **EXPERTS}


@pytest.mark.parametrize(
    ("changes", "taken"),
    [
        # The class attributes of transformers 5.24, src/transformers/models/*/configuration_*.py.
        (
            {"model_type": "deepseek_v3", **LATENT_ALONE, **ROUTED},
            {"first_k_dense_replace": 3, "n_shared_experts": 1, "q_lora_rank": 1536},
        ),
        (
            {"model_type": "kimi_k2", **LATENT_ALONE, **ROUTED},
            {"first_k_dense_replace": 3, "n_shared_experts": 1, "q_lora_rank": 1536},
        ),
        (
            {"model_type": "deepseek_v2", **LATENT_ALONE, **ROUTED},
            {"first_k_dense_replace": 0, "n_shared_experts": 2, "q_lora_rank": 1536},
        ),
        ({"model_type": "glm4_moe", **ROUTED}, {"first_k_dense_replace": 1, "n_shared_experts": 1}),
        ({**QWEN_MOE, **NO_DEFAULT}, {"num_key_value_heads": 16, "shared_expert_intermediate_size": 5632}),
        ({"model_type": "qwen2", **NO_DEFAULT}, {"num_key_value_heads": 32}),
        ({"model_type": "qwen2_vl", **NO_DEFAULT}, {"num_key_value_heads": 8}),
        ({"model_type": "qwen2_5_vl_text", **NO_DEFAULT}, {"num_key_value_heads": 8}),
        ({"model_type": "qwen3", "head_dim": 16, **NO_DEFAULT}, {"num_key_value_heads": 32}),
        ({**QWEN_MOE, "model_type": "qwen3_moe", **NO_DEFAULT}, {"num_key_value_heads": 4}),
        ({**QWEN_MOE, "model_type": "qwen3_vl_moe", **NO_DEFAULT}, {"num_key_value_heads": 16}),
        ({"model_type": "gemma", "head_dim": 16, **NO_DEFAULT}, {"num_key_value_heads": 16}),
        ({"model_type": "gemma2", "head_dim": 16, **NO_DEFAULT}, {"num_key_value_heads": 4, "sliding_window": 4096}),
        ({**QWEN_MOE, "model_type": "qwen3_moe", "use_sliding_window": True}, {"sliding_window": 4096}),
        ({"model_type": "llama", **NO_DEFAULT}, {}),
    ],
)
def test_what_a_file_leaves_out_is_as_the_class_of_its_model_has_it(
    changes: dict[str, Any], taken: dict[str, int]
) -> None:
    """The same model as with the defaults written out, and a note for each that was taken."""
    sizes: dict[str, Any] = {"hidden_size": 512, "num_attention_heads": 32, "num_hidden_layers": 6}
    model, whole = read(**sizes, **changes), read(**sizes, **changes | taken)
    assert model.layers == whole.layers
    assert whole.notes == ()
    assert set(model.notes) == {
        f"{key} is not in the file: {value}, as transformers takes it for {changes['model_type']}"
        for key, value in taken.items()
    }


def test_what_is_null_takes_no_default() -> None:
    nulls = {"first_k_dense_replace": None, "n_shared_experts": None, "q_lora_rank": None}
    model = read(model_type="deepseek_v3", **LATENT_ALONE, **ROUTED, **nulls)
    ((_, layer),) = model.layers
    assert layer.attention == Mla(heads=4, q_lora_rank=None, kv_lora_rank=24, nope_dim=8, rope_dim=4, value_dim=8)
    assert layer.mlp == Moe(experts=8, per_token=2, width=24, router_bias=True)
    assert model.notes == ()
    assert attention(read(model_type="qwen2", num_key_value_heads=None)).kv_heads == 4


def test_a_default_that_does_not_fit_is_named_as_one() -> None:
    with pytest.raises(FileError, match="num_key_value_heads must not exceed num_attention_heads: 32 of 4") as caught:
        read(model_type="qwen2", num_key_value_heads="absent")
    assert caught.value.hint == "num_key_value_heads is not in the file: 32, as transformers takes it for qwen2"


def test_layers_for_predicting_several_tokens_are_said() -> None:
    assert any("1 further layer" in note for note in read(num_nextn_predict_layers=1).notes)


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"quant_method": "aqlm"}, "quant_method 'aqlm' in these settings is no weight format known here"),
        ({"quant_method": "gptq", "bits": 3, "group_size": 128}, "quant_method 'gptq' in these settings"),
        ({}, "it has no quant_method"),
        ("int4", "must be an object, got 'int4'"),
        (["awq"], "must be an object, got ['awq']"),
        (8, "must be an object, got 8"),
    ],
)
@pytest.mark.parametrize(
    "place",
    [
        "quantization_config",
        "compression_config",
        "text_config.quantization_config",
        "llm_config.quantization_config",
        "language_config.compression_config",
    ],
)
def test_a_quantisation_that_is_not_known_is_refused_with_what_is(place: str, said: object, says: str) -> None:
    outer, _, key = place.rpartition(".")
    config = {"model_type": "llava", outer: LLAMA | {key: said}} if outer else LLAMA | {key: said}
    with pytest.raises(FileError) as caught:
        architecture(config, name="tiny", where="config.json")
    assert str(caught.value).startswith(f"config.json: {place}")
    assert says in str(caught.value)
    assert "awq" in str(caught.value.hint)


def test_a_quantisation_counts_wherever_it_stands() -> None:
    fp8, awq = {"quant_method": "fp8"}, {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}
    for outer, inner in (({}, fp8), (fp8, {}), (fp8, fp8)):
        part = LLAMA | ({"quantization_config": inner} if inner else {})
        whole = {"model_type": "llava", "text_config": part} | ({"quantization_config": outer} if outer else {})
        assert architecture(whole, name="x", where="config.json").formats().weights == "fp8"
    # A part without shapes beside keys at the top is no model of its own, but what it says of weights counts.
    for place in ("text_config", "llm_config", "language_config"):
        stub = architecture(LLAMA | {place: {"quantization_config": fp8}}, name="x", where="config.json")
        assert stub.formats().weights == "fp8"
    with pytest.raises(FileError, match=r"quantization_config and text_config\.quantization_config are not alike"):
        read(quantization_config=fp8, text_config={"quantization_config": awq})
    assert read(quantization_config=None).quantization is None


@pytest.mark.parametrize(
    ("dtype", "weights", "bits"),
    [
        ("float8_e4m3fn", "fp8", 8),
        ("int8", "int8", 8),
        ("int4", "int4", 4),
        ("fp6", "fp6", 6),
        ("fp4", "fp4", 4),
    ],
)
@pytest.mark.parametrize("key", ["dtype", "torch_dtype"])
def test_weights_count_with_the_bits_of_their_dtype_and_the_output_says_so(
    key: str, dtype: str, weights: str, bits: int
) -> None:
    model = read(**{"torch_dtype": "absent", key: dtype})
    formats = model.formats()
    assert (formats.weights, formats.kv, formats.activations, formats.compute) == (weights, "bf16", "bf16", "bf16")
    assert weight_bytes(model, formats) * 8 == model.parameters * bits
    rows = table(model, Step.decode(1), formats)
    row, tables = 64 * bits // 8, 500 * 64 * bits // 8
    assert rows.moved.weights - row + tables == weight_bytes(model, formats)  # of the embedding a row is read
    assert any(f"{key} is {dtype}: all weights count with {bits} bit" in note for note in rows.notes)
    assert not any(" is float" in note for note in table(model, Step(), model.formats(weights="bf16")).notes)


@pytest.mark.parametrize(("dtype", "stored"), [("float32", "fp32"), ("torch.float32", "fp32"), ("float64", "fp64")])
@pytest.mark.parametrize("key", ["dtype", "torch_dtype"])
def test_wider_weights_are_converted_as_serving_engines_do_and_the_output_says_so(
    key: str, dtype: str, stored: str
) -> None:
    model = read(**{"torch_dtype": "absent", key: dtype})
    assert model.formats().weights == "bf16"
    assert weight_bytes(model, model.formats()) == 2 * model.parameters
    assert any(
        note.startswith(f"{key} is {dtype}: counted in bf16") and f"--weights {stored} counts them" in note
        for note in model.notes_of(model.formats())
    )
    assert not any("counted in bf16" in note for note in model.notes_of(model.formats(weights="fp32")))


def test_a_dtype_of_16_bits_is_that_of_all() -> None:
    assert read(torch_dtype="float16").formats().weights == "fp16"
    assert read(torch_dtype="absent", dtype="float16").formats().kv == "fp16"
    assert read(torch_dtype="auto").notes == ("the configuration names no dtype: bf16",)


def test_the_part_of_the_language_model_says_the_dtype_first() -> None:
    """Transformers 5 writes a dtype of each part beside that of the whole."""
    whole = {"model_type": "llava", "dtype": "bfloat16", "text_config": {**LLAMA, "torch_dtype": "float16"}}
    assert architecture(whole, name="x", where="config.json").formats().weights == "fp16"


def test_two_dtypes_that_differ_are_refused() -> None:
    """Transformers 5 writes dtype where it wrote torch_dtype."""
    says = "config.json: contradicts itself: dtype is float16, torch_dtype is bfloat16"
    with pytest.raises(FileError, match=says):
        read(torch_dtype="bfloat16", dtype="float16")
    assert read(torch_dtype="bfloat16", dtype="bf16").formats().weights == "bf16"
    assert read(torch_dtype="auto", dtype="float16").formats().weights == "fp16"


def test_a_quantisation_beside_a_dtype_says_what_the_weights_are() -> None:
    model = read(torch_dtype="float32", quantization_config={"quant_method": "fp8"})
    assert (model.formats().weights, model.formats().of("head").name) == ("fp8", "bf16")
    assert "torch_dtype is float32: what is not quantised counts with 16 bit" in model.notes


@pytest.mark.parametrize("dtype", ["bfloat17", "int32", "tf32", "uint8", "", 16, ["bfloat16"], True])
@pytest.mark.parametrize("key", ["dtype", "torch_dtype"])
def test_a_dtype_of_no_weights_is_refused_with_those_that_are(key: str, dtype: object) -> None:
    with pytest.raises(FileError, match=f"config.json: {key}: .* is no type that weights are held in") as caught:
        read(**{"torch_dtype": "absent", key: dtype})
    assert "float32, float16, bfloat16, float8_e4m3fn" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"hidden_size": "absent"}, "config.json: no key hidden_size (nor n_embd, d_model, hidden_dim)"),
        ({"vocab_size": None}, "config.json: no key vocab_size (nor padded_vocab_size)"),
        ({"num_hidden_layers": -1}, "config.json: num_hidden_layers must be a whole number from 1 to 100,000, got -1"),
        (
            {"num_hidden_layers": 10**9},
            "config.json: num_hidden_layers must be a whole number from 1 to 100,000, got 1000000000",
        ),
        ({"hidden_size": 10**400}, "config.json: hidden_size must be a whole number from 1 to 500,000, got more"),
        ({"hidden_size": "4096"}, "config.json: hidden_size must be a whole number from 1 to 500,000, got '4096'"),
        ({"hidden_size": True}, "config.json: hidden_size must be a whole number from 1 to 500,000, got True"),
        ({"hidden_size": 64.0}, "config.json: hidden_size must be a whole number from 1 to 500,000, got 64.0"),
        ({"hidden_size": [64]}, "config.json: hidden_size must be a whole number from 1 to 500,000, got [64]"),
        (
            {"num_hidden_layers": 1e30},
            "config.json: num_hidden_layers must be a whole number from 1 to 100,000, got 1e+30",
        ),
        ({"hidden_size": 10**18}, f"config.json: hidden_size must be a whole number from 1 to 500,000, got {10**18}"),
        ({"vocab_size": 10**9}, "config.json: vocab_size must be a whole number from 1 to 100,000,000, got 1000000000"),
        (
            {"head_dim": 200_000},
            "config.json: num_attention_heads x head_dim must be at most 500,000, got 4 x 200,000",
        ),
        (
            {"model_type": "mixtral", "num_local_experts": 10**5, "num_experts_per_tok": 10**5},
            "config.json: num_experts_per_tok x intermediate_size must be at most 500,000, got 100,000 x 160",
        ),
        ({"n_embd": 65}, "config.json: contradicts itself: hidden_size is 64, n_embd is 65"),
        (
            {"num_key_value_heads": 3},
            "config.json: num_key_value_heads must divide num_attention_heads: 4 is no multiple of 3",
        ),
        ({"num_key_value_heads": 8}, "config.json: num_key_value_heads must not exceed num_attention_heads: 8 of 4"),
        ({"attention_bias": "yes"}, "config.json: attention_bias must be true or false, got 'yes'"),
        ({"torch_dtype": "bfloat17"}, "config.json: torch_dtype: 'bfloat17' is no type that weights are held in"),
        ({"layer_types": ["full_attention"]}, "config.json: layer_types names 1 layer, but the model has 3"),
        ({"layer_types": 7}, "config.json: layer_types must be a list of words, got 7"),
        ({"layer_types": ["linear_attention"] * 3}, "config.json: layer_types: 'linear_attention' is not supported"),
        ({"layer_types": ["sliding_attention"] * 3}, "config.json: no key sliding_window"),
        ({"hidden_size": 0}, "config.json: hidden_size must be a whole number from 1 to 500,000, got 0"),
        ({"hidden_size": False}, "config.json: hidden_size must be a whole number from 1 to 500,000, got False"),
        ({"vocab_size": 0}, "config.json: vocab_size must be a whole number from 1 to 100,000,000, got 0"),
        (
            {"num_key_value_heads": 0},
            "config.json: num_key_value_heads must be a whole number from 1 to 500,000, got 0",
        ),
        (
            {"layer_types": ["sliding_attention"] * 3, "sliding_window": 0},
            "config.json: sliding_window must be a whole number from 1 to 1,000,000,000, got 0",
        ),
        ({"model_type": "absent"}, "config.json: no key model_type, by which the architecture is known"),
        ({"model_type": 5}, "config.json: model_type must be text"),
        ({"model_type": "lama"}, "config.json: model_type 'lama' is not known, and nothing is guessed of it"),
        (
            {"model_type": "mamba"},
            "config.json: model_type 'mamba' is not supported: a state space in place of",
        ),
        (
            {"model_type": "qwen3_next"},
            "config.json: model_type 'qwen3_next' is not supported: layers with a",
        ),
        ({"model_type": "t5"}, "config.json: model_type 't5' is not supported: an encoder and a decoder"),
        ({"is_encoder_decoder": True}, "config.json: model_type 'llama' is not supported: an encoder and a decoder"),
        ({"text_config": 5}, "config.json: text_config must be an object"),
        (
            {"model_type": "gpt2", "add_cross_attention": True},
            "config.json: add_cross_attention is true: attention to an encoder, which is not supported",
        ),
        (
            {"model_type": "opt", "do_layer_norm_before": False},
            "config.json: do_layer_norm_before is false: norms after each part, and no final norm, which is not",
        ),
        (
            {"model_type": "phi", "qk_layernorm": True},
            "config.json: qk_layernorm is true: norms of queries and keys, with biases, which is not supported",
        ),
        ({"model_type": "opt", "word_embed_proj_dim": 32}, "config.json: word_embed_proj_dim is 32: an embedding of"),
        ({"model_type": "mixtral"}, "config.json: no keys num_local_experts, num_experts_per_tok"),
        (
            {"model_type": "mixtral", "num_experts_per_tok": 2},
            "config.json: no key num_local_experts (nor num_experts)",
        ),
        (
            {"model_type": "qwen3_moe", "vocab_size": "absent"},
            "config.json: no keys vocab_size, num_experts, num_experts_per_tok, moe_intermediate_size",
        ),
        (
            {"model_type": "deepseek_v3", "first_k_dense_replace": 1000},
            "config.json: no keys kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim",
        ),
        (
            {"model_type": "mixtral", "num_local_experts": 4, "num_experts_per_tok": 5},
            "config.json: num_experts_per_tok must not exceed num_local_experts: 5 of 4",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_file_and_key(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(FileError) as caught:
        read(**changes)
    assert str(caught.value).startswith(says)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"layer_types": ["a" * 300_000] * 3},
        {"layer_types": "a" * 300_000},
        {"model_type": "a" * 300_000},
        {"hidden_size": "a" * 300_000},
        {"attention_bias": "a" * 300_000},
        {"torch_dtype": "a" * 300_000},
        {"quantization_config": "a" * 300_000},
        {"quantization_config": {"quant_method": "a" * 300_000}},
        {"quantization_config": {"quant_method": "fp8", "ignore": "a" * 300_000}},
        {"torch_dtype": "bfloat16", "dtype": "float16" + " " * 300_000},
    ],
)
def test_long_values_are_clipped(changes: dict[str, Any]) -> None:
    with pytest.raises(FileError) as caught:
        read(**changes)
    assert len(str(caught.value)) < 300


def test_a_long_spelling_of_a_dtype_is_clipped_in_its_note() -> None:
    assert all(len(note) < 300 for note in read(torch_dtype="float8_e4m3fn" + " " * 300_000).notes_of(Formats()))


def test_all_layers_may_have_a_window_from_the_first_on() -> None:
    changes = {"model_type": "qwen2", "use_sliding_window": True, "sliding_window": 9, "max_window_layers": 0}
    ((count, layer),) = read(**changes).layers
    assert (count, layer.attention.window) == (3, 9)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not valid JSON"),
        ("{", "is not valid JSON"),
        ("[1]", "holds no JSON object"),
        ("null", "holds no JSON object"),
        ('{"a": 1, "a": 2}', "key 'a' is repeated"),
        ("[" * 100_000, "is not valid JSON"),
        ('{"hidden_size": ' + "9" * 5000 + "}", "is not valid JSON"),
        ("a\0b", "is a binary file"),
    ],
)
def test_files_that_are_no_configuration(written: Writer, text: str, says: str) -> None:
    with pytest.raises(FileError, match=r"config\.json") as caught:
        load(written(text))
    assert says in str(caught.value)
    assert caught.value.exit_status == 3


def test_many_repeated_keys_are_found_at_once(written: Writer) -> None:
    many = ", ".join(f'"k{i}": 1' for i in range(300_000))
    start = time.monotonic()
    with pytest.raises(FileError, match="key 'k299999' is repeated"):
        load(written(f'{{{many}, "k299999": 2}}'))
    assert time.monotonic() - start < 10  # looking for each among all others would take 1e11 steps


def test_a_missing_file() -> None:
    with pytest.raises(FileError, match="no such file"):
        load("/nowhere/config.json")


@pytest.mark.parametrize("experts", [0, 500])
def test_the_largest_sizes_that_are_believed_end_in_no_error(experts: int) -> None:
    """The most tokens that a step has, 1e9, with the most of everything else."""
    sizes = {"hidden_size": 500_000, "intermediate_size": 500_000, "num_attention_heads": 500, "head_dim": 1000}
    moe = {"model_type": "qwen3_moe", "num_experts": 500_000, "num_experts_per_tok": experts}
    model = read(
        **sizes,
        num_key_value_heads=500,
        num_hidden_layers=100_000,
        vocab_size=10**8,
        **({**moe, "moe_intermediate_size": 1000} if experts else {}),
    )
    for step in (Step.prefill(10**6, batch=1000), Step.decode(10**9), Step.decode(10**6, batch=10**9)):
        assert table(model, step, model.formats()).flops > 10**18
    assert weight_bytes(model, model.formats()) == 2 * model.parameters


words = st.text("ab\x1b\u00e9", max_size=3)
values = st.none() | st.booleans() | st.integers() | st.floats() | words | st.lists(words, max_size=3)


@given(st.dictionaries(st.sampled_from([*LLAMA, "layer_types", "sliding_window", "head_dim", "text_config"]), values))
def test_no_configuration_ends_in_another_error_than_one_of_ours(changes: dict[str, Any]) -> None:
    try:
        model = architecture({**LLAMA, **changes}, name="any", where="config.json")
    except RooflineError as error:
        assert str(error).isprintable()
    else:
        assert model.parameters > 0
