"""A model at work on a device, from as little as a user says: what is left out follows from model and device."""

from __future__ import annotations

from collections.abc import Iterable

from roofline.core.choice import RoofQuery
from roofline.core.device import Device
from roofline.core.target import Target
from roofline.errors import InputError
from roofline.operations.arguments import LARGEST, counts, sizes
from roofline.precision import PRECISIONS
from roofline.transformer import arguments, choices
from roofline.transformer.architecture import Architecture
from roofline.transformer.choices import Attention, Count, Latent, Logits, Touched
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Part
from roofline.transformer.serving import Serving
from roofline.transformer.setup import Setup


def serve(
    model: Architecture,
    device: Device,
    *,
    prompt: int | None = None,
    context: int | None = None,
    generate: int = 0,
    batch: int = choices.BATCH,
    weights: str | None = None,
    keep: Iterable[Part] | None = None,
    kv: str | None = None,
    compute: str | None = None,
    attention: Attention = "flash",
    count: Count = "causal",
    mla: Latent = "auto",
    experts: Touched | int = "expected",
    logits: Logits = "last",
    devices: int = choices.DEVICES,
    link: str | float | None = None,
    latency: float = 0.0,
    chunk: int = choices.CHUNK,
    reserve: float = 0.0,
    kv_block: int = choices.BLOCK,
    mfu: float | None = None,
    mbu: float | None = None,
) -> Serving:
    """A model on a device, or split over several: what the options of ``roofline llm`` say, as numbers in base units.

    Whether the devices can share the heads, and have a peak for what is multiplied, shows when a step is asked for.

    Args:
        model: of :func:`roofline.model`
        device: of :func:`roofline.device`
        prompt: tokens of each prompt; None: the context, or 4096 (fewer where the model takes no more)
        context: positions that a decode step attends, its prompt among them; 0, like 1: its own alone, and a prompt
            of one token; None: prompt + generate
        generate: decode steps behind the prefill
        batch: sequences
        weights: format such as fp8, int4-g128 or q4_k; None: that of the checkpoint
        keep: parts of the weights that stay at 16 bits; None: as is usual of the format
        kv: format of the KV cache; None: that of the checkpoint, or 16 bits
        compute: precision of products; None: the 16-bit type
        attention: flash, or unfused
        count: causal, or full
        mla: auto, absorbed or naive
        experts: expected, min, max, all, or a number that a step touches
        logits: last, or all
        devices: how many share each layer
        link: name of the link between them, or its bandwidth one way in B/s; None: the device's first
        latency: s of each serial step over the link, at most 1
        chunk: tokens of a prompt that are prefilled at once, whose activations memory holds
        reserve: B of memory that are left alone on each device
        kv_block: positions in which the cache is given out
        mfu: measured share of the peak, at most 1
        mbu: measured share of the bandwidth, at most 1

    Raises:
        InputError: a value that is impossible, or some that contradict one another.
        UnknownNameError: no such format or link; those that there are are named.

    >>> import roofline
    >>> model, h100 = roofline.model("llama-3.1-8b"), roofline.device("h100")
    >>> serving = roofline.serve(model, h100, batch=8, context=1024, weights="fp8")
    >>> serving.decode.bound, serving.fits, serving.memory.kv  # 8 x 1024 x 131,072 B
    ('memory', True, 1073741824)

    """
    for name, value, kind in (("model", model, Architecture), ("device", device, Device)):
        if not isinstance(value, kind):
            raise InputError(f"{name} must be what roofline.{name}() gives, got {value!r}")
    arguments.named(weights=weights, kv=kv, compute=compute)
    device, name_of_link = arguments.linked(device, link)
    prompt, context = _lengths(model, prompt, context, generate)
    setup = Setup(
        architecture=model,
        target=Target(device=_of_any_precision(device), query=RoofQuery()),
        conventions=Conventions(attention=attention, count=count, mla=mla, experts=experts, logits=logits),
        weights=weights,
        kept=arguments.parts(keep),
        kv=kv,
        compute=compute,
        batch=batch,
        prompt=prompt,
        context=context,
        generate=generate,
        devices=devices,
        link=name_of_link,
        latency=latency,
        block=kv_block,
        chunk=chunk,
        reserve=arguments.reserve(reserve),
        mfu=mfu,
        mbu=mbu,
    )
    _ = setup.formats, setup.port  # which say what there is not
    return Serving(setup)


def _of_any_precision(device: Device) -> Device:
    """A device of which only a peak and a bandwidth were given: the peak is that of every precision."""
    peak = device.peaks[0]
    return device if peak.dtype else device._replace(peaks=tuple(peak._replace(dtype=name) for name in PRECISIONS))


def _lengths(model: Architecture, prompt: int | None, context: int | None, generate: int) -> tuple[int, int]:
    """Prompt and context; what was not said follows from what was.

    Raises:
        InputError: no number of tokens, a context beside tokens to generate, which say where it ends, or one that its
            prompt exceeds.

    """
    sizes(**{} if prompt is None else {"prompt": prompt})
    counts(generate=generate, **{} if context is None else {"context": context})
    if context is not None and generate and (prompt is None or context != prompt + generate):
        raise InputError("context follows from prompt and generate; leave out one of them")
    if prompt is None:
        room = (model.longest_context or choices.PROMPT + generate) - generate
        prompt = max(min(choices.PROMPT, room), 1) if context is None else max(context, 1)
    if prompt + generate > LARGEST:
        raise InputError(f"generate must be at most {LARGEST - prompt} behind a prompt of {prompt}, got {generate}")
    if context is None:
        return prompt, prompt + generate
    if max(context, 1) < prompt:
        raise InputError(
            f"context must be at least the prompt, which each decode step attends: got {context} below {prompt}",
            hint="leave out one of them",
        )
    return prompt, context
