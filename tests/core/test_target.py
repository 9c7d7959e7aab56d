"""Kernels with traffic through several memory levels on a device: each level's own figure, each amount once."""

from __future__ import annotations

import pytest

from roofline.core.choice import RoofKind, RoofQuery
from roofline.core.device import Ceiling, Device, Memory, Peak
from roofline.core.kernel import Kernel
from roofline.core.placement import Term
from roofline.core.target import Target
from roofline.errors import InputError

CHIP = Device(
    id="chip",
    name="Chip",
    peaks=(Peak(dtype="fp16", dense=100.0),),
    memory=(Memory(level="HBM", bandwidth=10.0), Memory(level="L2", bandwidth=100.0)),
    measured=(
        Ceiling(what="matmul", value=80.0, quantity="FLOP/s", dtype="fp16"),
        Ceiling(what="dram-triad", value=8.0, quantity="B/s"),
        Ceiling(what="l2-read", value=50.0, quantity="B/s", level="L2"),
    ),
)


@pytest.mark.parametrize(
    ("kind", "seconds"),
    [
        # 400 FLOP, 40 B of HBM and 800 B of L2: / 100, / 10 and / 100 as specified, / 80, / 8 and / 50 as measured
        pytest.param("spec", (4.0, 4.0, 8.0), id="spec"),
        pytest.param("measured", (5.0, 5.0, 16.0), id="measured"),
    ],
)
def test_every_level_has_the_figure_of_the_kind_asked_for(kind: RoofKind, seconds: tuple[float, ...]) -> None:
    target = Target(device=CHIP, query=RoofQuery(kind=kind))
    one = target.place(Kernel(flops=400, bytes=40, bytes_at={"L2": 800})).first
    names = (("compute", "compute"), ("memory", "HBM"), ("memory", "L2"))
    assert one.terms == tuple(Term(*name, time) for name, time in zip(names, seconds, strict=True))  # type: ignore[arg-type]
    assert [roof.memory.basis for roof in one.levels] == ["measured" if kind == "measured" else "unsourced"]


def test_traffic_through_main_memory_is_given_once() -> None:
    target = Target(device=CHIP, query=RoofQuery())
    with pytest.raises(InputError, match="k: traffic through hbm is given twice"):
        target.place(Kernel(name="k", flops=1, bytes=10, bytes_at={"hbm": 10}))
    with pytest.raises(InputError, match="k: traffic through L2 is given twice"):
        Target(device=CHIP, query=RoofQuery(level="L2")).place(Kernel(name="k", flops=1, bytes=10, bytes_at={"L2": 5}))
