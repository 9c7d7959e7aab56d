"""``roofline completion``: the script that makes a shell complete commands, options and device ids."""

from __future__ import annotations

import click

from roofline.commands.base import command as declare


@declare("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print a shell's completion script.

    \b
    Examples:
      roofline completion bash > ~/.local/share/bash-completion/completions/roofline
      roofline completion fish > ~/.config/fish/completions/roofline.fish
    """
    from click.shell_completion import get_completion_class

    from roofline.commands.streams import write

    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101  (the choices are click's own)
    root = ctx.find_root()
    # The template is filled in here: click's own method first starts a shell to ask for its version.
    complete = kind(root.command, {}, "roofline", "_ROOFLINE_COMPLETE")
    write(complete.source_template % complete.source_vars() + "\n")
