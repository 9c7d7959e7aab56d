"""Shared by all tests: the command line run in this process, in an environment of its own."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from roofline.cli import run

ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-golden`` rewrites the expected outputs and the README's blocks; read the difference afterwards."""
    parser.addoption("--update-golden", action="store_true", help="rewrite expected outputs")


class Result(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str


Runner = Callable[..., Result]


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in ("ROOFLINE_HW", "ROOFLINE_HARDWARE", "NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))


@pytest.fixture
def roofline(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    """Run ``roofline`` with arguments and, if given, standard input."""

    def call(*arguments: str, stdin: str | bytes | None = None) -> Result:
        if stdin is not None:
            raw = stdin.encode() if isinstance(stdin, str) else stdin
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        capsys.readouterr()
        status = run(arguments)
        out, err = capsys.readouterr()
        return Result(status, out, err)

    return call


@pytest.fixture
def own_file(tmp_path: Path) -> Callable[..., str]:
    """Write a hardware file of one's own and return its path."""

    def write(text: str, name: str = "chip.yaml") -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write
