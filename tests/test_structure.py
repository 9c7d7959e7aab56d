"""The house: imports go one way, third-party libraries stay in their rooms, every module says what it is."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import roofline

PACKAGE = Path(roofline.__file__).parent
MODULES = sorted(path for path in PACKAGE.rglob("*.py"))

# What each room may see of the others. `commands` joins them all; `report` sees the values it shows.
MAY_IMPORT: dict[str, set[str]] = {
    "": {"catalog", "core", "errors", "operations", "transformer"},  # the public names, imported when they are used
    "errors": set(),
    "text": set(),
    "records": {"errors"},
    "units": {"errors", "text"},
    "precision": {"errors", "units"},
    "files": {"errors", "units"},
    "yaml_tree": {"errors", "units", "files"},
    "core": {"errors", "records", "units", "precision"},
    "operations": {"errors", "units", "precision", "core"},
    "transformer": {"errors", "records", "units", "precision", "core", "operations", "files", "yaml_tree"},
    "catalog": {"errors", "units", "precision", "core", "files", "yaml_tree"},
    "readers": {"errors", "units", "precision", "core", "operations", "files", "yaml_tree"},
    "probe": {"errors", "units", "precision", "core"},
    "frame": {"errors", "units", "precision", "core"},
    "report": {"errors", "units", "precision", "core", "operations", "transformer", "files"},
    "render": {"errors", "units", "report"},
    "commands": {"*"},
    "cli": {"errors", "units", "commands", ""},
    "__main__": {"cli"},
}
THIRD_PARTY: dict[str, set[str]] = {"click": {"cli", "commands"}, "yaml": {"yaml_tree"}, "rich": {"render"}}
KNOWN = {"roofline", *THIRD_PARTY, *sys.stdlib_module_names}


def room(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute, so that they can be read here"
            assert node.module is not None
            if node.module == "roofline":
                yield from (
                    f"roofline.{alias.name}" if alias.name != "__version__" else "roofline" for alias in node.names
                )
            else:
                yield node.module


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_one_way(path: object) -> None:
    source = PACKAGE / str(path)
    relative = source.relative_to(PACKAGE).with_suffix("")
    here = relative.parts[0] if relative.parts[0] != "__init__" else ""
    allowed = MAY_IMPORT[here]
    for name in imports(ast.parse(source.read_text(encoding="utf-8"))):
        top = name.partition(".")[0]
        if top == "roofline":
            there = room(name)
            assert there in (here, "text") or there in allowed or "*" in allowed, f"{relative} imports {name}"
            assert there != "cli" or here == "__main__", f"{relative} imports the command line"
        assert top in KNOWN, f"{relative} imports {top}, which is no run-time dependency"
        if top in THIRD_PARTY:
            assert here in THIRD_PARTY[top], f"{relative} imports {top}"


def imported_at_once(source: str, known: frozenset[str]) -> set[str]:
    """The modules that importing this one runs: no imports inside functions, none that only a type checker sees."""
    found = set()
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.ImportFrom) and statement.module is not None:
            found |= {statement.module, *(f"{statement.module}.{alias.name}" for alias in statement.names)}
        elif isinstance(statement, ast.Import):
            found |= {alias.name for alias in statement.names}
    return found & known


def circle(sources: dict[str, str]) -> list[str]:
    """The modules of a circle of imports, each of which imports the next; none if there is no circle."""
    known = frozenset(sources)
    try:
        TopologicalSorter({name: imported_at_once(text, known) for name, text in sources.items()}).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    sources = {}
    for path in MODULES:
        parts = ("roofline", *path.relative_to(PACKAGE).with_suffix("").parts)
        sources[".".join(parts).removesuffix(".__init__")] = path.read_text(encoding="utf-8")
    assert circle(sources) == []


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        pytest.param("from p.b import x", "from p import a", ["p.a", "p.b"], id="circle"),
        pytest.param("import p.b", "import p.a", ["p.a", "p.b"], id="plain-imports"),
        pytest.param("from p.b import x", "def f():\n    import p.a", [], id="late"),
        pytest.param("from p.b import x", "if TYPE_CHECKING:\n    import p.a", [], id="for-the-type-checker"),
        pytest.param("from p.b import x", "import sys", [], id="one-way"),
    ],
)
def test_a_circle_would_be_found(a: str, b: str, expected: list[str]) -> None:
    assert sorted(set(circle({"p.a": a, "p.b": b}))) == expected


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_every_module_opens_with_the_sentence_that_says_what_it_does(path: object) -> None:
    doc = ast.get_docstring(ast.parse((PACKAGE / str(path)).read_text(encoding="utf-8")))
    assert doc
    assert doc.splitlines()[0].endswith(".")


def test_nothing_below_the_commands_prints_or_exits() -> None:
    for path in MODULES:
        if path.relative_to(PACKAGE).parts[0] in ("commands", "cli.py", "__main__.py"):
            continue
        tree = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        names = {node.id for node in tree if isinstance(node, ast.Name)}
        assert not names & {"print", "exit", "quit"}, path
        attributes = {node.attr for node in tree if isinstance(node, ast.Attribute)}
        assert not attributes & {"stdout", "stderr", "exit", "_exit"}, path
