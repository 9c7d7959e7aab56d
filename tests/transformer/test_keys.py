"""Keys of a configuration: every spelling of each, defaults of a family, and what is no value."""

from __future__ import annotations

import pytest

from roofline.errors import FileError
from roofline.transformer.keys import DEPTH, HEADS, HIDDEN, KV_HEADS, LONGEST, VOCABULARY, WIDTH, Keys


@pytest.mark.parametrize("spellings", [HIDDEN, DEPTH, HEADS, KV_HEADS, WIDTH, VOCABULARY, LONGEST])
def test_a_size_is_found_under_every_spelling(spellings: tuple[str, ...]) -> None:
    for key in spellings:
        keys = Keys({key: 48}, "config.json")
        assert (keys.whole(*spellings), keys.called(*spellings)) == (48, key)
    with pytest.raises(FileError, match=f"config.json: no key {spellings[0]}"):
        Keys({}, "config.json").whole(*spellings)


def test_spellings_may_agree_and_not_differ() -> None:
    assert Keys({"hidden_size": 8, "n_embd": 8}, "c").hidden == 8
    with pytest.raises(FileError, match="c: contradicts itself: hidden_size is 8, n_embd is 9"):
        _ = Keys({"hidden_size": 8, "n_embd": 9}, "c").hidden


def test_null_and_0_are_no_value_and_defaults_are_of_keys_that_are_not_there() -> None:
    """As classes of transformers have it: null is said, and so takes no default."""
    defaults = {"head_dim": 256, "use_bias": True}
    for said, found in (({}, 256), ({"head_dim": None}, None), ({"head_dim": 0}, None), ({"head_dim": 64}, 64)):
        keys = Keys(said, "c", kind="gemma", defaults=defaults)
        assert keys.maybe("head_dim") == found
        told = ("head_dim is not in the file: 256, as transformers takes it for gemma",) if not said else ()
        assert keys.assumed() == told


def test_flags_are_constants_or_keys() -> None:
    keys = Keys({"attention_bias": False}, "c", defaults={"attention_bias": True, "use_bias": True})
    assert [keys.flag(each) for each in (True, False, "attention_bias", "use_bias", "mlp_bias")] == [
        *(True, False, False, True, False)
    ]


def test_a_file_of_other_words_is_told_in_its_own() -> None:
    keys = Keys({"hidden_size": -1}, "m.gguf", {"hidden_size": "llama.embedding_length"})
    with pytest.raises(FileError, match=r"m\.gguf: llama\.embedding_length must be a whole number from 1"):
        _ = keys.hidden
