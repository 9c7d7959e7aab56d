"""What the roofs say of the time of a step, by three conventions: least, total, and summed by operator.

- least: all FLOP at their peaks, or the weights and the KV cache through memory, whichever takes longer.
- total: the same with the activations that each operator reads and writes, and then the links.
- by operator: the sum of what each operator takes at least, as if none overlapped with another.

So least <= total <= by operator, none of them a prediction. No software that does what is counted beats the least;
kernels that fuse more than that can beat the other two. What is counted is a choice: absorbed MLA beats naive MLA, and
the experts that a step touches are an expected number, of which a batch that agrees touches fewer.

Links are added to the total, not hidden behind it: an all-reduce needs the products before it, and those behind it need
the all-reduce.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from roofline.core.roof import Bound, Roof
from roofline.core.target import Target
from roofline.errors import InputError
from roofline.records import self_checked
from roofline.transformer.operator import Operator
from roofline.transformer.table import Moved, Table

if TYPE_CHECKING:
    from roofline.core.link import Port
    from roofline.core.placement import Placement


class Times(NamedTuple):
    """Least seconds of one operator by resource."""

    compute: float
    memory: float
    link: float


@self_checked
class Roofs(NamedTuple):
    """The roofs of one device by precision, all over its main memory, and the link to its peers.

    Raises:
        InputError: no roof, or roofs over memories of different bandwidths.

    """

    by_precision: Mapping[str, Roof]
    link: "Port | None" = None

    @classmethod
    def of(cls, target: Target, table: Table, link: "Port | None" = None) -> "Roofs":
        """The roofs of a device for each precision that a table multiplies in.

        Raises:
            UnknownNameError: the device has no peak of such a precision.
            InputError: the table multiplies nothing.

        """
        chosen = {dtype: target.choice(dtype).roof for dtype in table.flops_by_precision}
        return cls(by_precision=chosen, link=link)

    @property
    def bandwidth(self) -> float:
        """B/s of the memory."""
        return next(iter(self.by_precision.values())).bandwidth

    def _check(self) -> None:
        if len({roof.bandwidth for roof in self.by_precision.values()}) != 1:
            raise InputError("the roofs of a step must be over one memory, and there must be one at least")

    def roof(self, dtype: str | None) -> Roof:
        """The roof of a precision; for what multiplies nothing any will do, since its bandwidth decides.

        Raises:
            InputError: there is none of this precision.

        """
        found = self.by_precision.get(dtype or "")
        if found is not None:
            return found
        raise InputError(f"no roof is given for {dtype}, which a part of the step runs in")

    def times(self, operator: Operator) -> Times:
        """Least seconds of one run of an operator, under the roof of its precision and on the link.

        Raises:
            InputError: no roof of its precision, or no link though it communicates.

        """
        kernel = operator.kernel
        compute = kernel.flops / self.roof(kernel.dtype).peak if kernel.flops else 0.0
        if not kernel.communicates:
            return Times(compute, (kernel.bytes or 0) / self.bandwidth, 0.0)
        return Times(
            compute, (kernel.bytes or 0) / self.bandwidth, self._port.least_time(kernel.wire or 0, kernel.messages)
        )

    def place(self, operator: Operator) -> "Placement":
        """One run of an operator as a placement, with all that follows from it.

        Raises:
            InputError: no roof of its precision, or no link though it communicates.

        """
        from roofline.core.placement import Placement  # noqa: PLC0415  (bounds alone place nothing)

        kernel = operator.kernel
        roof = self.roof(kernel.dtype) if kernel.flops else next(iter(self.by_precision.values()))
        return Placement(kernel=kernel, roof=roof, link=self._port if kernel.communicates else None)

    @property
    def _port(self) -> "Port":
        if self.link is None:
            raise InputError("the step communicates, but the device has no link", hint="name a device with a link")
        return self.link


class Bounds(NamedTuple):
    """What the roofs say of one step, whose kernels fuse as much as is counted, and run at the roofs."""

    tokens: int  # that the step makes: one for each sequence in decode, all of the prompt in prefill
    flops: int
    moved: Moved
    compute: float  # s, all FLOP at the peaks of their precisions
    peak: float  # FLOP/s of all products together: where their precisions differ, a harmonic mean weighted by FLOP
    bandwidth: float  # B/s
    memory: float  # s, all bytes but those of communication
    link: float  # s of communication: on the links, or through memory where that takes longer
    by_operator: float  # s, each operator by itself

    @property
    def least(self) -> float:
        """Seconds for FLOP, weights and KV cache alone."""
        return max(self.compute, self.moved.least / self.bandwidth)

    @property
    def total(self) -> float:
        """Seconds for FLOP and all bytes, and then the links."""
        return max(self.compute, self.memory) + self.link

    @property
    def bound(self) -> Bound:
        """What takes longest."""
        if self.link > max(self.compute, self.memory):
            return "link"
        return "compute" if self.compute >= self.memory else "memory"

    @property
    def intensity(self) -> float:
        """FLOP/B, activations included."""
        return self.flops / self.moved.all

    @property
    def ridge_point(self) -> float:
        """I* of that peak in FLOP/B."""
        return self.peak / self.bandwidth

    @property
    def attainable(self) -> float:
        """FLOP/s within the total time."""
        return self.flops / self.total

    @property
    def idle_share(self) -> float:
        """Share of the compute units that idles within the total time."""
        return 1.0 - self.compute / self.total

    @property
    def total_time_tokens_per_s(self) -> float:
        """Tokens a second, of all sequences together, by the total time."""
        return self.tokens / self.total

    @property
    def least_time_tokens_per_s(self) -> float:
        """The most tokens a second by the least time: what no software that does what is counted can beat."""
        return self.tokens / self.least


def bounds(table: Table, roofs: Roofs) -> Bounds:
    """The bounds of a step on a device: each operator under the roof of the precision that it runs in.

    Raises:
        InputError: no roof for a precision, or no link for a step that communicates.

    """
    memory, link, by_operator = 0.0, 0.0, 0.0
    for operator in table.operators:
        terms = roofs.times(operator)
        if operator.kernel.communicates:
            link += operator.times * max(terms.memory, terms.link)
        else:
            memory += operator.times * terms.memory
        by_operator += operator.times * max(terms)
    work = table.flops_by_precision
    flops, compute = sum(work.values()), sum(each / roofs.roof(dtype).peak for dtype, each in work.items())
    return Bounds(
        tokens=table.step.tokens,
        flops=flops,
        moved=table.moved,
        compute=compute,
        peak=flops / compute if len(work) > 1 else roofs.roof(next(iter(work))).peak,
        bandwidth=roofs.bandwidth,
        memory=memory,
        link=link,
        by_operator=by_operator,
    )


def shares(table: Table, roofs: Roofs) -> tuple[float, ...]:
    """Each operator's part of the time by operator, which add up to 1."""
    seconds = [operator.times * max(roofs.times(operator)) for operator in table.operators]
    whole = sum(seconds)
    return tuple(each / whole for each in seconds)
