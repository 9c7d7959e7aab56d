"""The fields of a hardware file, declared once: the loader, the linter and ``hw schema`` all read this."""

from __future__ import annotations

from typing import Any, Final

from roofline.catalog.schema import HALF_OF_SPARSE, Amount, Choice, Record, Rows, Table, Text, Whole, Words
from roofline.core.device import DIRECTIONS
from roofline.precision import PRECISIONS

SCHEMA_VERSION: Final = 1

_DTYPE: Final = Choice(*PRECISIONS, spellings={alias: p.name for p in PRECISIONS.values() for alias in p.aliases})
_SPARSITY: Final = Choice("dense", "2:4")
_BASIS: Final = Choice("vendor", "third-party", "derived", "measured")
_ACCUMULATE: Final = ("fp16", "fp32", "fp64", "int32")
_SOURCES: Final = Words()
_SOURCE_KIND: Final = Choice("vendor", "vendor-mirror", "third-party", "measured", "derived", "software", "article")

_HEADLINE: Final = Record(
    {
        "peak": Amount("FLOP/s"),
        "dtype": _DTYPE,
        "sparsity": _SPARSITY,
        "accumulate": Choice(*_ACCUMULATE),
        "source": _SOURCES,
        "note": Text(),
    },
    required=("peak", "dtype"),
)
_PEAK: Final = Record(
    {
        "dtype": _DTYPE,
        "unit": Choice("matrix", "vector"),
        "accumulate": Words(*_ACCUMULATE),
        "clock": Text(),
        "dense": Amount("FLOP/s", also=(HALF_OF_SPARSE,)),
        "sparse": Amount("FLOP/s"),
        "source": _SOURCES,
        "basis": _BASIS,
        "sparse_basis": _BASIS,
        "check": Text(),
        "check_note": Text(),
        "note": Text(),
    },
    required=("dtype",),
    one_of=("dense", "sparse"),
    further=lambda: (
        {"dependentRequired": {"sparse_basis": ["sparse"]}},
        {"anyOf": [{"required": ["sparse"]}, {"properties": {"dense": {"not": {"const": HALF_OF_SPARSE}}}}]},
    ),
)
_MEMORY: Final = Record(
    {
        "level": Text(),
        "bandwidth": Amount("B/s"),
        "capacity": Amount("B"),
        "usable": Amount("B"),
        "source": _SOURCES,
        "basis": _BASIS,
        "check": Text(),
        "check_note": Text(),
        "note": Text(),
    },
    required=("level",),
    one_of=("bandwidth", "capacity"),
)
_LINK: Final = Record(
    {
        "name": Text(),
        "bandwidth": Amount("B/s"),
        "direction": Choice(*DIRECTIONS),
        "peers": Whole(1, 1000),
        "source": _SOURCES,
        "basis": _BASIS,
        "note": Text(),
    },
    required=("name", "bandwidth"),
)
_MEASURED: Final = Record(
    {
        "what": Text(),
        "dtype": _DTYPE,
        "level": Text(),
        "value": Amount("FLOP/s", "B/s"),
        "source": _SOURCES,
        "note": Text(),
    },
    required=("what", "value"),
    further=lambda: ({"anyOf": [{"required": ["dtype"]}, {"properties": {"value": Amount("B/s").json_schema()}}]},),
)
DEVICE: Final = Record(
    {
        "schema": Whole(SCHEMA_VERSION, SCHEMA_VERSION),
        "name": Text(),
        "aliases": Words(),
        "vendor": Text(),
        "kind": Choice("gpu", "cpu", "soc", "tpu", "npu"),
        "architecture": Text(),
        "year": Whole(1940, 2100),
        "scope": Text(),
        "headline": _HEADLINE,
        "peaks": Rows(_PEAK, least=1),
        "memory": Rows(_MEMORY, least=1, some="bandwidth"),
        "links": Rows(_LINK),
        "tdp": Record({"value": Amount("W"), "source": _SOURCES}, required=("value",), short="value"),
        "measured": Rows(_MEASURED),
        "sources": Table(Record({"title": Text(), "where": Text(), "kind": _SOURCE_KIND}, required=("title",))),
        "note": Text(),
    },
    required=("name", "peaks", "memory"),
)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a hardware file, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "roofline hardware file",
        "description": "One device of the roofline catalogue; hardware/README.md explains every field.",
        **DEVICE.json_schema(),
    }
