"""Setups in words: what is asked, in which formats, what is counted how, and what must be noted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from roofline import units
from roofline.core.choice import RoofQuery, choose
from roofline.core.device import Device
from roofline.errors import UnknownNameError
from roofline.precision import PRECISIONS, arithmetic
from roofline.report import Value
from roofline.text import counted
from roofline.transformer.gqa import Gqa
from roofline.transformer.operator import NO_VECTOR_FLOPS
from roofline.transformer.setup import Setup
from roofline.transformer.table import Table

# How what is assumed of an operator begins, by the end of its name.
_ABOUT: Final = {
    "attention": ("attention:", "flash:", "unfused:"),
    "LM head": ("LM head",),
    "residual sums": ("norms and residual sums",),
    "q, k, v": ("q, k, v",),
    "gate, up": ("gated MLPs",),
}
# The same of a model by hand, of whose norms nothing is known.
_WITHOUT_NORMS: Final = {
    "norms and residual sums unfused": "residual sums unfused",
    NO_VECTOR_FLOPS: "FLOP of matrix products only",
}
_SIXTEEN: Final = 16
_NAMED: Final = 3  # devices, or numbers of them, that are told one by one


def title(setups: Sequence[Setup], *, on: str) -> str:
    """The model, the format of its weights where all devices have one, and the devices."""
    first = setups[0]
    many = f" x {first.devices}" if first.devices > 1 else ""
    alike = len({setup.formats.weights for setup in setups}) == 1
    weights = f", weights in {first.formats.weights}," if alike else ""
    return f"{first.architecture.name}{weights} on {on}{many}"


def work_line(setups: Sequence[Setup]) -> str:
    """What is asked of the model, in a line; formats that are not those of all devices stand with the devices."""
    first = setups[0]
    generate = f", {counted(first.generate, 'token')} generated behind the first" if first.generate else ""
    parts = {  # by the formats in words; those of the weights stand in the title where they are alike
        "weights": by_device(setups, lambda one: one.formats.weights),
        "KV cache": by_device(setups, lambda one: one.formats.kv),
        "products": by_device(setups, _products),
    }
    if not first.architecture.layers:
        del parts["KV cache"]  # of which nothing is known
    alike = [f"{part} in {words}" for part, words in parts.items() if " on " not in words and part != "weights"]
    differ: dict[str, list[str]] = {}
    for part, words in parts.items():
        if " on " in words:
            differ.setdefault(words, []).append(part)
    formats = first.formats
    own = first.architecture.holds(formats)  # each tensor has a type of its own, of which a note tells
    has = first.architecture.parameters_by_part
    tied = first.architecture.tied  # the head has no weights of its own then, and is read all the same
    parts_kept = [part for part in sorted(formats.kept or ()) if has.get(part) or (part == "head" and tied)]
    kept = f"{', '.join(parts_kept)} stay in " if parts_kept and not own else ""
    said = [
        f"batch {first.batch}, prompt {first.prompt}, context {first.context}{generate}",
        *([", ".join(alike)] if alike else []),
        *(f"{_listed(parts)} in {words}" for words, parts in differ.items()),
        *([kept + by_device(setups, lambda one: one.formats.plain)] if kept else []),
    ]
    return "; ".join(said)


def _products(setup: Setup) -> str:
    """The precision of products with weights, and that of attention where it is another."""
    formats = setup.formats
    attention = arithmetic(formats.activations)
    apart = attention != formats.compute and setup.architecture.layers
    return f"{formats.compute} (of attention in {attention})" if apart else formats.compute


def by_device(setups: Sequence[Setup], get: Callable[[Setup], str]) -> str:
    """A word of all devices, or each word with the devices that it is of."""
    devices: dict[str, list[str]] = {}
    for setup in setups:
        devices.setdefault(get(setup), []).append(setup.target.device.id)
    if len(devices) == 1:
        return next(iter(devices))
    return ", ".join(f"{word} on {_some(ids)}" for word, ids in devices.items())


def _some(ids: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = len(ids) - _NAMED
    return _listed([*ids[:_NAMED], f"{more} more"]) if more > 0 else _listed(ids)


def _listed(words: Sequence[str], last: str = "and") -> str:
    """Words with commas, and with an "and" before the last."""
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if words[1:] else words[0]


def headline_ridge(device: Device) -> Any:
    """I* of the headline in FLOP/B, which stands beside but is never used."""
    if device.headline is None:
        return Value(None, None, "no headline kept")
    return choose(device, RoofQuery(headline=True)).roof.ridge_point


def assumptions(tables: Sequence[Table]) -> list[str]:
    """What was counted how, each once; what is said of operators that a model by hand lacks is left out."""
    names = {operator.name for table in tables for operator in table.operators}
    idle = tuple(
        word
        for operator, words in _ABOUT.items()
        if not any(name.endswith(operator) for name in names)
        for word in words
    )
    phases: dict[str, dict[str, None]] = {}
    for table in tables:
        for text in table.assumptions:
            phases.setdefault(text, {})["decode" if table.step.is_decode else "prefill"] = None

    def told(text: str) -> str:
        return text if "norms" in names or "final norm" in names else _WITHOUT_NORMS.get(text, text)

    return [
        text.replace(":", f" in {' and '.join(where)}:", 1) if text.startswith("MLA ") else told(text)
        for text, where in phases.items()
        if not text.startswith(idle)
    ]


def of_memory(setup: Setup) -> list[str]:
    """Whose activations memory holds; nothing where those are unknown."""
    if not (setup.architecture.layers and setup.architecture.vocab):
        return []
    return [
        f"memory holds the activations of one step: at most {counted(setup.chunk, 'token')} of one prompt (--chunk), "
        "or one token of each sequence"
    ]


def counted_by(setup: Setup) -> str:
    """By which choices a decode step is counted that a run may undercut; empty where there are none.

    One token of one sequence touches as many experts as it passes, however they are counted on the average.
    """
    words, parts = setup.conventions, []
    if setup.architecture.is_moe:
        if words.experts == "expected" and setup.batch > 1:
            parts.append("by the expected number of experts")
        elif words.experts not in ("expected", "min"):
            parts.append(f"by --experts {words.experts}")
    if setup.architecture.has_latent and words.mla == "naive":
        parts.append("by naive MLA")
    return " and ".join(parts)


def more_experts_than_touched(table: Table) -> list[str]:
    """What to say of a given number of experts that is more than the tokens of a step can touch."""
    given = table.conventions.experts
    said: dict[str, None] = {}
    for operator in table.operators:
        if operator.experts and not isinstance(given, str):
            experts, per_token = operator.experts
            most = min(experts, per_token * table.step.tokens)
            if given > most:
                phase = "decode" if table.step.is_decode else "prefill"
                said[f"--experts {given} in {phase} is more than the T*k = {most} that can be touched"] = None
    return list(said)


def notes(setup: Setup, tables: Sequence[Table]) -> list[str]:
    """What must be said beside the figures of one setup."""
    model = setup.architecture
    said = [*setup.notes, *(note for table in tables for note in (*table.notes, *more_experts_than_touched(table)))]
    longest, asked = model.longest_context, setup.load.positions
    if longest is not None and asked > longest:
        said.append(f"{model.name} was made for {longest:,} positions, not for {asked:,}")
    return list(dict.fromkeys([*said, *narrower_products(setup)]))


def narrower_products(setup: Setup) -> list[str]:
    """What the products would run at in the precision of the weights, where that is below the 16 bits of the rule."""
    formats, device = setup.formats, setup.target.device
    narrow = arithmetic(formats.weights)
    if setup.compute is not None or narrow not in PRECISIONS or PRECISIONS[narrow].bits >= _SIXTEEN:
        return []
    try:
        peak, taken = (setup.target.choice(dtype).roof.peak for dtype in (narrow, formats.compute))
    except UnknownNameError:  # the device has no such peak
        return []
    if peak <= taken:
        return []
    return [
        f"weights are in {formats.weights}, products in {formats.compute}: "
        f"--compute {narrow} would run the products with them at {units.show(peak, 'FLOP/s')} on {device.id}"
    ]


def of_capacity(setups: Sequence[Setup], *, needs: bool = False) -> list[str]:
    """What is not known of memory, where rows say no more than whether a model fits, and perhaps how many it needs."""
    model = setups[0].architecture
    if not (model.layers and model.vocab):
        unknown = "activations are" if model.layers else "KV cache and activations are"
        return [f"fits: no where what is known is too much, else unknown, since {unknown}"]
    unasked = [setup.target.device for setup in setups if setup.target.device.main_memory.usable is None]
    if not any(device.main_memory.capacity for device in unasked):
        return []
    smaller = "; needs: by the smaller" if needs else ""
    return [f"fits: unknown where that depends on whether the GB that a device is sold with are GiB{smaller}"]


def devices_notes(setups: Sequence[Setup]) -> list[str]:
    """What each of several devices does and holds, in a line for all these setups."""
    joined = [setup for setup in setups if setup.devices > 1]
    if not joined:
        return []
    numbers = sorted({setup.devices for setup in joined})
    model = joined[0].architecture
    attentions = [layer.attention for _, layer in model.layers]
    parts = [
        f"work, traffic and times are those of each of {_numbers(numbers)} devices, tokens/s those of all together"
    ]
    shared = [
        f"{number // heads} of {number}" if numbers[1:] else str(number // heads)
        for number in numbers
        for heads in sorted({each.kv_heads for each in attentions if isinstance(each, Gqa) and each.kv_heads < number})
    ]
    if shared:
        parts.append(f"each KV head is on {' or '.join(dict.fromkeys(shared))} devices")
    if model.has_latent:
        parts.append("the latent of MLA is on every device, so that none holds less of the KV cache")
    if model.vocab:
        parts.append("rows of the embedding are gathered on every device")
    return ["; ".join(parts)]


def _numbers(numbers: Sequence[int]) -> str:
    """A few numbers one by one, many by their ends."""
    if len(numbers) > _NAMED + 1:
        return f"{numbers[0]} to {numbers[-1]}"
    return _listed([str(number) for number in numbers], "or")
