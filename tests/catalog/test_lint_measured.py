"""Measured rows that cannot be right or that no command uses: one row a fault, and the exact line it brings."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline.catalog.lint import lint

Write = Callable[..., str]

FILE = """\
name: X
peaks:
  - {{dtype: bf16, dense: 100 TFLOP/s, source: s}}
  - {{dtype: fp8, sparse: 400 TFLOP/s, source: s}}
  - {{dtype: fp6, dense: sparse/2, sparse: 400 TFLOP/s, source: s}}
memory:
  - {{level: HBM3, bandwidth: 1 TB/s, source: s}}
  - {{level: L2, bandwidth: 5 TB/s, source: s}}
  - {{level: L1, capacity: 64 kB, source: s}}
measured:
  - {{{row}, source: s}}
sources:
  s: {{title: T, where: W, kind: vendor}}
"""
ABOVE = "clocks above the data sheet, another precision, or a wrong figure; say which in 'note'"


def found(path: str) -> list[str]:
    return [f"{p.where.removeprefix(path)}: {p.level}: {p.message} [{p.rule}]; {p.hint}" for p in lint(path)]


@pytest.mark.parametrize(
    "row",
    [
        pytest.param("what: matmul, dtype: bf16, value: 90 TFLOP/s", id="matmul"),
        pytest.param("what: vector-fma, dtype: bf16, value: 90 TFLOP/s", id="vector-fma"),
        pytest.param("what: vector-fma-lower-bound, dtype: bf16, value: 90 TFLOP/s", id="not-a-ceiling-on-purpose"),
        pytest.param("what: matrix-mma, dtype: bf16, value: 90 TFLOP/s", id="bare-instructions"),
        pytest.param("what: attention, dtype: bf16, value: 90 TFLOP/s", id="attention"),
        pytest.param("what: hpl, dtype: bf16, value: 90 TFLOP/s", id="hpl"),
        pytest.param("what: matmul, dtype: fp8, value: 900 TFLOP/s", id="only-a-sparse-rate-to-compare-with"),
        pytest.param("what: dram-triad, value: 900 GB/s", id="main-memory"),
        pytest.param("what: dram-triad, level: hbm-3, value: 900 GB/s", id="another-spelling-of-the-level"),
        pytest.param("what: l2-read, level: L2, value: 4.9 TB/s", id="cache"),
        pytest.param("what: l1-read, level: L1, value: 90 TB/s", id="cache-without-a-specified-bandwidth"),
        pytest.param("what: slc-read, level: SLC, value: 3 TB/s", id="cache-of-which-nothing-else-is-known"),
    ],
)
def test_what_is_plausible(own_file: Write, row: str) -> None:
    assert found(own_file(FILE.format(row=row))) == []


def test_a_note_is_trusted_to_say_why_a_rate_is_above_its_peak(own_file: Write) -> None:
    text = FILE.format(row="what: l2-read, level: L2, value: 9 TB/s")
    assert len(found(own_file(text))) == 1
    assert found(own_file(text.replace("9 TB/s, source: s", "9 TB/s, source: s, note: clocks of 2.1 GHz"))) == []


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param(
            "what: dram-triad, level: HMB3, value: 900 GB/s",
            ":11:31: warning: measured at 'HMB3', which is no memory level of this file [unknown-level]; "
            "did you mean 'HBM3'?",
            id="misspelt-level",
        ),
        pytest.param(
            "what: dram-triad, level: DRAM, value: 900 GB/s",
            ":11:31: warning: measured at 'DRAM', which is no memory level of this file [unknown-level]; "
            "leave 'level' out: the row is then of the main memory",
            id="main-memory-by-another-name",
        ),
        pytest.param(  # 20 / 5 = 400 %
            "what: l2-read, level: L2, value: 20 TB/s",
            ":11:5: warning: measured l2-read L2 of 20.00 TB/s is 400.0 % of the specified 5.000 TB/s [above-spec]; "
            + ABOVE,
            id="cache-above-its-bandwidth",
        ),
        pytest.param(  # 1.5 / 1 = 150 %
            "what: dram-read, level: hbm3, value: 1.5 TB/s",
            ":11:5: warning: measured dram-read hbm3 of 1.500 TB/s is 150.0 % of the specified 1.000 TB/s "
            "[above-spec]; " + ABOVE,
            id="main-memory-above-its-bandwidth",
        ),
        pytest.param(  # half of 400 is 200; 300 / 200 = 150 %
            "what: matmul, dtype: fp6, value: 300 TFLOP/s",
            ":11:5: warning: measured matmul fp6 of 300.0 TFLOP/s is 150.0 % of the specified 200.0 TFLOP/s "
            "[above-spec]; " + ABOVE,
            id="above-half-of-the-sparse-rate",
        ),
        pytest.param(
            "what: matmul, dtype: fp64, value: 9 TFLOP/s",
            ":11:27: warning: measured in fp64, of which the device has no peak [no-peak]; its peaks: bf16, fp8, fp6",
            id="no-peak",
        ),
        *(
            pytest.param(
                f"what: {what}, dtype: bf16, value: 90 TFLOP/s",
                f":11:12: warning: measured '{what}' stands as no roof of arithmetic; matmul and vector-fma do "
                f"[ceiling]; did you mean '{meant}'?",
                id=what,
            )
            for what, meant in (
                ("gemm", "matmul"),
                ("Matmul", "matmul"),
                ("mat-mul", "matmul"),
                ("SGEMM", "matmul"),
                ("vector_fma", "vector-fma"),
                ("fma", "vector-fma"),
            )
        ),
    ],
)
def test_what_is_doubtful(own_file: Write, row: str, expected: str) -> None:
    assert found(own_file(FILE.format(row=row))) == [expected]
