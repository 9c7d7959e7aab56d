"""Models to Reports: the list of presets, and one model's parameters by part, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from roofline import units
from roofline.precision import storage
from roofline.report import Column, Report, Value
from roofline.text import counted
from roofline.transformer.architecture import Architecture
from roofline.transformer.layer import Layer
from roofline.transformer.memory import weight_bytes
from roofline.transformer.tensors import bytes_by_part, formats_by_part, without_types

_ACTIVE: Final = "active: with as many experts as a token passes; KV cache in 16 bits, before any window is full"
_LIST_COLUMNS: Final = (
    Column(key="model", heading="model"),
    Column(key="name", heading="name", format="name", detail=True),
    Column(key="parameters", heading="parameters", format="parameters"),
    Column(key="active_parameters", heading="active", format="parameters"),
    Column(key="layers", heading="layers", format="count"),
    Column(key="kv_byte_per_token", heading="KV B/token", format="count"),
    Column(key="longest_context", heading="context", format="count"),
    Column(key="source", heading="source", detail=True),
    Column(key="aliases", heading="aliases", format="list"),
)
_PART_COLUMNS: Final = (
    Column(key="part", heading="part"),
    Column(key="parameters", heading="parameters", format="count"),
    Column(key="share_of_parameters", heading="share", format="1"),
    Column(key="format", heading="format"),
    Column(key="weights_byte", heading="bytes", format="B"),
)


def list_report(found: Sequence[tuple[str, Sequence[str], Architecture]], context: dict[str, Any]) -> Report:
    """A row a preset: id, aliases, architecture."""
    rows = [
        {
            "model": id_,
            "name": model.name,
            "parameters": model.parameters,
            "active_parameters": model.active_parameters,
            "layers": model.depth,
            "kv_byte_per_token": kv_per_token(model),
            "longest_context": model.longest_context,
            "source": model.source,
            "aliases": list(aliases),
        }
        for id_, aliases, model in found
    ]
    return Report(
        columns=_LIST_COLUMNS,
        rows=rows,
        rows_key="models",
        summary=[f"{len(rows)} model{'' if len(rows) == 1 else 's'}" if rows else "no model matches"],
        notes=[_ACTIVE] if rows else (),
        context=context,
    )


def show_report(model: Architecture, context: dict[str, Any]) -> Report:
    """Parameters and bytes by part, then what follows from the architecture."""
    formats, total = model.formats(), model.parameters
    parts = {part: count for part, count in model.parameters_by_part.items() if count}
    held, stored = formats_by_part(model, formats), bytes_by_part(model, formats)
    rows = [
        {
            "part": part,
            "parameters": count,
            "share_of_parameters": count / total,
            "format": ", ".join(held[part]),
            "weights_byte": stored[part],
        }
        for part, count in parts.items()
    ]
    size = weight_bytes(model, formats)
    kv = kv_per_token(model) if model.layers else None
    per_token = f"KV cache: {kv:,} B per token in {formats.kv}" if kv is not None else "KV cache: unknown"
    alike: dict[Layer, int] = {}
    for count, layer in model.layers:
        alike[without_types(layer)] = alike.get(without_types(layer), 0) + count
    windowed = any(layer.attention.window for _, layer in model.layers)
    lead = {
        "model": model.name,
        "parameters": total,
        "active_parameters": model.active_parameters,
        "active_parameters_without_embedding": model.active_parameters_without_embedding,
        "weights_byte": size,
        "kv_byte_per_token": Value(kv, None, None if kv is not None else "nothing is known of the layers"),
        "longest_context": Value(model.longest_context, None, None if model.longest_context else "not said"),
        "tied": model.tied,
        "layers": [{"count": count, "what": str(layer)} for layer, count in alike.items()],
        "source": model.source,
    }
    lines = [
        f"{total:,} parameters, {units.show(size, 'B')}" + (" (LM head tied to the embedding)" if model.tied else "")
    ]
    if model.is_moe:
        inner = model.active_parameters_without_embedding
        lines.append(f"{model.active_parameters:,} active a token; {inner:,} without the embedding, which is looked up")
    lines.append(per_token + (", before windows are full" if windowed else ""))
    lines += [f"{counted(count, 'layer')}: {layer}" for layer, count in alike.items()]
    if model.hidden:
        context_line = f", made for {model.longest_context:,} positions" if model.longest_context else ""
        lines.append(
            f"hidden size {model.hidden:,}, vocabulary {f'{model.vocab:,}' if model.vocab else 'unknown'}{context_line}"
        )
    return Report(
        columns=_PART_COLUMNS,
        rows=rows,
        rows_key="parts",
        title=model.name,
        lead=lead,
        summary=[*lines, f"source: {model.source}"],
        notes=list(model.notes_of(formats)),
        context=context,
    )


def kv_per_token(model: Architecture) -> int:
    """Bytes that one token adds to the KV cache of all layers, in the format of its checkpoint."""
    return storage(model.formats().kv).size_of(model.kv_elements_per_token)
