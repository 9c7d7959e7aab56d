"""``roofline llm``: prefill and decode of a transformer on a device, their bounds, and whether it fits."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click

from roofline.commands.base import CONTEXT_SETTINGS, GroupedCommand, given_options, option
from roofline.commands.llm_model import by_hand_options, read_for, take_model
from roofline.commands.llm_names import naming
from roofline.commands.llm_setup import take_setups, work_options
from roofline.commands.llm_types import ModelType
from roofline.commands.options import device_names, linking
from roofline.commands.output_flags import output_options, output_settings
from roofline.errors import InputError

if TYPE_CHECKING:
    from roofline.report import Report
    from roofline.transformer.architecture import Architecture

COMMANDS: Final = {"list": "roofline.commands.llm_list", "show": "roofline.commands.llm_show"}
# Options of which nobody asks whether they have an effect, so that most starts need not load llm_effects.
_ALWAYS_FELT: Final = frozenset({"model", "hw", "format_name", "output", "quiet", "color"})
# What errors call an option whose field has another name, or the same without its dashes.
_OPTIONS: Final = {"kept": "keep"} | {
    name: name
    for name in (
        *("batch", "prompt", "context", "generate", "devices", "weights", "kv", "compute", "experts"),
        *("latency", "reserve", "mfu", "mbu"),
    )
}


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
@by_hand_options
@option(
    "Sweep",
    "--sweep",
    "swept",
    multiple=True,
    metavar="NAME=VALUES",
    help="A row a value: batch=1:1024 (doubled; :x4 and :+8 are other steps), context=1024,8192, prompt, devices, "
    "weights=fp16,fp8, kv, compute, attention, count, mla, experts, logits, hw=h100,b200; repeat for a grid.",
)
@option("Sweep", "--levers", is_flag=True, help="Batch, KV cache, weights, FlashAttention, devices: what each gains.")
@option("Output", "--ops", is_flag=True, help="A row an operator, with shares of the time of a step.")
@option("Output", "--phase", type=click.Choice(["prefill", "decode"]), help="Of --ops. Default: decode.")
@output_options
def command(model: str | None, **given: Any) -> None:
    """Bounds of prefill and decode of a transformer, and whether it fits into memory.

    \b
    Examples:
      roofline llm llama-3.1-70b --hw h200 --weights fp8
      roofline llm --params 70e9 --hw m2ultra

    MODEL is a preset (which goes before a folder of its name), a config.json or its folder, a GGUF file, or left out
    where sizes are given by hand. roofline llm list shows the presets, roofline llm show MODEL what is known of one.

    Three bounds of the time of a step: the least (FLOPs, weights and KV cache), the total (activations too, then the
    links), and the sum over operators. Rates are by the first two; --measured is judged by the least, which no software
    beats that does what is counted: of experts their expected number (a batch that agrees touches fewer), of MLA what
    --mla says. The compute roof is the sourced dense peak of --compute.
    """
    from roofline.commands.base import context
    from roofline.commands.output import check_output, emit

    settings = output_settings(given)
    check_output(settings, (*read_for(model), *device_names(given["hw"])))
    strict = given.pop("strict")
    with linking(), naming(_OPTIONS):
        report = _report(take_model(model, given), given, context("llm"))
    emit(report, settings)
    if strict:
        from roofline.commands.verdict import finish

        finish((), report.warnings, strict=True)


def _report(architecture: Architecture, given: dict[str, Any], about: dict[str, Any]) -> Report:
    """The table that was asked for; without a wish, prefill and decode as a sheet, or a row a device.

    Raises:
        InputError: options that do not go together, or one that has no effect.

    """
    swept, levers, ops, phase, measured = (given.pop(key) for key in ("swept", "levers", "ops", "phase", "measured"))
    tables = [name for name, wanted in (("--sweep", swept), ("--levers", levers), ("--ops", ops)) if wanted]
    if len(tables) > 1:
        raise InputError(f"{' and '.join(tables)} are tables of their own; leave out one")
    if phase is not None and not ops:
        raise InputError("--phase is of --ops; the sheet has both")
    if swept:
        from roofline.commands.llm_effects import Asked, refuse_idle
        from roofline.commands.llm_sweep import take_grid
        from roofline.report.llm.sweep import sweep_report

        grid = take_grid(swept, architecture, given)
        asked = Asked(architecture, grid.corners(), "--sweep", frozenset({grid.phase}), given_options())
        refuse_idle(asked._replace(swept=frozenset(grid.axes)))
        return sweep_report(grid, about)
    setups = take_setups(architecture, given)
    shown = {phase or "decode"} if ops else {"decode"} if levers and not architecture.layers else {"prefill", "decode"}
    said = given_options()
    if said - _ALWAYS_FELT:
        from roofline.commands.llm_effects import Asked, refuse_idle

        refuse_idle(Asked(architecture, setups, tables[0] if tables else "", frozenset(shown), said))
    if levers:
        from roofline.report.llm.levers import levers_report

        return levers_report(setups, about)
    from roofline.report.llm.steps import comparison, sheet
    from roofline.transformer.served import Served

    if ops and len(setups) > 1:
        raise InputError("--ops is of one device")
    served = [Served.of(setup, measured) for setup in setups]
    if ops:
        from roofline.report.llm.operators import operators_report

        return operators_report(served[0], phase or "decode", about)
    return comparison(served, about) if len(served) > 1 else sheet(served[0], about)
