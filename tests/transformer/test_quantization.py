"""What a quantization_config says: the format of the weights, and the parts that stay at 16 bits."""

from __future__ import annotations

from typing import Any

import pytest

from roofline.transformer.config import architecture
from tests.transformer.test_config import LLAMA


@pytest.mark.parametrize(
    ("said", "weights", "kept"),
    [
        ({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}, "int4-g128", set()),
        ({"quant_method": "gptq", "bits": 4, "group_size": 64, "sym": True}, "int4-g64-sym", set()),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8-128x128", set()),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}, "nf4", set()),
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
