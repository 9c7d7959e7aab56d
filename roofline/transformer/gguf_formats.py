"""The formats of the tensors of a GGUF file: what most weights are held in, what keeps 16 bits, bytes of them all."""

from __future__ import annotations

from typing import Final

from roofline.precision import PRECISIONS, storage
from roofline.transformer.architecture import Quantization
from roofline.transformer.formats import Part
from roofline.transformer.gguf_header import Header

# Types of tensors by their number in ggml.h; "-" is out of use, or of no weights.
_TYPES: Final = (
    *(
        "fp32",
        "fp16",
        "q4_0",
        "q4_1",
        "-",
        "-",
        "q5_0",
        "q5_1",
        "q8_0",
        "-",
        "q2_k",
        "q3_k",
        "q4_k",
        "q5_k",
        "q6_k",
        "-",
    ),
    *("iq2_xxs", "iq2_xs", "iq3_xxs", "iq1_s", "iq4_nl", "iq3_s", "iq2_s", "iq4_xs", "int8", "int16", "int32", "int64"),
    *("fp64", "iq1_m", "bf16", "-", "-", "-", "tq1_0", "tq2_0", "-", "-", "-", "mxfp4", "nvfp4"),
)
# Types of whole files in llama.h that mix formats in a way that is known here by its average.
_MIXES: Final = {11: "q3_k_s", 13: "q3_k_l", 14: "q4_k_s", 15: "q4_k_m", 16: "q5_k_s", 17: "q5_k_m"}
_NAMED: Final[tuple[tuple[str, Part], ...]] = (
    ("token_embd.weight", "embedding"),
    ("output.weight", "head"),
    ("blk.0.attn_q.weight", "attention"),
)


def type_name(number: int) -> str | None:
    """The format of a type of tensors; None where it is not known.

    >>> type_name(12), type_name(39), type_name(999)
    ('q4_k', 'mxfp4', None)

    """
    return _TYPES[number] if number < len(_TYPES) and _TYPES[number] != "-" else None


def in_parts(header: Header) -> bool:
    """Whether the tensors are spread over several files."""
    return header.values.get("split.count", 1) not in (0, 1)


def sixteen_bits(header: Header) -> str:
    """The precision of 16 bits that the file holds anything in; bf16 where it holds nothing so."""
    return "fp16" if any(type_name(tensor.type) == "fp16" for tensor in header.tensors) else "bf16"


def quantization(header: Header) -> Quantization | None:
    """The format of the file if it has a name, else that of most weights; None if a tensor's type is not known."""
    elements: dict[str, int] = {}
    size = 0
    for tensor in header.tensors:
        name = type_name(tensor.type)
        if name is None:
            return None
        elements[name] = elements.get(name, 0) + tensor.elements
        size += storage(name).size_of(tensor.elements)
    weights = max(elements, key=lambda name: elements[name])
    kind = header.values.get("general.file_type")
    mix = _MIXES.get(kind) if isinstance(kind, int) else None
    return Quantization(mix or weights, _kept(header, weights), None if in_parts(header) else size)


def _kept(header: Header, weights: str) -> frozenset[Part]:
    """The parts that have 16 bits or more in a file whose other weights have fewer."""
    if weights in PRECISIONS:
        return frozenset()
    types = {tensor.name: type_name(tensor.type) for tensor in header.tensors}
    types.setdefault("output.weight", types.get("token_embd.weight"))  # tied
    return frozenset({"router", "vectors", *(part for name, part in _NAMED if types.get(name) in PRECISIONS)})
