"""The kernel that options describe: on which devices --write-allocate makes sense."""

from __future__ import annotations

import pytest

from roofline.commands.kernel_flags import KernelFlags
from roofline.core.device import Device, Peak, given_device
from roofline.errors import InputError

TRIAD = KernelFlags(
    flops=2.0,
    macs=None,
    moved=None,
    bytes_read=16.0,
    bytes_write=8.0,
    bytes_at=(),
    write_allocate=True,
    intensity=None,
    seconds=None,
    achieved=None,
    name="triad",
)


def on(kind: str | None) -> Device:
    return Device(id="chip", name="Chip", kind=kind, peaks=(Peak(dtype="fp64", dense=100.0),))


@pytest.mark.parametrize("kind", ["gpu", "soc", "tpu", "npu"])
def test_write_allocate_is_refused_on_what_is_no_cpu(kind: str) -> None:
    with pytest.raises(InputError, match=f"--write-allocate is for the caches of CPUs; chip is a {kind}") as caught:
        TRIAD.kernel(on(kind))
    assert (caught.value.hint or "").startswith("leave it out")


@pytest.mark.parametrize(
    "device",
    [
        pytest.param(on("cpu"), id="cpu"),
        pytest.param(on(None), id="kind-unknown"),
        pytest.param(given_device(100.0, 10.0), id="given-peak-and-bandwidth"),
    ],
)
def test_write_allocate_counts_what_is_written_twice(device: Device) -> None:
    assert TRIAD.kernel(device).bytes == 32.0  # 16 + 2 x 8
