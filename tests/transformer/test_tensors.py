"""Files whose tensors are of many types: traffic, memory and shards are, to the byte, what the tensors take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline.transformer.architecture import Architecture, Quantization
from roofline.transformer.closed_decode import closed_decode
from roofline.transformer.conventions import Conventions
from roofline.transformer.ends import tables_of
from roofline.transformer.formats import Formats
from roofline.transformer.gguf_model import load
from roofline.transformer.gqa import Gqa
from roofline.transformer.layer import Layer
from roofline.transformer.memory import Load, demand
from roofline.transformer.mlp import Dense
from roofline.transformer.moe import Moe
from roofline.transformer.operator import Operator
from roofline.transformer.parallel import parallel_table, shard
from roofline.transformer.presets import find, presets
from roofline.transformer.step import Step
from roofline.transformer.table import table
from roofline.transformer.tensors import bytes_by_part, difference, formats_by_part
from tests.transformer.gguf_files import Q4_K, Q6_K, Tensors, bytes_of, header, mixed, size_of

Shapes = dict[str, tuple[int, ...]]
ALL = Conventions(experts="all")
H, V, D = 256, 1024, 32  # hidden size, vocabulary, size of a head; 8 query heads and 2 of keys and values
TABLES: Shapes = {"token_embd.weight": (H, V), "output.weight": (H, V), "output_norm.weight": (H,)}
NORMS: Shapes = {"blk.N.attn_norm.weight": (H,), "blk.N.ffn_norm.weight": (H,)}
OUTPUT: Shapes = {"blk.N.attn_output.weight": (8 * D, H)}
ATTENTION: Shapes = {
    "blk.N.attn_q.weight": (H, 8 * D),
    "blk.N.attn_k.weight": (H, 2 * D),
    "blk.N.attn_v.weight": (H, 2 * D),
    **OUTPUT,
}
BIASES: Shapes = {
    "blk.N.attn_q.bias": (8 * D,),
    "blk.N.attn_k.bias": (2 * D,),
    "blk.N.attn_v.bias": (2 * D,),
}
QK_NORMS: Shapes = {"blk.N.attn_q_norm.weight": (D,), "blk.N.attn_k_norm.weight": (D,)}
GATED: Shapes = {
    "blk.N.ffn_gate.weight": (H, 512),
    "blk.N.ffn_up.weight": (H, 512),
    "blk.N.ffn_down.weight": (512, H),
}
EXPERTS: Shapes = {
    "blk.N.ffn_gate_inp.weight": (H, 4),
    "blk.N.ffn_gate_exps.weight": (H, 256, 4),
    "blk.N.ffn_up_exps.weight": (H, 256, 4),
    "blk.N.ffn_down_exps.weight": (256, H, 4),
}
SHARED: Shapes = {
    "blk.N.ffn_gate_inp_shexp.weight": (H,),
    "blk.N.ffn_gate_shexp.weight": (H, 512),
    "blk.N.ffn_up_shexp.weight": (H, 512),
    "blk.N.ffn_down_shexp.weight": (512, H),
}
LATENT: Shapes = {
    "blk.N.attn_q_a.weight": (H, 256),
    "blk.N.attn_q_a_norm.weight": (256,),
    "blk.N.attn_q_b.weight": (256, 8 * (24 + 8)),
    "blk.N.attn_kv_a_mqa.weight": (H, 256 + 8),
    "blk.N.attn_kv_a_norm.weight": (256,),
    "blk.N.attn_k_b.weight": (256, 24, 8),
    "blk.N.attn_v_b.weight": (256, 32, 8),
    "blk.N.attn_output.weight": (8 * 32, H),
}
ONE_LATENT = {name: shape for name, shape in LATENT.items() if "_b." not in name or "q_b" in name}
FILES: dict[str, Shapes] = {
    "llama": {**TABLES, **ATTENTION, **GATED, **NORMS},
    "tied": {name: of for name, of in {**TABLES, **ATTENTION, **GATED, **NORMS}.items() if name != "output.weight"},
    "rotary": {**TABLES, **ATTENTION, **GATED, **NORMS, "rope_freqs.weight": (16,)},
    "qwen2": {**TABLES, **ATTENTION, **BIASES, **GATED, **NORMS},
    "qwen3": {**TABLES, **ATTENTION, **QK_NORMS, **GATED, **NORMS},
    "qwen3moe": {**TABLES, **ATTENTION, **QK_NORMS, **EXPERTS, **NORMS},
    "qwen2moe": {**TABLES, **ATTENTION, **BIASES, **EXPERTS, **SHARED, **NORMS},
    "phi3": {  # q, k and v in one tensor, gate and up too
        **TABLES,
        **NORMS,
        **OUTPUT,
        "blk.N.attn_qkv.weight": (H, 12 * D),
        "blk.N.ffn_up.weight": (H, 2 * 512),
        "blk.N.ffn_down.weight": (512, H),
    },
    "gpt2": {
        **{name: of for name, of in TABLES.items() if name != "output.weight"},
        **NORMS,
        **OUTPUT,
        "output_norm.bias": (H,),
        "position_embd.weight": (H, 512),
        "blk.N.attn_norm.bias": (H,),
        "blk.N.ffn_norm.bias": (H,),
        "blk.N.attn_qkv.weight": (H, 3 * 8 * D),
        "blk.N.attn_qkv.bias": (3 * 8 * D,),
        "blk.N.attn_output.bias": (H,),
        "blk.N.ffn_up.weight": (H, 512),
        "blk.N.ffn_up.bias": (512,),
        "blk.N.ffn_down.weight": (512, H),
        "blk.N.ffn_down.bias": (H,),
    },
    "gemma2": {
        **{name: of for name, of in TABLES.items() if name != "output.weight"},
        **NORMS,
        **ATTENTION,
        **GATED,
        "blk.N.post_attention_norm.weight": (H,),
        "blk.N.post_ffw_norm.weight": (H,),
    },
    "gpt-oss": {
        **TABLES,
        **ATTENTION,
        **BIASES,
        **EXPERTS,
        "blk.N.attn_output.bias": (H,),
        "blk.N.attn_norm.weight": (H,),
        "blk.N.post_attention_norm.weight": (H,),
        "blk.N.attn_sinks.weight": (8,),
        "blk.N.ffn_gate_inp.bias": (4,),
        "blk.N.ffn_gate_exps.bias": (256, 4),
        "blk.N.ffn_up_exps.bias": (256, 4),
        "blk.N.ffn_down_exps.bias": (H, 4),
    },
    "deepseek2": {**TABLES, **NORMS, **LATENT, **GATED},
    "deepseek2 of one latent tensor": {
        **TABLES,
        **NORMS,
        **ONE_LATENT,
        "blk.N.attn_kv_b.weight": (256, 8 * (24 + 32)),
        **GATED,
    },
}
SHAPES: dict[str, Any] = {
    "block_count": 6,
    "context_length": 512,
    "embedding_length": H,
    "feed_forward_length": 512,
    "attention.head_count": 8,
    "attention.head_count_kv": 2,
    "attention.key_length": D,
    "attention.value_length": D,
}
MOE: dict[str, Any] = {"expert_count": 4, "expert_used_count": 2, "expert_feed_forward_length": 256}
FURTHER: dict[str, dict[str, Any]] = {
    "qwen3moe": MOE,
    "qwen2moe": {**MOE, "expert_shared_feed_forward_length": 512},
    "gpt2": {"attention.head_count_kv": 8},
    "gpt-oss": {**MOE, "feed_forward_length": 256, "attention.sliding_window": 128},
    "deepseek2": {
        "attention.q_lora_rank": 256,
        "attention.kv_lora_rank": 256,
        "attention.key_length": 32,
        "attention.value_length": 32,
        "rope.dimension_count": 8,
        "leading_dense_block_count": 6,
    },
}
Loader = Callable[[str], tuple[Architecture, Tensors]]


@pytest.fixture
def loaded(tmp_path: Path) -> Loader:
    def read(name: str) -> tuple[Architecture, Tensors]:
        kind = {"tied": "llama", "rotary": "llama"}.get(name, name.split(maxsplit=1)[0])
        tensors = mixed(FILES[name], 6)
        values = {"general.architecture": kind, "general.file_type": 15}
        values |= {f"{kind}.{key}": of for key, of in {**SHAPES, **FURTHER.get(kind, {})}.items()}
        path = tmp_path / "mixed.gguf"
        path.write_bytes(header(values, tensors))
        return load(str(path)), tensors

    return read


def looked_up(rows: tuple[Operator, ...]) -> int:
    """B of rows of tables that are looked up, of which a step reads but those of its tokens."""
    return sum(row.weights for row in rows if row.group == "embedding")


@pytest.mark.parametrize("name", FILES)
def test_table_closed_form_and_memory_are_the_file_to_the_byte(loaded: Loader, name: str) -> None:
    model, tensors = loaded(name)
    formats, whole = model.formats(), size_of(tensors)
    assert not any("elements" in note for note in model.notes)  # the tensors are those of the shapes
    assert demand(model, formats, Load()).weights == whole
    assert sum(bytes_by_part(model, formats).values()) == whole - (64 if name == "rotary" else 0)
    # A table that is looked up is read by its rows, and one that is the LM head too as a whole.
    stored = {key: bytes_of(*tensors[key]) for key in ("token_embd.weight", "position_embd.weight") if key in tensors}
    tied = "output.weight" not in tensors
    unread = sum(stored.values()) - (stored["token_embd.weight"] if tied else 0)
    for mla in ("absorbed", "naive") if "deepseek" in name else ("auto",):
        ways = Conventions(experts="all", mla=mla)
        closed = closed_decode(model, formats, ways)
        for batch, context in ((1, 1), (7, 300)):
            rows = table(model, Step.decode(context, batch=batch), formats, ways)
            assert rows.moved.weights - looked_up(rows.operators) == whole - unread
            assert closed.moved(batch, context) == rows.moved
            assert closed.fixed + sum(e.times * e.weights * e.experts for e in closed.experts) == whole - unread
        row = sum(bytes_of((H,), tensors[key][1]) for key in stored)
        assert closed.row == row
        prefill = table(model, Step.prefill(50, batch=3), formats, ways)
        assert prefill.moved.weights == whole - unread + 150 * row


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("devices", [2, 4, 8])
def test_a_share_is_made_of_shares_of_tensors(loaded: Loader, name: str, devices: int) -> None:
    model, tensors = loaded(name)
    formats = model.formats()
    share = demand(model, formats, Load(devices=devices)).weights
    rows = parallel_table(model, Step.decode(1), formats, ALL, devices=devices)
    stored = {key: tensors[key] for key in ("token_embd.weight", "position_embd.weight") if key in tensors}
    unread = 0
    for key, ((_, count), kind) in stored.items():
        if key == "token_embd.weight":
            unread += 0 if "output.weight" not in tensors else bytes_of((H, count // devices), kind)
        else:
            unread += bytes_of((H, count), kind)
    assert rows.moved.weights - looked_up(rows.operators) == share - unread
    assert size_of(tensors) / devices < share < size_of(tensors)


def test_the_halves_of_two_devices_by_hand(loaded: Loader) -> None:
    """All matrices halve, and the norms are whole; 2 KV heads on 2 devices are one on each."""
    model, tensors = loaded("llama")
    vectors = sum(bytes_of(*of) for of in tensors.values() if len(of[0]) == 1)
    assert demand(model, model.formats(), Load(devices=2)).weights == (size_of(tensors) - vectors) // 2 + vectors


def test_each_operator_weighs_what_its_tensors_do_in_each_layer(loaded: Loader) -> None:
    model, tensors = loaded("llama")
    rows = table(model, Step.decode(1), model.formats()).operators
    assert [count for count, _ in model.layers] == [2, 2, 2]  # three pairs of layers with types of their own
    for index in range(3):
        found = {row.name: row.weights for row in rows if row.layer == index and row.weights and row.name != "norms"}
        own = {
            key.removeprefix(f"blk.{2 * index}.").removesuffix(".weight"): bytes_of(*of)
            for key, of in tensors.items()
            if key.startswith(f"blk.{2 * index}.")
        }
        assert found == {
            "q, k, v": own["attn_q"] + own["attn_k"] + own["attn_v"],
            "output": own["attn_output"],
            "gate, up": own["ffn_gate"] + own["ffn_up"],
            "down": own["ffn_down"],
        }


def test_experts_that_a_step_touches_weigh_a_share_of_their_tensors(loaded: Loader) -> None:
    model, tensors = loaded("qwen3moe")
    few = table(model, Step.decode(1), model.formats(), Conventions(experts="min")).moved.weights
    every = table(model, Step.decode(1), model.formats(), ALL).moved.weights
    experts = sum(bytes_of(*of) for name, of in tensors.items() if "_exps" in name)
    assert every - few == experts // 2  # two of four


def test_formats_that_are_asked_for_go_before_those_of_the_file(loaded: Loader) -> None:
    model, _ = loaded("llama")
    bf16, fp8 = model.formats(weights="bf16"), model.formats(weights="fp8")
    row = 2 * H
    assert table(model, Step.decode(1), bf16).moved.weights == 2 * (model.parameters - V * H) + row
    assert demand(model, fp8, Load()).weights == sum(
        (1 if part in ("attention", "mlp") else 2) * count for part, count in model.parameters_by_part.items()
    )
    notes = table(model, Step.decode(1), model.formats()).notes
    assert any(note.startswith("each tensor counts in its own type, ") for note in notes)
    assert not any("average of Llama" in note for note in notes)
    assert not any("own type" in note for note in table(model, Step.decode(1), bf16).notes)


def test_the_types_of_parts_are_named_with_the_most_first(loaded: Loader) -> None:
    model, tensors = loaded("llama")
    named = formats_by_part(model, model.formats())
    assert (named["embedding"], named["head"]) == (("q4_k",), ("q6_k",))
    assert set(named["mlp"]) >= {"q4_k", "q6_k"}
    assert formats_by_part(model, Formats(weights="fp8"))["mlp"] == ("fp8",)
    assert (tensors["token_embd.weight"][1], tensors["output.weight"][1]) == (Q4_K, Q6_K)


def test_layers_that_differ_by_their_types_alone_are_told_apart(loaded: Loader) -> None:
    model, _ = loaded("llama")
    layers = [layer for _, layer in model.layers]
    assert len({difference(layer, layers) for layer in layers}) == 3
    assert difference(find("llama-3.1-8b").layers[0][1], layers) == ""


def test_each_format_of_a_part_counts_with_all_its_elements() -> None:
    """Of an MLP two of three matrices are q6_k; of vectors 8 experts' biases of 16 + 16 + 64 are more than 2 norms."""
    attention = Gqa(heads=2, kv_heads=1, head_dim=8)
    matrices = (("ffn_gate.weight", "q6_k"), ("ffn_up.weight", "q4_k"), ("ffn_down.weight", "q6_k"))
    norms = (("attn_norm.weight", "fp32"), ("ffn_norm.weight", "fp32"))
    biases = tuple((f"ffn_{word}_exps.bias", "fp16") for word in ("gate", "up", "down"))
    model = Architecture(
        name="by hand",
        hidden=64,
        vocab=100,
        layers=(
            (1, Layer(attention=attention, mlp=Dense(width=256), norms=0, types=matrices)),
            (1, Layer(attention=attention, mlp=Moe(experts=8, per_token=2, width=16, bias=True), types=norms + biases)),
        ),
        final_norm=False,
        quantization=Quantization("q4_k", frozenset({"router", "vectors"}), types=(("token_embd.weight", "q4_k"),)),
    )
    named = formats_by_part(model, model.formats())
    assert named["mlp"] == ("q6_k", "q4_k")
    assert 8 * (16 + 16 + 64) > 2 * 64 > 16 + 16 + 64
    assert named["vectors"] == ("fp16", "fp32")


def test_a_label_names_what_any_other_layer_has_otherwise_up_to_three_tensors() -> None:
    def of(**types: str) -> Layer:
        held = tuple((f"{name}.weight", kind) for name, kind in types.items())
        return Layer(attention=Gqa(heads=2, kv_heads=1, head_dim=8), mlp=None, types=held)

    one, other, third = (
        of(attn_q="q4_k", attn_v="q6_k", attn_output="q4_k"),
        of(attn_q="q4_k", attn_v="q4_k", attn_output="q4_k"),  # another attn_v
        of(attn_q="q4_k", attn_v="q6_k", attn_output="q6_k"),  # another attn_output
    )
    assert difference(one, [one, other, third]) == "attn_v q6_k, attn_output q4_k"
    words = ("attn_q", "attn_k", "attn_v", "attn_output", "attn_norm")
    wide, narrow = of(**dict.fromkeys(words, "q6_k")), of(**dict.fromkeys(words, "q4_k"))
    assert difference(wide, [wide, narrow]) == "attn_q q6_k, attn_k q6_k, attn_v q6_k and 2 more"


@pytest.mark.parametrize("name", presets())
def test_tensors_are_all_parameters_of_each_part(name: str) -> None:
    for model in (find(name), shard(find(name), 2) if find(name).layers[0][1].attention.heads % 2 == 0 else find(name)):
        found = dict.fromkeys(model.parameters_by_part, 0)
        for count, layer in model.layers:
            for tensor in layer.tensors(model.hidden):
                found[tensor.part] += count * tensor.copies * tensor.elements
        for tensor in tables_of(model):
            found[tensor.part] += tensor.elements
        assert found == model.parameters_by_part


@pytest.mark.parametrize("name", presets())
def test_every_weight_of_a_preset_is_of_a_tensor_of_its_operator(name: str) -> None:
    """In bf16: 2 B of each element, whichever way attention is counted."""
    model = find(name)
    for mla in ("absorbed", "naive"):
        rows = table(model, Step.decode(1), Formats(), Conventions(experts="all", mla=mla)).operators
        for index, (_, layer) in enumerate(model.layers):
            sizes: dict[str, int] = {}
            for tensor in layer.tensors(model.hidden):
                sizes[tensor.operator] = sizes.get(tensor.operator, 0) + 2 * tensor.copies * tensor.elements
            if mla == "naive" and "q into latent" in sizes:
                sizes["kv up"] = sizes.pop("q into latent") + sizes.pop("out of latent")
            count = model.layers[index][0]
            found = {row.name: row.times // count * row.weights for row in rows if row.layer == index and row.weights}
            assert found == sizes
