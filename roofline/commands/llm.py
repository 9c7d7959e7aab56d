"""``roofline llm``: prefill and decode of a transformer on a device, their bounds, and whether it fits."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import click

from roofline.commands.base import CONTEXT_SETTINGS, GroupedCommand, option
from roofline.commands.llm_model import ModelType, by_hand_options, take_model
from roofline.commands.llm_setup import TokenRateType, take_setups, work_options
from roofline.commands.options import output_options, output_settings
from roofline.errors import InputError

COMMANDS: Final = {"list": "roofline.commands.llm_list", "show": "roofline.commands.llm_show"}


class LlmCommand(GroupedCommand):
    """A command whose argument may also be the name of a subcommand, as no model is called."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of this command, or of the subcommand that the first argument names."""
        if not args or args[0] not in COMMANDS:
            return super().make_context(info_name, args, parent, **extra)
        subcommand: click.Command = import_module(COMMANDS[args[0]]).command
        return subcommand.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)


@click.command("llm", cls=LlmCommand, context_settings=CONTEXT_SETTINGS)
@click.argument("model", type=ModelType(), required=False, metavar="[MODEL]")
@work_options
@option("Measured", "--measured", type=TokenRateType(), help="A run's decode rate, all sequences: gives MFU and MBU.")
@by_hand_options
@option("Output", "--ops", is_flag=True, help="A row an operator, with shares of the time of a step.")
@option("Output", "--phase", type=click.Choice(["prefill", "decode"]), help="Of --ops. Default: decode.")
@output_options
def command(model: str | None, **given: Any) -> None:
    """Bounds of prefill and decode of a transformer, and whether it fits into memory.

    \b
    Examples:
      roofline llm llama-3.1-70b --hw h200 --weights fp8
      roofline llm --params 70e9 --hw m2ultra --context 0

    MODEL is a preset, a config.json, a GGUF file, or left out where sizes are given by hand. roofline llm list shows
    the presets, roofline llm show MODEL what is known of one.

    Three bounds of the time of a step: the least (FLOPs, weights and KV cache), the total (activations too, then the
    links), and the sum over operators. Rates are by the total. The compute roof is the sourced dense peak of --compute.
    """
    from roofline.commands.context import context
    from roofline.commands.output import check_output, emit
    from roofline.report.llm.steps import Served, comparison, sheet

    settings = output_settings(given)
    check_output(settings, (model,) if model else ())
    ops, phase, measured = given.pop("ops"), given.pop("phase"), given.pop("measured")
    if phase is not None and not ops:
        raise InputError("--phase is of --ops; the sheet has both")
    setups = take_setups(take_model(model, given), given)
    if ops and (len(setups) > 1 or measured is not None):
        raise InputError("--ops is of one device" if len(setups) > 1 else "--ops has no place for --measured")
    served = [Served.of(setup, measured) for setup in setups]
    about = context("llm")
    if ops:
        from roofline.report.llm.operators import operators_report

        emit(operators_report(served[0], phase or "decode", about), settings)
    else:
        emit(comparison(served, about) if len(served) > 1 else sheet(served[0], about), settings)
