"""What the ``quantization_config`` of a model says of its weights, in the formats that are known here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from roofline.precision import FORMATS
from roofline.transformer.architecture import Quantization
from roofline.transformer.formats import Part, kept_by

KNOWN: Final = (
    "awq and gptq (bits 4 in groups of 32, 64 or 128; bits 8 in rows), bitsandbytes (int8, nf4), fp8 (in rows, or "
    "blocks of 128 x 128), fbgemm_fp8, compressed-tensors (int4, int8, fp8, nvfp4), modelopt (FP8, NVFP4), mxfp4"
)
# A module that is named for all layers alike; one that is named with a layer's number is an exception of that layer.
_MODULES: Final[tuple[tuple[str, Part], ...]] = (
    ("self_attn", "attention"),
    ("lm_head", "head"),
    ("embed", "embedding"),
)


def quantization(said: Mapping[str, Any]) -> Quantization | None:
    """The format and the parts that keep 16 bits; None where the format is not one that is known.

    Reads what AutoGPTQ, AutoAWQ, bitsandbytes, compressed-tensors, ModelOpt, DeepSeek and gpt-oss write.

    >>> quantization({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}).weights
    'int4-g128'
    >>> quantization({"quant_method": "fp8", "weight_block_size": [128, 128]}).weights
    'fp8-128x128'
    >>> quantization({"quant_method": "aqlm"}) is None
    True

    """
    weights = _format(said)
    if weights is None or weights not in FORMATS:
        return None
    listed = said.get("modules_to_not_convert") or said.get("ignore") or said.get("exclude_modules") or ()
    return Quantization(weights, kept_by(FORMATS[weights]) | _parts(listed if isinstance(listed, list) else ()))


def _format(said: Mapping[str, Any]) -> str | None:
    method = said.get("quant_method")
    if method in ("gptq", "awq"):
        symmetric = said.get("sym") if method == "gptq" else said.get("zero_point") is False
        return _integer(said.get("bits"), said.get("group_size"), symmetric=bool(symmetric))
    if method == "bitsandbytes":
        return _bitsandbytes(said)
    if method in ("fp8", "fbgemm_fp8"):
        return _float8(said.get("weight_block_size"))
    if method == "compressed-tensors":
        return _compressed(said)
    if method == "modelopt":
        return {"FP8": "fp8", "NVFP4": "nvfp4"}.get(str(said.get("quant_algo")))
    return "mxfp4" if method == "mxfp4" else None


def _integer(bits: object, group: object, *, symmetric: bool) -> str | None:
    """int4 with an fp16 scale a group, and a zero unless symmetric; int8 with a scale a row."""
    if bits == 8 and group in (-1, None):
        return "int8"
    return f"int4-g{group}{'-sym' if symmetric else ''}" if bits == 4 else None


def _float8(block: object) -> str | None:
    if block is None:
        return "fp8"
    return "fp8-128x128" if block == [128, 128] else None


def _bitsandbytes(said: Mapping[str, Any]) -> str | None:
    if said.get("load_in_8bit"):
        return "int8"
    if said.get("load_in_4bit") and said.get("bnb_4bit_quant_type") == "nf4":
        return "nf4-dq" if said.get("bnb_4bit_use_double_quant") else "nf4"
    return None


def _compressed(said: Mapping[str, Any]) -> str | None:
    """The one group of compressed-tensors; several groups with different weights have no one format."""
    groups = said.get("config_groups")
    found = {_group(group.get("weights")) for group in groups.values()} if isinstance(groups, dict) else set()
    return found.pop() if len(found) == 1 else None


def _group(weights: object) -> str | None:
    if not isinstance(weights, dict):
        return None
    bits, kind, group = weights.get("num_bits"), weights.get("type"), weights.get("group_size")
    if kind == "float":
        if (bits, group) == (4, 16):
            return "nvfp4"
        return _float8(weights.get("block_structure")) if bits == 8 else None
    return _integer(bits, group, symmetric=bool(weights.get("symmetric"))) if kind == "int" else None


def _parts(modules: Iterable[object]) -> frozenset[Part]:
    return frozenset(
        part
        for module in modules
        for word, part in _MODULES
        if isinstance(module, str) and word in module and not re.search(r"layers\.\d", module)
    )
