"""YAML to located text: nothing is converted, and what could mislead or run away is refused (cases Y01 to Y07)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import FileError
from roofline.yaml_tree import Node, parse


def entries(text: str) -> dict[str, Node]:
    root, problems = parse(text, "f.yaml")
    assert problems == []
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
        pytest.param("a:\n\tb: 1\n", "f.yaml:2:1: a tab in the indentation", id="tab"),
        pytest.param("a: [1\n", "f.yaml:2:1: is not valid YAML", id="broken"),
        pytest.param("", "f.yaml is empty", id="empty"),
        pytest.param("# only a comment\n", "f.yaml is empty", id="comment"),
        pytest.param("a: 1\n---\nb: 2\n", "f.yaml:2:1: more than one document", id="documents"),
        pytest.param("a: !!python/object/apply:os.system [ls]\n", "f.yaml:1:4: tag", id="python-tag"),
        pytest.param("a: *nothing\n", "f.yaml:1:4:", id="dangling-alias"),
        pytest.param("[" * 10_000, "nest", id="Y05-depth"),
        pytest.param("a: &a x\nb: [" + "*a, " * 1_001 + "]\n", "too many aliases", id="Y05-aliases"),
        pytest.param("? [a, b]\n: c\n", "a key must be text, got a list", id="complex-key"),
        pytest.param("a: \x07\n", "is not valid YAML", id="control-character"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        parse(text, "f.yaml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


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
    try:
        parse(text, "f.yaml")
    except FileError as error:
        assert "\n" not in str(error)
