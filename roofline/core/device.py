"""A machine as its catalogue entry describes it: peaks, memories, links, measured ceilings, and their sources."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from roofline.errors import InputError, UnknownNameError
from roofline.records import FrozenDict, self_checked

Sparsity = Literal["dense", "2:4"]
Basis = Literal["vendor", "third-party", "derived", "measured", "article", "given", "unsourced"]

# FLOP/s and B/s that a roof can be drawn with: wider than any machine, so that every quotient stays finite.
SLOWEST: Final = 1e-6
FASTEST: Final = 1e40

DIRECTIONS: Final = ("one-way", "both-ways")  # of the figure of a link
NO_ADDRESS: Final = "address not kept"  # how `where` begins for a source that nobody can look up again


class Source(NamedTuple):
    """Where a figure was read."""

    key: str
    title: str
    where: str = ""
    kind: str = ""

    @property
    def citation(self) -> str:
        """The title with its place: an address in angle brackets, or in words why there is none.

        >>> Source("w", "Whitepaper", "https://example.com/w.pdf").citation
        'Whitepaper <https://example.com/w.pdf>'
        >>> Source("w", "Whitepaper", "address not kept").citation
        'Whitepaper, address not kept'
        """
        if not self.where:
            return self.title
        return f"{self.title}, {self.where}" if self.where.startswith(NO_ADDRESS) else f"{self.title} <{self.where}>"


class Peak(NamedTuple):
    """The peak rate of one precision on one execution unit, dense and 2:4-sparse apart."""

    dtype: str
    unit: str | None = None  # "matrix" or "vector"
    accumulate: tuple[str, ...] = ()  # accumulator precisions that run at this rate; empty: the source does not say
    clock: str | None = None  # "base", "all-core boost": only where it tells two rows apart
    dense: float | None = None  # FLOP/s
    sparse: float | None = None  # FLOP/s, 2:4 structured
    sources: tuple[str, ...] = ()
    basis: Basis = "unsourced"
    sparse_basis: Basis | None = None  # of `sparse`; None: the same as `basis`
    check: str | None = None  # second witness for `dense`: units x FLOP/clk x clock
    check_note: str | None = None
    note: str | None = None

    def rate(self, sparsity: Sparsity) -> float | None:
        """FLOP/s, dense or 2:4-sparse; None where the device has no such rate."""
        return self.dense if sparsity == "dense" else self.sparse

    def basis_of(self, sparsity: Sparsity) -> Basis:
        """What kind of figure the dense or the 2:4-sparse rate is: a vendor may print one of them alone."""
        return self.basis if sparsity == "dense" or self.sparse_basis is None else self.sparse_basis


class Headline(NamedTuple):
    """The figure of the launch slide or of the reference article, with what it really is."""

    peak: float  # FLOP/s
    dtype: str
    sparsity: Sparsity = "dense"
    accumulate: str | None = None
    sources: tuple[str, ...] = ()
    basis: Basis = "unsourced"
    note: str | None = None


class Memory(NamedTuple):
    """One level of memory; the first of a device with a bandwidth is its main memory."""

    level: str  # "HBM3", "L2"
    bandwidth: float | None = None  # B/s
    capacity: float | None = None  # B, as the vendor quotes it
    usable: float | None = None  # B, as the driver shows it
    sources: tuple[str, ...] = ()
    basis: Basis = "unsourced"
    check: str | None = None  # second witness for `bandwidth`: bus width x data rate
    check_note: str | None = None
    note: str | None = None

    @property
    def available(self) -> float | None:
        """Bytes that programs can have: as the driver shows it where that is known, else as it is sold."""
        return self.usable or self.capacity


class Link(NamedTuple):
    """One kind of link to other devices, all its lanes together."""

    name: str
    bandwidth: float  # B/s
    direction: str = "one-way"  # one of DIRECTIONS
    # of a clique, each joined by an equal share of the lanes; None: a switch, or a path of all
    peers: int | None = None
    sources: tuple[str, ...] = ()
    basis: Basis = "unsourced"
    note: str | None = None


class Ceiling(NamedTuple):
    """A rate that somebody measured on this device: FLOP/s with a dtype, or B/s at a memory level."""

    what: str  # "dram-triad", "matmul"
    value: float
    quantity: Literal["FLOP/s", "B/s"]
    dtype: str | None = None
    level: str | None = None  # None: main memory
    sources: tuple[str, ...] = ()
    note: str | None = None


_NO_SOURCES: Final[Mapping[str, Source]] = FrozenDict()


@self_checked
class Device(NamedTuple):
    """One machine.

    Raises:
        InputError: no peaks, or a figure that is not finite and > 0.

    """

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    vendor: str | None = None
    kind: str | None = None
    architecture: str | None = None
    year: int | None = None
    scope: str | None = None  # what part of the product the figures cover, where that is not obvious
    headline: Headline | None = None
    peaks: tuple[Peak, ...] = ()
    memory: tuple[Memory, ...] = ()
    links: tuple[Link, ...] = ()
    tdp: float | None = None  # W
    tdp_sources: tuple[str, ...] = ()
    measured: tuple[Ceiling, ...] = ()
    sources: Mapping[str, Source] = _NO_SOURCES
    note: str | None = None
    origin: str = ""  # the file it was read from

    def _check(self) -> "Device | None":
        if not isinstance(self.sources, Mapping):
            raise TypeError
        if type(self.sources) is not FrozenDict:  # a copy, which nobody else can change
            return self._replace(sources=FrozenDict(self.sources))
        for name in ("peaks", "memory", "links", "measured"):
            if isinstance(getattr(self, name), (Peak, Memory, Link, Ceiling)):  # as a tuple of one is without its comma
                raise InputError(f"{name} is a tuple of them: write {name}=(...,)")
        listed: dict[str, Any] = {
            name: tuple(value) for name, value in self._asdict().items() if isinstance(value, list)
        }
        if listed:  # which somebody else could change
            return self._replace(**listed)
        if not self.peaks:
            raise InputError(f"{self.id} has no peaks")
        for peak in self.peaks:
            if peak.dense is None and peak.sparse is None:
                raise InputError(f"the {peak.dtype} peak has neither a dense nor a sparse rate")
        for what, value in self._figures():
            if value is not None and not 0 < value < math.inf:
                raise InputError(f"{self.id}: {what} must be finite and > 0, got {value}")
        for link in self.links:
            if link.peers is not None and not isinstance(link.peers, int):
                raise InputError(f"{self.id}: peers of {link.name} must be a whole number, got {link.peers}")
            if link.direction not in DIRECTIONS:
                raise InputError(
                    f"{self.id}: direction of {link.name} must be {' or '.join(DIRECTIONS)}, got {link.direction!r}"
                )
        return None

    def _figures(self) -> Iterator[tuple[str, float | None]]:
        """Every number of it and what it is."""
        for peak in self.peaks:
            yield from ((f"the {peak.dtype} peak", rate) for rate in (peak.dense, peak.sparse))
        for memory in self.memory:
            figures = (memory.bandwidth, memory.capacity, memory.usable)
            yield from ((f"a figure of {memory.level}", figure) for figure in figures)
        for link in self.links:
            yield from ((f"a figure of {link.name}", figure) for figure in (link.bandwidth, link.peers))
        yield from ((f"the measured {ceiling.what}", ceiling.value) for ceiling in self.measured)
        yield "the headline", self.headline and self.headline.peak
        yield "the TDP", self.tdp

    @property
    def main_memory(self) -> Memory:
        """The first memory with a bandwidth.

        Raises:
            InputError: there is none.

        """
        for memory in self.memory:
            if memory.bandwidth is not None:
                return memory
        raise InputError(f"{self.id} has no memory with a bandwidth")

    def memory_at(self, level: str) -> Memory:
        """The memory level of this name (any case, with or without its punctuation; the exact name goes first).

        Raises:
            UnknownNameError: no such level, or no bandwidth is known for it; those with one are listed.

        """
        with_bandwidth = [m.level for m in self.memory if m.bandwidth is not None]
        alike = [m for m in self.memory if level_key(m.level) == level_key(level)]
        if not alike:
            raise UnknownNameError(
                f"{self.id} has no memory level '{level}'", hint=f"levels with a bandwidth: {', '.join(with_bandwidth)}"
            )
        memory = next((m for m in alike if m.level.casefold() == level.casefold()), alike[0])
        if memory.bandwidth is None:
            raise UnknownNameError(
                f"{self.id} gives no bandwidth for its {memory.level}",
                hint=f"levels with one: {', '.join(with_bandwidth)}",
            )
        return memory

    @property
    def precisions(self) -> tuple[str, ...]:
        """The precisions it has a peak for, in the order of its file."""
        return tuple(dict.fromkeys(p.dtype for p in self.peaks))


def level_key(level: str) -> str:
    """A memory level's name without case and punctuation, as column headings write it.

    >>> level_key("DDR5-4800") == level_key("ddr5_4800")
    True
    """
    return "".join(character for character in level.casefold() if character.isalnum())


def given_device(peak: float, bandwidth: float, dtype: str | None = None) -> Device:
    """A device of which only a peak (FLOP/s) and a bandwidth (B/s) are known, as ``--peak`` and ``--bw`` give it."""
    return Device(
        id="given",
        name="a given peak and bandwidth",
        peaks=(Peak(dtype=dtype or "", dense=peak, basis="given"),),
        memory=(Memory(level="memory", bandwidth=bandwidth, basis="given"),),
    )
