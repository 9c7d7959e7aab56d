"""What a user may name as a model: an id, an alias, a file, a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roofline.errors import FileError, UnknownNameError
from roofline.transformer.find import is_path, model

CONFIG = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 160,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 500,
}


def test_a_preset() -> None:
    assert model("llama3-70b").name == "Llama-3.1-70B"
    assert model("meta-llama/Llama-3.1-70B").name == "Llama-3.1-70B"
    with pytest.raises(UnknownNameError):
        model("llama-9")


def test_a_file_and_the_folder_it_is_in(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    assert model(str(tmp_path / "config.json")).hidden == 64
    assert model(str(tmp_path)).hidden == 64


def test_a_folder_is_one_without_a_slash_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (tmp_path, tmp_path / "qwen", tmp_path / "qwen3-8b"):
        folder.mkdir(exist_ok=True)
        (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    (tmp_path / "llama").mkdir()
    (tmp_path / "own").write_text(json.dumps(CONFIG), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert [model(name).hidden for name in (".", "qwen", "./qwen", "own")] == [64] * 4
    assert model("qwen3-8b").name == "Qwen3-8B"  # a preset goes first; ./qwen3-8b is the folder
    assert model("./qwen3-8b").hidden == 64
    said = "'qwen3-8b' is the preset; ./qwen3-8b would be what is here under this name"
    assert said in model("qwen3-8b").notes
    assert said not in model("./qwen3-8b").notes
    assert not any("is the preset" in note for note in model("qwen3-32b").notes)  # of which there is no folder
    with pytest.raises(UnknownNameError, match=r"^unknown model 'llama'$"):  # a folder of something else
        model("llama")
    monkeypatch.chdir(tmp_path / "qwen")
    assert model("..").hidden == 64
    monkeypatch.chdir(tmp_path / "llama")
    with pytest.raises(FileError, match=r"config\.json: no such file"):
        model(".")


def test_a_file_that_is_not_there_is_no_unknown_preset() -> None:
    with pytest.raises(FileError, match="no such file"):
        model("nowhere.json")
    with pytest.raises(FileError, match="no such file"):
        model("NOWHERE.GGUF")


def test_a_file_in_the_current_folder_does_not_hide_a_preset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gpt2").write_text("{}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert not is_path("gpt2")
    assert is_path("./gpt2")
    assert model("gpt2").name == "GPT-2"
