"""Number formats: their standard names, the spellings people use for them, and their size in bits."""

from __future__ import annotations

from typing import Final, NamedTuple

from roofline.errors import UnknownNameError, nearest
from roofline.units import quote


class Precision(NamedTuple):
    """One number format that arithmetic can run in."""

    name: str
    bits: int  # of one element in memory
    aliases: tuple[str, ...] = ()


PRECISIONS: Final[dict[str, Precision]] = {
    p.name: p
    for p in (
        Precision("fp64", 64, ("float64", "f64", "double")),
        Precision("fp32", 32, ("float32", "f32", "single", "float")),
        Precision("tf32", 32, ("tensorfloat32",)),  # 19 significant bits, stored in 32
        Precision("fp16", 16, ("float16", "f16", "half")),
        Precision("bf16", 16, ("bfloat16",)),
        Precision("fp8", 8, ("float8", "f8", "e4m3", "e5m2", "fp8_e4m3", "fp8_e5m2", "float8_e4m3fn", "float8_e5m2")),
        Precision("fp6", 6, ("float6", "f6", "e3m2", "e2m3")),
        Precision("fp4", 4, ("float4", "f4", "e2m1")),
        Precision("int32", 32, ("i32",)),
        Precision("int16", 16, ("i16",)),
        Precision("int8", 8, ("i8",)),
        Precision("int4", 4, ("i4",)),
    )
}
_ALIASES: Final = {alias: p.name for p in PRECISIONS.values() for alias in (p.name, *p.aliases)}


def parse(text: str, *, name: str = "precision") -> str:
    """The standard name of a precision.

    Raises:
        UnknownNameError: no such precision; the nearest are named.

    >>> parse("BFloat16"), parse("half"), parse("e4m3")
    ('bf16', 'fp16', 'fp8')

    """
    found = _ALIASES.get(text.strip().lower().removeprefix("torch."))
    if found is None:
        near = nearest(text.strip().lower(), _ALIASES, 3)
        raise UnknownNameError(
            f"{name}: unknown precision {quote(text)}",
            hint=f"did you mean: {', '.join(near)}?" if near else f"one of: {', '.join(PRECISIONS)}",
        )
    return found
