"""The documents run: every `$ roofline` block of the README is compared, the five steps for a device are followed."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

import roofline
from roofline.catalog import find
from roofline.catalog.lint import lint
from roofline.cli import Commands
from roofline.commands.hw import Commands as HwCommands
from roofline.commands.llm import COMMANDS as LLM_COMMANDS
from roofline.core.choice import RoofQuery, choose
from roofline.operations.registry import operations
from tests.conftest import ROOT, Runner

README = ROOT / "README.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_block(roofline: Runner, block: str) -> str:
    """The block as it should stand: each command followed by its output, then its notices."""
    text = ""
    for line in block.splitlines():
        if not line.startswith("$ "):
            continue
        command, _, rest = line.removeprefix("$ ").partition("; ")
        program, *arguments = shlex.split(command)
        assert program == "roofline"
        result = roofline(*arguments)
        text += ("\n" if text else "") + f"{line}\n{result.out}{result.err}"
        if rest == "echo $?":
            text += f"{result.status}\n"
        else:
            assert (rest, result.status) == ("", 0), line
    return text


def test_every_block_shows_what_its_commands_print(
    roofline: Runner, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(ROOT)
    text = README.read_text(encoding="utf-8")
    expected = BLOCK.sub(lambda m: f"```console\n{run_block(roofline, m[1])}```", text)
    if request.config.getoption("--update-golden"):
        README.write_text(expected, encoding="utf-8")
    assert README.read_text(encoding="utf-8") == expected
    assert len(BLOCK.findall(text)) >= 9


def test_every_command_is_in_the_readme() -> None:
    text = README.read_text(encoding="utf-8")
    assert [name for name in Commands.modules if f"roofline {name}" not in text] == []
    # in the text or in an example, not in the table alone, where `show` stands for `roofline hw show`
    called = set(re.findall(r"(?:\$ roofline |`)hw (\w+)", text))
    assert [name for name in HwCommands.modules if name not in called] == []
    assert [name for name in LLM_COMMANDS if f"roofline llm {name}" not in text] == []
    shells = set(re.findall(r"^roofline completion (\w+) > ", text, re.MULTILINE))
    assert shells == {"bash", "zsh", "fish"}


def test_there_are_exactly_two_set_up_commands() -> None:
    section = README.read_text(encoding="utf-8").split("## Set up\n")[1].split("\n## ")[0]
    commands = re.findall(r"^```sh\n(.*?)\n```$", section, re.MULTILINE | re.DOTALL)
    assert len(commands) == 2
    assert all("\n" not in command and command.startswith("python3 -m venv .venv && ") for command in commands)
    assert commands[0].endswith("roofline ridge --hw h100")
    assert commands[1].endswith("-m pytest -q")


def test_the_number_of_devices_is_right() -> None:
    shipped = sum(entry.shipped for entry in find.entries().values())
    assert f"catalogue of {shipped} devices" in README.read_text(encoding="utf-8")
    assert f"内置 {shipped} 种" in README.read_text(encoding="utf-8")


def test_the_number_of_operations_is_right() -> None:
    assert f"gemm, attention, conv2d and {len(operations()) - 3} more" in README.read_text(encoding="utf-8")


def test_every_exit_status_is_in_the_table() -> None:
    table = README.read_text(encoding="utf-8").split("## Exit status\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| (\d+) \|", table, re.MULTILINE) == ["0", "1", "2", "3", "130", "141"]


def test_links_lead_somewhere() -> None:
    for name in ("README.md", "hardware/README.md", ".github/CONTRIBUTING.md"):
        source = ROOT / name
        for target in re.findall(r"\]\(([^)#:]+)\)", source.read_text(encoding="utf-8")):
            assert (source.parent / target).exists(), (name, target)


def test_the_recipes_name_files_that_are_there() -> None:
    """Each name in CONTRIBUTING.md is of a file or folder of the repository, or of the package."""
    text = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", text)
    assert len(named) >= 12
    package = Path(roofline.__file__).parent  # beside the tests, or installed
    places = (ROOT, package, package.parent)
    assert [name for name in named if not any((place / name).exists() for place in places)] == []


def test_the_five_steps_for_a_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, roofline: Runner) -> None:
    """hardware/README.md: its example file, put where it says, lints clean and answers by id and alias."""
    text = (ROOT / "hardware" / "README.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^[1-9]\. ", text, re.MULTILINE)) == 5
    example = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    path = tmp_path / "acme" / "example-100.yaml"
    path.parent.mkdir()
    path.write_text(example[0], encoding="utf-8")
    assert lint(str(path), sourced=True) == []
    monkeypatch.setenv("ROOFLINE_HARDWARE", str(tmp_path))
    assert choose(find.device("acme100"), RoofQuery()).roof.ridge_point == 128  # 409.6 / 3.2
    assert roofline("hw", "lint", "--sourced", str(path)).status == 0
    assert roofline("ridge", "--hw", "example-100").status == 0
    monkeypatch.delenv("ROOFLINE_HARDWARE")
    assert roofline("ridge", "--hw", str(path)).status == 0  # step 5 as it stands, without the variable


def test_every_field_is_explained() -> None:
    from roofline.catalog.fields import DEVICE

    text = (ROOT / "hardware" / "README.md").read_text(encoding="utf-8")
    assert [name for name in DEVICE.fields if f"`{name}`" not in text] == []


def test_the_python_of_the_readme_says_what_it_shows() -> None:
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False, verbose=False)
    assert (found.failed, found.attempted) == (0, 18)
