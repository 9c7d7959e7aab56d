"""Tensor parallelism: what one of p devices holds and does in a step, and what they send one another.

Shoeybi et al.: Megatron-LM, arXiv:1909.08053, section 3. Heads, widths and vocabulary are split; norms, routers and
the latent of MLA are on every device. Two all-reduces of T h elements a layer join what was split, behind the
attention and behind the MLP. Of the logits nothing is sent: each device sends its best token alone.
"""

from __future__ import annotations

from roofline.operations.arguments import sizes
from roofline.transformer.architecture import Architecture
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats
from roofline.transformer.operator import Operator, traffic
from roofline.transformer.step import Step
from roofline.transformer.table import Table, table

_ALLREDUCES = 2  # of a layer
_UNKNOWN = (
    "what the devices send each other is unknown and not counted, so that the true times are longer: "
    "give --layers, --hidden and --heads"
)


def parallel_table(
    architecture: Architecture,
    step: Step,
    formats: Formats,
    conventions: Conventions | None = None,
    *,
    devices: int,
) -> Table:
    """The operators of a step on one of so many devices, with its all-reduces; with one device, those of the step.

    A ring sends 2 (p - 1) / p of each sum from every device: Patarasuk and Yuan 2009, see operations.collective.

    Raises:
        InputError: devices that do not divide the heads, or KV heads that neither divide the devices nor the reverse.

    >>> from roofline.transformer.presets import find
    >>> joined = parallel_table(find("llama-3.1-8b"), Step.decode(9), Formats(), devices=8).operators[-1]
    >>> joined.name, joined.times == 2 * 32, joined.kernel.wire == 2 * 7 / 8 * 4096 * 2
    ('all-reduce', True, True)

    """
    one = table(shard(architecture, devices), step, formats, conventions)
    if devices == 1:
        return one
    if not architecture.depth:
        return one._replace(notes=(*one.notes, _UNKNOWN))
    joined = _join(architecture, step.tokens, formats, devices)
    return one._replace(operators=(*one.operators, joined))


def _join(architecture: Architecture, tokens: int, formats: Formats, devices: int) -> Operator:
    from roofline.operations.collective import allreduce  # noqa: PLC0415  (one device sends nothing)

    kernel = allreduce(n=tokens * architecture.hidden, p=devices, dtype=formats.activations)
    times = _ALLREDUCES * architecture.depth
    return Operator("all-reduce", "communication", traffic(kernel), times=times)


def shard(architecture: Architecture, devices: int) -> Architecture:
    """The shapes that one of so many devices computes with, the fullest of them where something does not divide.

    KV heads are replicated where there are more devices than of them: each device has max(g / p, 1).

    >>> from roofline.transformer.presets import find
    >>> shard(find("llama-3.1-8b"), 16).layers[0][1].attention.kv_heads
    1

    Raises:
        InputError: devices that do not divide the heads, or KV heads that neither divide the devices nor the reverse.

    """
    sizes(devices=devices)
    if devices == 1:
        return architecture
    return architecture._replace(
        vocab=-(-architecture.vocab // devices),
        unplaced=-(-architecture.unplaced // devices),
        layers=tuple((count, layer.shard(devices)) for count, layer in architecture.layers),
    )
