"""The options of a model's work to a Setup for each device: formats, conventions, lengths, devices, efficiencies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from roofline.commands.base import option, together
from roofline.commands.llm_types import ExpertsType, PartsType, TokenRateType
from roofline.commands.options import DtypeType, LinkType, QuantityType, device_options, devices
from roofline.commands.sizes import FormatType, SizeType
from roofline.errors import InputError
from roofline.transformer import choices

if TYPE_CHECKING:
    from roofline.transformer.architecture import Architecture
    from roofline.transformer.setup import Setup

F = TypeVar("F", bound=Callable[..., Any])


def _convention(name: str, explained: str = "") -> Callable[[F], F]:
    """An option of one of a few words, the first of which is the default."""
    words = choices.WORDS[name]
    return option(
        "Counting",
        f"--{name}",
        type=click.Choice(list(words)),
        default=words[0],
        help=f"{explained}Default: {words[0]}.",
    )


work_options: Callable[[F], F] = together(
    option(
        "Work",
        "--prompt",
        type=SizeType(1, swept=True),
        metavar="N",
        help=f"Tokens of each prompt. Default: the context, or {choices.PROMPT}.",
    ),
    option(
        "Work",
        "--context",
        type=SizeType(0, swept=True),
        help="Positions a decode step attends, its prompt among them; 0, like 1: its own alone, and a prompt of one "
        "token. "
        "Default: prompt + generate.",
    ),
    option(
        "Work",
        "--generate",
        type=SizeType(0),
        help="Decode steps behind the prefill, which makes one token itself: 499 for 500 tokens.",
    ),
    option(
        "Work",
        "--batch",
        type=SizeType(1, swept=True),
        default=choices.BATCH,
        help=f"Sequences. Default: {choices.BATCH}.",
    ),
    option(
        "Formats",
        "--weights",
        type=FormatType(),
        help="Such as fp8, int4-g128, q4_k; roofline op formats lists them. Default: the checkpoint's.",
    ),
    option("Formats", "--keep", type=PartsType(), help="Weights that stay at 16 bits, or none. Default: as is usual."),
    option("Formats", "--kv", type=FormatType(), help="Of the KV cache. Default: the checkpoint's, or 16 bits."),
    option("Formats", "--compute", type=DtypeType(), help="Of products: their dense peak. Default: the 16-bit type."),
    _convention("attention"),
    _convention("count"),
    _convention("mla", "Auto: absorbed in decode, else naive. "),
    option(
        "Counting",
        "--experts",
        type=ExpertsType(),
        default=choices.EXPERTS[0],
        help=f"Touched in a step; a batch that agrees touches fewer than expected. Default: {choices.EXPERTS[0]}.",
    ),
    _convention("logits", "LM head on the last token or on all. "),
    device_options,
    option(
        "Device",
        "--devices",
        type=SizeType(1, swept=True),
        default=choices.DEVICES,
        help=f"Tensor parallel over so many. Default: {choices.DEVICES}.",
    ),
    option(
        "Device",
        "--link",
        type=LinkType(),
        help="Between them: a name, or bandwidth one way (450GB/s, 400Gbit/s). Default: the device's first.",
    ),
    option(
        "Device", "--latency", type=QuantityType("s", most=1.0), help="Of each serial step over the link. Default: 0."
    ),
    option(
        "Memory",
        "--chunk",
        type=SizeType(1),
        default=choices.CHUNK,
        help="Tokens of a prompt prefilled at once, whose activations memory holds. "
        f"Default: {choices.CHUNK}, or the prompt.",
    ),
    option("Memory", "--reserve", type=QuantityType("B"), help="Left alone on each device. Default: 0."),
    option(
        "Memory",
        "--kv-block",
        type=SizeType(1),
        default=choices.BLOCK,
        help=f"Positions given out at once. Default: {choices.BLOCK}.",
    ),
    option(
        "Measured", "--mfu", type=QuantityType("1"), help="Measured share of the peak, 45% or 0.45: adds an estimate."
    ),
    option("Measured", "--mbu", type=QuantityType("1"), help="Measured share of the bandwidth: adds an estimate."),
    option("Measured", "--measured", type=TokenRateType(), help="Decode rate of a run, all sequences: MFU and MBU."),
    option(
        "Measured",
        "--strict",
        is_flag=True,
        help="Exit 1 if what was measured is above its bound, which for experts is by --experts.",
    ),
)
_ASKED: Final = (
    *("prompt", "context", "batch", "weights", "keep", "kv", "compute", "attention", "count", "mla", "experts"),
    *("logits", "devices", "link", "chunk", "kv_block", "mfu", "mbu"),
)


def take_setups(architecture: Architecture, given: dict[str, Any]) -> list[Setup]:
    """A setup for each device that is named; takes the options of the work out of ``given``.

    Raises:
        InputError: no device, or options that contradict one another.

    """
    from roofline.transformer.serve import serve

    found = devices(given.pop("hw"), given.pop("peak"), given.pop("bw"))
    if not found:
        raise InputError("name a device with --hw", hint="roofline hw list shows them; or give --peak and --bw")
    work: dict[str, Any] = {name: given.pop(name) for name in _ASKED}
    work |= {name: given.pop(name) or 0 for name in ("generate", "latency", "reserve")}
    return [serve(architecture, device, **work).setup for device in found]
