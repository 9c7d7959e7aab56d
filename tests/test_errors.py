"""Errors: what is wrong, where and by which rule are fields, and travel between processes."""

from __future__ import annotations

import pickle

import pytest

from roofline.errors import FileError, OutputError, RooflineError, UnknownNameError
from roofline.files import Problem


@pytest.mark.parametrize(
    "error",
    [
        UnknownNameError("unknown device 'h10'", hint="did you mean: h100?"),
        FileError("no such file", where="x.yaml"),
        FileError("is not valid YAML", where="x.yaml:3:1", rule="syntax", at=(3, 1), hint="close the bracket"),
        OutputError("cannot write to standard output: it is closed"),
    ],
)
def test_an_error_survives_a_process_pool(error: RooflineError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.__dict__) == (type(error), str(error), error.__dict__)


def test_an_error_and_a_problem_say_the_same() -> None:
    error = FileError("is not valid YAML", where="x.yaml:3:1", rule="syntax", at=(3, 1))
    assert str(error) == str(Problem.of(error)) == "x.yaml:3:1: is not valid YAML   [syntax]"
    assert str(Problem.of(error).error()) == str(error)
    assert str(FileError("no such file", where="x.yaml")) == "x.yaml: no such file"
