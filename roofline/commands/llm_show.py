"""``roofline llm show``: a model's parameters by part, its layers, its KV cache, and where it comes from."""

from __future__ import annotations

from typing import Any

import click

from roofline.commands.base import command as declare
from roofline.commands.llm_model import by_hand_options, read_for, take_model
from roofline.commands.llm_types import ModelType
from roofline.commands.output_flags import output_options, output_settings


@declare("show")
@click.argument("model", type=ModelType(), required=False, metavar="[MODEL]")
@by_hand_options
@output_options
def command(model: str | None, **given: Any) -> None:
    """Show a model: parameters by part, exactly, and KV cache per token.

    \b
    Examples:
      roofline llm show deepseek-v3
      roofline llm show --layers 32 --hidden 4096 --heads 32 --kv-heads 8 --width 14336 --vocab 128256
    """
    from roofline.commands.base import context
    from roofline.commands.output import check_output, emit
    from roofline.report.llm.models import show_report

    settings = output_settings(given)
    check_output(settings, read_for(model))
    emit(show_report(take_model(model, given), context("llm show")), settings)
