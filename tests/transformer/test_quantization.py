"""What a quantization_config says: the format of the weights, and the parts that stay at 16 bits."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import FileError
from roofline.transformer.config import architecture, load
from roofline.transformer.memory import Load, demand
from roofline.transformer.tensors import bytes_by_part
from tests.transformer.test_config import DEEPSEEK, LLAMA


@pytest.mark.parametrize(
    ("said", "weights", "kept"),
    [
        ({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}, "int4-g128", set()),
        ({"quant_method": "gptq", "bits": 4, "group_size": 64, "sym": True}, "int4-g64-sym", set()),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8-128x128", set()),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}, "nf4", set()),
        (
            {
                "quant_method": "bitsandbytes",
                "load_in_4bit": True,
                "bnb_4bit_quant_type": "nf4",
                "bnb_4bit_use_double_quant": True,
            },
            "nf4-dq",
            set(),
        ),
        ({"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn"]}, "mxfp4", {"attention"}),
        ({"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.0.self_attn"]}, "mxfp4", set()),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float", "strategy": "channel"}}},
            },
            "fp8",
            set(),
        ),
    ],
)
def test_quantisation(said: dict[str, Any], weights: str, kept: set[str]) -> None:
    model = architecture({**LLAMA, "quantization_config": said}, name="tiny", where="config.json")
    assert model.quantization is not None
    assert model.quantization.weights == weights
    assert sorted(model.quantization.kept or ()) == sorted({"embedding", "head", "router", "vectors"} | kept)
    formats = model.formats()
    assert formats.of("mlp").name == weights
    assert formats.of("head").name == "bf16"
    assert formats.of("attention").name == ("bf16" if kept else weights)
    assert model.formats(weights="int8").of("attention").name == "int8"  # another format, another checkpoint


@pytest.mark.parametrize(("double", "bits"), [(False, 4 + 32 / 64), (True, 4 + 8 / 64 + 32 / 16_384)])
def test_scales_that_are_quantised_themselves_take_fewer_bits(*, double: bool, bits: float) -> None:
    """QLoRA: an fp32 scale for 64 weights; doubly, 8 bits of it and an fp32 scale for 256 of those: 4.127 bits."""
    said = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}
    said["bnb_4bit_use_double_quant"] = double
    sizes = {"hidden_size": 512, "intermediate_size": 1024, "num_hidden_layers": 2, "quantization_config": said}
    model = architecture({**LLAMA, **sizes}, name="tiny", where="config.json")
    held = bytes_by_part(model, model.formats())
    assert held["mlp"] == 2 * 3 * 512 * 1024 * bits / 8
    assert held["head"] == 2 * 500 * 512


FP8: dict[str, Any] = {"quant_method": "fp8"}
ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
GATED = ("gate_proj", "up_proj", "down_proj")


def of_layers(number: int, *names: str) -> list[str]:
    return [f"model.layers.{layer}.{name}" for layer in range(number) for name in names]


@pytest.mark.parametrize("key", ["modules_to_not_convert", "ignore", "exclude_modules", "ignored_layers"])
@pytest.mark.parametrize(
    ("listed", "kept", "lost"),
    [
        # As DeepSeek-R1 in NVFP4 (ModelOpt), Llama-3.1-405B in fp8 (fbgemm) and gpt-oss list them.
        (of_layers(3, "self_attn*"), {"attention"}, 0),
        (of_layers(3, *(f"self_attn.{name}" for name in ATTENTION)), {"attention"}, 0),
        (["model.layers.*.self_attn", "model.layers.*.mlp.router", "lm_head"], {"attention"}, 0),
        (["self_attn"], {"attention"}, 0),
        (["*self_attn*"], {"attention"}, 0),
        (["re:.*self_attn.*"], {"attention"}, 0),
        ([r"re:model\.layers\.\d+\.self_attn\.(q|k|v|o)_proj$"], {"attention"}, 0),
        ([r"re:.*mlp\.(gate|up|gate_up|down)_proj.*"], {"mlp"}, 0),
        (of_layers(3, *(f"mlp.{name}" for name in GATED)), {"mlp"}, 0),
        (of_layers(3, "mlp"), {"mlp"}, 0),
        (["model.layers.0", "model.layers.1", "model.layers.2*"], {"attention", "mlp"}, 0),
        (["language_model.model.layers.*.mlp"], {"mlp"}, 0),
        # One layer less, one matrix less, one layer alone, or nothing that is known: said, and counted as the rest.
        (of_layers(2, "self_attn*"), set(), 2),
        (of_layers(3, *(f"self_attn.{name}" for name in ATTENTION[:3])), set(), 9),
        ([*of_layers(3, "self_attn"), "model.layers.0.mlp.down_proj"], {"attention"}, 1),
        (["model.layers.0"], set(), 1),
        (["self_attn.q_proj"], set(), 1),
        (["Linear"], set(), 1),
        (["re:(.*a)*b", "re:[a-z]*", "re:(", "re:" + "a" * 1000], set(), 4),
        # What keeps 16 bits in any case, further layers, and towers that are not counted.
        (of_layers(3, "input_layernorm", "mlp.gate", "self_attn.q_norm"), set(), 0),
        (["lm_head", "model.embed_tokens", "re:.*lm_head", "model.norm", "re:.*router.*"], set(), 0),
        (["model.layers.3*", "model.layers.61.self_attn", "mtp.layers.0.self_attn"], set(), 0),
        (["visual", "vision_tower.layers.0.self_attn", "re:.*vision_model.*", "multi_modal_projector"], set(), 0),
    ],
)
def test_what_is_listed_of_every_layer_keeps_16_bits_and_the_rest_is_said(
    key: str, listed: list[str], kept: set[str], lost: int
) -> None:
    model = architecture({**LLAMA, "quantization_config": {**FP8, key: listed}}, name="tiny", where="config.json")
    formats = model.formats()
    assert {part for part in ("attention", "mlp") if formats.of(part).name == "bf16"} == kept
    said = [note for note in model.notes_of(formats) if "leaves" in note]
    assert len(said) == (lost > 0)
    if lost:
        assert f"leaves {lost} name{'s' * (lost > 1)} of modules at 16 bits that count with fp8 here" in said[0]
        assert len(said[0]) < 500


@pytest.mark.parametrize(
    ("listed", "kept"),
    [
        # Kimi-K2 in int4: everything but the routed experts; layer 0 has one MLP, the others shared experts beside.
        (
            ["re:.*self_attn.*", "re:.*shared_experts.*", r"re:.*mlp\.(gate|up|gate_up|down)_proj.*"],
            {"attention", "mlp"},
        ),
        (["re:.*shared_experts.*"], set()),
        (["mlp.experts"], {"experts"}),
        (["mlp"], {"mlp", "experts"}),
        (of_layers(6, "mlp"), {"mlp", "experts"}),
        (of_layers(6, "mlp.experts.0"), set()),
        (of_layers(6, "mlp.experts*"), {"experts"}),
    ],
)
def test_experts_and_what_is_beside_them_are_kept_apart(listed: list[str], kept: set[str]) -> None:
    sizes = {"num_hidden_layers": 6, "first_k_dense_replace": 1, "n_shared_experts": 1}
    config = {**LLAMA, **DEEPSEEK, **sizes, "quantization_config": {**FP8, "ignore": listed}}
    formats = architecture(config, name="tiny", where="config.json").formats()
    assert {part for part in ("attention", "mlp", "experts") if formats.of(part).name == "bf16"} == kept


@pytest.mark.parametrize("listed", [{"a": 1}, "lm_head", 5, True, False, {}, [1], [["a"]], [None], ["a"] * 200_000])
@pytest.mark.parametrize("key", ["modules_to_not_convert", "ignore", "exclude_modules"])
def test_a_list_of_modules_that_is_none_is_refused(key: str, listed: object) -> None:
    says = (
        rf"config\.json: quantization_config: ({key} must be a list of modules, got|200000 modules are not quantised)"
    )
    with pytest.raises(FileError, match=says):
        architecture({**LLAMA, "quantization_config": {**FP8, key: listed}}, name="tiny", where="config.json")


def test_lists_under_several_names_count_together() -> None:
    said = {**FP8, "ignore": ["self_attn"], "modules_to_not_convert": ["mlp"], "exclude_modules": None}
    formats = architecture({**LLAMA, "quantization_config": said}, name="tiny", where="config.json").formats()
    assert (formats.of("attention").name, formats.of("mlp").name) == ("bf16", "bf16")


@pytest.mark.parametrize("groups", [{"g": 5}, {"g": None}, {"g": []}, {"g": {"weights": 5}}, {}, [], 5, None, "g"])
def test_groups_that_are_none_are_refused(groups: object) -> None:
    said = {"quant_method": "compressed-tensors", "config_groups": groups}
    with pytest.raises(
        FileError, match=r"config\.json: quantization_config: quant_method 'compressed-tensors' in these"
    ):
        architecture({**LLAMA, "quantization_config": said}, name="tiny", where="config.json")


KEYS = (
    *("quant_method", "bits", "group_size", "sym", "zero_point", "weight_block_size", "load_in_8bit", "load_in_4bit"),
    *("bnb_4bit_quant_type", "config_groups", "quant_algo", "modules_to_not_convert", "ignore", "exclude_modules", "g"),
    *("weights", "num_bits", "type", "block_structure", "symmetric", "llm_int8_skip_modules"),
)
METHODS = (
    "awq",
    "gptq",
    "bitsandbytes",
    "fp8",
    "compressed-tensors",
    "modelopt",
    "mxfp4",
    "float",
    "int",
    "nf4",
    "FP8",
)
MODULES = ("lm_head", "model.layers.0.mlp", "re:.*self_attn.*", "*", "re:(a|b)*", "model.layers.*")
leaves = (
    st.none() | st.booleans() | st.sampled_from((*METHODS, *MODULES, 4, 8, 16, 128, -1)) | st.integers() | st.floats()
)
json_values = st.recursive(
    leaves | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(
    json_values
    | st.builds(
        lambda method, rest: {**rest, "quant_method": method},
        st.sampled_from(METHODS),
        st.dictionaries(st.sampled_from(KEYS), json_values, max_size=4),
    )
)
def test_any_quantization_config_is_read_or_refused_in_one_line(said: object) -> None:
    try:
        model = architecture({**LLAMA, "quantization_config": said}, name="tiny", where="config.json")
    except FileError as error:
        assert str(error).startswith("config.json: quantization_config")
        assert str(error).isprintable()
    else:
        assert model.parameters > 0


@given(st.lists(st.text("re:.*()|\\[]?+^${}03alyersmodf_tnNpgbvj", max_size=40), max_size=5))
def test_any_names_of_modules_are_read(listed: list[str]) -> None:
    said = {**FP8, "ignore": listed}
    assert architecture({**LLAMA, "quantization_config": said}, name="tiny", where="config.json").parameters > 0


def test_the_most_names_that_are_read_take_seconds() -> None:
    plain = [f"model.layers.{layer % 100}.mlp.experts.{layer}.up_proj" for layer in range(95_000)]
    wild = [f"{'*a' * 60}{number}" for number in range(4000)]
    start = time.monotonic()
    said = {**FP8, "ignore": plain + wild}
    architecture({**LLAMA, "num_hidden_layers": 1000, "quantization_config": said}, name="tiny", where="config.json")
    assert time.monotonic() - start < 10  # 1 s on a slow core
    said["ignore"] = [f"*{number}" for number in range(6000)]
    with pytest.raises(FileError, match="6000 modules are not quantised, by more than 5000 patterns"):
        architecture({**LLAMA, "quantization_config": said}, name="tiny", where="config.json")


def test_nesting_that_is_not_too_deep_for_reading_is_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    for depth in range(50, 1000, 50):
        deep = "[" * depth + "]" * depth
        path.write_text(
            json.dumps(LLAMA)[:-1] + f', "quantization_config": {{"quant_method": "fp8", "ignore": {deep}}}}}'
        )
        with pytest.raises(FileError, match=re.escape(str(path))):
            load(str(path))


@pytest.mark.parametrize(
    ("said", "kv"),
    [
        ({"kv_cache_scheme": {"num_bits": 8, "type": "float", "strategy": "tensor", "dynamic": False}}, "fp8"),
        ({"kv_cache_scheme": {"num_bits": 8, "type": "int"}}, "int8"),
        ({"kv_cache_scheme": {"num_bits": 4, "type": "float", "group_size": 16}}, "nvfp4"),
        ({"kv_cache_quant_algo": "FP8"}, "fp8"),
        ({"kv_cache_quant_algo": "NVFP4"}, "nvfp4"),
        ({"kv_cache_quant_algo": "FP8", "kv_cache_scheme": {"num_bits": 8, "type": "float"}}, "fp8"),
    ],
)
def test_the_cache_is_that_of_the_checkpoint_unless_another_is_named(said: dict[str, Any], kv: str) -> None:
    config = {**LLAMA, "quantization_config": {"quant_method": "modelopt", "quant_algo": "FP8", **said}}
    model = architecture(config, name="tiny", where="config.json")
    formats = model.formats()
    assert (formats.weights, formats.kv) == ("fp8", kv)
    (note,) = [note for note in model.notes_of(formats) if "KV cache" in note]
    assert note.startswith(f"the KV cache counts in {kv}, as the checkpoint says: {min(said, key=len)} ")
    other = model.formats(weights="bf16")  # what it says of its cache stays: a lever on the weights moves nothing else
    assert (other.weights, other.kv) == ("bf16", kv)
    assert note in model.notes_of(other)
    named = model.formats(kv="bf16")
    assert named.kv == "bf16"
    assert not [note for note in model.notes_of(named) if "KV cache" in note]


def test_a_cache_of_8_bits_takes_half_of_one_of_16() -> None:
    method = {"quant_method": "fp8", "kv_cache_scheme": {"num_bits": 8, "type": "float"}}
    plain = architecture(LLAMA, name="tiny", where="config.json")
    model = architecture({**LLAMA, "quantization_config": method}, name="tiny", where="config.json")
    size = 1000 * plain.kv_elements_per_token
    load = Load(positions=1000)
    assert demand(plain, plain.formats(), load).kv == 2 * size
    assert demand(model, model.formats(), load).kv == size


@pytest.mark.parametrize("said", [{}, {"kv_cache_scheme": None}, {"kv_cache_quant_algo": None}])
def test_nothing_is_said_of_a_cache_of_16_bits(said: dict[str, Any]) -> None:
    model = architecture({**LLAMA, "quantization_config": {**FP8, **said}}, name="tiny", where="config.json")
    assert model.formats().kv == "bf16"
    assert not [note for note in model.notes_of(model.formats()) if "KV cache" in note]


@pytest.mark.parametrize(
    "said",
    [
        {"kv_cache_scheme": "static"},
        {"kv_cache_scheme": {}},
        {"kv_cache_scheme": {"num_bits": 2, "type": "float"}},
        {"kv_cache_scheme": {"num_bits": 4, "type": "float", "group_size": 128}},
        {"kv_cache_scheme": {"num_bits": [8], "type": {}}},
        {"kv_cache_quant_algo": "FP3"},
        {"kv_cache_quant_algo": ["FP8"]},
    ],
)
def test_a_cache_in_a_format_that_is_not_known_is_said_not_to_count(said: dict[str, Any]) -> None:
    model = architecture({**LLAMA, "quantization_config": {**FP8, **said}}, name="tiny", where="config.json")
    assert model.formats().kv == "bf16"
    (note,) = [note for note in model.notes_of(model.formats()) if "KV cache" in note]
    assert note.startswith(f"the KV cache counts with 16 bits, as {next(iter(said))} ")
    assert note.endswith(" is no format known here; --kv names one")


def test_keys_of_the_cache_that_disagree_are_refused() -> None:
    said = {**FP8, "kv_cache_scheme": {"num_bits": 8, "type": "float"}, "kv_cache_quant_algo": "NVFP4"}
    says = "config.json: quantization_config: contradicts itself: kv_cache_scheme {"
    with pytest.raises(FileError, match=re.escape(says)):
        architecture({**LLAMA, "quantization_config": said}, name="tiny", where="config.json")
