"""``roofline llm list``: the models that come with the program, filtered."""

from __future__ import annotations

from typing import Any

import click

from roofline.commands.base import command as declare
from roofline.commands.output_flags import output_options, output_settings


@declare("list")
@click.argument("words", nargs=-1, metavar="[WORD]...")
@output_options
def command(words: tuple[str, ...], **given: Any) -> None:
    """List the models; WORDs must all occur in the id, an alias or the name, or be moe, mla or window.

    \b
    Examples:
      roofline llm list
      roofline llm list moe qwen --format csv
    """
    from roofline.commands.base import context
    from roofline.commands.output import check_output, emit
    from roofline.report.llm.models import list_report
    from roofline.transformer import presets

    settings = output_settings(given)
    check_output(settings)
    known = presets.presets()
    names: dict[str, list[str]] = {id_: [] for id_ in known}
    for alias, id_ in presets.aliases(known):
        names[id_].append(alias)
    found = []
    for id_, aliases in names.items():
        model = presets.find(id_)
        kinds: tuple[str, ...] = ("moe" if model.is_moe else "dense",)
        kinds += ("mla",) if model.has_latent else ()
        kinds += ("window",) if any(layer.attention.window for _, layer in model.layers) else ()
        text = " ".join((id_, *aliases, model.name)).casefold()
        if all(word in kinds or word in text for word in map(str.casefold, words)):
            found.append((id_, aliases, model))
    emit(list_report(found, context("llm list")), settings)
