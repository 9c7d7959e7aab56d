"""What all commands share in click: groups that import a command only when it is called, and grouped help."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, ClassVar, TypeVar

import click

from roofline import __version__
from roofline.errors import nearest

F = TypeVar("F", bound=Callable[..., Any])

CONTEXT_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_NEGATIVE = r"-[0-9.]"


# A file, which shells complete; what is wrong with it is found out where it is read or written.
FILE = click.Path(readable=False)


class Helped(click.Command):
    """A command whose ``--help`` is made here: click would look for a translation of its text, 2 ms of each start."""

    _shown: click.Option | None = None

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option, always the same one, as click compares options by identity."""
        if self._shown is None:
            names = sorted(self.get_help_option_names(ctx), key=len)  # which older clicks give in any order
            self._shown = leaving(*names, text="Show this message and exit.", say=_help)
        return self._shown


def leaving(*names: str, text: str, say: Callable[[click.Context], str]) -> click.Option:
    """An option that prints something and ends the command."""

    def leave(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001  (as click calls)
        if value and not ctx.resilient_parsing:
            from roofline.commands.streams import write

            write(f"{say(ctx)}\n")
            ctx.exit()

    return click.Option(names, is_flag=True, is_eager=True, expose_value=False, help=text, callback=leave)


def _help(ctx: click.Context) -> str:
    return ctx.get_help()


class NamedCommands(Helped, click.Group):
    """A group that suggests the nearest of its commands for a name that is none, and never runs it."""

    noun: ClassVar[str] = "command"
    not_found: ClassVar[str] = ""  # what to say of a name that is near no command; empty: all their names

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names; a near miss is suggested, never run."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            known = self.list_commands(ctx)
            near = self.near(args[0], known)
            hint = f"did you mean: {', '.join(near)}?" if near else self.not_found or f"commands: {', '.join(known)}"
            raise click.UsageError(f"no such {self.noun} {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; an option of a command that stands in front of its name is told where to go.

        Raises:
            UsageError: no such option here.

        """
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            own = ", ".join(name for param in self.get_params(ctx) for name in param.opts)
            hint = f"it has {own}; what is of a command goes behind its name"
            raise click.UsageError(f"no such option {error.option_name!r} of {ctx.command_path}; {hint}", ctx) from None

    def near(self, name: str, known: list[str]) -> list[str]:
        """The commands that a mistyped name may mean."""
        return nearest(name, known, 3)


class LazyGroup(NamedCommands):
    """A group whose commands live in modules that are imported when they are needed."""

    modules: ClassVar[dict[str, str]] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The commands in the order in which they were declared."""
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a name; every module calls its own ``command``."""
        if cmd_name not in self.modules:
            return None
        command: click.Command = import_module(self.modules[cmd_name]).command
        return command


class GroupedCommand(Helped):
    """A command whose help shows its options in groups, in the order of their declaration."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each group of options under its own heading."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in sorted(self.get_params(ctx), key=lambda p: not isinstance(p, GroupedOption)):  # --help last
            if isinstance(param, click.Argument):
                continue  # the usage line and the text name it
            record = param.get_help_record(ctx)
            if record is not None:
                groups.setdefault(getattr(param, "group", "Other"), []).append(record)
        for heading, records in groups.items():
            with formatter.section(heading):
                formatter.write_dl(records)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; a negative number in the place of an argument is named as one."""
        given = list(args)  # click empties the list as it parses
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            number = next((arg for arg in given if re.match(_NEGATIVE, arg)), None)
            if number is not None and error.option_name == number[:2]:
                raise click.UsageError(f"negative number {number!r}; use -- before it", ctx) from None
            known = [name for param in self.get_params(ctx) for name in param.opts]
            near = nearest(error.option_name, known, 3)
            hint = f"did you mean: {', '.join(near)}?" if near else f"{ctx.command_path} --help lists them"
            raise click.UsageError(f"no such option {error.option_name!r}; {hint}", ctx) from None
        except click.UsageError as error:
            extra = "unexpected extra argument" in error.message
            if extra and any("--hw" in param.opts for param in self.get_params(ctx)):
                raise click.UsageError(f"{error.message}; a device is named with --hw", ctx) from None
            raise


def command(name: str, short: str | None = None) -> Callable[[Callable[..., Any]], click.Command]:
    """Declare a subcommand; ``short`` is its line in the list of commands, where its first sentence is too long."""
    return click.command(name, cls=GroupedCommand, context_settings=CONTEXT_SETTINGS, short_help=short)


class GroupedOption(click.Option):
    """An option that knows under which heading of the help it stands."""

    def __init__(self, *args: Any, group: str = "Other", **kwargs: Any) -> None:
        self.group = group
        super().__init__(*args, **kwargs)


def option(group: str, *names: str, **attributes: Any) -> Callable[[F], F]:
    """Declare an option in a group of the help."""
    return click.option(*names, cls=GroupedOption, group=group, **attributes)


def together(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Several declarations as one, in reading order."""

    def apply(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


def given_options() -> frozenset[str]:
    """The names of the options that stand on the command line."""
    context = click.get_current_context()
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return frozenset(name for name, source in sources.items() if source and source.name == "COMMANDLINE")


def context(command: str, **more: Any) -> dict[str, Any]:
    """What travels with a JSON result: which version said it, to which command, and whatever else the command adds."""
    return {"roofline_version": __version__, "command": command, **more}
