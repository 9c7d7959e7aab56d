"""`hw schema` and the loader accept and refuse the same files."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
import yaml

from roofline.catalog.fields import json_schema
from roofline.catalog.load import inspect
from tests.catalog.test_load import LEAST
from tests.catalog.test_shipped import FILES

VALIDATOR = jsonschema.Draft202012Validator(json_schema())
GOOD = [
    LEAST + "tdp: 700 W\n",
    LEAST.replace("memory:\n", "memory:\n  - {level: L2, capacity: 1 MB}\n"),
    LEAST,
    LEAST + "x-mine: {a: [1]}\nyear: 2024\naliases: one\n",
    LEAST + "measured: [{what: matmul, dtype: bf16, value: 1 TFLOP/s}, {what: dram-read, value: 1 GB/s}]\n",
    LEAST.replace("1 TFLOP/s", "1.0e+12"),
    LEAST.replace("1 TFLOP/s", "1e12"),
    LEAST.replace("dense: 1", "dense: sparse/2, sparse: 1"),
    LEAST.replace("dense: 1", "sparse_basis: derived, sparse: 2e12, dense: 1"),
    LEAST + 'schema: "1"\nyear: "2022"\n',
    LEAST + "year: '02100'\n",
    LEAST.replace("1 TFLOP/s", "'0.001e15'"),
    LEAST + 'headline: {peak: 1 TFLOP/s, dtype: bf16, sparsity: "2:4"}\n',
    LEAST + "headline: {peak: 1 TFLOP/s, dtype: bf16, sparsity: 2:4}\n",  # 124 to YAML 1.1, and text to the loader
]
BAD = [
    LEAST.replace("1 TFLOP/s", "1.0e+41"),
    LEAST.replace("100 GB/s", "1.0e-7"),
    LEAST.replace("bandwidth: 100 GB/s", "capacity: 1 GB"),
    LEAST + "measured: [{what: matmul, value: 1 TFLOP/s}]\n",
    LEAST + "measured: [{what: dram-read, value: 1e9}]\n",
    LEAST.replace("dense: 1 TFLOP/s", "dense: sparse/2"),
    LEAST.replace("dense: 1 TFLOP/s", "dense: 1 TFLOP/s, sparse_basis: derived"),
    LEAST.replace("100 GB/s", "100 GB"),
    LEAST.replace("1 TFLOP/s", "1 tflop/s"),
    LEAST.replace("bf16", "fp99"),
    LEAST.replace("name: X", "nam: X"),
    LEAST.replace("name: X\n", ""),
    LEAST.replace("bandwidth:", "bandwith:"),
    LEAST.replace(", dense: 1 TFLOP/s", ""),
    LEAST.replace("dense: 1", "sparse_basis: guessed, sparse: 2e12, dense: 1"),
    LEAST + "year: 20240\n",
    LEAST + "schema: 2\n",
    LEAST + "kind: toaster\n",
    LEAST + "tdp: 700 GB\n",
    LEAST + "tdp: [700 W]\n",
    LEAST + "measured: [{what: matmul, dtype: bf16, value: 1e12}]\n",
    LEAST + "links: [{name: N, bandwidth: 1 GB/s, direction: up}]\n",
    "name: X\npeaks: []\nmemory: []\n",
    LEAST + 'year: "1939"\n',
    LEAST + 'year: "2101"\n',
    LEAST + 'year: "MMXXII"\n',
    LEAST + 'schema: "2"\n',
    LEAST.replace("1 TFLOP/s", "0"),
    LEAST.replace("1 TFLOP/s", '"0"'),
    LEAST.replace("1 TFLOP/s", "'0.0e5 TFLOP/s'"),
    LEAST.replace("100 GB/s", "0 GB/s"),
    LEAST + "headline: {peak: 1 TFLOP/s, dtype: bf16, sparsity: 4:2}\n",
    LEAST.replace("name: X", 'name: ""'),
    LEAST.replace("name: X", "name: ' '"),
    LEAST + "aliases: ['']\n",
    LEAST + "sources: {s: {title: T, kind: vendro}}\n",
]


def loader_accepts(text: str, path: Path) -> bool:
    path.write_text(text, encoding="utf-8")
    device, _, _ = inspect(str(path))
    return device is not None


@pytest.mark.parametrize("text", GOOD)
def test_both_accept(text: str, tmp_path: Path) -> None:
    assert loader_accepts(text, tmp_path / "x.yaml")
    VALIDATOR.validate(yaml.safe_load(text))


@pytest.mark.parametrize("text", BAD)
def test_both_refuse(text: str, tmp_path: Path) -> None:
    assert not loader_accepts(text, tmp_path / "x.yaml")
    assert not VALIDATOR.is_valid(yaml.safe_load(text))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_schema_accepts_the_shipped_catalogue(path: Path) -> None:
    VALIDATOR.validate(yaml.safe_load(path.read_text(encoding="utf-8")))
