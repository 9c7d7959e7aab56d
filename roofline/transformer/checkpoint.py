"""In what a checkpoint holds its weights, by the ``dtype`` and the ``quantization_config`` of its configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from roofline.errors import InputError
from roofline.precision import PRECISIONS
from roofline.precision import parse as precision
from roofline.text import clip, quote
from roofline.transformer.architecture import Quantization
from roofline.transformer.keys import Keys

if TYPE_CHECKING:
    from roofline.transformer.exclusions import Mlp

_DTYPES: Final = ("dtype", "torch_dtype")
_QUANTISED: Final = ("quantization_config", "compression_config")  # the second is what compressed-tensors wrote first
_PARTS: Final = ("text_config", "llm_config", "language_config")
_HELD: Final = ("fp64", "fp32", "fp16", "bf16", "fp8", "fp6", "fp4", "int8", "int4")  # that weights are stored in
_USUAL: Final = "bf16"
_SIXTEEN: Final = 16


def dtype_of(
    keys: Keys, outer: Mapping[str, Any], *, quantised: bool = False
) -> tuple[str, Quantization | None, list[str]]:
    """The type of 16 bits that a model computes in, what holds its weights if that is another, and what must be said.

    Weights of more than 16 bits are converted on loading, as serving engines do (vLLM: ``--dtype auto``).

    Raises:
        FileError: no type that weights are held in, or two keys that disagree.

    """
    given = next(filter(None, (_dtype_in(values, keys) for values in (keys.values, outer))), None)
    if given is None:
        return _USUAL, None, [f"the configuration names no dtype: {_USUAL}"]
    said, found = given
    bits = PRECISIONS[found].bits
    if bits == _SIXTEEN:
        return found, None, []
    if quantised:  # which says it of the weights
        return _USUAL, None, [f"{said}: what is not quantised counts with {_SIXTEEN} bit"]
    if bits > _SIXTEEN:
        as_stored = f"--weights {found} counts them as they are stored"
        note = f"{said}: counted in {_USUAL}, to which serving engines convert such weights; {as_stored}"
        return _USUAL, Quantization(_USUAL, note=note), []
    note = f"{said}: all weights count with {bits} bit, activations and cache with {_SIXTEEN}"
    return _USUAL, Quantization(found, frozenset(), note=note), []


def _dtype_in(values: Mapping[str, Any], keys: Keys) -> tuple[str, str] | None:
    """What one part of a configuration says of its type, in words, and the type."""
    given = [(key, values[key]) for key in _DTYPES if values.get(key) not in (None, "auto")]
    found = [(f"{key} is {clip(str(said))}", _parsed(said, key, keys)) for key, said in given]
    if len({of for _, of in found}) > 1:
        raise keys.error(f"contradicts itself: {', '.join(said for said, _ in found)}")
    return found[0] if found else None


def configured(outer: Mapping[str, Any], keys: Keys, layers: Sequence[Mlp] = ()) -> Quantization | None:
    """What a ``quantization_config`` says, at the top or in the part of the language model; None where there is none.

    Args:
        outer: the whole configuration
        keys: the part of the language model
        layers: what MLP each layer has

    Raises:
        FileError: it is no object, names a format that is not known here, or there are two that differ.

    """
    found = list(_said(outer, keys))
    if not found:
        return None
    from roofline.transformer.quantization import KNOWN, quantization  # noqa: PLC0415  (most models hold 16 bits)

    (name, said), *others = found
    for other, differs in others:
        if differs != said:
            raise keys.error(f"contradicts itself: {name} and {other} are not alike")
    if not isinstance(said, dict):
        raise keys.error(f"{name} must be an object, got {clip(repr(said))}", 'such as {"quant_method": "awq", ...}')
    try:
        held = quantization(said, layers)
    except InputError as error:
        raise keys.error(f"{name}: {error}") from None
    if held is None:
        method = said.get("quant_method")
        what = f"quant_method {quote(str(method))} in these settings is no weight format known here"
        raise keys.error(
            f"{name}: {what if method is not None else 'it has no quant_method'}",
            f"known: {KNOWN}; or take {name} out of a copy of the file, and name a format with --weights",
        )
    return held


def _said(outer: Mapping[str, Any], keys: Keys) -> Iterator[tuple[str, Any]]:
    """Every configuration of a quantisation under the name that it has in the file."""
    places: list[tuple[str, Any]] = [("", outer)]
    places += [(f"{part}.", outer[part]) for part in _PARTS if isinstance(outer.get(part), dict)]
    if all(values is not keys.values for _, values in places):
        places.append(("", keys.values))
    for prefix, values in places:
        for key in _QUANTISED:
            if values.get(key) is not None:
                yield prefix + key, values[key]


def _parsed(said: object, key: str, keys: Keys) -> str:
    try:
        found = precision(said) if isinstance(said, str) else None
    except LookupError:
        found = None
    if found not in _HELD:
        raise keys.error(
            f"{key}: {clip(repr(said))} is no type that weights are held in",
            f"one of: float64, float32, float16, bfloat16, float8_e4m3fn, float8_e5m2, {', '.join(_HELD)}",
        )
    return found
