"""The start-up budget: what a command imports. Times are in tests/benchmarks/startup.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import roofline

SOURCE = Path(roofline.__file__).parent.parent
PROBE = """
import sys
from roofline.cli import run
status = run(sys.argv[1:])
print("imported:", *sorted(sys.modules), file=sys.stderr)
raise SystemExit(status)
"""


def imported(*arguments: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", PROBE, *arguments], capture_output=True, text=True, check=True)
    return set(done.stderr.rpartition("imported:")[2].split())


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["ridge", "--help"], ["analyze", "--help"], ["llm", "--help"], ["hw", "show", "-h"]],
)
def test_help_and_version_import_neither_yaml_nor_rich(arguments: list[str]) -> None:
    modules = imported(*arguments)
    assert not modules & {"yaml", "rich", "json", "csv", "roofline.catalog", "roofline.core.device", "roofline.readers"}
    assert not modules & {"roofline.render", "roofline.report", "pathlib"}


def test_the_package_itself_imports_nothing_of_its_own() -> None:
    probe = "import roofline, sys; print(*(m for m in sys.modules if m.startswith('roofline')))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["roofline"]


def test_nothing_is_imported_before_an_interrupt_is_watched_for() -> None:
    probe = "import sys; known = set(sys.modules); import roofline.__main__; print(*set(sys.modules) - known)"
    done = subprocess.run([sys.executable, "-S", "-c", probe], capture_output=True, text=True, check=True, cwd=SOURCE)
    assert set(done.stdout.split()) <= {"roofline", "roofline.__main__", "gc"}


def test_every_public_name_is_there() -> None:
    assert all(getattr(roofline, name) for name in roofline.__all__)
    assert set(roofline.__all__) <= set(dir(roofline))


def test_version_imports_no_subcommand() -> None:
    assert not {
        m
        for m in imported("--version")
        if m.startswith("roofline.commands.") and m not in ("roofline.commands.base", "roofline.commands.streams")
    }


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["ridge", "--hw", "h100"], ["analyze", "--intensity", "1", "--hw", "h100"], ["hw", "list"]],
)
def test_what_needs_no_shapes_imports_no_operation(arguments: list[str]) -> None:
    assert not {module for module in imported(*arguments) if module.startswith("roofline.operations")}


def test_a_shape_alone_reads_no_catalogue() -> None:
    modules = imported("op", "gemm", "-m", "1", "-n", "1", "-k", "1", "--format", "json")
    assert not modules & {"yaml", "rich", "csv", "roofline.catalog", "roofline.readers", "roofline.report.kernels"}


def test_json_imports_no_rich() -> None:
    modules = imported("ridge", "--hw", "h100", "--format", "json")
    assert "yaml" in modules
    unused = {
        "rich",
        "csv",
        "pathlib",
        "difflib",
        "roofline.readers",
        "roofline.core.placement",
        "roofline.catalog.lint",
    }
    assert not modules & unused


def test_a_model_pays_for_its_steps_alone() -> None:
    modules = imported("llm", "llama-3.1-70b", "--hw", "h100", "--format", "json")
    assert not modules & {"rich", "csv", "pathlib", "fractions", "pkgutil", "bisect", "dataclasses", "roofline.readers"}
    # What no option asks for, what one device, one dense model and 16-bit weights do not have, and nothing is placed.
    unasked = {"efficiency", "generation", "gguf_model", "mla", "moe", "quantization", "exclusions", "by_hand"}
    assert not modules & {f"roofline.transformer.{name}" for name in unasked}
    assert not modules & {f"roofline.report.llm.{name}" for name in ("sweep", "levers", "operators", "links")}
    assert not modules & {"roofline.core.placement", "roofline.core.link", "roofline.operations.collective"}
    assert "roofline.commands.llm_effects" not in modules


@pytest.mark.parametrize("table", [["--ops"], ["--levers"], ["--sweep", "batch=1,2"], ["--generate", "3"]])
def test_a_model_loads_the_rooms_of_the_kinds_that_it_has(table: list[str]) -> None:
    modules = imported("llm", "llama-3.1-8b", "--hw", "h100", "--format", "json", *table)
    assert not modules & {"roofline.transformer.mla", "roofline.transformer.moe"}
    modules = imported("llm", "deepseek-v3", "--hw", "h100", "--format", "json", *table)
    assert modules >= {"roofline.transformer.mla", "roofline.transformer.moe"}


@pytest.mark.parametrize("path", sorted(Path(roofline.__file__).parent.rglob("*.py")), ids=lambda path: str(path.stem))
def test_modules_of_records_and_operations_do_not_postpone_annotations(path: Path) -> None:
    """As text they would be compiled once more at every start, a field each; only a few in quotes are."""
    text = path.read_text(encoding="utf-8")
    read = "(NamedTuple):" in text or "\n@operation(" in text
    assert not read or "\nfrom __future__ import annotations" not in text


@pytest.mark.parametrize(
    "line", ["--help", "llm --help", "llm list --help", "ridge --hw h100", "op gemm -m 1 -n 1 -k 1"]
)
def test_what_names_no_model_imports_no_transformer(line: str) -> None:
    # The words and sizes that the help of llm is made of; they import nothing.
    light = {"roofline.transformer", "roofline.transformer.choices"}
    assert not {module for module in imported(*line.split()) if module.startswith("roofline.transformer")} - light


def test_a_given_peak_reads_no_catalogue() -> None:
    modules = imported("analyze", "--intensity", "1", "--peak", "1T", "--bw", "1G", "--format", "json")
    unused = {"yaml", "rich", "csv", "heapq", "roofline.catalog", "roofline.readers", "roofline.commands.lists"}
    assert not modules & {*unused, "roofline.report.explain"}


def test_a_csv_list_pays_for_no_yaml_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "k.csv"
    path.write_text("name,flops,bytes\na,1,1\n", encoding="utf-8")
    modules = imported("analyze", str(path), "--format", "csv", "--peak", "1T", "--bw", "1G")
    assert not modules & {"yaml", "rich", "pathlib"}


def test_completing_an_id_reads_no_yaml() -> None:
    words = {"_ROOFLINE_COMPLETE": "bash_complete", "COMP_WORDS": "roofline ridge --hw h10", "COMP_CWORD": "3"}
    done = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=True, env={**os.environ, **words}
    )
    assert "h100-sxm" in done.stdout
    assert not {"yaml", "rich"} & set(done.stderr.rpartition("imported:")[2].split())


def test_without_docstrings_operations_are_computed_all_the_same() -> None:
    line = ["op", "gemm", "-m", "4", "-n", "4", "-k", "4", "--format", "json"]
    plain, bare = (
        subprocess.run([sys.executable, *options, "-m", "roofline", *line], capture_output=True, text=True, check=True)
        for options in ([], ["-OO"])
    )
    assert json.loads(bare.stdout)["work_flop"] == json.loads(plain.stdout)["work_flop"] == 2 * 4**3
    told = subprocess.run(
        [sys.executable, "-OO", "-m", "roofline", "op", "gemm", "--help"], capture_output=True, text=True, check=True
    )
    assert "docstrings, which python -OO leaves out" in " ".join(told.stdout.split())
