"""The models that come with the package: exact parameters, cache and windows; every name leads to one of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from roofline.errors import UnknownNameError
from roofline.transformer import presets
from roofline.transformer.gqa import Gqa
from roofline.transformer.mla import Mla
from roofline.transformer.moe import Moe
from roofline.transformer.presets import aliases, find

# Parameters as they are stored, active with both tables, and active without an input table that is only looked up:
# compared with models of transformers 5.24 on the meta device (difference 0) and, where the file says `published`, with
# the total on the Hugging Face Hub. Then bytes of KV cache a token in 16 bits, and layers with a window, and its size.
MODELS: list[tuple[str, int, int, int, int, tuple[int, int | None]]] = [
    ("llama-2-7b", 6_738_415_616, 6_738_415_616, 6_607_343_616, 524_288, (0, None)),
    ("llama-2-13b", 13_015_864_320, 13_015_864_320, 12_852_024_320, 819_200, (0, None)),
    ("llama-2-70b", 68_976_648_192, 68_976_648_192, 68_714_504_192, 327_680, (0, None)),
    ("llama-3.1-8b", 8_030_261_248, 8_030_261_248, 7_504_924_672, 131_072, (0, None)),
    ("llama-3.1-70b", 70_553_706_496, 70_553_706_496, 69_503_033_344, 327_680, (0, None)),
    ("llama-3.1-405b", 405_853_388_800, 405_853_388_800, 403_752_042_496, 516_096, (0, None)),
    ("llama-3.2-1b", 1_235_814_400, 1_235_814_400, 1_235_814_400, 32_768, (0, None)),
    ("llama-3.2-3b", 3_212_749_824, 3_212_749_824, 3_212_749_824, 114_688, (0, None)),
    ("mistral-7b-v0.2", 7_241_732_096, 7_241_732_096, 7_110_660_096, 131_072, (0, None)),
    ("mistral-7b-v0.1", 7_241_732_096, 7_241_732_096, 7_110_660_096, 131_072, (32, 4096)),
    ("mixtral-8x7b", 46_702_792_704, 12_879_925_248, 12_748_853_248, 131_072, (0, None)),
    ("mixtral-8x22b", 140_620_634_112, 39_152_031_744, 38_955_423_744, 229_376, (0, None)),
    ("qwen2.5-7b", 7_615_616_512, 7_615_616_512, 7_070_619_136, 57_344, (0, None)),
    ("qwen2.5-14b", 14_770_033_664, 14_770_033_664, 13_991_465_984, 196_608, (0, None)),
    ("qwen2.5-32b", 32_763_876_352, 32_763_876_352, 31_985_308_672, 262_144, (0, None)),
    ("qwen2.5-72b", 72_706_203_648, 72_706_203_648, 71_460_495_360, 327_680, (0, None)),
    ("qwen3-8b", 8_190_735_360, 8_190_735_360, 7_568_405_504, 147_456, (0, None)),
    ("qwen3-32b", 32_762_123_264, 32_762_123_264, 31_984_210_944, 262_144, (0, None)),
    ("qwen3-30b-a3b", 30_532_122_624, 3_353_032_704, 3_041_867_776, 98_304, (0, None)),
    ("qwen3-235b-a22b", 235_093_634_560, 22_190_763_520, 21_568_433_664, 192_512, (0, None)),
    ("gemma-2-9b", 9_241_705_984, 9_241_705_984, 9_241_705_984, 344_064, (21, 4096)),
    ("gemma-2-27b", 27_227_128_320, 27_227_128_320, 27_227_128_320, 376_832, (23, 4096)),
    ("gemma-3-27b", 27_009_346_304, 27_009_346_304, 27_009_346_304, 507_904, (52, 1024)),
    ("phi-4", 14_659_507_200, 14_659_507_200, 14_145_704_960, 204_800, (0, None)),
    ("deepseek-v2-lite", 15_706_484_224, 2_661_150_208, 2_451_435_008, 31_104, (0, None)),
    ("deepseek-v3", 671_026_419_200, 37_552_297_472, 36_625_618_432, 70_272, (0, None)),
    ("deepseek-r1", 671_026_419_200, 37_552_297_472, 36_625_618_432, 70_272, (0, None)),
    ("gpt-oss-20b", 20_914_757_184, 4_187_440_704, 3_608_307_264, 49_152, (12, 128)),
    ("gpt-oss-120b", 116_829_156_672, 5_711_982_912, 5_132_849_472, 73_728, (18, 128)),
    ("gpt-2", 124_439_808, 124_439_808, 124_439_808, 36_864, (0, None)),
    ("opt-66b", 65_719_701_504, 65_719_701_504, 65_719_701_504, 2_359_296, (0, None)),
    ("opt-175b", 174_604_468_224, 174_604_468_224, 174_604_468_224, 4_718_592, (0, None)),
]
IDS = [row[0] for row in MODELS]


@pytest.mark.parametrize(("name", "stored", "active", "matrices", "kv", "window"), MODELS, ids=IDS)
def test_parameters_cache_and_windows_are_exact(
    name: str, stored: int, active: int, matrices: int, kv: int, window: tuple[int, int | None]
) -> None:
    model = find(name)
    assert model.parameters == stored
    assert model.active_parameters == active
    assert model.active_parameters_without_embedding == matrices
    assert 2 * model.kv_elements_per_token == kv
    layers, size = window
    assert sum(count for count, layer in model.layers if layer.attention.window) == layers
    assert {layer.attention.window for _, layer in model.layers} - {None} == ({size} if size else set())


def test_the_32_models_that_were_asked_for_are_there() -> None:
    assert len(set(IDS)) == 32
    assert set(IDS) <= set(presets.presets())


@pytest.mark.parametrize("name", list(presets.presets()))
def test_a_preset_says_where_it_comes_from_and_bears_its_own_witness(name: str) -> None:
    said = json.loads(Path(presets.presets()[name]).read_text(encoding="utf-8"))
    assert set(said) == {"name", "aliases", "source", "parameters", "published", "config"}
    assert said["name"].lower() == name
    assert (
        said["source"].startswith("github.com/")
        or "address not kept" in said["source"]
        or "shapes as" in said["source"]
    )
    assert find(name).parameters == said["parameters"]
    assert find(name).source == said["source"]
    assert [alias for alias, leads_to in aliases(presets.presets()) if leads_to == name] == said["aliases"]


def test_aliases_are_found_however_a_file_is_indented(tmp_path: Path) -> None:
    said = {"name": "A", "aliases": ["a-one", "a-two"]}
    for number, indent in enumerate((None, 1, 4, "\t")):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(said, indent=indent), encoding="utf-8")
        assert [alias for alias, _ in aliases({path.stem: str(path)})] == said["aliases"]


def test_no_name_leads_to_two_models() -> None:
    known = presets.presets()
    names = [*known, *(alias for alias, _ in aliases(known))]
    assert len(names) == len(set(names)) > len(known)


def test_parts_add_up_to_the_model() -> None:
    for name in presets.presets():
        model = find(name)
        assert sum(model.parameters_by_part.values()) == model.parameters


def test_parts_of_deepseek_v3_by_hand() -> None:
    parts = find("deepseek-v3").parameters_by_part
    assert parts["embedding"] == parts["head"] == 129280 * 7168
    assert parts["experts"] == 58 * 256 * 3 * 7168 * 2048
    assert parts["router"] == 58 * 7168 * 256
    assert parts["mlp"] == 3 * 3 * 7168 * 18432 + 58 * 3 * 7168 * 2048  # dense layers, shared experts
    assert (
        parts["attention"] == 61 * 187_105_280
    )  # 7168 x 1536 + 1536 x 24576 + 7168 x 576 + 512 x 32768 + 16384 x 7168
    assert parts["vectors"] == 61 * (2 * 7168 + 1536 + 512) + 58 * 256 + 7168  # norms, corrections of scores, last norm


@pytest.mark.parametrize(
    ("name", "leads_to"),
    [
        ("llama3-70b", "Llama-3.1-70B"),
        ("LLAMA-3.1-70B", "Llama-3.1-70B"),
        ("meta-llama/Llama-3.1-8B-Instruct", "Llama-3.1-8B"),
        ("meta-llama/Meta-Llama-3.1-405B", "Llama-3.1-405B"),
        ("meta-llama/Llama-2-7b-hf", "Llama-2-7B"),
        ("google/gemma-3-27b-it", "Gemma-3-27B"),
        ("gpt2", "GPT-2"),
        ("gpt_oss_20b", "gpt-oss-20b"),
        ("deepseek v3", "DeepSeek-V3"),
        ("mistral-7b", "Mistral-7B-v0.2"),
    ],
)
def test_names_as_people_write_them(name: str, leads_to: str) -> None:
    assert find(name).name == leads_to


@pytest.mark.parametrize(("name", "near"), [("llama-3.1-80b", "llama-3.1-70b"), ("mixtral", "mixtral-8x7b")])
def test_an_unknown_name_is_told_the_nearest(name: str, near: str) -> None:
    with pytest.raises(UnknownNameError, match="unknown model") as caught:
        find(name)
    assert near in str(caught.value.hint)


@pytest.mark.parametrize("name", ["", "../presets", "x" * 1000, "zzz", "\x1b[31m"])
def test_a_name_that_is_none_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        find(name)
    assert str(caught.value).isprintable()


def test_layers_of_a_kind_are_one_group() -> None:
    ((count, layer),) = find("llama-3.1-70b").layers
    assert count == 80
    assert layer.attention == Gqa(heads=64, kv_heads=8, head_dim=128)
    (dense, first), (sparse, then) = find("deepseek-v3").layers
    assert (dense, sparse) == (3, 58)
    assert isinstance(first.attention, Mla)
    assert isinstance(then.mlp, Moe)
    windowed, full = find("gpt-oss-120b").layers
    assert (windowed[0], windowed[1].attention.window, full[0], full[1].attention.window) == (18, 128, 18, None)


def test_one_model_is_found_without_yaml_and_without_reading_the_others() -> None:
    program = (
        "import builtins, sys\n"
        "opened, real = [], builtins.open\n"
        "builtins.open = lambda p, *a, **k: (opened.append(str(p)), real(p, *a, **k))[1]\n"
        "from roofline.transformer.presets import find\n"
        "find('llama-3.1-70b')\n"
        "print(sum(p.endswith('.json') for p in opened), 'yaml' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "False"]
