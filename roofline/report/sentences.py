"""Placements in sentences: the verdict, what disagrees, what is doubtful, what was assumed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline import units
from roofline.core.placement import Placed, Placement
from roofline.precision import PRECISIONS
from roofline.report.devices import headline_notes, scope_notes
from roofline.report.links import link_line
from roofline.report.placements import why_unknown
from roofline.report.roofs import BOUND_WORDS
from roofline.text import clip

_HARDLY: Final = 1e-4  # share of the roof below which a measured time is doubted
_SHORTEST: Final = 1e-9  # s; a clock cycle or two
_CAUSES_AT_A_LINK: Final = (
    "units, a bandwidth of the link in one direction where both were meant (or the reverse), an algorithm that sends "
    "less, reduction in the switches, several links at once, a latency that is too long"
)


def verdict(placement: Placement) -> str:
    """One sentence: what bounds the kernel and how far it is from the ridge."""
    if placement.bound is None:
        return _unbound(placement)
    if placement.below_floor:
        return _below_floor(placement)
    words, distance = BOUND_WORDS[placement.bound], placement.ridge_distance
    if placement.intensity == 0 and placement.link is None:
        return f"{words}: no FLOPs, so the bandwidth alone decides"
    if distance is None and not placement.several:
        return f"{words}: no traffic, so the peak alone decides"
    if placement.several:
        return _verdict_of_levels(placement, words)
    if placement.bound == "memory":
        return f"{words}: needs {units.ratio(distance or 0.0)}x more FLOPs per byte to be compute-bound"
    return f"{words}: {units.ratio(1 / (distance or 1.0))}x past the ridge"


def _below_floor(placement: Placement) -> str:
    least, floor = units.show(placement.least_time or 0.0, "s"), units.show(placement.floor, "s")
    alone = placement._replace(floor=0.0)
    return (
        f"latency-bound: the least time of {least} is below the launch floor of {floor}; by the roof {verdict(alone)}"
    )


def measured(placed: Placed) -> str | None:
    """One sentence: how good a measured run is, against each roof that it is placed on."""
    shares = []
    for placement in (placed.first, placed.beside):
        if placement is None or placement.efficiency is None or placement.bound is None:
            continue
        name = "headline roof" if placement.roof.headline else "dense roof" if placed.beside else "roof"
        shares.append(f"{units.show(placement.efficiency, '1')} of the {name}")
    reached = placed.reachable
    if not shares:
        return None
    if reached.least_time is None or reached.kernel.seconds is None:
        return f"measured: {', '.join(shares)}"
    least = f"the least time of {units.show(reached.least_time, 's')}"
    if reached.above_roof:
        return f"measured: {', '.join(shares)}; below {least}, which cannot be"
    times = units.ratio(reached.kernel.seconds / reached.least_time) if reached.least_time else "infinitely many "
    return f"measured: {', '.join(shares)}; takes {times}x {least}"


def doubts(shown: Sequence[Placed]) -> list[str]:
    """What looks like a unit gone wrong: nothing runs below a nanosecond, hardly anything at 10,000x its least time."""
    slow = [one.first.kernel.name for one in shown if 0 < (_share_of_least(one.reachable) or 1.0) < _HARDLY]
    # What was counted from a shape has no unit that could be mistaken.
    given = [one for one in shown if not one.first.below_floor and not one.first.kernel.assumptions]
    short = [one.first.kernel.name for one in given if 0 < (one.first.least_time or 1.0) < _SHORTEST]
    lines = []
    if slow:
        floor = " (or the launch floor)" if any(one.first.below_floor for one in shown) else ""
        lines.append(f"measured at over 10,000x the least time{floor}: {_some(slow)}; is the unit of the time right?")
    if short:
        lines.append(
            f"least time below 1 ns: {_some(short)}; bare numbers are FLOP and B, so are the units right? "
            "(2 GFLOP, 3 MB; in a list also as column names: gflop, bytes_mb)"
        )
    return lines


def _share_of_least(placement: Placement) -> float | None:
    """What a run could take at least, its launch included, over what it took."""
    if placement.below_floor and placement.kernel.seconds is not None:
        return placement.floor / placement.kernel.seconds
    return placement.efficiency


def _unbound(placement: Placement) -> str:
    share, roof = placement.achieved_share, placement.roof
    if share is None:
        return f"bound unknown ({why_unknown(placement)})"
    peak = f"{units.show(roof.peak, 'FLOP/s')} {roof.label}"
    return f"reaches {units.show(share, '1')} of {peak}; no traffic given, so no bound"


def _verdict_of_levels(placement: Placement, words: str) -> str:
    """With several memory levels or a link the slowest term binds, and its distance to the arithmetic counts."""
    times = ", ".join(f"{term.name} {units.show(term.seconds, 's')}" for term in placement.terms)
    arithmetic, slowest = placement.least_time_of("compute"), placement.slowest
    if slowest is None or slowest.resource == "compute":
        return f"{words} (least times: {times})"
    if not arithmetic:
        return f"{words} by {slowest.name} (least times: {times})"
    excess = units.significant(slowest.seconds / arithmetic)
    return f"{words} by {slowest.name}, which takes {excess}x as long as the arithmetic (least times: {times})"


def levels(placement: Placement) -> list[str]:
    """A line a memory level, where there are several: what moves through it, how fast, and where its ridge is."""
    if not placement.levels:
        return []
    kernel, lines = placement.kernel, []
    moved = {placement.roof: kernel.bytes} | {roof: kernel.bytes_at[roof.memory.level] for roof in placement.levels}
    for roof, amount in moved.items():
        if amount is None:
            continue
        line = f"{roof.memory.level}: {units.show(amount, 'B')} at {units.show(roof.bandwidth, 'B/s')}"
        line += f" take {units.show(amount / roof.bandwidth, 's')}"
        if kernel.flops is not None and amount:
            line += (
                f"; I {units.intensity(kernel.flops / amount)} against I* {units.intensity(roof.ridge_point)} FLOP/B"
            )
        lines.append(line)
    return lines


def disagreement(first: Placement, beside: Placement) -> str | None:
    """A sentence where the headline and the sourced dense roof give different verdicts."""
    if first.bound == beside.bound or first.bound is None or beside.bound is None:
        return None
    return (
        f"{BOUND_WORDS[first.bound]} against the headline {units.show(first.roof.peak, 'FLOP/s')}, but "
        f"{BOUND_WORDS[beside.bound]} against the {units.show(beside.roof.peak, 'FLOP/s')} that a "
        f"{beside.roof.sparsity} {beside.roof.dtype} kernel can reach"
    )


def above_roof_warning(placement: Placement, device: str) -> str:
    """A sentence for a measurement above the roof, with the likely causes."""
    kernel, roof = placement.kernel, placement.roof
    share = placement.roof_share or 0.0
    on = f" on {device}" if device else ""
    if placement.roof_bound == "link" and placement.link is not None:
        return (
            f"{kernel.name}{on} is above the roof: {units.significant(share)}x the {placement.link.basis} bandwidth of "
            f"{placement.link.name}; likely causes: {_CAUSES_AT_A_LINK}"
        )
    causes = ["units", "the FLOP count" if kernel.flops is not None or kernel.rate is not None else None]
    causes.append(f"another precision than {roof.dtype}" if roof.dtype else "the precision")
    measured_roof = roof.basis == "measured"
    causes.append("a 2:4-sparse run against a dense peak" if roof.sparsity == "dense" and not measured_roof else None)
    causes.append("traffic served from a cache" if kernel.bytes is not None else None)
    causes.append("a ceiling measured on a slower machine" if measured_roof else "clocks above the data sheet")
    over_memory = placement.bound == "memory" or (kernel.flops is None and kernel.rate is None)
    exceeded = f"{roof.memory.basis} bandwidth" if over_memory else f"{roof.basis} peak"
    return (
        f"{kernel.name}{on} is above the roof: {units.significant(share)}x the {exceeded}; "
        f"likely causes: {', '.join(c for c in causes if c)}"
    )


def warnings_of(placed: Sequence[Placed]) -> list[str]:
    """A sentence for each of a few kernels that is above its roof."""
    above = AboveRoof()
    for one in placed:
        above.add(one)
    return above.warnings()


class AboveRoof:
    """Kernels above the roof, of which a long list may have many: the first are named, all are counted."""

    def __init__(self, named: int = 3) -> None:
        self._named = named
        self._texts: list[str] = []
        self.count = 0

    def add(self, one: Placed) -> None:
        """Note a kernel if it is above its roof; the dense roof speaks where the headline does not."""
        placement = one.first if one.first.above_roof else one.beside
        if placement is None or not placement.above_roof:
            return
        self.count += 1
        if self.count <= self._named:
            self._texts.append(above_roof_warning(placement, one.device.id if one.device.origin else ""))

    def warnings(self) -> list[str]:
        """The sentences."""
        more = self.count - len(self._texts)
        rest = [f"and {more} more kernel{'s' if more > 1 else ''} above the roof"] if more else []
        return [*self._texts, *rest]


def device_notes(placed: Sequence[Placed]) -> list[str]:
    """What a device's headline really is, where it is used, and what part of a product its file covers."""
    return [
        note for one in placed for note in (headline_notes if one.first.roof.headline else scope_notes)([one.device])
    ]


def disagreements(placed: Sequence[Placed], *, with_device: bool = False) -> list[str]:
    """A sentence for each kernel whose verdict depends on the headline."""
    notes = []
    for one in placed:
        note = None
        if one.beside is not None:
            note = disagreement(one.first, one.beside)
        elif one.headline is not None and _as_wide(one.headline, one.first):
            note = disagreement(one.headline, one.first)
        if note is not None:
            notes.append(f"{one.device.id}: {note}" if with_device else note)
    return notes


def _as_wide(first: Placement, second: Placement) -> bool:
    """Whether two peaks are of numbers of one width; nobody takes a headline in fp16 for a rate in fp64."""
    widths = {PRECISIONS[p.roof.dtype].bits for p in (first, second) if p.roof.dtype in PRECISIONS}
    return len(widths) == 1


def list_notes(shown: Sequence[Placed]) -> list[str]:
    """What is worth a word about the rows of a list, all of them together."""
    notes = []
    unknown = [one.first.kernel.name for one in shown if one.first.bound is None]
    if unknown:
        notes.append(f"bound unknown (no FLOP count or no traffic): {_some(unknown)}")
    several = len({one.device.id for one in shown}) > 1
    different = [
        f"{one.first.kernel.name} on {one.device.id}" if several else one.first.kernel.name
        for one in shown
        if disagreements([one])
    ]
    if different:
        notes.append(f"headline and sourced dense peak disagree on: {_some(list(dict.fromkeys(different)))}")
    notes += dict.fromkeys(text for one in shown for text in one.first.kernel.notes)
    return [*notes, *doubts(shown)]


def _some(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return "; ".join(clip(name, 60) for name in names[:most]) + more


def counted(placed: Sequence[Placed]) -> list[str]:
    """What was counted how, of all these kernels together, and what their links are taken to do."""
    lines = [text for one in placed for text in one.first.kernel.assumptions]
    lines += [link_line(one.first.link) for one in placed if one.first.link is not None]
    return list(dict.fromkeys(lines))


def assumptions(placed: Sequence[Placed]) -> list[str]:
    """What was counted how, and what a share of the roof stands for where something is unknown."""
    first, lines = placed[0].first, counted(placed)
    if first.kernel.seconds is not None and first.efficiency is None:
        lines.append("neither work nor traffic given: the time says nothing")
    if first.kernel.rate is not None and first.intensity is None:
        lines.append("no traffic given: judged against the peak alone")
    elif first.efficiency is not None and not first.judged_whole:
        missing = "FLOP count" if first.kernel.flops is None else "traffic"
        lines.append(f"no {missing} given: the share of the roof is a lower bound")
    return lines


def explanation(placed: Sequence[Placed]) -> list[str]:
    """Every formula written out, for each kernel on each of its roofs."""
    from roofline.report.explain import explain  # noqa: PLC0415  (few ask for it)

    lines: list[str] = []
    for one in placed:
        for placement in (one.first, one.beside):
            if placement is not None:
                kind = "headline" if placement.roof.headline else placement.roof.label
                lines += explain(placement, title=f"{placement.kernel.name} on {one.device.id}, {kind}:")
    return lines
