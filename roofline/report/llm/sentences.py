"""A setup in words: what is counted, in which formats, and what generating takes at least."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from roofline import units
from roofline.core.choice import RoofQuery, choose
from roofline.core.roof import Roof
from roofline.core.target import Target
from roofline.report import Column
from roofline.report.roofs import roof_line
from roofline.transformer.bounds import Roofs
from roofline.transformer.generation import Generation
from roofline.transformer.setup import Setup
from roofline.transformer.step import Table

GENERATION_COLUMNS: Final = (
    *(
        Column(key=key, heading=key, format="s", detail=True)
        for key in ("time_to_first_token_s", "next_token_time_s", "last_token_time_s", "time_per_token_s")
    ),
    Column(key="generated_tokens_per_s", heading="generated tokens/s", format="number", detail=True),
)


def title(setup: Setup, *, on: str) -> str:
    """The model, its formats, the device."""
    many = f" x {setup.devices}" if setup.devices > 1 else ""
    return f"{setup.architecture.name}, weights in {setup.formats.weights}, on {on}{many}"


def work_line(setup: Setup) -> str:
    """What is asked of the model, in a line."""
    formats = setup.formats
    generate = f", {setup.generate} tokens generated" if setup.generate else ""
    kept = f"; {', '.join(sorted(formats.kept))} stay in {formats.plain}" if formats.kept else ""
    return (
        f"batch {setup.batch}, prompt {setup.prompt}, context {setup.context}{generate}; "
        f"KV cache in {formats.kv}, products in {formats.compute}{kept}"
    )


def generation_line(found: Generation, count: int) -> str:
    """The bounds of a request in a sentence."""
    ends = f"{units.show(found.next_token, 's')} at first, {units.show(found.last_token, 's')} at last"
    return (
        f"generating {count} tokens: the first after {units.show(found.first_token, 's')} at least, each further one "
        f"{units.show(found.mean_token, 's')} in the mean ({ends}); at most {units.significant(found.tokens_per_s)} "
        "tokens/s"
    )


def generation_cells(found: Generation | None) -> dict[str, Any]:
    """The cells of :data:`GENERATION_COLUMNS`."""
    if found is None:
        return {}
    values = (found.first_token, found.next_token, found.last_token, found.mean_token, found.tokens_per_s)
    return dict(zip([column.key for column in GENERATION_COLUMNS], values, strict=True))


def roof_lines(target: Target, roofs: Roofs, *, several: bool = False) -> list[str]:
    """The roofs that were used; beside them the headline with its ridge, where the device has one; the link."""
    of = target.device.id if several else None
    lines = [roof_line(roof, of=of) for roof in used(roofs)]
    beside = headline(target)
    if beside is not None:
        ridge = units.show(beside.ridge_point, "FLOP/B")
        lines.append(f"{roof_line(beside, of=of)}, I* {ridge}: not used here")
    if roofs.link is not None:
        link = roofs.link
        latency = f"{units.show(link.latency, 's')} for each serial step" if link.latency else "no latency counted"
        rate = f"{units.show(link.bandwidth, 'B/s')} one way"
        lines.append(f"link{f' of {of}' if of else ''}: {rate}, {link.name} ({link.basis}), {latency}")
    return lines


def used(roofs: Roofs) -> list[Roof]:
    """Each roof once."""
    return list(dict.fromkeys(roofs.by_precision.values()))


def headline(target: Target) -> Roof | None:
    """The headline roof of a device, if it has one."""
    return choose(target.device, RoofQuery(headline=True)).roof if target.device.headline else None


def assumptions(tables: Sequence[Table]) -> list[str]:
    """What was counted how, each once; what holds of one phase alone says so itself."""
    return list(dict.fromkeys(text for table in tables for text in table.assumptions))


def notes(setup: Setup, tables: Sequence[Table]) -> list[str]:
    """What must be said beside the figures."""
    model = setup.architecture
    said = [*setup.notes, *(note for table in tables for note in table.notes)]
    longest, asked = model.longest_context, setup.load.positions
    if longest is not None and asked > longest:
        said.append(f"{model.name} was made for {longest:,} positions, not for {asked:,}")
    if setup.devices > 1:
        said.append(f"work, traffic and times are those of each of {setup.devices} devices, tokens of all together")
    return list(dict.fromkeys(said))
