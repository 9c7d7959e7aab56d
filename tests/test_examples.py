"""Every file in examples/ is run, in the way its README says."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT, Runner

EXAMPLES = ROOT / "examples"
COMMANDS = {
    "llm-70b.yaml": [
        "analyze examples/llm-70b.yaml --hw h100",
        "check examples/llm-70b.yaml --hw h100",
        "check examples/llm-70b.yaml --hw h100 --dtype fp16",
    ],
    "game-shaders.yaml": ["analyze examples/game-shaders.yaml --hw rtx4090 --hw rtx3060"],
    "kernels.csv": [
        "analyze examples/kernels.csv --hw h100 --dtype bf16",
        "check examples/kernels.csv --hw h100 --dtype bf16",
    ],
    "my-model.json": [
        "llm examples/my-model.json --hw l4 --weights fp8 --batch 16 --context 8192",
        "llm examples/my-model.json --hw l4 --sweep weights=bf16,fp8 --sweep batch=1:64:x4",
        "llm show examples/my-model.json",
    ],
    "my-chip.yaml": ["ridge --hw examples/my-chip.yaml", "hw lint examples/my-chip.yaml"],
}
OTHERS = {
    "README.md",
    "gate.sh",
    "llm-gate.sh",
    "github-actions.yml",
    "article.sh",
}  # article.sh: tests/test_article.py


def test_every_file_is_run_by_a_test() -> None:
    assert {path.name for path in EXAMPLES.iterdir()} == {*COMMANDS, *OTHERS}


@pytest.mark.parametrize("command", [c for commands in COMMANDS.values() for c in commands])
def test_example(roofline: Runner, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.chdir(ROOT)
    result = roofline(*shlex.split(command))
    notice = "note: expectations in the list are not judged here; roofline check judges them\n"
    gated = command.startswith("analyze") and "shaders" not in command
    assert (result.status, result.err) == (0, notice if gated else "")


def test_games_and_language_models_get_opposite_verdicts(roofline: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """Article, section 6: 10000 FLOP and 16 B a pixel are 625 FLOP/B, above 82.6 / 1.008 = 81.9; decode is at 1."""
    monkeypatch.chdir(ROOT)
    games = roofline("analyze", "examples/game-shaders.yaml", "--hw", "rtx4090", "--format", "csv").out
    llm = roofline("analyze", "examples/llm-70b.yaml", "--hw", "rtx4090", "--kernel", "decode", "--format", "csv").out
    assert games.count("compute-bound") == 1
    assert "compute-bound" not in llm


def shell(command: list[str], tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run with a `roofline` on the PATH that is this interpreter's."""
    program = tmp_path / "bin" / "roofline"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m roofline "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT)} | environment
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=env, timeout=60)


def test_gate_branches_on_the_exit_status(tmp_path: Path) -> None:
    good = shell(["sh", "examples/gate.sh", "examples/kernels.csv", "h100", "bf16"], tmp_path)
    assert (good.returncode, "gate: all kernels meet their expectations" in good.stdout) == (0, True)
    assert "by the way: decode of a 70B model is memory-bound on h100" in good.stdout
    # an H200 has the same arithmetic and more bandwidth, so the same times are a smaller share of its roof
    poor = shell(["sh", "examples/gate.sh", "examples/kernels.csv", "h200", "bf16"], tmp_path)
    assert (poor.returncode, "gate: a kernel falls short" in poor.stdout) == (1, True)
    none = shell(["sh", "examples/gate.sh", "examples/kernels.csv", "h999", "bf16"], tmp_path)
    assert (none.returncode, "gate: could not judge (status 2)" in none.stdout) == (2, True)


def test_the_gate_of_a_model_asks_memory_bound_and_measurement(tmp_path: Path) -> None:
    """A step of 16 sequences at 8,192 positions on an L4, of 300 GB/s.

    1,459,617,792 weights of a byte, an LM head of 262,144,000 B, norms of 200,704 B, 16 rows of 4,096 B, and
    16 x 8,193 positions of 49,152 B are 8.165 GB: 27.22 ms, and so 587.9 tokens/s at most.
    """
    gate = ["sh", "examples/llm-gate.sh", "examples/my-model.json", "l4", "fp8", "16", "8192"]
    moved = 1_459_617_792 + 262_144_000 + 200_704 + 16 * 4096 + 16 * 8193 * 49_152
    most = 16 * 300e9 / moved
    fits = shell([*gate, f"{most - 1:.0f}", f"{most - 1:.0f}"], tmp_path)
    assert (fits.returncode, fits.stderr) == (0, "")
    assert fits.stdout == f"gate: examples/my-model.json fits l4, and {most - 1:.0f} tokens/s are possible\n"
    slow = shell([*gate, f"{most + 1:.0f}"], tmp_path)
    assert slow.returncode == 1
    assert f"on l4 cannot make {most + 1:.0f} tokens/s: at most {most:.4g}\n" in slow.stdout
    assert "\nint4-g128     16 " in slow.stdout  # and what would help
    above = shell([*gate, "1", f"{most + 1:.0f}"], tmp_path)
    assert (above.returncode, above.stdout) == (
        1,
        f"gate: {most + 1:.0f} tokens/s are above the bound, which is no speed but a mistake\n",
    )
    large = shell(["sh", "examples/llm-gate.sh", "llama-3.1-70b", "l4", "bf16", "1", "8192", "1"], tmp_path)
    assert (large.returncode, large.stdout.splitlines()[0]) == (1, "gate: llama-3.1-70b on l4 does not fit")
    none = shell(["sh", "examples/llm-gate.sh", "nosuch", "l4", "bf16", "1", "8192", "1"], tmp_path)
    assert (none.returncode, none.stdout) == (2, "gate: could not judge (status 2)\n")


def test_the_workflow_runs(tmp_path: Path) -> None:
    workflow: Any = yaml.safe_load((EXAMPLES / "github-actions.yml").read_text(encoding="utf-8"))
    steps = [step["run"] for step in workflow["jobs"]["kernels"]["steps"] if "run" in step]
    assert steps[0] == 'pip install "$ROOFLINE"'
    assert workflow["env"]["ROOFLINE"] == "."
    summary = tmp_path / "summary.md"
    for step in steps[1:]:
        command = step.replace("-o kernels.json", f"-o {tmp_path}/kernels.json")
        done = shell(["bash", "-ec", command], tmp_path, GITHUB_STEP_SUMMARY=str(summary), **workflow["env"])
        assert done.returncode == 0, done.stderr
    assert "| ok | copy 256 MiB |" in summary.read_text(encoding="utf-8")
    assert (tmp_path / "kernels.json").stat().st_size > 1000
