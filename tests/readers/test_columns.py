"""Column headings: every form that people write, and those that are refused for having two readings."""

from __future__ import annotations

import pytest

from roofline.errors import FileError
from roofline.readers.columns import meaning


@pytest.mark.parametrize(
    ("heading", "field", "unit"),
    [
        ("name", "name", None),
        ("Kernel Name", "name", None),
        ("dtype", "dtype", None),
        ("flops", "flops", None),
        ("FLOP", "flops", "FLOP"),
        ("gflop", "flops", "GFLOP"),
        ("GFLOP", "flops", "GFLOP"),
        ("flops_tflop", "flops", "TFLOP"),
        ("macs", "macs", None),
        ("gmac", "macs", "GMAC"),
        ("bytes", "bytes", None),
        ("bytes_mb", "bytes", "MB"),
        ("bytes_MB", "bytes", "MB"),
        ("Bytes [GiB]", "bytes", "GiB"),
        ("bytes_read", "bytes_read", None),
        ("bytes_read_kb", "bytes_read", "kB"),
        ("bytes written (MB)", "bytes_write", "MB"),
        ("time", "time", None),
        ("time_ms", "time", "ms"),
        ("Time [us]", "time", "us"),
        ("duration_ns", "time", "ns"),
        ("max_time_ms", "max_time", "ms"),
        ("min_efficiency", "min_efficiency", None),
        ("expect", "expect", None),
        ("intensity", "intensity", None),
    ],
)
def test_meaning(heading: str, field: str, unit: str | None) -> None:
    found = meaning(heading, "f:1")
    assert found is not None
    assert (found.field, found.unit) == (field, unit)


@pytest.mark.parametrize(
    ("heading", "level", "unit"), [("bytes_l2", "l2", None), ("bytes_at_L2", "L2", None), ("bytes_L2_MB", "L2", "MB")]
)
def test_levels(heading: str, level: str, unit: str | None) -> None:
    found = meaning(heading, "f:1")
    assert found is not None
    assert (found.field, found.level, found.unit) == ("bytes_at", level, unit)


@pytest.mark.parametrize("heading", ["l2_hits", "grid", "", "id", "timestamp", "registers"])
def test_other_columns_mean_nothing(heading: str) -> None:
    assert meaning(heading, "f:1") is None


@pytest.mark.parametrize(
    ("heading", "message"),
    [
        ("gflops", "column 'gflops' may be work or a rate; call it gflop if it is work"),
        ("TFLOPS", "column 'TFLOPS' may be work or a rate; call it tflop if it is work"),
        ("bytes_Mb", "column 'bytes_Mb' may be bits or bytes; write bytes_mb"),
    ],
)
def test_two_readings_are_refused(heading: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        meaning(heading, "f:1")
    assert message in str(caught.value)
