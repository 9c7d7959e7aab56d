"""What levers gain, in sentences: the largest from what is asked, all together, in prefill, and against what."""

from __future__ import annotations

from typing import Any, Final

from roofline import units
from roofline.report.roofs import BOUND_WORDS
from roofline.text import counted
from roofline.transformer.levers import Effect, next_levers
from roofline.transformer.setup import Setup

GAIN: Final = (
    'gain: alone, tokens/s over those of no lever; last, of all together over those without this one; "-" where it is '
    "not among all together, since another of its kind goes further"
)


def next_line(setup: Setup, several: bool) -> str:
    """The largest gain that one lever brings to the setup as it is asked, whether or not it fits."""
    formats = setup.formats
    of = f" on {setup.target.device.id}" if several else ""
    layers = setup.architecture.layers
    sharing = layers[0][1].attention.sharing if layers else None
    asked = f"{f'{sharing}, ' if sharing else ''}batch {setup.batch}, weights in {formats.weights}"
    asked += f", KV cache in {formats.kv}" if layers else ""
    asked = f"from what is asked{of} ({asked}, {counted(setup.devices, 'device')}), not from no lever"
    found = next_levers(setup)
    if not found:
        return f"{asked}: no single lever gains anything"
    first, fitting = found[0], next((effect for effect in found if effect.fits), None)
    line = f"{asked}: the largest single gain is {_gain(first)} the tokens/s"
    if first.fits is not False:
        return line
    return f"{line}, which does not fit; " + (
        f"of what fits, {_gain(fitting)}" if fitting else "no single lever is known to fit"
    )


def _gain(effect: Effect) -> str:
    return f"{effect.name} with {units.significant(effect.gain or 0.0)}x"


def together_line(setup: Setup, effect: Effect, several: bool) -> str:
    """All levers together: their gain, what bounds decode then and why, and whether it fits."""
    bounds = effect.bounds
    assert bounds is not None  # noqa: S101  (all together always applies)
    of = f" on {setup.target.device.id}" if several else ""
    intensity, ridge = units.intensity(bounds.intensity), units.intensity(bounds.ridge_point)
    because = f"I {intensity} FLOP/B is {'below' if bounds.intensity < bounds.ridge_point else 'past'} I* {ridge}"
    if bounds.bound == "link":
        because = f"the links take {units.show(bounds.link, 's')} of {units.show(bounds.total, 's')}"
    gain = units.significant(effect.gain or 0.0)
    small = "; it does not fit" if effect.fits is False else ""
    return f"all together{of}: {gain}x the tokens/s, {BOUND_WORDS[bounds.bound]}: {because}{small}"


def prefill_line(cells: dict[str, Any], several: bool) -> str:
    """What FlashAttention does in a prefill, whose scores are many: bytes of attention, and the time by operator."""
    of = f" on {cells['device']}" if several else ""
    moved, unfused = (units.show(cells[f"{way}_byte"], "B") for way in ("flash", "unfused"))
    fast, slow = (cells[f"{way}_operator_time_s"] for way in ("flash", "unfused"))
    prompt = counted(cells["prompt_tokens"], "token")
    return (
        f"FlashAttention in a prefill of {prompt}{of}: attention moves {moved} in place of {unfused}; "
        f"by operator {units.show(fast, 's')} in place of {units.show(slow, 's')} ({units.significant(slow / fast)}x)"
    )


def no_lever_line(setup: Setup) -> str:
    """What the levers are measured against."""
    layers = [layer.attention for _, layer in setup.architecture.layers]
    latent = [each for each in layers if each.kind == "latent"]
    size = f", both of the {latent[0].value_dim} elements of its values" if latent else ""
    cache = (
        f"MHA (a key and a value in the cache for each query head{size}; all matrices as they are), " if layers else ""
    )
    return f"no lever: {cache}16-bit weights and cache, attention unfused, batch 1, one device"
