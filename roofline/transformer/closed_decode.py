"""The closed form of decode: the totals of a step as functions of batch and context, to solve for or to scan many.

All that the table of a step counts is a constant (weights), or goes with the sequences (products, activations), or with
the positions that each attends (attention, cache), up to its window; only the weights of experts bend, with the number
of distinct ones. So the tables of two contexts say it all: exactly, or where formats round up to blocks that elements
share, within a block.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from roofline.transformer.architecture import Architecture
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats
from roofline.transformer.operator import Operator
from roofline.transformer.parallel import parallel_table
from roofline.transformer.step import Step
from roofline.transformer.table import Moved

if TYPE_CHECKING:
    from roofline.core.link import Port

# So many sequences fill whole blocks of every format, whatever one of them has: 64 x 256 elements are the largest.
_SEQUENCES: Final = 64 * 256


class PerPosition(NamedTuple):
    """What a sequence adds for each position that it attends, up to a window."""

    window: int | None
    precision: str
    flops: float
    kv: float  # B read
    activations: float  # B; 0 where attention is fused

    def seen(self, context: int) -> int:
        """Positions of a context that count."""
        return context if self.window is None or context < self.window else self.window


class Experts(NamedTuple):
    """A product with experts, of which a step touches some."""

    experts: int
    per_token: int
    times: int  # layers
    weights: int  # B of one expert


class ClosedDecode(NamedTuple):
    """Totals of the decode steps of one model in one set of formats, on one of a number of devices."""

    fixed: int  # B of weights that every step reads
    experts: tuple[Experts, ...]
    row: float  # B of the embedding that a sequence looks up
    written: float  # B of cache that a sequence writes
    flops: Mapping[str, float]  # FLOP of a sequence by precision, without those that go with its context
    activations: float  # B of a sequence, ditto
    positions: tuple[PerPosition, ...]
    wire: float  # B that one device sends for a sequence
    messages: int  # serial steps over the links, of a step
    conventions: Conventions

    def flops_of(self, context: int) -> dict[str, float]:
        """FLOP of one sequence by precision, at a context of so many positions, its own among them."""
        found = dict(self.flops)
        for each in self.positions:
            found[each.precision] = found.get(each.precision, 0) + each.flops * each.seen(context)
        return found

    def kv_read(self, context: int) -> float:
        """B of cache that one sequence reads."""
        return sum([each.kv * each.seen(context) for each in self.positions])

    def activations_of(self, context: int) -> float:
        """B of activations of one sequence."""
        return self.activations + sum([each.activations * each.seen(context) for each in self.positions])

    def weights(self, batch: int) -> int:
        """B of weights that a step of so many sequences reads, the rows of the embedding left out."""
        touching = [
            each.times * round(self.conventions.touched(each.experts, each.per_token, batch) * each.weights)
            for each in self.experts
        ]
        return self.fixed + sum(touching)

    def moved(self, batch: int, context: int) -> Moved:
        """Bytes of a step, as its table has them."""
        return Moved(
            self.weights(batch) + round(batch * self.row),
            round(batch * (self.kv_read(context) + self.written)),
            round(batch * self.activations_of(context)),
        )

    def compute_time(self, context: int, peaks: Mapping[str, float]) -> float:
        """Seconds of all FLOP of one sequence, each at the peak (FLOP/s) of its precision."""
        seconds = sum([flops / peaks[precision] for precision, flops in self.flops.items()])
        return seconds + sum([each.flops * each.seen(context) / peaks[each.precision] for each in self.positions])

    def least_time(self, batch: int, context: int, peaks: Mapping[str, float], bandwidth: float) -> float:
        """Seconds of a step by FLOP, weights and KV cache alone."""
        return max(batch * self.compute_time(context, peaks), self.moved(batch, context).least / bandwidth)

    def total_time(
        self, batch: int, context: int, peaks: Mapping[str, float], bandwidth: float, link: "Port | None" = None
    ) -> float:
        """Seconds of a step by FLOP and all bytes, and then the links."""
        seconds = max(batch * self.compute_time(context, peaks), self.moved(batch, context).all / bandwidth)
        return seconds if link is None else seconds + link.least_time(batch * self.wire, self.messages)


def closed_decode(
    architecture: Architecture, formats: Formats, conventions: Conventions | None = None, *, devices: int = 1
) -> ClosedDecode:
    """The closed form of the decode steps of a model.

    Raises:
        InputError: devices that do not divide the heads, or a number of experts that no step can touch.

    >>> from roofline.transformer.gqa import Gqa
    >>> from roofline.transformer.layer import Layer
    >>> from roofline.transformer.mlp import Dense
    >>> layer = Layer(attention=Gqa(heads=32, kv_heads=8, head_dim=128), mlp=Dense(width=14336))
    >>> llama = closed_decode(Architecture(name="8B", hidden=4096, vocab=128256, layers=((32, layer),)), Formats())
    >>> llama.kv_read(1024) == 1024 * 131_072, llama.weights(8) == 2 * 7_504_924_672
    (True, True)

    """
    counted = conventions or Conventions()

    def rows(context: int) -> tuple[Operator, ...]:
        step = Step.decode(context, batch=_SEQUENCES)
        return parallel_table(architecture, step, formats, counted, devices=devices).operators

    one, two = rows(1), rows(2)
    pairs = [pair for pair in zip(one, two, strict=True) if pair[0].kernel != pair[1].kernel]
    positions = tuple(_growth(before, after) for before, after in pairs)
    flops: dict[str, float] = {}
    for operator in one:
        if operator.flops:
            dtype = operator.kernel.dtype or ""
            flops[dtype] = flops.get(dtype, 0) + _of_one(operator.flops)
    for each in positions:
        flops[each.precision] -= each.flops
    routed = [operator for operator in one if operator.experts]
    rest = [operator for operator in one if not operator.experts]
    return ClosedDecode(
        fixed=sum(o.times * o.weights for o in rest if o.group != "embedding"),
        experts=tuple(Experts(*o.experts, o.times, o.expert_weights) for o in routed if o.experts),
        row=_of_one(sum(o.weights for o in rest if o.group == "embedding")),
        written=_of_one(sum(o.times * o.kv for o in one)) - sum(each.kv for each in positions),
        flops=flops,
        activations=_of_one(sum(o.times * o.activations for o in one if not o.kernel.communicates))
        - sum(each.activations for each in positions),
        positions=positions,
        wire=_of_one(sum(o.times * int(o.kernel.wire or 0) for o in one)),
        messages=sum(o.times * o.kernel.messages for o in one),
        conventions=counted,
    )


def _growth(before: Operator, after: Operator) -> PerPosition:
    """What an operator adds for one position more."""
    return PerPosition(
        window=before.window,
        precision=before.kernel.dtype or "",
        flops=_of_one(after.flops - before.flops),
        kv=_of_one(after.times * (after.kv - before.kv)),
        activations=_of_one(after.times * (after.activations - before.activations)),
    )


def _of_one(total: int) -> float:
    """The share of one sequence, a whole number where it is one."""
    whole, rest = divmod(total, _SEQUENCES)
    return total / _SEQUENCES if rest else whole
