"""The third roof: the links of a device, over which a kernel sends bytes in serial steps of a latency each."""

from typing import NamedTuple

from roofline.core.choice import sources_of
from roofline.core.device import FASTEST, SLOWEST, Basis, Device, Link, Source
from roofline.errors import InputError, NoLinkError, UnknownNameError


class Port(NamedTuple):
    """One kind of link as a placement sees it: all its lanes together, in one direction."""

    name: str
    bandwidth: float  # B/s that a device can send
    latency: float = 0.0  # s that each serial step costs
    basis: Basis = "given"
    sources: tuple[Source, ...] = ()
    note: str | None = None

    def least_time(self, wire: float, messages: int) -> float:
        """Seconds for so many bytes in so many serial steps: messages x latency + wire / bandwidth.

        Hockney: The communication challenge for MPP, Parallel Computing 20(3), 1994.

        >>> Port("NVLink", 450e9, latency=2e-6).least_time(9e6, 14)  # 14 x 2 us + 9 MB / 450 GB/s = 28 us + 20 us
        4.8e-05
        """
        return messages * self.latency + wire / self.bandwidth


def port(device: Device, name: str | None = None, latency: float = 0.0, *, devices: int | None = None) -> Port:
    """The link of a name (any case), or the first one of a device, with a latency in s.

    A figure for both directions together counts half: links carry as much one way as the other. Of a clique, in which
    each peer has lanes of its own, so many ``devices`` use those between them; None, or more of them: all lanes.

    Raises:
        NoLinkError: none of the device is known.
        UnknownNameError: the device has no such link; those it has are listed.

    """
    link = _find(device, name)
    both = link.direction == "both-ways"
    share, fewer = _lanes(link, devices)
    return Port(
        name=link.name,
        bandwidth=link.bandwidth * share / 2 if both else link.bandwidth * share,
        latency=latency,
        basis=link.basis,
        sources=sources_of(device, link.sources),
        note="; ".join(
            note for note in ("half of the figure for both directions" if both else None, fewer, link.note) if note
        )
        or None,
    )


def _lanes(link: Link, devices: int | None) -> tuple[float, str | None]:
    """The share of a link's lanes that so many devices have between them, and what to say where it is not all.

    >>> _lanes(Link("clique", 448e9, peers=7), 2)
    (0.14285714285714285, 'lanes to 1 of 7 peers')

    """
    if link.peers is None or devices is None or devices > link.peers:
        return 1.0, None
    others = max(devices - 1, 1)
    return others / link.peers, f"lanes to {others} of {link.peers} peers"


def with_link(device: Device, bandwidth: float) -> Device:
    """The device with one link, of a bandwidth one way in B/s that somebody gave, in place of its own.

    Raises:
        InputError: no bandwidth that a roof can be drawn with.

    """
    if not SLOWEST <= bandwidth <= FASTEST:
        raise InputError(
            f"link must be a name, or a bandwidth between {SLOWEST:g} and {FASTEST:g} B/s, got {bandwidth:g}"
        )
    return device._replace(links=(Link(name="given link", bandwidth=bandwidth, basis="given"),))


def _find(device: Device, name: str | None) -> Link:
    if not device.links:
        raise NoLinkError(
            f"no link of {device.id} to other devices is known",
            hint="give the bandwidth of one, or add one to a file of your own",
        )
    if name is None:
        return device.links[0]
    for link in device.links:
        if link.name.casefold() == name.strip().casefold():
            return link
    raise UnknownNameError(
        f"{device.id} has no link '{name}'",
        hint=f"it has: {', '.join(link.name for link in device.links)}; or give a bandwidth one way",
    )
