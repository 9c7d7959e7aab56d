"""Which row of a device is the peak of a precision: what was asked for, or what frameworks run; never a guess."""

from __future__ import annotations

from roofline.core.device import Device, Peak, Sparsity
from roofline.errors import UnknownNameError


def peak_of(
    device: Device,
    dtype: str,
    *,
    sparsity: Sparsity = "dense",
    unit: str | None = None,
    accumulate: str | None = None,
    clock: str | None = None,
) -> Peak:
    """The peak of a precision: by default the matrix unit with fp32 accumulation, else the fastest one.

    Where an accumulation is asked for and no row names it, a row that names none serves if that accumulation is
    its natural one, and a given peak whatever it is.

    Raises:
        UnknownNameError: the device lacks the precision, the unit, the accumulation or the sparse rate; what it
            has is listed. Nothing is ever filled in by doubling, halving or another precision.

    """
    rows = [p for p in device.peaks if p.dtype == dtype]
    if not rows:
        raise UnknownNameError(f"{device.id} has no {dtype} peak", hint=f"it has: {', '.join(device.precisions)}")
    candidates = [
        p
        for p in rows
        if (unit is None or p.unit == unit)
        and (clock is None or clock in (p.clock or ""))
        and p.rate(sparsity) is not None
    ]
    wanted = candidates
    if accumulate is not None:
        wanted = [p for p in candidates if accumulate in p.accumulate]
        wanted = wanted or [p for p in candidates if _may_accumulate(p, accumulate)]
    if not wanted:
        asked = " ".join(
            w
            for w in (
                sparsity,
                dtype,
                unit,
                f"with {accumulate} accumulation" if accumulate else None,
                f"{clock}-clock" if clock else None,
            )
            if w
        )
        raise UnknownNameError(
            f"{device.id} has no {asked} peak", hint="it has: " + "; ".join(d for p in rows for d in _describe(p))
        )
    return max(wanted, key=lambda p: (*_preference(p), p.rate(sparsity) or 0.0))


def default_dtype_of(device: Device) -> str:
    """The precision of a roof when none is named.

    fp32 on a CPU; else the faster of the 16-bit types, fp16 if they are alike; else the first one there is.

    Raises:
        UnknownNameError: only 2:4-sparse rates are known.

    """
    dense = [p.dtype for p in device.peaks if p.dense is not None]
    order: tuple[str, ...] = ("fp32", "fp64")
    if device.kind != "cpu":
        halves = [peak_of(device, dtype) for dtype in ("fp16", "bf16") if dtype in dense]
        order = (*(p.dtype for p in sorted(halves, key=lambda p: -(p.dense or 0.0))), "fp32")
    for dtype in (*order, *dense):
        if dtype in dense:
            return dtype
    raise UnknownNameError(f"{device.id} has no dense peak", hint="add --dtype D --sparse to use its 2:4-sparse rate")


def _may_accumulate(peak: Peak, accumulate: str) -> bool:
    """Whether a rate whose source does not say how it accumulates can be taken as one with this accumulation.

    An operation of a vector unit returns the format of its operands; a matrix unit may add whole numbers in int32 and
    floats in fp32.
    """
    if peak.accumulate:
        return False
    if peak.basis == "given" or accumulate == peak.dtype:
        return True
    if peak.unit == "vector":
        return False
    return accumulate == ("int32" if peak.dtype.startswith("int") else "fp32") and peak.dtype != "fp64"


def _preference(peak: Peak) -> tuple[bool, bool]:
    fp32_accumulation = not peak.accumulate or "fp32" in peak.accumulate or "int32" in peak.accumulate
    return (peak.unit != "vector" and fp32_accumulation, fp32_accumulation)


def _describe(peak: Peak) -> list[str]:
    """The rates of one row in words, such as ``dense fp16 matrix (fp16 accumulation)``."""
    extra = f" ({' or '.join(peak.accumulate)} accumulation)" if peak.accumulate else ""
    unit = f" {peak.unit}" if peak.unit else ""
    clock = f", {peak.clock} clock" if peak.clock else ""
    return [
        f"{sparsity} {peak.dtype}{unit}{extra}{clock}"
        for sparsity in ("dense", "2:4")
        if peak.rate("dense" if sparsity == "dense" else "2:4") is not None
    ]
