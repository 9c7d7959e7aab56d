"""A grid of setups: its order, the sizes between which the bound changes, and what is computed once a line."""

from __future__ import annotations

from roofline.transformer.grid import Crossing, Grid
from tests.report.llm.setups import setup


def test_the_last_axis_varies_fastest_and_every_device_has_all_points() -> None:
    grid = Grid([setup("gpt-2"), setup("gpt-2", "h200")], {"weights": ["fp16", "fp8"], "batch": [1, 4]})
    found = [(one.target.device.id, one.weights, one.batch) for one in grid.each()]
    points = [("fp16", 1), ("fp16", 4), ("fp8", 1), ("fp8", 4)]
    assert found == [(device, *point) for device in ("h100-sxm", "h200-sxm") for point in points]


def test_a_crossing_travels_with_its_point_and_names_the_size_before() -> None:
    """At context 1024 of a 70B model decode is compute-bound from batch 965 on, by total a little later."""
    grid = Grid([setup(context=1024)], {"batch": [512, 1024, 2048]})
    assert [point.crossing for point in grid.points()] == [None, None, Crossing(1024, "memory", "compute")]


def test_crossings_are_looked_for_on_each_line_by_itself() -> None:
    """fp8 at batch 2048 comes right before int4 at batch 1, which is no crossing: a line begins there."""
    grid = Grid([setup(context=1024)], {"weights": ["fp8", "int4-g128"], "batch": [1, 2048]})
    crossings = [point.crossing for point in grid.points()]
    assert crossings == [None, Crossing(1, "memory", "compute")] * 2


def test_critical_batches_are_those_of_a_line_of_batches() -> None:
    points = list(Grid([setup()], {"context": [512, 1024], "batch": [1, 2]}).points())
    first, again, second, _ = (point.critical for point in points)
    assert first is again is not None
    assert first is not second
    assert all(point.critical is None for point in Grid([setup()], {"prompt": [512, 1024]}).points())
