"""``roofline hw lint``: all problems of hardware files, as file:line:col."""

from __future__ import annotations

from typing import Any

import click

from roofline.commands.base import FILE, option
from roofline.commands.base import command as declare
from roofline.commands.output_flags import output_options, output_settings


@declare("lint")
@click.argument("files", nargs=-1, type=FILE, required=True, metavar="FILE...")
@option("Checks", "--sourced", is_flag=True, help="A figure without a source is an error, as in the shipped catalogue.")
@option("Checks", "--strict", is_flag=True, help="Exit 1 on warnings too.")
@output_options
def command(files: tuple[str, ...], sourced: bool, strict: bool, **given: Any) -> None:
    """Find everything that is wrong with hardware files, in one run.

    \b
    Examples:
      roofline hw lint my-chip.yaml
      roofline hw lint hardware/nvidia/*.yaml --sourced --format csv

    Exit status: 0 fine, perhaps with warnings; 3 an error in some file; 1 warnings under --strict.
    """
    from roofline.catalog.lint import lint_files
    from roofline.commands.base import context
    from roofline.commands.output import check_output, emit
    from roofline.errors import CheckFailedError, FileError
    from roofline.report.catalogue import lint_report

    settings = output_settings(given)
    check_output(settings, files)
    problems = lint_files(files, sourced=sourced)
    emit(lint_report(problems, len(files), context("hw lint")), settings)
    errors = sum(problem.level == "error" for problem in problems)
    if errors:
        raise FileError(
            f"{errors} error{'s' if errors > 1 else ''} in {len(files)} file{'s' if len(files) > 1 else ''}"
        )
    if strict and problems:
        raise CheckFailedError(f"--strict: {len(problems)} warning{'s' if len(problems) > 1 else ''}")
