"""What a quantization_config says: the format of the weights, and the parts that stay at 16 bits."""

from __future__ import annotations

from typing import Any

import pytest

from roofline.transformer.config import architecture
from roofline.transformer.tensors import bytes_by_part
from tests.transformer.test_config import LLAMA


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
