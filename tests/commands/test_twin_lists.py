"""Lists that stand twice, so that --help need not import what it offers: both say the same."""

from __future__ import annotations

from importlib import import_module

import click
import pytest

import roofline
from roofline import render
from roofline.catalog import fields
from roofline.catalog.schema import Choice, Record, Rows, Words
from roofline.commands import lists
from roofline.commands.llm_types import ExpertsType
from roofline.readers.columns import meaning
from roofline.report.ranking import SORT_KEYS
from roofline.transformer import choices as said
from roofline.units import UNITS
from tests.catalog.test_shipped import DEVICES

COMMANDS = {
    name: import_module(f"roofline.commands.{name}").command
    for name in ("ridge", "analyze", "check", "hw_list", "hw_show", "hw_lint", "llm")
}


def choices(command: str, option: str) -> list[str]:
    """The words that an option of a command takes."""
    (param,) = (param for param in COMMANDS[command].params if option in param.opts)
    assert isinstance(param.type, click.Choice)
    return list(param.type.choices)


def having(option: str) -> list[str]:
    return [name for name, command in COMMANDS.items() if any(option in param.opts for param in command.params)]


def allowed(record: Record, field: str) -> list[str]:
    """The words that a field of a hardware file takes."""
    kind = record.fields[field]
    if isinstance(kind, Words):
        kind = kind.one
    assert isinstance(kind, Choice)
    return list(kind.options)


def peak_fields() -> Record:
    rows = fields.DEVICE.fields["peaks"]
    assert isinstance(rows, Rows)
    assert isinstance(rows.record, Record)
    return rows.record


@pytest.mark.parametrize("command", having("--format"))
def test_formats(command: str) -> None:
    assert choices(command, "--format") == list(render.FORMATS)


def test_every_command_that_reports_takes_every_format() -> None:
    assert having("--format") == list(COMMANDS)


def test_sort_keys_of_devices() -> None:
    assert choices("ridge", "--sort") == list(SORT_KEYS)


def test_sort_keys_of_kernels() -> None:
    assert choices("analyze", "--sort") == list(lists._SORT)


def test_kinds_of_devices() -> None:
    assert choices("hw_list", "--kind") == allowed(fields.DEVICE, "kind")


@pytest.mark.parametrize("command", having("--unit"))
def test_execution_units(command: str) -> None:
    assert choices(command, "--unit") == allowed(peak_fields(), "unit")


@pytest.mark.parametrize("command", having("--accumulate"))
def test_accumulators(command: str) -> None:
    """Those of hardware files, and all that a shipped device has."""
    offered = choices(command, "--accumulate")
    assert [word for word in allowed(peak_fields(), "accumulate") if word in offered] == offered
    assert {word for device in DEVICES.values() for peak in device.peaks for word in peak.accumulate} <= set(offered)


@pytest.mark.parametrize("command", having("--clock"))
def test_a_clock_of_the_catalogue_is_of_one_kind(command: str) -> None:
    """A hardware file may call its clock what it likes; --clock looks for its word in that."""
    for device in DEVICES.values():
        for clock in {peak.clock for peak in device.peaks if peak.clock}:
            assert sum(word in clock for word in choices(command, "--clock")) == 1, (device.id, clock)


@pytest.mark.parametrize("command", having("--time-unit"))
def test_time_units(command: str) -> None:
    """Each is a unit of time that a number may have, and a column's name may hold: ``time_us``."""
    for unit in choices(command, "--time-unit"):
        assert [reading.quantity for reading in UNITS[unit]] == ["s"]
        found = meaning(f"time_{unit}", "k.csv:1")
        assert found is not None
        assert (found.field, found.unit) == ("time", unit)


@pytest.mark.parametrize("convention", list(said.WORDS))
def test_conventions_of_a_model(convention: str) -> None:
    assert choices("llm", f"--{convention}") == list(said.WORDS[convention])


def test_words_of_experts() -> None:
    assert ExpertsType().name == "|".join([*said.EXPERTS, "N"])


def test_public_names() -> None:
    assert sorted(roofline.__all__) == sorted([*roofline._HOMES, "operations"])
    assert all(getattr(roofline, name).__name__ == name for name in roofline._HOMES)
    assert roofline.operations.__name__ == "roofline.operations"
