"""A Hugging Face ``config.json`` to an Architecture; what it leaves open or what is not supported is said."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

from roofline.errors import InputError, nearest
from roofline.files import read_text, shown_path
from roofline.text import quote
from roofline.transformer.architecture import Architecture
from roofline.transformer.checkpoint import configured, dtype_of
from roofline.transformer.config_layers import layers_of, mlps_of, needed
from roofline.transformer.families import DEFAULTS, FAMILIES, SAME_AS, UNSUPPORTED, Family
from roofline.transformer.keys import HIDDEN, LONGEST, VOCABULARY, Keys, refusal
from roofline.transformer.layer import Types

_SIZE: Final = 10_000_000  # characters; configurations have some 2,000
_NESTED: Final = ("text_config", "llm_config", "language_config")
_SENSES: Final = ("vision_config", "audio_config", "speech_config")
_BY_HAND: Final = "describe it by hand: parameters, or layers with hidden size, heads, width and vocabulary"


def load(path: str) -> Architecture:
    """The architecture that a ``config.json`` describes; it is called as its folder is.

    Raises:
        FileError: the file is unreadable, no JSON, lacks a key, contradicts itself or describes something else.

    """
    where = shown_path(path)
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    name = folder if os.path.basename(path) == "config.json" and folder else os.path.basename(path)
    try:
        return architecture(parse_json(read_text(path, limit=_SIZE), where), name=name, where=where)
    except RecursionError:  # in comparing or showing what was just not too deep for reading
        raise refusal(where, "is nested too deeply") from None


def parse_json(text: str, where: str) -> dict[str, Any]:
    """The object that a JSON text holds; repeated keys are refused.

    Raises:
        FileError: no JSON, nested too deeply, a repeated key, or no object.

    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise refusal(where, f"key {quote(name)} is repeated")
            found[name] = value
        return found

    try:
        found = json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise refusal(f"{where}:{error.lineno}:{error.colno}", f"is not valid JSON: {error.msg}") from None
    except (RecursionError, ValueError):  # nested a thousand levels deep; a number of thousands of digits
        raise refusal(where, "is not valid JSON: nested too deeply, or a number too long") from None
    if not isinstance(found, dict):
        raise refusal(where, "holds no JSON object", "a config.json begins with {")
    return found


def architecture(
    config: Mapping[str, Any],
    *,
    name: str,
    where: str,
    source: str = "",
    names: Mapping[str, str] | None = None,
    types: Sequence[Types] = (),
) -> Architecture:
    """The architecture that the keys of a configuration describe.

    Args:
        config: the keys
        name: what the model is called
        where: the file, for errors
        source: where the configuration comes from; the file by default
        names: what the file calls the keys, where it has other words, for errors
        types: what holds the tensors of each layer, where that is known

    Raises:
        FileError: a key is missing or impossible, or the architecture is not supported.

    """
    inner, notes = _text_part(config, where)
    kind = _kind(inner, config, where)
    family = FAMILIES[SAME_AS.get(kind, kind)]
    keys = Keys(inner, where, names, kind=kind, defaults={**family.defaults, **DEFAULTS.get(kind, {})})
    _refuse_variants(keys)
    try:
        return _architecture(keys, family, config, types, name=name, source=source or where, notes=notes)
    except InputError as error:  # sizes that contradict one another
        raise refusal(where, str(error), error.hint) from None


def _architecture(
    keys: Keys,
    family: Family,
    outer: Mapping[str, Any],
    types: Sequence[Types],
    *,
    name: str,
    source: str,
    notes: list[str],
) -> Architecture:
    keys.demand(HIDDEN, VOCABULARY, *needed(keys, family))
    hidden, vocab = keys.hidden, keys.whole(*VOCABULARY)
    context = keys.maybe(*LONGEST)
    positions = 0
    if family.positions is not None:
        positions = family.positions + keys.whole("max_position_embeddings", "n_positions")
    quantised = configured(outer, keys, mlps_of(keys, family))
    dtype, plain, told = dtype_of(keys, outer, quantised=quantised is not None)
    further = keys.maybe("num_nextn_predict_layers")
    if further:
        notes.append(f"{further} further layer{'s' * (further > 1)} for predicting several tokens not counted")
    return Architecture(
        name=name,
        hidden=hidden,
        vocab=vocab,
        layers=layers_of(keys, family, types),
        tied=_tied(keys, outer, family),
        positions=positions,
        norm_bias=family.norm_bias,
        head_bias=family.head_bias,
        dtype=dtype,
        quantization=quantised or plain,
        longest_context=context,
        source=source,
        notes=(*notes, *told, *keys.assumed()),
    )


def _text_part(config: Mapping[str, Any], where: str) -> tuple[Mapping[str, Any], list[str]]:
    """The configuration of the language model, and a note on the rest of a model that has more."""
    notes = [f"the part of {word} is not counted" for word in _SENSES if word in config]
    for word in _NESTED:
        inner = config.get(word)
        if isinstance(inner, dict):
            if not {"hidden_size", "num_hidden_layers"} & set(inner):
                continue  # a stub beside keys that stand at the top
            return inner, notes
        if inner is not None:
            raise refusal(where, f"{word} must be an object")
    return config, notes


def _kind(inner: Mapping[str, Any], outer: Mapping[str, Any], where: str) -> str:
    """The model_type as the file has it, by which a family is found."""
    for config in (inner, outer):
        said = config.get("model_type")
        if said is None:
            continue
        if not isinstance(said, str):
            raise refusal(where, "model_type must be text")
        kind = SAME_AS.get(said, said)
        if kind in UNSUPPORTED:
            raise refusal(where, f"model_type {quote(said)} is not supported: {UNSUPPORTED[kind]}")
        if outer.get("is_encoder_decoder") is True:
            raise refusal(where, f"model_type {quote(said)} is not supported: an encoder and a decoder")
        if kind in FAMILIES:
            return said
        near = nearest(kind, FAMILIES, 3)
        hint = f"known and near: {', '.join(near)}; or {_BY_HAND}" if near else _BY_HAND
        raise refusal(where, f"model_type {quote(said)} is not known, and nothing is guessed of it", hint)
    raise refusal(where, "no key model_type, by which the architecture is known", _BY_HAND)


def _refuse_variants(keys: Keys) -> None:
    """Variants of a supported family that are built otherwise."""
    for key, usual, why in (
        ("do_layer_norm_before", True, "norms after each part, and no final norm"),
        ("add_cross_attention", False, "attention to an encoder"),
        ("qk_layernorm", False, "norms of queries and keys, with biases"),
    ):
        if key in keys.values and keys.flag(key) is not usual:
            raise keys.error(f"{key} is {str(not usual).lower()}: {why}, which is not supported")
    width = keys.maybe("word_embed_proj_dim")
    if width is not None and width != keys.hidden:
        raise keys.error(f"word_embed_proj_dim is {width}: an embedding of another width, which is not supported")


def _tied(keys: Keys, outer: Mapping[str, Any], family: Family) -> bool:
    key = "tie_word_embeddings"
    for values in (keys.values, outer):
        if values.get(key) is not None:
            return Keys(values, keys.where).flag(key)
    return family.tied
