"""YAML to located text: nothing is converted, and what could mislead or run away is refused (cases Y01 to Y07)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.yaml_tree import Node, parse


def entries(text: str) -> dict[str, Node]:
    root, problems = parse(text, "f.yaml")
    assert problems == []
    assert root is not None
    assert root.entries is not None
    return root.entries


@pytest.mark.parametrize(
    "written",
    ["989e12", "1.979e15", "no", "on", "010", "3:35", "2024-01-01", "=", ".inf", "~x", "1_000", "yes", "0o10"],
)
def test_a_scalar_is_the_text_that_was_written(written: str) -> None:
    assert entries(f"a: {written}\n")["a"].text == written
    assert list(entries(f"{written}: 1\n")) == [written]


def test_places_count_from_one() -> None:
    node = entries("a:\n  - x\n  - {b: c}\n")["a"]
    assert node.items is not None
    assert [(item.line, item.column) for item in node.items] == [(2, 5), (3, 5)]


def test_anchors_and_merge_keys_work() -> None:
    found = entries("base: &b {x: 1, y: 2}\nmine:\n  <<: *b\n  y: 3\n")["mine"].entries
    assert found is not None
    assert {key: node.text for key, node in found.items()} == {"y": "3", "x": "1"}


def test_fifty_aliases_are_fine() -> None:
    text = "a: &a {x: 1}\nlist:\n" + "  - *a\n" * 50
    assert len(entries(text)["list"].items or ()) == 50


def test_a_repeated_key_is_a_problem_at_its_place() -> None:
    _, problems = parse("a: 1\nb: 2\na: 3\n", "f.yaml")
    assert [str(p) for p in problems] == ["f.yaml:3:1: key 'a' is repeated (first on line 1)   [duplicate-key]"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("a: [1\n", "f.yaml:2:1: is not valid YAML", id="broken"),
        pytest.param("", "f.yaml: is empty", id="empty"),
        pytest.param("# only a comment\n", "f.yaml: is empty", id="comment"),
        pytest.param("a: *nothing\n", "f.yaml:1:4:", id="dangling-alias"),
        pytest.param("[" * 10_000, "nest", id="Y05-depth"),
        pytest.param("a: &a x\nb: [" + "*a, " * 1_001 + "]\n", "too many aliases", id="Y05-aliases"),
        pytest.param("a: \x07\n", "is not valid YAML", id="control-character"),
    ],
)
def test_what_cannot_be_read_at_all(text: str, message: str) -> None:
    root, problems = parse(text, "f.yaml")
    assert root is None
    assert message in str(problems[-1])
    assert "\n" not in str(problems[-1])


TAB = "a tab in the indentation; YAML indents with spaces   [tab]"


@pytest.mark.parametrize(
    ("text", "problem", "rest"),
    [
        pytest.param("a:\n\tb: 1\n", f"2:1: {TAB}", ["a"], id="tab"),
        pytest.param("a: 1\nb: {c: 1,\n\td: 2}\n", f"3:1: {TAB}", ["a", "b"], id="tab-in-braces"),
        pytest.param("a:\n - x\n \t- y\nb: 1\n", f"3:2: {TAB}", ["a", "b"], id="tab-after-a-space"),
        pytest.param("a: |\n  x\n\ty\nb: 1\n", f"3:1: {TAB}", ["a", "b"], id="tab-that-ends-a-text"),
        pytest.param("a: 1\n---\nb: 2\n", "2:1: more than one document; one file holds one   [documents]", ["a"],
                     id="documents"),
        pytest.param("a: !!python/object/apply:os.system [ls]\n",
                     "1:4: tag 'tag:yaml.org,2002:python/object/apply:os.system' is not used here   [tag]", ["a"],
                     id="python-tag"),
        pytest.param("a: !mine 1\nb: 2\n", "1:4: tag '!mine' is not used here   [tag]", ["a", "b"], id="local-tag"),
        pytest.param("? [a, b]\n: c\nd: 1\n", "1:3: a key must be text, got a list   [key]", ["d"], id="list-as-key"),
        pytest.param("? {a: b}\n: [c, {d: e}]\nf: 1\n", "1:3: a key must be text, got a mapping   [key]", ["f"],
                     id="mapping-as-key"),
    ],
)  # fmt: skip
def test_what_leaves_the_rest_readable(text: str, problem: str, rest: list[str]) -> None:
    root, problems = parse(text, "f.yaml")
    assert [str(p) for p in problems] == [f"f.yaml:{problem}"]
    assert root is not None
    assert list(root.entries or {}) == rest


def test_tabs_are_counted_once_and_hide_nothing_else() -> None:
    root, problems = parse("a:\n\tb: 1\n\tc: 2\na: 3\n\n\t\n", "f.yaml")
    assert [p.message for p in problems] == [
        "a tab in the indentation of this line and of 1 more line; YAML indents with spaces",
        "key 'a' is repeated (first on line 1)",
    ]
    assert root is not None
    assert list((root.entries or {})["a"].entries or {}) == ["b", "c"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x85", "\u2028"])  # YAML 1.1, 5.4: line breaks
def test_columns_behind_tabs_are_those_of_the_file(end: str) -> None:
    lines = ["a:", "\t- {dtype: fp32, dens: 1}", "\t- b: 1", "\t  c: 1", "\t- d", "e: 1", "e: 2", ""]
    root, problems = parse(end.join(lines), "f.yaml")
    assert [str(p) for p in problems] == [
        "f.yaml:2:1: a tab in the indentation of this line and of 3 more lines; YAML indents with spaces   [tab]",
        "f.yaml:7:1: key 'e' is repeated (first on line 6)   [duplicate-key]",
    ]
    assert root is not None
    items = (root.entries or {})["a"].items or []
    # tab, "- {dtype: fp32, " is 16 characters, so dens is the 18th; tab, two spaces, c; and so on
    places = [items[0].keys["dens"], items[1].keys["b"], items[1].keys["c"]]
    assert [(node.line, node.column) for node in places] == [(2, 18), (3, 4), (4, 4)]


def test_a_tab_and_a_text_that_ends_nowhere_are_both_said() -> None:
    root, problems = parse("a:\n\tb: 1\nc: [\n", "f.yaml")
    assert root is None
    assert [p.rule for p in problems] == ["tab", "syntax"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # YAML 1.2, 8.1.2 and 7.3.1: behind the indentation of a block scalar and at a fold of quoted text a tab is text
        pytest.param("a: |\n  x\n  \ty\n", "x\n\ty\n", id="block"),
        pytest.param("a: >-\n  x\n  \ty\n", "x\n\ty", id="folded"),
        pytest.param("a: 'x\n\ty'\n", "x y", id="single-quoted"),
        pytest.param('a: "x\n \ty"\n', "x y", id="double-quoted"),
    ],
)
def test_a_tab_inside_text_is_text(text: str, expected: str) -> None:
    assert entries(text)["a"].text == expected


def test_an_alias_bomb_is_not_expanded() -> None:
    """Y05: eight levels of nine would be 43 million leaves."""
    lines = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    for name, before in zip("bcdefgh", "abcdefg", strict=True):
        lines.append(f"{name}: &{name} [{','.join(['*' + before] * 9)}]")
    start = time.perf_counter()
    assert len(entries("\n".join(lines))) == 8
    assert time.perf_counter() - start < 1


def test_a_bomb_of_merges_does_not_run_away() -> None:
    lines = ["a0: &a0 {k: 1}"] + [f"a{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}]}}" for i in range(1, 200)]
    assert len(entries("\n".join(lines))) == 200


def test_a_mapping_that_merges_itself_is_a_problem() -> None:
    _, problems = parse("a: &a\n  <<: *a\n  b: 1\n", "f.yaml")
    assert [p.rule for p in problems] == ["merge"]


@given(st.text(max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    root, problems = parse(text, "f.yaml")
    assert root is not None or problems
    assert all("\n" not in str(problem) for problem in problems)


def test_a_tab_that_makes_a_key_part_of_the_text_before_it_is_named() -> None:
    _, problems = parse("name: X\n\tpeaks: 1\n", "x.yaml")
    assert [problem.rule for problem in problems] == ["tab", "syntax"]
    assert problems[0].where == "x.yaml:2:1"
