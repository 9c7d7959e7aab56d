"""The options of a model's work to a Setup for each device: formats, conventions, lengths, devices, efficiencies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from roofline.commands.base import option, together
from roofline.commands.llm_types import ExpertsType, PartsType, TokenRateType
from roofline.commands.options import DtypeType, QuantityType, device_options, devices
from roofline.commands.sizes import FormatType, SizeType
from roofline.errors import InputError

if TYPE_CHECKING:
    from roofline.core.device import Device
    from roofline.transformer.architecture import Architecture
    from roofline.transformer.setup import Setup

F = TypeVar("F", bound=Callable[..., Any])

_PROMPT: Final = 4096  # tokens where nothing is said of the length, or as many as the model can take

work_options: Callable[[F], F] = together(
    option("Work", "--prompt", type=SizeType(), metavar="N", help="Tokens of each prompt. Default: 4096."),
    option("Work", "--context", type=SizeType(), help="Positions a decode step attends. Default: prompt + generate."),
    option(
        "Work",
        "--generate",
        type=SizeType(),
        help="Decode steps behind the prefill, a token each: time to the first token, and mean of these.",
    ),
    option("Work", "--batch", type=SizeType(), default=1, help="Sequences. Default: 1."),
    option("Formats", "--weights", type=FormatType(), help="Such as fp8, int4-g128, q4_k. Default: the checkpoint's."),
    option("Formats", "--keep", type=PartsType(), help="Weights that stay at 16 bits, or none. Default: as is usual."),
    option("Formats", "--kv", type=FormatType(), help="Of the KV cache. Default: 16 bits."),
    option("Formats", "--compute", type=DtypeType(), help="Of products: their dense peak. Default: the 16-bit type."),
    option("Counting", "--attention", type=click.Choice(["flash", "unfused"]), default="flash", help="Default: flash."),
    option("Counting", "--count", type=click.Choice(["causal", "full"]), default="causal", help="Default: causal."),
    option(
        "Counting",
        "--mla",
        type=click.Choice(["auto", "absorbed", "naive"]),
        default="auto",
        help="Default: absorbed in decode, else naive.",
    ),
    option(
        "Counting", "--experts", type=ExpertsType(), default="expected", help="Touched in a step. Default: expected."
    ),
    option(
        "Counting", "--logits", type=click.Choice(["last", "all"]), default="last", help="LM head. Default: last token."
    ),
    device_options,
    option("Device", "--devices", type=SizeType(), default=1, help="Tensor parallel over so many. Default: 1."),
    option("Device", "--link", metavar="NAME", help="Link between them. Default: the device's first."),
    option("Device", "--latency", type=QuantityType("s"), help="Of each serial step over the link. Default: 0."),
    option(
        "Memory",
        "--chunk",
        type=SizeType(),
        default=8192,
        help="Tokens of a prompt prefilled at once, whose activations memory holds. Default: 8192, or the prompt.",
    ),
    option("Memory", "--reserve", type=QuantityType("B"), help="Left alone on each device. Default: 0."),
    option("Memory", "--kv-block", type=SizeType(), default=16, help="Positions given out at once. Default: 16."),
    option("Measured", "--mfu", type=QuantityType("1"), help="Measured share of the peak: adds an estimate."),
    option("Measured", "--mbu", type=QuantityType("1"), help="Measured share of the bandwidth: adds an estimate."),
    option("Measured", "--measured", type=TokenRateType(), help="Decode rate of a run, all sequences: MFU and MBU."),
)


def take_setups(architecture: Architecture, given: dict[str, Any]) -> list[Setup]:
    """A setup for each device that is named; takes the options of the work out of ``given``.

    Raises:
        InputError: no device, or options that contradict one another.

    """
    from roofline.core.choice import RoofQuery
    from roofline.core.target import Target
    from roofline.transformer.conventions import Conventions
    from roofline.transformer.setup import Setup

    hw, peak, bw = given.pop("hw"), given.pop("peak"), given.pop("bw")
    found = devices(hw, peak, bw)
    if not found:
        raise InputError("name a device with --hw", hint="roofline hw list shows them; or give --peak and --bw")
    _refuse_sizes(given)
    conventions = Conventions(**{key: given.pop(key) for key in ("attention", "count", "mla", "experts", "logits")})
    lengths: dict[str, Any] = _lengths(architecture, given.pop("prompt"), given.pop("context"), given.pop("generate"))
    kept, block, reserve, latency = (given.pop(key) for key in ("keep", "kv_block", "reserve", "latency"))
    as_named = ("weights", "kv", "compute", "batch", "devices", "link", "chunk", "mfu", "mbu")
    work: dict[str, Any] = {key: given.pop(key) for key in as_named}
    return [
        Setup(
            architecture=architecture,
            target=Target(device=_of_any_precision(device), query=RoofQuery()),
            conventions=conventions,
            latency=latency or 0.0,
            block=block,
            reserve=round(reserve or 0),
            kept=kept,
            **lengths,
            **work,
        ).check()
        for device in found
    ]


def _of_any_precision(device: Device) -> Device:
    """A device of which only a peak and a bandwidth were given: the peak is that of every precision."""
    from roofline.precision import PRECISIONS

    peak = device.peaks[0]
    return device if peak.dtype else replace(device, peaks=tuple(peak._replace(dtype=name) for name in PRECISIONS))


def _refuse_sizes(given: dict[str, Any]) -> None:
    """What a size must be at least, by the name of its option.

    Raises:
        InputError: a size below that.

    """
    from roofline.operations.shapes import counts, sizes

    for name in ("batch", "prompt", "devices", "kv_block", "chunk"):
        if given[name] is not None:
            sizes(**{f"--{name.replace('_', '-')}": given[name]})
    for name in ("context", "generate"):
        if given[name] is not None:
            counts(**{f"--{name}": given[name]})
    if 0 < (given["reserve"] or 0) < 1:
        raise InputError(f"--reserve must be 0 or 1 B at least, got {given['reserve']:g} B")


def _lengths(
    architecture: Architecture, prompt: int | None, context: int | None, generate: int | None
) -> dict[str, int]:
    """Prompt, context and tokens to generate; what was not said follows from what was.

    Raises:
        InputError: a context beside tokens to generate, which say where it ends.

    """
    if context is not None and generate is not None:
        raise InputError("--context follows from --prompt and --generate; leave out one of them")
    usual = min(_PROMPT, architecture.longest_context or _PROMPT)
    if prompt is None:
        prompt = context or max(usual - (generate or 0), 1)
    context = prompt + (generate or 0) if context is None else context
    return {"prompt": prompt, "context": context, "generate": generate or 0}
