"""Help, version and completion: every command explains itself with two examples, and the examples work."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from roofline import __version__
from roofline.cli import Commands
from roofline.commands.hw import Commands as HwCommands
from roofline.commands.llm import COMMANDS as LLM_COMMANDS
from roofline.operations.registry import operations
from tests.conftest import Runner

COMMANDS = [
    [],
    *([name] for name in Commands.modules),
    *(["hw", name] for name in HwCommands.modules),
    ["op", "list"],
    *(["llm", name] for name in LLM_COMMANDS),
]
OPERATIONS = [["op", name.replace("_", "-")] for name in operations()]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_opens_with_two_examples(roofline: Runner, command: list[str], flag: str) -> None:
    result = roofline(*command, flag)
    assert (result.status, result.err) == (0, "")
    examples = re.findall(r"^ +(roofline .+)$", result.out, re.MULTILINE)
    assert len(examples) == 2
    assert all(len(line) <= 100 for line in result.out.splitlines())


@pytest.mark.parametrize("command", OPERATIONS, ids=" ".join)
def test_help_of_an_operation_is_the_docstring_in_terms_of_options(
    roofline: Runner, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = roofline(*command, "--help")
    assert (result.status, result.err) == (0, "")
    assert len(re.findall(r"^ +(roofline .+)$", result.out, re.MULTILINE)) == 2
    assert all(len(line) <= 80 for line in result.out.splitlines() if not line.startswith("    roofline "))
    assert all(len(line) <= 100 for line in result.out.splitlines())
    assert not re.search(r"None|:func:|``|>>>", result.out)


def test_an_argument_h_leaves_help_to_help(roofline: Runner) -> None:
    assert roofline("op", "gemm", "-h").out == roofline("op", "gemm", "--help").out
    assert "-h is a size here; help is --help alone." in roofline("op", "attention", "--help").out
    result = roofline("op", "attention", "-h")
    assert (result.status, result.out) == (2, "")
    assert result.err == "error: -h is a size of attention; roofline op attention --help explains\n"


def test_lists_in_the_help_of_an_operation_stay_lists(roofline: Runner) -> None:
    out = roofline("op", "stencil", "--help").out
    assert len(re.findall("^  - (perfect|layer|none): ", out, re.MULTILINE)) == 3


def test_operations_are_listed_by_family(roofline: Runner) -> None:
    out = " ".join(roofline("op", "--help").out.split())
    assert "dense linear algebra axpy, cholesky, dot, gemm, gemv, grouped-gemm, lu, qr, scal" in out


@pytest.mark.parametrize("command", [*COMMANDS, *OPERATIONS], ids=" ".join)
def test_the_examples_in_help_are_valid(
    roofline: Runner, command: list[str], tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    for name, text in {
        "kernels.csv": "name,flops,bytes,time_ms,expect\na,1,1,1,memory-bound\n",
        "kernels.yaml": "- {name: a, flops: 1, bytes: 1, time: 1 ns}\n",
        "my-chip.yaml": "name: X\npeaks: [{dtype: fp16, dense: 1T}]\nmemory: [{level: M, bandwidth: 1G}]\n",
    }.items():
        with open(name, "w", encoding="utf-8") as stream:
            stream.write(text)
    for example in re.findall(r"^ +roofline (.+)$", roofline(*command, "--help").out, re.MULTILINE):
        arguments = re.split(r" [>|] ", example)[0].split()
        if "*" not in example:
            result = roofline(*arguments)
            # an example of a gate may find that the kernels above fall short; everything else succeeds
            assert result.status == (1 if "check failed" in result.err else 0), example + result.err


def test_version(roofline: Runner) -> None:
    result = roofline("--version")
    assert (result.status, result.out) == (0, f"roofline {__version__}\n")


def test_bare_is_short_help_and_a_usage_error(roofline: Runner) -> None:
    result = roofline()
    assert (result.status, result.out) == (2, "")
    assert "roofline ridge --hw h100" in result.err


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_scripts(roofline: Runner, name: str) -> None:
    """T13."""
    result = roofline("completion", name)
    assert (result.status, result.err) == (0, "")
    assert "_ROOFLINE_COMPLETE" in result.out
    if shutil.which(name):
        subprocess.run([name, "-n"], input=result.out, text=True, check=True)


@pytest.mark.parametrize(
    ("words", "current", "found"),
    [
        ("roofline ridge --hw h10", "3", ["h100-nvl", "h100-pcie", "h100-sxm"]),
        ("roofline hw show rtx409", "3", ["rtx4090"]),
        ("roofline ridge --hw 409", "3", ["4090"]),
        ("roofline ridge --dtype bf", "3", ["bf16"]),
        ("roofline an", "1", ["analyze"]),
        ("roofline analyze k", "2", ["k"]),
        ("roofline check k", "2", ["k"]),
        ("roofline hw lint k", "3", ["k"]),
        ("roofline ridge -o k", "3", ["k"]),
    ],
)
def test_ids_aliases_precisions_and_commands_complete(
    roofline: Runner, monkeypatch: pytest.MonkeyPatch, words: str, current: str, found: list[str]
) -> None:
    monkeypatch.setenv("_ROOFLINE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", current)
    assert [line.partition(",")[2] for line in roofline().out.split()] == found
    if found == ["k"]:  # which the shell completes itself
        assert roofline().out == "file,k\n"


def test_completion_prints_no_error_into_the_prompt(roofline: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOFLINE_HARDWARE", "/no/such/folder")
    monkeypatch.setenv("_ROOFLINE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "roofline ridge --hw h10")
    monkeypatch.setenv("COMP_CWORD", "3")
    result = roofline()
    assert (result.out.strip(), result.err) == ("", "")
