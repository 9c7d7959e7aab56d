"""A setup in words: what is counted, in which formats, and what generating takes at least."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from roofline import units
from roofline.core.choice import RoofQuery, choose
from roofline.core.device import Device
from roofline.report import Column, Value
from roofline.text import counted
from roofline.transformer.generation import Generation
from roofline.transformer.setup import Setup
from roofline.transformer.table import Table

GENERATION_COLUMNS: Final = (
    *(
        Column(key=key, heading=key, format="s", detail=True)
        for key in ("time_to_first_token_s", "next_token_time_s", "last_token_time_s", "time_per_token_s")
    ),
    Column(key="generated_tokens_per_s", heading="generated tokens/s", format="number", detail=True),
)
# How what is assumed of an operator begins.
_ABOUT: Final = {"attention": ("attention:", "flash:", "unfused:", "norms and residual sums"), "LM head": ("LM head",)}


def title(setup: Setup, *, on: str) -> str:
    """The model, its formats, the device."""
    many = f" x {setup.devices}" if setup.devices > 1 else ""
    return f"{setup.architecture.name}, weights in {setup.formats.weights}, on {on}{many}"


def work_line(setup: Setup) -> str:
    """What is asked of the model, in a line."""
    formats = setup.formats
    own = setup.architecture.holds(formats)  # each tensor has a type of its own, of which a note tells
    generate = f", {counted(setup.generate, 'token')} generated behind the first" if setup.generate else ""
    kept = f"; {', '.join(sorted(formats.kept))} stay in {formats.plain}" if formats.kept and not own else ""
    return (
        f"batch {setup.batch}, prompt {setup.prompt}, context {setup.context}{generate}; "
        f"KV cache in {formats.kv}, products in {formats.compute}{kept}"
    )


def generation_line(found: Generation, count: int, *, of: str | None = None) -> str:
    """The bounds of a request in a sentence; ``of`` names the device where there are several."""
    where, mean = f" on {of}" if of else "", units.show(found.mean_token, "s")
    if count > 1:
        ends = f"{units.show(found.next_token, 's')} the first, {units.show(found.last_token, 's')} the last"
        mean = f"{mean} each in the mean ({ends})"
    first, takes = units.show(found.first_token, "s"), "takes" if count == 1 else "take"
    return (
        f"generating{where}, by total time: the prefill makes the first token after {first} at least; "
        f"then {counted(count, 'decode step')}, a token of each sequence in each, {takes} at least {mean}: "
        f"at most {units.significant(found.tokens_per_s)} tokens/s"
    )


def generation_cells(found: Generation | None) -> dict[str, Any]:
    """The cells of :data:`GENERATION_COLUMNS`."""
    if found is None:
        return {}
    values = (found.first_token, found.next_token, found.last_token, found.mean_token, found.tokens_per_s)
    return dict(zip([column.key for column in GENERATION_COLUMNS], values, strict=True))


def link_lines(setup: Setup, *, several: bool = False) -> list[str]:
    """The link that joins several devices."""
    link = setup.port
    if link is None:
        return []
    of = f" of {setup.target.device.id}" if several else ""
    latency = f"{units.show(link.latency, 's')} for each serial step" if link.latency else "no latency counted"
    return [f"link{of}: {units.show(link.bandwidth, 'B/s')} one way, {link.name} ({link.basis}), {latency}"]


def headline_ridge(device: Device) -> Any:
    """I* of the headline in FLOP/B, which stands beside but is never used."""
    if device.headline is None:
        return Value(None, None, "no headline kept")
    return choose(device, RoofQuery(headline=True)).roof.ridge_point


def assumptions(tables: Sequence[Table]) -> list[str]:
    """What was counted how, each once; what is said of operators that a model by hand lacks is left out."""
    names = {operator.name for table in tables for operator in table.operators}
    idle = tuple(word for operator, words in _ABOUT.items() if operator not in names for word in words)
    texts = dict.fromkeys(text for table in tables for text in table.assumptions)
    return [text for text in texts if not text.startswith(idle)]


def of_memory(setup: Setup) -> list[str]:
    """Whose activations memory holds; nothing where those are unknown."""
    if not (setup.architecture.layers and setup.architecture.vocab):
        return []
    return [
        f"memory holds the activations of one step: at most {counted(setup.chunk, 'token')} of one prompt (--chunk), "
        "or one token of each sequence"
    ]


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
    """What must be said beside the figures."""
    model = setup.architecture
    said = [*setup.notes, *(note for table in tables for note in (*table.notes, *more_experts_than_touched(table)))]
    longest, asked = model.longest_context, setup.load.positions
    if longest is not None and asked > longest:
        said.append(f"{model.name} was made for {longest:,} positions, not for {asked:,}")
    if setup.devices > 1:
        said.append(
            f"work, traffic and times are those of each of {setup.devices} devices, tokens/s those of all together"
        )
    return list(dict.fromkeys(said))
