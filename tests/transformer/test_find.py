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
