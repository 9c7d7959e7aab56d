"""What a hardware file should be beyond readable: every figure sourced, every check true, nothing doubtful unsaid."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from roofline.catalog.checks import lint_checks
from roofline.catalog.findings import Findings
from roofline.catalog.lint_figures import lint_duplicates, lint_size, lint_sparse
from roofline.catalog.lint_measured import lint_measured
from roofline.catalog.lint_names import lint_aliases, lint_clashes, lint_id, lint_key_order, lint_shadows
from roofline.catalog.load import figures, inspect
from roofline.errors import FileError
from roofline.files import Problem, shown_path


def lint_files(paths: Iterable[str], *, sourced: bool = False) -> list[Problem]:
    """All problems of several hardware files, one file after the other, and the names that two of them claim."""
    names: dict[str, str] = {}
    return [problem for path in paths for problem in lint(path, sourced=sourced, names=names)]


def lint(path: str, *, sourced: bool = False, names: dict[str, str] | None = None) -> list[Problem]:
    """All problems of a hardware file, in the order of their places.

    Args:
        path: the file.
        sourced: a figure without a source, and a source without its place or kind, is an error, else a warning.
        names: the names that other files claim, to which those of this one are added.

    """
    names = {} if names is None else names
    untold = []
    try:
        device, problems, values = inspect(path)
    except FileError as error:
        return [Problem.of(error)]
    if values is not None:
        report = Findings(shown_path(path), problems)
        try:
            _lint_sources(values, report, "error" if sourced else "warning")
            lint_checks(values, report)
            lint_size(values, report)
            lint_sparse(values, report)
            lint_duplicates(values, report)
            lint_id(values, path, report)
            lint_aliases(values, path, report)
            lint_shadows(values, path, report)
            lint_clashes(values, path, names, report)
            lint_key_order(values, report)
            if device is not None:
                lint_measured(values, report)
        except FileError as enough:  # of problems
            problems.append(Problem.of(enough))
        if report.untold:
            message = f"{report.untold} more warnings are not shown"
            untold = [Problem(where=report.name, message=message, rule="size", level="warning")]
    return sorted(problems, key=lambda problem: problem.at) + untold


def _lint_sources(values: dict[str, Any], report: Findings, level: str) -> None:
    """Every figure names a source; every source is used, and says where it was read and what kind it is."""
    for row in figures(values):
        if not row.get("source"):
            report.add(row[""], "no-source", "this figure names no source", level=level, hint="add 'source: KEY'")
    used = {key for row in figures(values) for key in row.get("source") or ()}
    for key, source in (values.get("sources") or {}).items():
        if key not in used:
            report.add(source[""], "unused-source", f"source '{key}' is used by no figure", level="warning")
        for field, hint in (("where", "an address or a place"), ("kind", "vendor, third-party, measured ...")):
            if field not in source:
                message = f"source '{key}' has no '{field}'"
                report.add(source[""], "incomplete-source", message, level=level, hint=f"add '{field}': {hint}")
