"""Where text goes: closed and full streams, pipes, files, colour, encodings, interrupts; in processes of their own."""

from __future__ import annotations

import functools
import json
import os
import pty
import re
import select
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import Runner

COMMAND = f"'{sys.executable}' -m roofline"


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM")} | environment
    return subprocess.run(
        ["bash", "-c", line.replace("roofline", COMMAND, 1)], capture_output=True, env=env, check=False, timeout=60
    )


@pytest.mark.parametrize("arguments", ["ridge --hw h100", "ridge --hw h100 --format json", "--help", "hw schema"])
@pytest.mark.parametrize("redirection", [">&-", ">/dev/full"], ids=["closed", "full"])
def test_stdout_that_takes_nothing_is_a_failure(arguments: str, redirection: str) -> None:
    """T07."""
    done = shell(f"roofline {arguments} {redirection}")
    assert done.returncode == 3
    assert done.stderr.startswith(b"error: cannot write to standard output: ")
    assert done.stderr.count(b"\n") == 1


def test_a_closed_stderr_or_stdin_does_not_matter() -> None:
    assert shell("roofline ridge --hw h100 2>&-").returncode == 0
    assert shell("roofline analyze --achieved 2000TFLOP/s --hw h100 --dtype bf16 2>&-").returncode == 0
    assert shell("roofline ridge --hw h100 <&-").returncode == 0
    assert b"error: <stdin>: is closed" in shell("roofline analyze - --hw h100 <&-").stderr


@pytest.mark.parametrize("arguments", ["ridge", "--help", "hw list --format json"])
def test_a_closed_pipe_is_141_and_silent(arguments: str) -> None:
    done = shell(f"(roofline {arguments}; echo $? >&2) | true")
    assert done.stderr == b"141\n"


@pytest.mark.parametrize("buffered", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["buffered", "unbuffered"])
def test_a_long_output_is_written_to_its_end_or_fails(tmp_path: Path, buffered: dict[str, str]) -> None:
    """Without a buffer the system takes as much as there is room for, and says no more than how much that was."""
    line, target = "roofline ridge --format json", tmp_path / "out"
    whole = shell(f"{line} > '{target}'", **buffered)
    assert (whole.returncode, whole.stderr) == (0, b"")
    assert target.stat().st_size > 2 * 65_536  # more than a pipe takes at once
    assert json.loads(target.read_text(encoding="utf-8"))["devices"]
    full = shell(f"ulimit -f 16; {line} > '{target}'", **buffered)  # KiB
    assert (full.returncode, full.stderr) == (3, b"error: cannot write to standard output: File too large\n")
    assert shell(f"({line}; echo $? >&2) | head -c 10", **buffered).stderr == b"141\n"


@pytest.mark.parametrize("buffered", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["buffered", "unbuffered"])
def test_a_help_that_is_cut_off_is_a_failure(tmp_path: Path, buffered: dict[str, str]) -> None:
    done = shell(f"ulimit -f 1; roofline llm --help > '{tmp_path / 'help'}'", **buffered)
    assert (done.returncode, done.stderr) == (3, b"error: cannot write to standard output: File too large\n")


def test_ctrl_c_is_130_and_leaves_no_file(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    command = [sys.executable, "-m", "roofline", "analyze", "-", "--hw", "h100", "-o", str(target)]
    heeded = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # what runs in the background ignores it
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heeded)  # noqa: PLW1509
    assert process.stdin is not None
    process.stdin.write(b"name,flops,bytes\na,1,1\n")
    process.stdin.flush()
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_written_whole_or_not_at_all(roofline: Runner, tmp_path: Path) -> None:
    """T15."""
    target = tmp_path / "r.json"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(target)
    assert roofline("ridge", "--hw", "nosuch", "-o", str(target)).status == 2
    assert target.read_text(encoding="utf-8") == "old"
    result = roofline("ridge", "--hw", "h100", "-o", str(link))
    assert (result.status, result.out) == (0, "")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8").startswith("{")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.json", "r.json"]


def test_a_dash_is_standard_output_and_a_device_is_written_as_it_is(roofline: Runner) -> None:
    assert roofline("ridge", "--hw", "h100", "-o", "-").out == roofline("ridge", "--hw", "h100").out
    assert shell("roofline ridge --hw h100 --format csv -o /dev/stdout").stdout.startswith(b"roof,")
    full = shell("roofline ridge --hw h100 --format csv -o /dev/full")
    assert (full.returncode, b"cannot be written: No space left on device" in full.stderr) == (3, True)
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def terminal(arguments: str, **environment: str) -> str:
    """What a terminal of 80 columns shows."""
    primary, secondary = pty.openpty()
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM")}
    process = subprocess.Popen(
        [sys.executable, "-m", "roofline", *arguments.split()],
        stdout=secondary,
        stderr=subprocess.DEVNULL,
        env=env | {"TERM": "xterm"} | environment,
    )
    os.close(secondary)
    chunks = []
    while select.select([primary], [], [], 20)[0]:
        try:
            chunk = os.read(primary, 65536)
        except OSError:
            break
        if not chunk:
            break
        chunks.append(chunk)
    process.wait(20)
    os.close(primary)
    return b"".join(chunks).decode()


@pytest.mark.parametrize(
    ("arguments", "environment", "coloured"),
    [
        pytest.param("", {}, True, id="terminal"),
        pytest.param("", {"NO_COLOR": "1"}, False, id="NO_COLOR"),
        pytest.param("", {"NO_COLOR": ""}, True, id="empty-NO_COLOR"),
        pytest.param("", {"TERM": "dumb"}, False, id="dumb"),
        pytest.param("", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, id="NO_COLOR-wins"),
        pytest.param("--color always", {"NO_COLOR": "1"}, True, id="flag-wins"),
        pytest.param("--color never", {"FORCE_COLOR": "1"}, False, id="flag-wins-off"),
    ],
)
def test_colour_on_a_terminal(arguments: str, environment: dict[str, str], coloured: bool) -> None:
    """T05."""
    assert ("\x1b[" in terminal(f"ridge --hw h100 {arguments}", **environment)) is coloured


def test_colour_in_a_pipe() -> None:
    """T05."""
    assert b"\x1b" not in shell("roofline ridge --hw h100", CI="1", GITHUB_ACTIONS="true").stdout
    assert b"\x1b[" in shell("roofline ridge --hw h100", FORCE_COLOR="1").stdout
    assert b"\x1b" not in shell("roofline ridge --hw h100", FORCE_COLOR="").stdout
    assert b"\x1b" not in shell("roofline ridge --hw h100 --format csv", FORCE_COLOR="1").stdout


@pytest.mark.parametrize("environment", [{}, {"COLUMNS": "40"}, {"TERM": "dumb", "FORCE_COLOR": "1"}, {"COLUMNS": "0"}])
def test_a_pipe_keeps_every_column_and_number(environment: dict[str, str], tmp_path: Path) -> None:
    """T03: one record a line, and the same numbers as without a pipe."""
    path = tmp_path / "k.csv"
    path.write_text("name,flops,bytes,time_ms\n" + "n" * 90 + ",137.4e9,1.007e8,0.25\n", encoding="utf-8")
    out = shell(f"roofline analyze {path} --hw h100", **environment).stdout.decode()
    (row,) = [line for line in out.splitlines() if "nnn" in line and "compute" in line]  # not the summary
    # 137.4e9 / 1.007e8 = 1364; in 0.25 ms 549.6e12 and 402.8e9 a second; 137.4e9 / 989.4e12 = 138.9 us
    numbers = ["1364", "250.0", "549.6", "402.8", "compute", "compute", "138.9", "55.55"]
    assert re.sub(r"\x1b\[[0-9;]*m", "", row).split()[1:] == numbers


@pytest.mark.parametrize(
    "environment", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}]
)
def test_without_unicode_names_are_escaped_and_nothing_fails(environment: dict[str, str]) -> None:
    line = "printf 'name,flops,bytes\\n核,1,1\\n' | roofline analyze - --hw h100 --format csv"
    done = shell(line, **environment)
    assert done.returncode == 0
    assert b"\\u6838" in done.stdout or "核".encode() in done.stdout


def test_a_device_from_a_wheel_or_checkout_needs_no_current_folder(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "roofline", "ridge", "--hw", "h100"],
        cwd="/",
        capture_output=True,
        check=False,
        text=True,
    )
    assert (done.returncode, "591" in done.stdout) == (0, True)
