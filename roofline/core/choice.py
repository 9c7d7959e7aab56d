"""Which roof: the headline with the sourced dense roof beside it, or the one that was asked for. Never a guess."""

from typing import Final, Literal, NamedTuple, get_args

from roofline.core.device import Ceiling, Device, Source, Sparsity, level_key
from roofline.core.peaks import default_dtype_of, peak_of
from roofline.core.roof import Roof, Stream
from roofline.errors import InputError, UnknownNameError
from roofline.records import self_checked

RoofKind = Literal["spec", "measured"]
# What may stand as a ceiling of arithmetic; an attention kernel or a loop of bare matrix instructions may not.
CEILINGS: Final = ("matmul", "vector-fma")
_LONGEST = 1e6  # s; no message and no launch takes longer
_LIKE_DEFAULT = ("bf16", "fp16")  # may stand in for each other where only one was measured, and the label says which


@self_checked
class RoofQuery(NamedTuple):
    """What the user said about the roof; the defaults are those of the model.

    Raises:
        InputError: an unknown kind, a latency or a floor that nothing has, or words that contradict one another.

    """

    dtype: str | None = None
    sparse: bool = False
    headline: bool = False
    unit: str | None = None
    accumulate: str | None = None
    clock: str | None = None
    level: str | None = None
    kind: RoofKind = "spec"
    link: str | None = None  # None: the first link of the device
    latency: float = 0.0  # s that each serial step over the link costs
    floor: float = 0.0  # s that the launch of a kernel takes

    def _check(self) -> None:
        if self.kind not in get_args(RoofKind):
            raise InputError(f"kind must be one of {', '.join(get_args(RoofKind))}, got {self.kind!r}")
        for name, seconds in (("latency", self.latency), ("floor", self.floor)):
            if not 0 <= seconds <= _LONGEST:
                raise InputError(f"{name} must be from 0 to {_LONGEST:g} s, got {seconds:g}")
        if self.level is not None and not self.level.strip():
            raise InputError("--level is empty; it names a memory level such as L2")
        if self.headline and (self.specific or self.kind == "measured"):
            raise InputError(
                "--headline is a roof of its own; leave out --dtype, --sparse, --unit, --accumulate, --roof"
            )
        if self.kind == "measured" and (self.sparse or self.unit or self.accumulate or self.clock):
            raise InputError(
                "measured ceilings do not tell sparsity, unit, accumulation or clock apart",
                hint="leave out --sparse, --unit, --accumulate and --clock, or --roof measured",
            )

    @property
    def specific(self) -> bool:
        """Whether the headline is ruled out, since something was said of a sourced peak."""
        return bool(self.dtype or self.sparse or self.unit or self.accumulate or self.clock)

    @property
    def settled(self) -> bool:
        """Whether one roof a device is asked for, and no headline stands beside it."""
        return self.specific or self.headline or self.kind == "measured"


class RoofChoice(NamedTuple):
    """The roof that is used, and the sourced dense one beside it where the first is the headline."""

    roof: Roof
    beside: Roof | None = None
    rivals: tuple[Roof, ...] = ()  # what else could have been meant, where no precision was named


def choose(device: Device, query: RoofQuery) -> RoofChoice:
    """The roof of a device that fits a query.

    Without a precision it is the headline, if the device has one, with the sourced dense roof beside it; else the
    sourced dense roof of the device's default precision.

    Raises:
        UnknownNameError: the device has no such peak, level or measured ceiling; what it has is listed.

    """
    if query.kind == "measured":
        return RoofChoice(roof=_measured(device, query))
    if device.headline is not None and not query.specific:
        try:
            beside: Roof | None = _sourced(device, query._replace(headline=False))
        except UnknownNameError:
            beside = None  # a device of which only the headline is known
        rivals = (beside,) if beside is not None and not query.headline else ()
        return RoofChoice(roof=_headline(device, query), beside=beside, rivals=rivals)
    if query.headline:
        raise UnknownNameError(f"{device.id} has no headline figure", hint="leave out --headline, or name --dtype")
    return RoofChoice(roof=_sourced(device, query), rivals=_rivals(device, query))


def _rivals(device: Device, query: RoofQuery) -> tuple[Roof, ...]:
    """The headline, and the dense roof beside a sparse one: neither is ruled out by a unit or a density alone."""
    if query.dtype is not None or device.headline is None:
        return ()
    headline = _headline(device, query)
    if not query.sparse:
        return (headline,)
    try:
        return headline, _sourced(device, query._replace(sparse=False))
    except UnknownNameError:
        return (headline,)


def over_level(device: Device, roof: Roof, level: str, kind: RoofKind = "spec") -> Roof:
    """The same peak over another memory level."""
    return roof._replace(memory=stream(device, level, kind))


def sources_of(device: Device, keys: tuple[str, ...]) -> tuple[Source, ...]:
    """The sources behind keys of a device; a key without an entry stands for itself."""
    return tuple(device.sources.get(key) or Source(key=key, title=key) for key in keys)


def _headline(device: Device, query: RoofQuery) -> Roof:
    headline = device.headline
    assert headline is not None  # noqa: S101  (callers look first)
    return Roof(
        peak=headline.peak,
        dtype=headline.dtype,
        sparsity=headline.sparsity,
        accumulate=headline.accumulate,
        headline=True,
        basis=headline.basis,
        sources=sources_of(device, headline.sources),
        note=headline.note,
        memory=stream(device, query.level, "spec"),
    )


def _sourced(device: Device, query: RoofQuery) -> Roof:
    sparsity: Sparsity = "2:4" if query.sparse else "dense"
    peak = peak_of(
        device,
        query.dtype or _default_dtype(device, sparsity),
        sparsity=sparsity,
        unit=query.unit,
        accumulate=query.accumulate,
        clock=query.clock,
    )
    # the sources of such a row stand behind its dense rate, and must not seem to print the 2:4 rate
    doubled = "no source of it prints the 2:4 rate" if query.sparse and peak.sparse_basis == "derived" else None
    accumulate = next((a for a in (query.accumulate, "fp32", *peak.accumulate) if a in peak.accumulate), None)
    return Roof(
        peak=peak.rate(sparsity) or 0.0,
        dtype=peak.dtype or None,
        sparsity=sparsity,
        unit=peak.unit,
        accumulate=accumulate,
        clock=peak.clock,
        basis=peak.basis_of(sparsity),
        row=peak,
        sources=sources_of(device, peak.sources),
        note="; ".join(note for note in (doubled, peak.note) if note) or None,
        memory=stream(device, query.level, "spec"),
    )


def _default_dtype(device: Device, sparsity: Sparsity) -> str:
    if sparsity == "dense":
        return default_dtype_of(device)
    sparse = [p.dtype for p in device.peaks if p.sparse is not None]
    if not sparse:
        raise UnknownNameError(f"{device.id} has no 2:4-sparse peak", hint="leave out --sparse")
    return next((dtype for dtype in ("fp16", "bf16") if dtype in sparse), sparse[0])


def _measured(device: Device, query: RoofQuery) -> Roof:
    rates = [c for c in device.measured if c.quantity == "FLOP/s" and c.what in CEILINGS]
    have = tuple(dict.fromkeys(c.dtype for c in rates if c.dtype))
    if not rates:
        raise UnknownNameError(f"{device.id} has no measured FLOP/s ceiling", hint="leave out --roof measured")
    dtype = query.dtype or next((d for d in (default_dtype_of(device), *_LIKE_DEFAULT) if d in have), None)
    if dtype is None:
        raise UnknownNameError(
            f"{device.id} has no measured {default_dtype_of(device)} ceiling",
            hint=f"name one: --dtype {' or '.join(have)}",
        )
    candidates = [c for c in rates if c.dtype == dtype]
    if not candidates:
        raise UnknownNameError(f"{device.id} has no measured {dtype} ceiling", hint=f"measured: {', '.join(have)}")
    best = max(candidates, key=lambda c: (c.what == "matmul", c.value))
    return Roof(
        peak=best.value,
        dtype=dtype,
        basis="measured",
        row=best,
        what=best.what,
        sources=sources_of(device, best.sources),
        note=best.note,
        memory=stream(device, query.level, "measured"),
    )


def stream(device: Device, level: str | None, kind: RoofKind = "spec") -> Stream:
    """The bandwidth of a memory level (None: the main memory), specified or measured.

    Raises:
        UnknownNameError: no such level, or no such figure for it.

    """
    if kind == "spec":
        memory = device.memory_at(level) if level else device.main_memory
        return Stream(
            bandwidth=memory.bandwidth or 0.0,
            level=memory.level,
            basis=memory.basis,
            sources=sources_of(device, memory.sources),
        )
    best = _best_stream(device, level)
    return Stream(
        bandwidth=best.value,
        level=next((m.level for m in device.memory if level_key(m.level) == level_key(best.level or "")), best.level)
        or device.main_memory.level,
        basis="measured",
        what=best.what,
        sources=sources_of(device, best.sources),
        note=best.note,
    )


def _best_stream(device: Device, level: str | None) -> Ceiling:
    """The measured bandwidth of a level: STREAM triad, the field's convention, then copy, then the fastest."""
    main = device.main_memory.level
    streams = [c for c in device.measured if c.quantity == "B/s"]
    at_level = [c for c in streams if level_key(c.level or main) == level_key(level or main)]
    if not at_level:
        have = dict.fromkeys((c.level or device.main_memory.level) for c in streams)
        raise UnknownNameError(
            f"{device.id} has no measured bandwidth of {level or device.main_memory.level}",
            hint=f"measured: {', '.join(have)}" if have else "leave out --roof measured",
        )
    return max(at_level, key=lambda c: (c.what.endswith("triad"), c.what.endswith("copy"), c.value))
