"""Kernels that communicate, in columns and cells: bytes on the wire, and the link they go over, also in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from roofline import units
from roofline.core.link import Port
from roofline.core.placement import Placed, Placement
from roofline.report import Column, Value

_COLUMNS: Final = (
    Column(key="wire_byte", heading="on the wire", format="B"),
    Column(key="messages", heading="serial steps", format="count"),
    Column(key="link", heading="link"),
    Column(key="link_bandwidth_byte_per_s", heading="link bandwidth", format="B/s"),
    Column(key="link_latency_s", heading="link latency", format="s", detail=True),
    Column(key="link_least_time_s", heading="least time of link", format="s", detail=True),
)


def link_columns(placed: Iterable[Placed], *, detail: bool = False) -> tuple[Column, ...]:
    """The columns, if any of these kernels communicates; ``detail``: in tables only the bytes on the wire."""
    if not any(one.first.link is not None for one in placed):
        return ()
    return tuple(c._replace(detail=c.detail or (detail and c.key != "wire_byte")) for c in _COLUMNS)


def link_cells(placement: Placement) -> dict[str, Any]:
    """The cells of :func:`link_columns`."""
    kernel, link = placement.kernel, placement.link
    if link is None:
        return {column.key: Value(None, None, "sends nothing over a link") for column in _COLUMNS}
    return {
        "wire_byte": kernel.wire or 0,
        "messages": kernel.messages,
        "link": link.name,
        "link_bandwidth_byte_per_s": link.bandwidth,
        "link_latency_s": link.latency,
        "link_least_time_s": placement.least_time_of("link"),
    }


def link_line(link: Port) -> str:
    """What a link is taken to do, in words."""
    latency = f"{units.show(link.latency, 's')} a serial step" if link.latency else "latency taken as 0"
    note = f", {link.note}" if link.note else ""
    return f"{link.name}: {units.show(link.bandwidth, 'B/s')} one way ({link.basis}{note}), {latency}"
