"""``roofline op``: FLOPs and bytes of an operation from its shape, and where that lies on the roof."""

from __future__ import annotations

import click

from roofline.commands.base import CONTEXT_SETTINGS, NamedCommands


class Commands(NamedCommands):
    """``list``, and one subcommand for each operation of the registry."""

    noun = "operation"
    not_found = "roofline op list shows them"

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names, ``list`` first."""
        from roofline.operations import registry

        return ["list", "formats", *(name.replace("_", "-") for name in registry.operations())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a name, in any case; ``-`` and ``_`` are alike."""
        wanted = cmd_name.lower().replace("-", "_")
        if wanted == "list":
            from roofline.commands.op_list import command as op_list

            return op_list
        if wanted == "formats":
            from roofline.commands.op_formats import command as op_formats

            return op_formats
        from roofline.commands.op_run import operation_command
        from roofline.operations import registry

        found = registry.operations().get(wanted)
        return None if found is None else operation_command(found)

    def near(self, name: str, known: list[str]) -> list[str]:
        """Names that people use for operations that have another one here come first."""
        from roofline.operations.registry import EVERYDAY

        usual = EVERYDAY.get(name.lower().replace("-", "_"))
        return [usual.replace("_", "-")] if usual else super().near(name, known)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The operations by family; forty lines of summaries would be a wall."""
        from roofline.operations import registry

        rows = [
            (family, ", ".join(operation.name.replace("_", "-") for operation in found))
            for family, found in registry.families().items()
        ]
        with formatter.section("Operations"):
            formatter.write_dl(rows)
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    ("list", "All operations, a line each. roofline op NAME --help explains one."),
                    ("formats", "The number formats of operands, with their bits."),
                ]
            )


@click.group("op", cls=Commands, context_settings=CONTEXT_SETTINGS)
def command() -> None:
    """FLOPs and bytes from shapes, before there is a kernel.

    \b
    Examples:
      roofline op gemm -m 4096 -n 4096 -k 4096 --dtype bf16 --hw h100
      roofline op attention -b 1 -h 32 --s-q 8192 -d 128 --hw h100

    Traffic is compulsory unless an option says otherwise: each operand moves once. What is counted how is said under
    each result.
    """
