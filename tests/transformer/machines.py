"""The chips of the truth table: one peak for every precision, so that one number decides as in the table."""

from __future__ import annotations

from roofline.core.roof import Roof, Stream
from roofline.transformer.bounds import Roofs


def chip(peak: float, bandwidth: float) -> Roofs:
    memory = Stream(bandwidth=bandwidth)
    return Roofs(by_precision={dtype: Roof(peak=peak, memory=memory, dtype=dtype) for dtype in ("bf16", "fp8", "fp4")})


A100 = chip(312e12, 2039e9)
H100 = chip(989.5e12, 3350e9)
H100_FP8 = chip(1979e12, 3350e9)
