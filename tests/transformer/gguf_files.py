"""GGUF headers written by hand, byte by byte as docs/gguf.md of ggml lays them out."""

from __future__ import annotations

import struct
from typing import Any

Tensors = dict[str, tuple[tuple[int, ...], int]]  # shape, the fastest dimension first, and type

F32, F16, Q4_K, Q6_K = 0, 1, 12, 14


def text(word: str) -> bytes:
    return struct.pack("<Q", len(word.encode())) + word.encode()


def value(of: Any) -> bytes:
    """A value with its type: bool 7, uint32 4, float32 6, string 8, list 9; int64 11, uint64 10 where it must be."""
    if isinstance(of, bool):
        return struct.pack("<I?", 7, of)
    if isinstance(of, int):
        return (
            struct.pack("<II", 4, of) if 0 <= of < 2**32 else struct.pack("<Iq" if of < 0 else "<IQ", 10 + (of < 0), of)
        )
    if isinstance(of, float):
        return struct.pack("<If", 6, of)
    if isinstance(of, str):
        return struct.pack("<I", 8) + text(of)
    items = [value(item) for item in of]
    kind = items[0][:4] if items else struct.pack("<I", 4)
    return struct.pack("<I", 9) + kind + struct.pack("<Q", len(items)) + b"".join(item[4:] for item in items)


def header(values: dict[str, Any], tensors: Tensors, version: int = 3) -> bytes:
    start = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(values))
    pairs = b"".join(text(key) + value(of) for key, of in values.items())
    infos = b"".join(
        text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, 0)
        for name, (shape, kind) in tensors.items()
    )
    return start + pairs + infos


# Llama-3.1-8B cut to two layers of a hidden size of 256, q4_k but for the head.
LLAMA: dict[str, Any] = {
    "general.architecture": "llama",
    "general.name": "Tiny Llama",
    "general.file_type": 15,
    "llama.block_count": 2,
    "llama.context_length": 8192,
    "llama.embedding_length": 256,
    "llama.feed_forward_length": 512,
    "llama.attention.head_count": 8,
    "llama.attention.head_count_kv": 2,
    "llama.rope.freq_base": 500000.0,
    "tokenizer.ggml.tokens": ["a", "b", "ccc"],
}
LLAMA_TENSORS: Tensors = {
    "token_embd.weight": ((256, 1000), Q4_K),
    "output.weight": ((256, 1000), Q6_K),
    "output_norm.weight": ((256,), F32),
    "rope_freqs.weight": ((16,), F32),
    **{
        f"blk.{layer}.{name}.weight": (shape, kind)
        for layer in range(2)
        for name, shape, kind in (
            ("attn_norm", (256,), F32),
            ("attn_q", (256, 256), Q4_K),
            ("attn_k", (256, 64), Q4_K),
            ("attn_v", (256, 64), Q6_K),
            ("attn_output", (256, 256), Q4_K),
            ("ffn_norm", (256,), F32),
            ("ffn_gate", (256, 512), Q4_K),
            ("ffn_up", (256, 512), Q4_K),
            ("ffn_down", (512, 256), Q6_K),
        )
    },
}


def any_model(layers: int) -> Tensors:
    """Every matrix that a layer of any architecture may need, for keys that decide which of them are."""
    more: tuple[str, ...] = (
        "attn_q_a",
        "attn_q_b",
        "attn_kv_a_mqa",
        "attn_k_b",
        "attn_v_b",
        "ffn_gate_inp",
        "ffn_gate_inp_shexp",
    )
    more += tuple(f"ffn_{word}_{of}" for word in ("gate", "up", "down") for of in ("exps", "shexp"))
    return {
        **llama_tensors(layers),
        "position_embd.weight": ((256, 512), F32),
        **{f"blk.{layer}.{name}.weight": ((256, 4), F32) for layer in range(layers) for name in more},
    }


def llama_tensors(layers: int) -> Tensors:
    """The tensors of that Llama with as many layers."""
    first = {name: of for name, of in LLAMA_TENSORS.items() if name.startswith("blk.0.")}
    tables = {name: of for name, of in LLAMA_TENSORS.items() if not name.startswith("blk.")}
    return {**tables, **{name.replace("0", str(i), 1): of for i in range(layers) for name, of in first.items()}}


# Bytes of a block of so many weights, by the number of a type: the sizes of ggml's block structs.
BLOCKS: dict[int, tuple[int, int]] = {
    F32: (1, 4),
    F16: (1, 2),
    8: (32, 34),  # q8_0: 32 codes of 8 bits and a scale of 16
    Q4_K: (256, 144),
    13: (256, 176),  # q5_k
    Q6_K: (256, 210),
}


def size_of(tensors: Tensors) -> int:
    """Bytes of all these tensors."""
    return sum(bytes_of(shape, kind) for shape, kind in tensors.values())


def bytes_of(shape: tuple[int, ...], kind: int) -> int:
    elements = 1
    for size in shape:
        elements *= size
    weights, size = BLOCKS[kind]
    assert elements % weights == 0
    return elements // weights * size


def mixed(shapes: dict[str, tuple[int, ...]], layers: int) -> Tensors:
    """Tensors whose types differ by kind and by layer; ``N`` in a name is every layer."""
    tensors: Tensors = {}
    for number, (name, shape) in enumerate(shapes.items()):
        for layer in range(layers) if "N" in name else (0,):
            vector = len(shape) == 1
            kinds = (F32, F16) if vector else (Q4_K, Q6_K, 8, 13, F16)
            # Neighbours in a layer differ, and so does one kind of tensor from layer to layer, though not in all.
            tensors[name.replace("N", str(layer))] = (shape, kinds[(number + layer // 2) % len(kinds)])
    return tensors
