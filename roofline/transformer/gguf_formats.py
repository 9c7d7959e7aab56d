"""The formats of the tensors of a GGUF file: the type of each, what most weights are held in, and bytes of them all."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from roofline.errors import FileError
from roofline.precision import PRECISIONS, storage
from roofline.text import quote
from roofline.transformer.architecture import Architecture, Quantization
from roofline.transformer.formats import Part
from roofline.transformer.gguf_header import Header, Tensor
from roofline.transformer.layer import Types
from roofline.transformer.memory import weight_bytes

# Types of tensors by their number in ggml.h; those that are left out are no longer in use, or of no weights.
_TYPES: Final = {
    **dict(enumerate(("fp32", "fp16", "q4_0", "q4_1"))),
    **dict(enumerate(("q5_0", "q5_1", "q8_0"), 6)),
    **dict(enumerate(("q2_k", "q3_k", "q4_k", "q5_k", "q6_k"), 10)),
    **dict(enumerate(("iq2_xxs", "iq2_xs", "iq3_xxs", "iq1_s", "iq4_nl", "iq3_s", "iq2_s", "iq4_xs"), 16)),
    **dict(enumerate(("int8", "int16", "int32", "int64", "fp64", "iq1_m", "bf16"), 24)),
    34: "tq1_0",
    35: "tq2_0",
    39: "mxfp4",
    40: "nvfp4",
    41: "q1_0",
}
# Types of whole files in llama.h (llama_ftype), whose weights are of several of those; a file of one type says nothing.
_FILES: Final = {
    **dict(enumerate(("q2_k", "q3_k_s", "q3_k_m", "q3_k_l", "q4_k_s", "q4_k_m", "q5_k_s", "q5_k_m", "q6_k"), 10)),
    **dict(enumerate(("iq2_xxs", "iq2_xs", "q2_k_s", "iq3_xs", "iq3_xxs", "iq1_s", "iq4_nl", "iq3_s", "iq3_m"), 19)),
    **dict(enumerate(("iq2_s", "iq2_m", "iq4_xs", "iq1_m"), 28)),
    36: "tq1_0",
    37: "tq2_0",
}
_NAMED: Final[tuple[tuple[str, Part], ...]] = (
    ("token_embd.weight", "embedding"),
    ("output.weight", "head"),
    ("blk.0.attn_q.weight", "attention"),
)
# Tensors that hold several in one, or one for each expert: the names of those that they hold.
_FUSED: Final = {
    "attn_qkv": ("attn_q", "attn_k", "attn_v"),
    "attn_kv_b": ("attn_k_b", "attn_v_b"),
    "ffn_gate_up_exps": ("ffn_gate_exps", "ffn_up_exps"),
    "ffn_up": ("ffn_gate",),  # where there is no tensor of the gate
}
_EXPERT: Final = re.compile(r"(ffn_(?:gate|up|down))\.\d+\.")
_ROTARY: Final = "rope_"
_PER_CENT: Final = 100


def type_name(number: int) -> str | None:
    """The format of a type of tensors; None where it is not known.

    >>> type_name(12), type_name(39), type_name(999)
    ('q4_k', 'mxfp4', None)

    """
    return _TYPES.get(number)


def file_type(number: object) -> str | None:
    """The format that a type of whole files is called by; None where it is not known, or says no more than its tensors.

    >>> file_type(12), file_type(22), file_type(1)
    ('q3_k_m', 'iq3_xs', None)

    """
    return _FILES.get(number) if isinstance(number, int) else None


def type_of(tensor: Tensor) -> str:
    """The format that holds a tensor.

    Raises:
        FileError: its type is not known, or its rows are no whole number of blocks; it is named.

    """
    name = type_name(tensor.type)
    if name is None:
        raise FileError(
            f"{tensor.where}: tensor {quote(tensor.name)} at byte {tensor.at} is of type {tensor.type}, not known here",
            hint=f"known: {', '.join(f'{number} {name}' for number, name in _TYPES.items())}",
        )
    block = max((elements for elements, _ in storage(name).blocks), default=1)
    if tensor.shape and tensor.shape[0] % block:
        raise FileError(
            f"{tensor.where}: tensor {quote(tensor.name)} at byte {tensor.at} has rows of {tensor.shape[0]},"
            f" but {name} holds blocks of {block}",
            hint="the file is damaged: download or convert it again",
        )
    return name


def types_by_layer(header: Header, depth: int) -> list[Types]:
    """The types of the tensors of each layer, by their names without ``blk.N.``.

    Raises:
        FileError: a type that is not known.

    """
    found: list[dict[str, str]] = [{} for _ in range(depth)]
    for tensor in header.tensors:
        word, _, rest = tensor.name.partition(".")
        number, _, name = rest.partition(".")
        if word == "blk" and number.isdecimal() and len(number) < len(str(10 * depth)) and int(number) < depth:
            found[int(number)][name] = type_of(tensor)
    return [_whole(each) for each in found]


def _whole(types: dict[str, str]) -> Types:
    """With fused tensors under the names of those that they hold."""
    plain = {_EXPERT.sub(r"\1_exps.", name): held for name, held in types.items()}
    for fused, parts in _FUSED.items():
        for end in (".weight", ".bias"):
            held = plain.get(fused + end)
            if held is not None:
                plain = {**{part + end: held for part in parts}, **plain}
    return tuple(sorted(plain.items()))


def sixteen_bits(header: Header) -> str:
    """The precision of 16 bits that the file holds anything in; bf16 where it holds nothing so."""
    return "fp16" if any(type_name(tensor.type) == "fp16" for tensor in header.tensors) else "bf16"


def quantization_of(header: Header, *, complete: bool) -> Quantization:
    """The format of the file if it has a name, else that of most weights; and of a complete one, of its tables.

    Raises:
        FileError: a type that is not known.

    """
    types = {tensor.name: type_of(tensor) for tensor in header.tensors}
    counted: Counter[str] = Counter()
    for tensor in header.tensors:
        counted[types[tensor.name]] += tensor.elements
    most = counted.most_common(1)[0][0]
    kept = _kept(types, most)
    name = file_type(header.values.get("general.file_type"))
    if not complete:
        return Quantization(name or most, kept)
    rotary = [_size(tensor) for tensor in header.tensors if tensor.name.startswith(_ROTARY)]
    tables = tuple((name, held) for name, held in types.items() if not name.startswith("blk."))
    return Quantization(name or most, kept, tables, rotary=max(rotary, default=0), note=_note(header, counted))


def held_in(model: Architecture, header: Header) -> Quantization | None:
    """The same with the bytes of what the shapes do not have, so that all are those of the file."""
    held = model.quantization
    if held is None or not held.types:
        return held
    size = sum(_size(tensor) for tensor in header.tensors)
    return held._replace(further=size - weight_bytes(model, model.formats()))


def _note(header: Header, counted: Counter[str]) -> str:
    """What holds how much of it, in words."""
    total = sum(counted.values()) or 1
    bits = 8 * sum(_size(tensor) for tensor in header.tensors) / total
    parts = ", ".join(f"{name} {_PER_CENT * count / total:.3g} %" for name, count in counted.most_common())
    return f"each tensor counts in its own type, {bits:.4g} bit a weight in the mean: {parts}"


def _size(tensor: Tensor) -> int:
    return storage(type_of(tensor)).size_of(tensor.elements)


def _kept(types: dict[str, str], most: str) -> frozenset[Part]:
    """The parts that have 16 bits or more in a file whose other weights have fewer."""
    if most in PRECISIONS:
        return frozenset()
    head = types.get("output.weight", types.get("token_embd.weight"))  # the second where it is tied
    named = {**types, "output.weight": head}
    return frozenset({"router", "vectors", *(part for name, part in _NAMED if named.get(name) in PRECISIONS)})
