"""A GGUF file to an Architecture: what its key-values say of the shapes, and its tensors of biases, ties and formats.

The elements of the tensors are held against the parameters of the shapes.
"""

from __future__ import annotations

import os
from typing import Final

from roofline.errors import FileError
from roofline.files import shown_path
from roofline.text import clip, quote
from roofline.transformer import limits
from roofline.transformer.architecture import Architecture
from roofline.transformer.config import architecture
from roofline.transformer.gguf_damage import refuse_empty, refuse_lacking
from roofline.transformer.gguf_formats import held_in, quantization_of, types_by_layer
from roofline.transformer.gguf_header import Header, Tensor
from roofline.transformer.gguf_keys import ARCHITECTURES, config_of, names_of
from roofline.transformer.gguf_parts import read_parts

_LONGEST_NAME: Final = 100  # characters of a title


def load(path: str) -> Architecture:
    """The architecture of a GGUF file, and the bytes of its tensors.

    Raises:
        FileError: it cannot be read, is broken, lacks a key, or its architecture is not supported.

    """
    where, (header, missing) = shown_path(path), read_parts(path)
    what = header.values.get("general.type", "model")
    if what != "model":
        raise FileError(
            f"{where}: general.type is {clip(repr(what))}: not a model by itself",
            hint="name the file of the model that it goes with, whose general.type is model",
        )
    kind = header.values.get("general.architecture")
    if not isinstance(kind, str):
        raise FileError(
            f"{where}: no key general.architecture, by which the shapes are known",
            hint="a file of a model is wanted, as llama.cpp converts it",
        )
    if kind not in ARCHITECTURES:
        raise FileError(
            f"{where}: general.architecture {quote(kind)} is not read from GGUF",
            hint=f"its config.json may be known; from GGUF: {', '.join(ARCHITECTURES)}",
        )
    tensors = _by_name(header, where)
    if "token_embd.weight" not in tensors or not tensors["token_embd.weight"].shape[1:]:
        raise FileError(
            f"{where}: no tensor token_embd.weight with the rows of a vocabulary",
            hint="name a file with the weights of a model, not one of its vocabulary or its vision tower alone",
        )
    config = config_of(header, kind, tensors, where)
    depth = config["num_hidden_layers"]
    listed = not missing and isinstance(depth, int) and 1 <= depth <= limits.DEPTH
    name = header.values.get("general.name")
    types = types_by_layer(header, depth) if listed else []
    model = architecture(
        config,
        name=clip(name, _LONGEST_NAME)
        if isinstance(name, str) and name
        else os.path.basename(path).removesuffix(".gguf"),
        where=where,
        names=names_of(kind),
        types=types,
    )
    refuse_empty(tensors)
    if listed:
        dense = config["first_k_dense_replace"] or 0
        refuse_lacking(model, tensors, types, kind=kind, dense=dense, where=where)
    held = quantization_of(header, complete=not missing)
    model = model._replace(quantization=held, notes=(*model.notes, *(missing or _held_against(model, header))))
    return model._replace(quantization=held_in(model, header))


def _by_name(header: Header, where: str) -> dict[str, Tensor]:
    tensors: dict[str, Tensor] = {}
    for tensor in header.tensors:
        first = tensors.setdefault(tensor.name, tensor)
        if first is not tensor:
            raise FileError(
                f"{where}: two tensors are called {quote(first.name)}, the first at byte {first.at}",
                hint="the file is damaged: download or convert it again",
            )
    return tensors


def _held_against(model: Architecture, header: Header) -> tuple[str, ...]:
    """A note where the tensors hold another number of elements than the shapes have parameters."""
    found = sum(tensor.elements for tensor in header.tensors if not tensor.name.startswith("rope_"))
    if found == model.parameters:
        return ()
    return (
        f"the tensors hold {found} elements, but the shapes have {model.parameters} parameters:"
        " the memory is that of the tensors, and traffic that of the shapes",
    )
