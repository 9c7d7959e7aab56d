"""What the ``quantization_config`` of a model says of its weights and its KV cache, in the formats known here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from roofline.errors import InputError
from roofline.precision import FORMATS
from roofline.text import clip, counted, quote
from roofline.transformer.architecture import Quantization
from roofline.transformer.exclusions import Mlp, kept_parts, modules_kept
from roofline.transformer.formats import kept_by

KNOWN: Final = (
    "awq and gptq (bits 4 in groups of 32, 64 or 128; bits 8 in rows), bitsandbytes (int8, nf4), fp8 (in rows, or "
    "blocks of 128 x 128), fbgemm_fp8, compressed-tensors (int4, int8, fp8, nvfp4), modelopt (FP8, NVFP4), mxfp4"
)

_CACHE: Final = ("kv_cache_scheme", "kv_cache_quant_algo")
_SCHEMES: Final = (("fp8", 8, "float"), ("nvfp4", 4, "float"), ("int8", 8, "int"))  # bits and kind of a number
_ALGORITHMS: Final = {"FP8": "fp8", "NVFP4": "nvfp4", "INT8": "int8"}
_SHOWN: Final = 80  # characters of what a file says, in a note


def quantization(said: Mapping[str, Any], layers: Sequence[Mlp] = ()) -> Quantization | None:
    """The format and the parts that keep 16 bits in layers with such MLPs; None where the format is not one known here.

    Raises:
        InputError: a list of modules that are not quantised is none, or two keys of the KV cache disagree.

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
    parts, lost = kept_parts(modules_kept(said), layers)
    note = ""
    if lost:
        names = ", ".join(map(quote, lost[:3])) + (", ..." if lost[3:] else "")
        note = (
            f"the quantization_config leaves {counted(len(lost), 'name')} of modules at 16 bits that count with"
            f" {weights} here, as they are not all of a part in all layers, or not known: {names}"
        )
    kv, kv_note = _cache(said)
    return Quantization(weights, kept_by(FORMATS[weights]) | parts, note=note, kv=kv, kv_note=kv_note)


def _cache(said: Mapping[str, Any]) -> tuple[str, str]:
    """The format of the KV cache, and what must be said of it; nothing where the checkpoint says nothing.

    compressed-tensors writes ``kv_cache_scheme``, and ModelOpt that or ``kv_cache_quant_algo``.
    """
    given = {key: said[key] for key in _CACHE if said.get(key) is not None}
    if not given:
        return "", ""
    words = " and ".join(f"{key} {clip(json.dumps(value), _SHOWN)}" for key, value in given.items())
    found = {_cache_format(value) for value in given.values()}
    if len(found) > 1:
        raise InputError(f"contradicts itself: {words}")
    kv = found.pop()
    if kv is None:
        return "", f"the KV cache counts with 16 bits, as {words} is no format known here; --kv names one"
    return kv, f"the KV cache counts in {kv}, as the checkpoint says: {words}; --kv names another format"


def _cache_format(value: object) -> str | None:
    if isinstance(value, dict):
        bits, kind = value.get("num_bits"), value.get("type")
        named = next((name for name, *is_so in _SCHEMES if is_so == [bits, kind]), None)
        return None if named == "nvfp4" and value.get("group_size") not in (None, 16) else named
    return _ALGORITHMS.get(value) if isinstance(value, str) else None


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
    found = {_group(group) for group in groups.values()} if isinstance(groups, dict) else set()
    return found.pop() if len(found) == 1 else None


def _group(group: object) -> str | None:
    weights = group.get("weights") if isinstance(group, dict) else None
    if not isinstance(weights, dict):
        return None
    bits, kind, size = weights.get("num_bits"), weights.get("type"), weights.get("group_size")
    if kind == "float":
        if (bits, size) == (4, 16):
            return "nvfp4"
        return _float8(weights.get("block_structure")) if bits == 8 else None
    return _integer(bits, size, symmetric=bool(weights.get("symmetric"))) if kind == "int" else None
