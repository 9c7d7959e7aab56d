"""The command line: the group, its global options, and the one place that maps errors to exit statuses."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Sequence
from typing import ClassVar, NoReturn

import click

from roofline import __version__
from roofline.commands.base import CONTEXT_SETTINGS, LazyGroup, leaving
from roofline.errors import ClosedPipeError, OutputError, RooflineError
from roofline.text import clip

_INTERRUPTED = 130
_LONGEST = 500  # characters of an error that quotes what was typed


class Commands(LazyGroup):
    """The subcommands and the modules they live in."""

    modules: ClassVar[dict[str, str]] = {
        "ridge": "roofline.commands.ridge",
        "analyze": "roofline.commands.analyze",
        "op": "roofline.commands.op",
        "llm": "roofline.commands.llm",
        "check": "roofline.commands.check",
        "hw": "roofline.commands.hw",
        "completion": "roofline.commands.completion",
    }


@click.group(cls=Commands, context_settings=CONTEXT_SETTINGS)
def cli() -> None:
    """How fast a kernel can run on a machine, and what holds it back.

    \b
    Examples:
      roofline ridge --hw h100
      roofline analyze --flops 2e12 --bytes 1.4e11 --hw m4max

    Attainable FLOP/s = min(peak, intensity x bandwidth). Below the ridge point peak / bandwidth a kernel is
    memory-bound, from it on compute-bound. Every figure of the catalogue carries its source.

    \b
    Exit status: 0 done; 1 a requested check failed; 2 usage or bad value;
    3 unreadable, invalid or unwritable file; 130 interrupted; 141 closed pipe.
    """


cli.params.append(leaving("--version", text="Show the version and exit.", say=lambda _: f"roofline {__version__}"))


def main() -> NoReturn:
    """Run the command line and exit with its status.

    Leaves at once: taking the interpreter apart object by object costs a tenth of a short run and helps nobody.
    """
    status = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit status; what a user can cause is one line on standard error."""
    stdout = sys.stdout
    if "_ROOFLINE_COMPLETE" in os.environ and not _completes():
        _say("_ROOFLINE_COMPLETE is for a shell's completion script, which 'roofline completion bash' prints", None)
        return 2
    try:
        if stdout is None:
            sys.stdout = _Closed()
        status = cli.main(args=list(arguments), prog_name="roofline", standalone_mode=False)
    except RooflineError as error:
        _say(error, error.hint)
        return error.exit_status
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        for line in error.format_message().split("\n"):  # the help, which is no single line
            _tell(line)
        return error.exit_code
    except click.ClickException as error:
        _say(clip(" ".join(error.format_message().split()), _LONGEST), None)
        return 2
    except (KeyboardInterrupt, click.Abort):
        return _INTERRUPTED
    except SystemExit as error:
        # When help goes into a closed pipe, click wraps standard output to keep its last flush quiet and leaves with 1.
        closed_pipe = "PacifyFlush" in type(sys.stdout).__name__
        return ClosedPipeError.exit_status if closed_pipe else int(error.code or 0)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF):
            _abandon()
            _say(f"cannot write to standard output: {error.strerror}", None)
            return OutputError.exit_status
        raise
    finally:
        sys.stdout = stdout
    return status if isinstance(status, int) else 0


def _completes() -> bool:
    """Whether the environment is that of a completion script, on which click relies."""
    asked = os.environ["_ROOFLINE_COMPLETE"]
    return asked.endswith("_source") or ("COMP_WORDS" in os.environ and os.environ.get("COMP_CWORD", "").isdecimal())


class _Closed:
    """Standard output that was closed before the start; writing to it is an error and not silence."""

    encoding = "utf-8"
    errors = "strict"

    def write(self, text: str) -> int:  # noqa: ARG002  (a stream takes text)
        """Refuse."""
        raise OutputError("cannot write to standard output: it is closed")

    def flush(self) -> None:
        """Nothing was written, so nothing is left to be flushed."""

    def isatty(self) -> bool:
        """No."""
        return False


def _say(message: object, hint: str | None) -> None:
    line = " ".join(str(message).split("\n")).strip()
    if line:
        _tell(f"error: {line}" + (f"; {hint}" if hint else ""))


def _tell(line: str) -> None:
    from roofline.commands.streams import tell

    tell(line)


def _abandon() -> None:
    from roofline.commands.streams import abandon_stdout

    abandon_stdout()
