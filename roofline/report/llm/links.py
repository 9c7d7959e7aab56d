"""The link that joins the devices of a setup, in words, and the serial steps that its latency is paid for."""

from __future__ import annotations

from collections.abc import Sequence

from roofline import units
from roofline.report.links import link_line
from roofline.text import counted
from roofline.transformer.setup import Setup

_MICROSECOND = 1e-6


def link_lines(setups: Sequence[Setup], step: str) -> list[str]:
    """A line a device that is joined with others: for the most of them, where it is with several numbers.

    ``step`` is what the steps are of, such as "decode step".

    """
    largest: dict[str, Setup] = {}
    for setup in setups:
        id_ = setup.target.device.id
        if setup.devices > 1 and (id_ not in largest or setup.devices > largest[id_].devices):
            largest[id_] = setup
    several = len({setup.target.device.id for setup in setups}) > 1
    return [f"link{f' of {id_}' if several else ''}: {_joined(setup, step)}" for id_, setup in largest.items()]


def _joined(setup: Setup, step: str) -> str:
    """What the link is taken to do, for how many devices, and in how many serial steps.

    A catalogue says how fast a link is, not how many devices it can join.
    """
    link = setup.port
    if link is None:
        return ""
    line = f"{link_line(link)}, as if {'both' if setup.devices == 2 else f'all {setup.devices}'} were joined by it"
    for operator in setup.decode.operators:  # the all-reduces of a prefill are larger, and as many
        if operator.kernel.communicates:
            each = f"2 (p - 1) = {counted(operator.kernel.messages, 'serial step')}"
            seconds = units.show(operator.times * operator.kernel.messages * (link.latency or _MICROSECOND), "s")
            paid = f"{seconds} of latency" if link.latency else f"each us of latency adds {seconds}"
            line += f"; {counted(operator.times, 'all-reduce')} of {each}: {paid} a {step}"
    return line
