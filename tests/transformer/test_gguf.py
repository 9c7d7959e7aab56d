"""GGUF: shapes from key-values, formats and bytes from tensors, and no broken file that hangs or gets through."""

from __future__ import annotations

import os
import re
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roofline.errors import FileError
from roofline.precision import storage
from roofline.transformer.find import model
from roofline.transformer.formats import Formats
from roofline.transformer.gguf_formats import file_type, type_name
from roofline.transformer.gguf_header import read_header
from roofline.transformer.gguf_keys import ARCHITECTURES
from roofline.transformer.gguf_model import load
from roofline.transformer.gqa import Gqa
from roofline.transformer.memory import Load, demand, weight_bytes
from roofline.transformer.mla import Mla
from roofline.transformer.moe import Moe
from roofline.transformer.tensors import without_types
from tests.transformer.gguf_files import (
    F16,
    LLAMA,
    LLAMA_TENSORS,
    Q4_K,
    Tensors,
    any_model,
    header,
    llama_tensors,
    size_of,
    text,
    value,
)

Writer = Callable[[bytes], str]
GOOD = header(LLAMA, LLAMA_TENSORS)


@pytest.fixture
def written(tmp_path: Path) -> Writer:
    def write(content: bytes) -> str:
        path = tmp_path / "tiny.gguf"
        path.write_bytes(content)
        return str(path)

    return write


def test_a_small_llama_by_hand(written: Writer) -> None:
    llama = load(written(GOOD))
    ((count, layer),) = llama.layers
    assert (llama.name, count, llama.hidden, llama.vocab, llama.tied) == ("Tiny Llama", 2, 256, 1000, False)
    assert layer.attention == Gqa(heads=8, kv_heads=2, head_dim=32)
    matrices = 2 * 256 * 256 + 2 * 256 * 64 + 3 * 256 * 512
    assert llama.parameters == 2 * (matrices + 2 * 256) + 2 * 256 * 1000 + 256
    assert llama.notes == ()  # as many elements in the tensors, frequencies of the rotary embedding aside


def test_bytes_are_those_of_the_tensors_where_their_format_is_meant(written: Writer) -> None:
    llama = model(written(GOOD))
    # 144 B for 256 weights of q4_k, 210 B for 256 of q6_k, 4 B for each of 5 norms and the 16 frequencies
    q4_k = 256 * 1000 + 2 * (2 * 256 * 256 + 256 * 64 + 2 * 256 * 512)
    q6_k = 256 * 1000 + 2 * (256 * 64 + 256 * 512)
    size = q4_k * 144 // 256 + q6_k * 210 // 256 + 4 * (5 * 256 + 16)
    assert llama.formats().weights == "q4_k_m"  # general.file_type 15
    assert demand(llama, llama.formats(), Load()).weights == size
    assert demand(llama, llama.formats(weights="bf16"), Load()).weights == 2 * llama.parameters


def test_a_file_without_a_type_of_its_own_is_called_by_that_of_most_weights(written: Writer) -> None:
    values = {key: of for key, of in LLAMA.items() if key != "general.file_type"}
    formats = load(written(header(values, LLAMA_TENSORS))).formats()
    assert formats.weights == "q4_k"
    assert sorted(formats.kept or ()) == ["router", "vectors"]
    for kind, name in (
        (12, "q3_k_m"),
        (14, "q4_k_s"),
        (16, "q5_k_s"),
        (22, "iq3_xs"),
        (29, "iq2_m"),
        (30, "iq4_xs"),
        (1, "q4_k"),
        (999, "q4_k"),
    ):
        assert load(written(header({**LLAMA, "general.file_type": kind}, LLAMA_TENSORS))).formats().weights == name


def test_parts_in_16_bits_are_seen(written: Writer) -> None:
    tensors: Tensors = {**LLAMA_TENSORS, "output.weight": ((256, 1000), F16)}
    llama = load(written(header(LLAMA, tensors)))
    assert llama.quantization is not None
    assert sorted(llama.quantization.kept or ()) == ["head", "router", "vectors"]
    assert llama.formats().of("head").name == "fp16"
    del tensors["output.weight"]
    assert load(written(header(LLAMA, tensors))).tied


def test_other_tensors_than_the_shapes_have_are_said_and_held(written: Writer) -> None:
    tensors: Tensors = {**LLAMA_TENSORS, "extra.weight": ((10,), 0)}
    llama = load(written(header(LLAMA, tensors)))
    (note,) = llama.notes
    assert note.startswith("the tensors hold ")
    assert demand(llama, llama.formats(), Load()).weights == size_of(LLAMA_TENSORS) + 40


@pytest.mark.parametrize("kind", [4, 9, 15, 36, 42, 999])
@pytest.mark.parametrize("name", ["blk.1.ffn_up.weight", "token_embd.weight", "rope_freqs.weight"])
def test_a_tensor_of_an_unknown_type_is_named_with_its_place(written: Writer, name: str, kind: int) -> None:
    tensors: Tensors = {**LLAMA_TENSORS, name: (LLAMA_TENSORS[name][0], kind)}
    content = header(LLAMA, tensors)
    path = written(content)
    at = content.index(text(name))
    says = f"{path}: tensor '{name}' at byte {at} is of type {kind}, not known here"
    with pytest.raises(FileError, match=re.escape(says)) as caught:
        load(path)
    assert caught.value.exit_status == 3
    assert "12 q4_k" in str(caught.value.hint)


def test_rows_that_no_blocks_fill_are_refused(written: Writer) -> None:
    tensors: Tensors = {**LLAMA_TENSORS, "blk.0.ffn_up.weight": ((100, 512), Q4_K)}
    says = r"tensor 'blk\.0\.ffn_up\.weight' at byte \d+ has rows of 100, but q4_k holds blocks of 256"
    with pytest.raises(FileError, match=says):
        load(written(header(LLAMA, tensors)))


MIXTRAL: dict[str, Any] = {**LLAMA, "llama.expert_count": 3, "llama.expert_used_count": 2}
ROUTED: Tensors = {
    **{name: of for name, of in LLAMA_TENSORS.items() if "ffn" not in name or "norm" in name},
    **{f"blk.{layer}.ffn_gate_inp.weight": ((256, 3), 0) for layer in range(2)},
}
JOINT: Tensors = {
    f"blk.{layer}.ffn_{word}_exps.weight": ((512, 256, 3) if word == "down" else (256, 512, 3), Q4_K)
    for layer in range(2)
    for word in ("gate", "up", "down")
}
SINGLE: Tensors = {
    name.replace("_exps.", f".{expert}."): (shape[:2], kind)
    for name, (shape, kind) in JOINT.items()
    for expert in range(3)
}
BOTH: Tensors = {name.replace("gate", "gate_up"): ((256, 1024, 3), Q4_K) for name in JOINT if "gate" in name} | {
    name: of for name, of in JOINT.items() if "down" in name
}


@pytest.mark.parametrize("experts", [JOINT, SINGLE, BOTH])
def test_experts_are_there_together_or_one_by_one(written: Writer, experts: Tensors) -> None:
    mixtral = load(written(header(MIXTRAL, {**ROUTED, **experts})))
    # Of each of 2 layers: 2 x 256 x 256 + 2 x 256 x 64 of attention, 256 x 3 of the router, 9 matrices of 256 x 512
    assert mixtral.parameters == 2 * (163_840 + 768 + 9 * 131_072 + 512) + 2 * 256_000 + 256
    assert mixtral.notes == ()


@pytest.mark.parametrize(
    ("values", "tensors", "lacks"),
    [
        (LLAMA, {**LLAMA_TENSORS, "blk.1.attn_k.weight": None}, "blk.1.attn_k.weight"),
        (LLAMA, {**LLAMA_TENSORS, "blk.0.ffn_gate.weight": None}, "blk.0.ffn_gate.weight"),
        (LLAMA, {**LLAMA_TENSORS, "blk.0.ffn_up.weight": None}, "blk.0.ffn_up.weight"),
        (LLAMA, {name: of for name, of in LLAMA_TENSORS.items() if "blk.0." not in name}, "blk.0.attn_q.weight"),
        ({**LLAMA, "llama.block_count": 4}, LLAMA_TENSORS, "blk.2.attn_q.weight"),
        ({**LLAMA, "llama.block_count": 100_000}, LLAMA_TENSORS, "blk.2.attn_q.weight"),
        (MIXTRAL, LLAMA_TENSORS, "blk.0.ffn_gate_inp.weight"),
        (MIXTRAL, {**ROUTED, **JOINT, "blk.1.ffn_down_exps.weight": None}, "blk.1.ffn_down_exps.weight"),
        (MIXTRAL, {**ROUTED, **SINGLE, "blk.1.ffn_up.2.weight": None}, "blk.1.ffn_up.2.weight"),
    ],
)
def test_a_matrix_that_the_keys_speak_of_and_is_not_there_is_damage(
    written: Writer, values: dict[str, Any], tensors: dict[str, Any], lacks: str
) -> None:
    path = written(header(values, {name: of for name, of in tensors.items() if of is not None}))
    count = values["llama.block_count"]
    says = f"{path}: no tensor '{lacks}', which llama.block_count {count} and the other keys speak of"
    with pytest.raises(FileError, match=f"^{re.escape(says)}$") as caught:
        load(path)
    assert caught.value.exit_status == 3
    assert "download or convert it again" in str(caught.value.hint)


def test_experts_of_one_tensor_are_not_counted_one_by_one(written: Writer) -> None:
    """Looking for each of 500,000 experts in each of 500 layers would take minutes."""
    values = {**LLAMA, "llama.block_count": 500, "llama.expert_count": 500_000, "llama.expert_used_count": 2}
    content = header(values, any_model(500))
    start = time.monotonic()
    assert load(written(content)).depth == 500
    assert time.monotonic() - start < 10


def test_in_a_model_of_both_kinds_each_layer_must_have_its_own(written: Writer) -> None:
    shapes: dict[str, Any] = {**WHOLE, "block_count": 3, "expert_count": 4}  # the first layer is dense
    values = {"general.architecture": "deepseek2", **{f"deepseek2.{key}": of for key, of in shapes.items()}}
    every = any_model(3)
    assert len(load(written(header(values, every))).layers) == 2
    unused = ("blk.0.ffn_up_exps.weight", "blk.2.ffn_up.weight")
    assert load(written(header(values, {name: of for name, of in every.items() if name not in unused}))).depth == 3
    for lacking in ("blk.0.ffn_up.weight", "blk.1.ffn_up_exps.weight", "blk.2.ffn_up_shexp.weight"):
        with pytest.raises(FileError, match=re.escape(f"no tensor '{lacking}', which deepseek2.block_count 3 and")):
            load(written(header(values, {name: of for name, of in every.items() if name != lacking})))


def test_a_table_of_positions_is_needed_where_the_model_has_one(written: Writer) -> None:
    values = {"general.architecture": "gpt2", **{f"gpt2.{key}": of for key, of in WHOLE.items()}}
    tensors = {name: of for name, of in any_model(2).items() if name != "position_embd.weight"}
    says = "no tensor 'position_embd.weight', which a model of general.architecture 'gpt2' has"
    with pytest.raises(FileError, match=says):
        load(written(header(values, tensors)))


@pytest.mark.parametrize(
    ("name", "shape", "says"),
    [
        ("blk.1.attn_k.weight", (256, 0), "has the shape 256 x 0"),
        ("blk.1.attn_k.weight", (0,), "has the shape 0"),
        ("blk.0.attn_norm.weight", (0,), "has the shape 0"),
        ("token_embd.weight", (0, 1000), "has the shape 0 x 1000"),
        ("blk.0.ffn_down.weight", (), "has no dimensions"),
        ("extra", (256, 0, 4), "has the shape 256 x 0 x 4"),
    ],
)
def test_a_tensor_of_no_elements_is_damage(written: Writer, name: str, shape: tuple[int, ...], says: str) -> None:
    content = header(LLAMA, {**LLAMA_TENSORS, name: (shape, F16)})
    at = content.index(text(name))
    with pytest.raises(FileError, match=re.escape(f"tensor '{name}' at byte {at} {says}")) as caught:
        load(written(content))
    assert caught.value.exit_status == 3


@pytest.mark.parametrize("shape", [(256, 1000, 1), (256, 1000, 1, 1)])
def test_dimensions_of_1_behind_the_rows_are_none_of_a_vocabulary(written: Writer, shape: tuple[int, ...]) -> None:
    llama = load(written(header(LLAMA, {**LLAMA_TENSORS, "token_embd.weight": (shape, Q4_K)})))
    assert (llama.vocab, llama.notes) == (1000, ())


def in_parts(tmp_path: Path) -> list[Path]:
    """The small Llama in three files, as llama.cpp splits them: the key-values of the model stand in the first."""
    names, paths = list(LLAMA_TENSORS), []
    for part in range(3):
        said = {"split.no": part, "split.count": 3, "split.tensors.count": len(names)}
        some = {name: LLAMA_TENSORS[name] for name in names[8 * part : 8 * part + 8]}
        paths.append(tmp_path / f"tiny-{part + 1:05}-of-00003.gguf")
        paths[-1].write_bytes(header({**(LLAMA if part == 0 else {}), **said}, some))
    return paths


def test_a_model_in_parts_is_read_whole(tmp_path: Path) -> None:
    first, *_ = in_parts(tmp_path)
    llama = load(str(first))
    assert llama.notes == ()
    assert demand(llama, llama.formats(), Load()).weights == size_of(LLAMA_TENSORS)


def test_parts_that_are_not_there_are_said(tmp_path: Path) -> None:
    first, second, third = in_parts(tmp_path)
    third.unlink()
    llama = load(str(first))
    (note,) = llama.notes
    assert note.startswith(
        f"the first of 3 parts, and {third} is not there: the types of the other tensors are not known"
    )
    assert demand(llama, llama.formats(), Load()).weights == weight_bytes(llama, Formats(weights="q4_k_m"))
    with pytest.raises(FileError, match=r"split\.no is 1: not the first of 3 parts, which has the shapes") as caught:
        load(str(second))
    assert caught.value.hint == f"name {first}"
    renamed = first.rename(tmp_path / "tiny.gguf")
    assert "its name does not end in -00001-of-00003.gguf" in load(str(renamed)).notes[0]


def test_a_part_that_is_damaged_is_named(tmp_path: Path) -> None:
    first, second, _ = in_parts(tmp_path)
    second.write_bytes(second.read_bytes()[:-3])
    with pytest.raises(FileError, match=f"^{re.escape(str(second))}: ends within its header, in tensor 8 of 8"):
        load(str(first))


def rewritten(path: Path, names: list[str], **said: object) -> None:
    """A part with other key-values than in_parts gives it."""
    first = LLAMA if path.name.startswith("tiny-00001") else {}
    whole = {f"split.{key.replace('_', '.')}": of for key, of in said.items() if of is not None}
    path.write_bytes(header({**first, **whole}, {name: LLAMA_TENSORS[name] for name in names}))


@pytest.mark.parametrize(
    ("part", "said", "says"),
    [
        (1, {"no": 2}, "split.no is 2, where 1 is wanted: its name says part 2"),
        (1, {"no": None}, "there is no split.no, where 1 is wanted"),
        (1, {"no": "1"}, "split.no is '1', where 1 is wanted"),
        (1, {"no": True}, "split.no is True, where 1 is wanted"),
        (2, {"no": 2, "count": 4}, "split.count is 4, where 3 is wanted: that of"),
        (2, {"no": 2, "count": None}, "there is no split.count, where 3 is wanted: that of"),
        (2, {"no": 2, "tensors_count": 23}, "split.tensors.count is 23, where 22 is wanted: that of"),
        (2, {"no": 2, "tensors_count": None}, "there is no split.tensors.count, where 22 is wanted: that of"),
        (0, {"no": 0, "tensors_count": None}, "split.tensors.count is 22, where none is wanted: that of"),
        (0, {"no": 1}, "split.no is 1, where 0 is wanted: its name says part 1"),
        (0, {"no": None}, "there is no split.no, where 0 is wanted: its name says part 1"),
        (0, {"no": 0, "count": 2}, "its name says part 1 of 3, but split.count is 2"),
        (0, {"no": 0, "count": None}, "its name says part 1 of 3, but it has no split.count"),
    ],
)
def test_a_foreign_part_is_named_with_what_it_says(
    tmp_path: Path, part: int, said: dict[str, object], says: str
) -> None:
    paths, names = in_parts(tmp_path), list(LLAMA_TENSORS)
    assert len(names) == 22
    rewritten(paths[part], names[8 * part : 8 * part + 8], **({"count": 3, "tensors_count": 22} | said))
    named = paths[1] if "where none is wanted" in says else paths[part]
    with pytest.raises(FileError, match=f"^{re.escape(f'{named}: {says}')}") as caught:
        load(str(paths[0]))
    assert caught.value.hint


def test_parts_must_have_as_many_tensors_as_they_say(tmp_path: Path) -> None:
    first, _, third = in_parts(tmp_path)
    rewritten(third, list(LLAMA_TENSORS)[16:-1], no=2, count=3, tensors_count=22)
    with pytest.raises(FileError, match=r"00001-of-00003\.gguf: split\.tensors\.count is 22, but its 3 parts have 21"):
        load(str(first))


def test_a_part_in_the_place_of_another_is_not_taken_for_it(tmp_path: Path) -> None:
    first, second, third = in_parts(tmp_path)
    third.write_bytes(second.read_bytes())
    with pytest.raises(FileError, match=r"00003\.gguf: split\.no is 1, where 2 is wanted"):
        load(str(first))


@pytest.mark.parametrize("count", ["3", 10**6, 2.0, True])
def test_a_number_of_parts_that_is_none(written: Writer, count: object) -> None:
    with pytest.raises(FileError, match=r"split\.count must be a whole number from 1 to 1000"):
        load(written(header({**LLAMA, "split.count": count}, LLAMA_TENSORS)))


def test_experts_make_a_llama_a_mixtral(written: Writer) -> None:
    values = {**LLAMA, "llama.expert_count": 8, "llama.expert_used_count": 2}
    ((_, layer),) = load(written(header(values, any_model(2)))).layers
    assert layer.mlp == Moe(experts=8, per_token=2, width=512)


def test_deepseek_with_its_latent(written: Writer) -> None:
    shapes = {
        "block_count": 3,
        "embedding_length": 256,
        "feed_forward_length": 512,
        "attention.head_count": 8,
        "attention.head_count_kv": 1,
        "attention.q_lora_rank": 48,
        "attention.kv_lora_rank": 32,
        "attention.key_length": 40,
        "attention.value_length": 32,
        "rope.dimension_count": 8,
        "attention.key_length_mla": 24,
        "attention.value_length_mla": 16,
        "leading_dense_block_count": 1,
        "expert_count": 4,
        "expert_used_count": 2,
        "expert_shared_count": 1,
        "expert_feed_forward_length": 64,
    }
    values = {"general.architecture": "deepseek2", **{f"deepseek2.{key}": of for key, of in shapes.items()}}
    tensors = {**any_model(3), "blk.1.exp_probs_b.bias": ((4,), 0)}
    (_, first), (_, then), (_, last) = load(written(header(values, tensors))).layers  # of other types, each of them
    assert without_types(then) == without_types(last)
    assert first.attention == Mla(heads=8, q_lora_rank=48, kv_lora_rank=32, nope_dim=16, rope_dim=8, value_dim=16)
    assert then.mlp == Moe(experts=4, per_token=2, width=64, router_bias=True, shared_experts=1, shared_width=64)


def test_values_for_each_layer_are_one_where_they_agree(written: Writer) -> None:
    assert load(written(header({**LLAMA, "llama.attention.head_count_kv": [2, 2]}, LLAMA_TENSORS))).depth == 2
    with pytest.raises(FileError, match=r"llama\.attention\.head_count_kv differs from layer to layer"):
        load(written(header({**LLAMA, "llama.attention.head_count_kv": [2, 4]}, LLAMA_TENSORS)))


@pytest.mark.parametrize("key", ["attention.head_count", "attention.head_count_kv", "feed_forward_length"])
@pytest.mark.parametrize("number", [1, 3])
def test_values_for_each_layer_are_as_many_as_layers(written: Writer, key: str, number: int) -> None:
    content = header({**LLAMA, f"llama.{key}": [8] * number}, LLAMA_TENSORS)
    layers = "1 layer" if number == 1 else "3 layers"
    says = f"{written(content)}: llama.{key} has values for {layers}, but llama.block_count is 2"
    with pytest.raises(FileError, match=f"^{re.escape(says)}$") as caught:
        load(written(content))
    assert caught.value.exit_status == 3


@pytest.mark.parametrize("count", [21, 23, 0, "22", 22.0])
@pytest.mark.parametrize("split", [{}, {"split.count": 1, "split.no": 0}, {"split.count": 0}])
def test_a_file_of_one_part_has_as_many_tensors_as_it_says(
    written: Writer, split: dict[str, Any], count: object
) -> None:
    assert len(LLAMA_TENSORS) == 22
    values = {**LLAMA, **split, "split.tensors.count": 22}
    assert load(written(header(values, LLAMA_TENSORS))).notes == ()
    content = header({**values, "split.tensors.count": count}, LLAMA_TENSORS)
    says = f"{written(content)}: split.tensors.count is {count!r}, but the file has 22"
    with pytest.raises(FileError, match=f"^{re.escape(says)}$"):
        load(written(content))


@pytest.mark.parametrize("what", ["mmproj", "adapter", "imatrix", "", 1])
def test_a_file_that_goes_with_a_model_is_none(written: Writer, what: object) -> None:
    assert load(written(header({**LLAMA, "general.type": "model"}, LLAMA_TENSORS))).depth == 2
    content = header({**LLAMA, "general.type": what}, LLAMA_TENSORS)
    says = f"{written(content)}: general.type is {what!r}: not a model by itself"
    with pytest.raises(FileError, match=f"^{re.escape(says)}$") as caught:
        load(written(content))
    assert caught.value.exit_status == 3


WINDOWED = {**LLAMA, "llama.attention.sliding_window": 64, "llama.block_count": 6}


@pytest.mark.parametrize(
    ("pattern", "windowed"),
    [
        # llama.cpp, set_swa_pattern(n): layer % n < n - 1 has a window; with n = 0 all have.
        (2, 3),
        (3, 4),
        (6, 5),
        (1, 0),
        (0, 6),
        ([True, False] * 3, 3),
        ([1, 0, 0, 0, 0, 0], 1),
        ([True] * 6, 6),
        ([False] * 6, 0),
        ([0] * 6, 0),
    ],
)
@pytest.mark.parametrize("kind", ["llama", "qwen3", "gemma2", "gemma3", "cohere2", "olmo2", "phi3", "smollm3"])
def test_a_pattern_of_windows_is_a_period_or_a_list(written: Writer, kind: str, pattern: object, windowed: int) -> None:
    values = {**WINDOWED, "general.architecture": "llama", "llama.attention.sliding_window_pattern": pattern}
    values = {key.replace("llama.", f"{kind}."): of for key, of in values.items()} | {"general.architecture": kind}
    layers = load(written(header(values, llama_tensors(6)))).layers
    assert sum(count for count, layer in layers if layer.attention.window == 64) == windowed
    assert sum(count for count, layer in layers if layer.attention.window is None) == 6 - windowed


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        (-1, "must be a period or a list of layers, got -1"),
        (2.0, "must be a period or a list of layers, got 2.0"),
        ("2", "must be a period or a list of layers, got '2'"),
        (True, "must be a period or a list of layers, got True"),
        ([0.5] * 6, "must be a period or a list of layers, got [0.5"),
        (["a"] * 6, "must be a number, got a list of 6 values"),
        ([True], "names 1 layer, but the model has 6"),
        ([], "names 0 layers, but the model has 6"),
    ],
)
def test_what_is_no_pattern_of_windows(written: Writer, pattern: object, says: str) -> None:
    with pytest.raises(FileError, match=re.escape(f"llama.attention.sliding_window_pattern {says}")):
        load(written(header({**WINDOWED, "llama.attention.sliding_window_pattern": pattern}, LLAMA_TENSORS)))


def test_a_pattern_of_windows_without_a_window(written: Writer) -> None:
    values = {**WINDOWED, "llama.attention.sliding_window_pattern": 2, "llama.attention.sliding_window": 0}
    ((_, layer),) = [one for one in load(written(header(values, llama_tensors(6)))).layers if one[0] > 2]
    assert layer.attention.window is None
    del values["llama.attention.sliding_window"]
    with pytest.raises(FileError, match=r"no key llama\.attention\.sliding_window"):
        load(written(header(values, LLAMA_TENSORS)))


def test_a_long_name_is_clipped(written: Writer) -> None:
    name = load(written(header({**LLAMA, "general.name": "a" * 100_000}, LLAMA_TENSORS))).name
    assert name == "a" * 97 + "..."


EVERY_KEY = (
    *("embedding_length", "block_count", "attention.head_count", "attention.head_count_kv", "feed_forward_length"),
    *("context_length", "attention.key_length", "attention.value_length", "attention.key_length_mla"),
    *("attention.value_length_mla", "attention.sliding_window", "attention.sliding_window_pattern", "expert_count"),
    *("expert_used_count", "expert_feed_forward_length", "expert_shared_feed_forward_length", "expert_shared_count"),
    *("leading_dense_block_count", "attention.q_lora_rank", "attention.kv_lora_rank", "rope.dimension_count"),
)
WHOLE: dict[str, Any] = {
    "embedding_length": 256,
    "block_count": 2,
    "attention.head_count": 8,
    "attention.head_count_kv": 8,
    "feed_forward_length": 512,
    "context_length": 4096,
    "attention.key_length": 40,
    "attention.value_length": 40,
    "attention.sliding_window": 64,
    "expert_count": 4,
    "expert_used_count": 2,
    "expert_feed_forward_length": 64,
    "expert_shared_count": 1,
    "leading_dense_block_count": 1,
    "attention.kv_lora_rank": 32,
    "attention.q_lora_rank": 48,
    "rope.dimension_count": 8,
}
numbers = st.sampled_from([0, 1, 2, 8, 32, 256, 2**31, 2**40, 2**63]) | st.integers(-(2**63), 2**64 - 1)
scalars = numbers | st.booleans() | st.floats(width=32) | st.text(max_size=3)
of_one_kind = [st.lists(st.integers(0, 300), max_size=3), st.lists(st.booleans(), max_size=3)]
lists = st.one_of(*of_one_kind, st.lists(st.floats(width=32), max_size=3), st.lists(st.text(max_size=3), max_size=3))
WORDS_OF_CONFIGS = re.compile(  # those of any config.json, once the keys of the file are taken out of a sentence
    "hidden_size|num_|intermediate_size|vocab_size|max_|head_dim|qk_|layer_types|first_k|n_shared|n_routed"
    "|sliding_window|lora_rank|moe_|shared_expert|use_|bias|dtype|model_type|config"
)


def foreign(said: str, kind: str) -> list[str]:
    """Words of a config.json in what is said of a file."""
    for key in sorted(EVERY_KEY, key=len, reverse=True):
        said = said.replace(f"{kind}.{key}", "")
    return WORDS_OF_CONFIGS.findall(said)


def refused(written: Writer, kind: str, values: dict[str, Any]) -> str:
    """What is said of a file with these key-values, nothing if it is read; no other error may end it."""
    said = {"general.architecture": kind, **{f"{kind}.{key}": of for key, of in values.items()}}
    try:
        assert load(written(header(said, any_model(2)))).parameters > 0
    except FileError as error:
        return f"{error} {error.hint or ''}".removeprefix(written(b""))
    return ""


@pytest.mark.parametrize("kind", sorted(ARCHITECTURES))
@given(
    changed=st.dictionaries(st.sampled_from(EVERY_KEY), st.none() | scalars | lists, max_size=4),
    kept=st.sets(st.sampled_from(EVERY_KEY)) | st.just(set(EVERY_KEY)),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
def test_any_keys_of_any_type_are_read_or_refused_in_the_words_of_the_file(
    written: Writer, kind: str, changed: dict[str, Any], kept: set[str]
) -> None:
    whole = {key: of for key, of in WHOLE.items() if key in kept}
    said = refused(written, kind, {key: of for key, of in {**whole, **changed}.items() if of is not None})
    assert said.isprintable()
    assert foreign(said, kind) == []


@pytest.mark.parametrize("value", [None, 0, 2**40, "8", [1, 2]])
@pytest.mark.parametrize("key", EVERY_KEY)
@pytest.mark.parametrize("kind", ["llama", "qwen2moe", "gpt-oss", "deepseek2", "gemma3"])
def test_errors_are_in_the_words_of_the_file(written: Writer, kind: str, key: str, value: object) -> None:
    changed = {**WHOLE, key: value}
    said = refused(written, kind, {key: of for key, of in changed.items() if of is not None})
    assert foreign(said, kind) == []
    assert not said or kind in said


def test_the_sizes_of_a_latent_are_all_needed(written: Writer) -> None:
    assert refused(written, "deepseek2", WHOLE) == ""
    for key in ("rope.dimension_count", "attention.key_length", "attention.value_length", "attention.kv_lora_rank"):
        lacking = {name: of for name, of in WHOLE.items() if name != key}
        assert f": no key deepseek2.{key} " in refused(written, "deepseek2", lacking)
    says = "deepseek2.attention.key_length must exceed deepseek2.rope.dimension_count, got 40 and 40"
    assert says in refused(written, "deepseek2", {**WHOLE, "rope.dimension_count": 40})
    says = "deepseek2.rope.dimension_count must be a whole number, got '8'"
    assert says in refused(written, "deepseek2", {**WHOLE, "rope.dimension_count": "8"})


def test_words_of_a_vocabulary_are_counted_and_not_kept(written: Writer) -> None:
    found = read_header(written(GOOD))
    assert found.lengths == {"tokenizer.ggml.tokens": 3}
    assert found.values["llama.rope.freq_base"] == 500000.0
    assert len(found.tensors) == len(LLAMA_TENSORS)


def without(key: str) -> bytes:
    return header({k: v for k, v in LLAMA.items() if k != key}, LLAMA_TENSORS)


def starting(**fields: int) -> bytes:
    """A header that ends after its counts, which say what they will."""
    counts: dict[str, int] = {"version": 3, "tensors": 0, "pairs": 0, **fields}
    return b"GGUF" + struct.pack("<IQQ", counts["version"], counts["tensors"], counts["pairs"])


ONE = starting(pairs=1) + text("a")
BROKEN: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "cannot be read as GGUF: is empty"),
    "another file": (b"PK\3\4" + b"\0" * 100, "is no GGUF file"),
    "a json": (b'{"model_type": "llama"}', "is no GGUF file"),
    "only magic": (b"GGUF", "ends within its header, in its first 24 bytes: 4 B wanted at byte 4 of 4"),
    "half of its counts": (
        starting()[:20],
        "ends within its header, in its first 24 bytes: 8 B wanted at byte 16 of 20",
    ),
    "version 1": (starting(version=1), "has version 1 of GGUF at byte 4; 2 and 3 are read"),
    "version 99": (starting(version=99), "has version 99 of GGUF at byte 4; 2 and 3 are read"),
    "big-endian": (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "is big-endian, by its version at byte 4"),
    "too many pairs": (starting(pairs=2**60), "says at byte 16 that it has 1152921504606846976 key-values"),
    "too many tensors": (starting(tensors=2**63), "says at byte 8 that it has 9223372036854775808 tensors"),
    "pairs that are not there": (
        starting(pairs=5),
        "ends within its header, in key-value 1 of 5: 8 B wanted at byte 24",
    ),
    "tensors that are not there": (
        starting(tensors=2),
        "ends within its header, in tensor 1 of 2: 8 B wanted at byte 24",
    ),
    "a long key": (
        starting(pairs=1) + struct.pack("<Q", 2**63),
        "ends within its header, in key-value 1 of 1: 9223372036854775808 B wanted at byte 32 of 32",
    ),
    "a long text": (
        ONE + struct.pack("<IQ", 8, 2**40),
        "ends within its header, in key-value 1 of 1, 'a': 1099511627776 B wanted at byte 45 of 45",
    ),
    "a tensor cut off": (
        starting(tensors=1) + text("t") + struct.pack("<IQ", 1, 5),
        "ends within its header, in tensor 1 of 1, 't': 4 B wanted at byte 45 of 45",
    ),
    "a long list": (ONE + struct.pack("<IIQ", 9, 4, 10**6), "ends within its header"),
    "an endless list": (
        ONE + struct.pack("<IIQ", 9, 8, 2**62),
        "says at byte 41 that it has 4611686018427387904 values",
    ),
    "words that are not there": (ONE + struct.pack("<IIQ", 9, 8, 10**6), "ends within its header"),
    "a word too long": (ONE + struct.pack("<IIQQ", 9, 8, 2, 2**60), "ends within its header"),
    "a list of lists": (
        ONE + struct.pack("<IIQ", 9, 9, 1),
        "has a list of unknown type 9 at byte 37, in key-value 1 of 1, 'a'",
    ),
    "an unknown type": (
        ONE + struct.pack("<I", 99),
        "has a value of unknown type 99 at byte 33, in key-value 1 of 1, 'a'",
    ),
    "many dimensions": (
        starting(tensors=1) + text("t") + struct.pack("<I", 1000),
        "says at byte 33 that it has 1000 dimensions",
    ),
    "a repeated key": (starting(pairs=2) + 2 * (text("a") + value(1)), "key 'a' is repeated at byte 41"),
    "no architecture": (without("general.architecture"), "no key general.architecture"),
    "another architecture": (
        header({"general.architecture": "mamba"}, {}),
        "general.architecture 'mamba' is not read",
    ),
    "no hidden size": (without("llama.embedding_length"), "no key llama.embedding_length"),
    "no heads": (without("llama.attention.head_count"), "no key llama.attention.head_count"),
    "no tensors": (header(LLAMA, {}), "no tensor token_embd.weight with the rows of a vocabulary"),
    "a tensor without dimensions": (header(LLAMA, {"token_embd.weight": ((), 0)}), "no tensor token_embd.weight"),
    "heads of text": (
        header({**LLAMA, "llama.attention.head_count": "8"}, LLAMA_TENSORS),
        "llama.attention.head_count must be",
    ),
    "a hidden size of 0": (
        header({**LLAMA, "llama.embedding_length": 0}, LLAMA_TENSORS),
        "llama.embedding_length must be a whole number from 1 to 500,000, got 0",
    ),
    "no rows of a vocabulary": (
        header(LLAMA, {**LLAMA_TENSORS, "token_embd.weight": ((256, 0), Q4_K)}),
        "the number of rows of token_embd.weight must be a whole number from 1 to 100,000,000, got 0",
    ),
    "heads of words": (
        header({**LLAMA, "llama.attention.head_count": ["8", "8"]}, LLAMA_TENSORS),
        "llama.attention.head_count must be a number, got a list of 2 values",
    ),
    "contradictory heads": (
        header({**LLAMA, "llama.attention.head_count_kv": 3}, LLAMA_TENSORS),
        "llama.attention.head_count_kv must divide llama.attention.head_count: 8 is no multiple of 3",
    ),
}


@pytest.mark.parametrize("shape", [(2**63,) * 8, (10**8 + 1,), (10**8, 10**6), (2**32, 1000), (1, 2**64 - 1)])
def test_a_shape_that_no_tensor_has_is_refused(written: Writer, shape: tuple[int, ...]) -> None:
    content = header(LLAMA, {**LLAMA_TENSORS, "blk.1.ffn_up.weight": (shape, F16)})
    at = content.index(text("blk.1.ffn_up.weight"))
    says = f"says that tensor 'blk.1.ffn_up.weight' at byte {at} has the shape {' x '.join(map(str, shape))}; at most"
    with pytest.raises(FileError, match=re.escape(says)):
        load(written(content))


def test_the_most_tensors_that_are_read_take_seconds_and_not_minutes(written: Writer) -> None:
    """The time is that of as many steps; looking for each name among all others would take 1e10."""
    some: Tensors = {**LLAMA_TENSORS, **{f"t{i:05}": ((1,), 0) for i in range(99_978)}}
    content = header(LLAMA, some)
    start = time.monotonic()
    assert load(written(content)).depth == 2
    with pytest.raises(FileError, match=r"two tensors are called 't99975', the first at byte \d+"):
        load(written(content.replace(text("t99976"), text("t99975"))))
    assert time.monotonic() - start < 20  # 5 s on one slow core
    with pytest.raises(FileError, match="has 100001 tensors, at most 100000 are read"):
        load(written(header(LLAMA, {**some, "more": ((1,), 0)})))


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_one_line_at_once(written: Writer, case: str) -> None:
    content, says = BROKEN[case]
    start = time.monotonic()
    with pytest.raises(FileError) as caught:
        load(written(content))
    assert time.monotonic() - start < 2
    assert says in str(caught.value)
    assert str(caught.value).startswith(written(content))
    assert "\n" not in str(caught.value)
    assert caught.value.hint or "must" in says or "no tensor" in says  # what to do, where the sentence does not say it
    assert "\n" not in (caught.value.hint or "")


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(FileError, match="no such file"):
        load("/nowhere/tiny.gguf")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gguf")
    with pytest.raises(FileError, match="cannot be read as GGUF: is empty or no regular file"):
        load(str(tmp_path / "pipe.gguf"))


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read as GGUF: Is a directory"):
        load(str(tmp_path))


@given(st.integers(0, len(GOOD) - 1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_header_that_is_cut_off_anywhere_is_refused(written: Writer, end: int) -> None:
    with pytest.raises(FileError):
        load(written(GOOD[:end]))


@given(st.integers(4, len(GOOD) - 1), st.integers(0, 255))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_changed_byte_is_refused_or_read_but_never_ends_otherwise(written: Writer, at: int, byte: int) -> None:
    content = bytearray(GOOD)
    content[at] = byte
    try:
        found = load(written(bytes(content)))
    except FileError:
        return
    assert found.parameters > 0


def test_types_are_those_of_the_gguf_package() -> None:
    gguf: Any = pytest.importorskip("gguf", reason="no gguf to compare with: pip install '.[witness]'")
    for kind, (weights, size) in gguf.GGML_QUANT_SIZES.items():
        name = type_name(int(kind))
        if name is not None:
            assert storage(name).size_of(weights) == size, name
            plain = name.replace("fp32", "f32").replace("fp16", "f16").replace("fp64", "f64").replace("int", "i")
            assert kind.name.lower() == plain


def test_types_of_files_are_those_of_the_gguf_package() -> None:
    gguf: Any = pytest.importorskip("gguf", reason="no gguf to compare with: pip install '.[witness]'")
    named = {int(kind): file_type(int(kind)) for kind in gguf.LlamaFileType}
    for kind in gguf.LlamaFileType:
        if named[int(kind)] is not None:
            assert kind.name == f"MOSTLY_{str(named[int(kind)]).upper()}"
    mixes = [kind for kind in gguf.LlamaFileType if kind.name.endswith(("_S", "_M", "_L", "_XS", "_XXS"))]
    assert len(mixes) >= 18
    assert all(named[int(kind)] for kind in mixes)


def test_a_file_of_the_gguf_package_is_read(tmp_path: Path) -> None:
    gguf: Any = pytest.importorskip("gguf", reason="no gguf to compare with: pip install '.[witness]'")
    numpy: Any = pytest.importorskip("numpy")
    path = str(tmp_path / "written.gguf")
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(2)
    writer.add_context_length(8192)
    writer.add_embedding_length(256)
    writer.add_feed_forward_length(512)
    writer.add_head_count(8)
    writer.add_head_count_kv(2)
    writer.add_token_list([f"word {i}" for i in range(1000)])
    for name, (shape, _) in LLAMA_TENSORS.items():
        writer.add_tensor(name, numpy.zeros(shape[::-1], dtype=numpy.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    llama = load(path)
    assert llama.parameters == 2 * (2 * 256 * 256 + 2 * 256 * 64 + 3 * 256 * 512 + 2 * 256) + 2 * 256 * 1000 + 256
    assert demand(llama, llama.formats(), Load()).weights == 2 * (llama.parameters + 16)
    assert llama.notes == ()
    assert Q4_K == gguf.GGMLQuantizationType.Q4_K


@pytest.mark.parametrize("kind", sorted(ARCHITECTURES))
def test_every_matrix_that_is_demanded_is_one_of_the_architecture(written: Writer, kind: str) -> None:
    """What no converter writes must not be missed: the gguf package lists the tensors of each architecture."""
    gguf: Any = pytest.importorskip("gguf", reason="no gguf to compare with: pip install '.[witness]'")
    number = next(number for number, name in gguf.MODEL_ARCH_NAMES.items() if name == kind)
    known = {gguf.TENSOR_NAMES[each].replace("{bid}", "0") for each in gguf.MODEL_TENSORS[number]}
    # Some hold several in one tensor: gate and up, and q, k and v.
    for fused, parts in (("ffn_up", ["ffn_gate"]), ("attn_qkv", ["attn_q", "attn_k", "attn_v"])):
        known |= {f"blk.0.{part}" for part in parts if f"blk.0.{fused}" in known}
    shapes = {**WHOLE, "expert_count": 4 if "moe" in kind or kind in ("gpt-oss", "deepseek2") else 0}
    said = {f"{kind}.{key}": of for key, of in shapes.items()} | {"general.architecture": kind}
    for _, layer in load(written(header(said, any_model(2)))).layers:
        for tensor in layer.tensors(256):
            if tensor.part != "vectors":
                assert f"blk.0.{tensor.name.removesuffix('.weight')}" in known
