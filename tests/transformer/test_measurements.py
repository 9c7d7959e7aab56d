"""No published measurement of prefill or decode beats our bound: least time, the right peak, the right weight format.

``tests/data/measurements.csv`` holds 244 of them with their sources. Rows whose model, machine or format of weights is
not known here are left out by name, below; those flagged are known not to be what they seem (speculative decoding).
"""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from roofline.catalog.find import device
from roofline.core.choice import RoofQuery
from roofline.core.link import Port
from roofline.core.target import Target
from roofline.transformer.bounds import Roofs, bounds
from roofline.transformer.formats import Formats, Part
from roofline.transformer.parallel import parallel_table
from roofline.transformer.presets import find
from roofline.transformer.step import Step

FILE: Final = Path(__file__).parents[1] / "data" / "measurements.csv"


def _pairs(text: str) -> dict[str, str]:
    """Words of the file and our names for them, alike where there is no ``=``."""
    return {word.partition("=")[0]: word.rpartition("=")[2] for word in text.split()}


DEVICES: Final = _pairs(
    """
    rtx3080-10=rtx3080 rtx3060 rtx3090 rtx3090ti rtx4090 rtx5090 rtxa6000 a40
    a100-pcie-80=a100-pcie-80gb a100-sxm-80=a100-sxm-80gb h100-sxm b200 dgx-spark=gb10
    strix-halo=strixhalo rx7900xtx m1-7c=m1 m1max-32=m1max m1ultra-64=m1ultra m2max-30=m2max
    m2ultra-76=m2ultra m3ultra-80=m3ultra
    """
)
# GPU cores of those that have fewer than the catalogue's entry, and of that; the memory is the same.
CORES: Final = {"m1-7c": (7, 8), "m2max-30": (30, 38)}
NO_DEVICE: Final = {"rtx4070ti", "rtx4000ada", "rtx3080ti", "p40", "rx5700xt", "wse3"}
# Distilled and coding models have the shapes of those that they were made from.
MODELS: Final = _pairs(
    """
    llama2-7b=llama-2-7b llama2-13b=llama-2-13b llama2-70b=llama-2-70b llama3-8b=llama-3.1-8b
    llama3-70b=llama-3.1-70b llama3.1-405b=llama-3.1-405b llama3.2-1b=llama-3.2-1b
    llama3.2-3b=llama-3.2-3b mixtral-8x7b qwen2.5-7b qwen3-8b qwen3-30b-a3b
    qwen3-coder-30b-a3b=qwen3-30b-a3b r1-distill-qwen-14b=qwen2.5-14b gpt-oss-20b gpt-oss-120b
    deepseek-r1-671b=deepseek-r1
    """
)
NO_MODEL: Final = {
    *("qwen3.6-27b", "gptj-6b", "tinyllama-1.1b", "ministral3-14b", "gemma4-31b", "gemma3-4b", "qwen3-4b"),
    "deepseek-r1-671b-a37b",  # a figure with multi-token prediction
}
WEIGHTS: Final = _pairs(
    """
    q4_0 q5_0 q6_k q8_0 q4_k_s q4_k_m bf16 fp16 fp8 mxfp4 f16=fp16 nvfp4 int8-wo=int8 int8wo=int8
    int4-g32 int4wo-64=int4-g64 GPTQ-g128=int4-g128
    """
)
NO_WEIGHTS: Final = {"exl2-2.5", "exl2-3.0", "exl2-4.0", "exl2-5.0", "q4_k_xl", "ud-q4_k_xl", "q8_k_xl", "mlx-4bit"}
_PYTORCH: Final[frozenset[Part]] = frozenset({"embedding", "vectors", "router"})  # all linear layers are quantised
_GGUF_MXFP4: Final[frozenset[Part]] = frozenset({"embedding", "attention", "head", "router", "vectors"})

# Rows above their bound, each with the reason why.
EXPLAINED: Final[dict[str, str]] = {}


class Known(NamedTuple):
    """One row that can be judged."""

    id: str
    kind: str
    share: float  # of the bound


def formats_of(row: dict[str, str]) -> Formats | None:
    """What the middle columns say: weights / KV cache / arithmetic, as in q4_k_m/f16/int8."""
    weights, kv, compute = row["precision"].split("/")
    if weights in NO_WEIGHTS:
        return None
    sixteen = "bf16" if "bf16" in (kv, compute) else "fp16"
    compute = {"f16": "fp16", "fp16a16": "fp16"}.get(compute, compute)
    formats = Formats(
        weights=WEIGHTS[weights],
        kv={"f16": "fp16"}.get(kv, kv),
        activations=sixteen,
        compute=compute,
        plain=sixteen,
    )
    if weights in ("int8-wo", "int8wo", "int4-g32", "int4wo-64"):
        return formats._replace(kept=_PYTORCH)
    if weights == "mxfp4" and kv == "fp8":  # its note: attention and LM head in MXFP4 too
        return formats._replace(kept=_PYTORCH)
    if row["model"].startswith("gpt-oss") and weights in ("mxfp4", "q4_k_m"):
        # llama.cpp keeps the experts of gpt-oss in MXFP4 whatever the name of the mix, and holds the rest in q8_0.
        return formats._replace(weights="mxfp4", plain="q8_0", kept=_GGUF_MXFP4)
    return formats


def known(row: dict[str, str]) -> Known | None:
    if row["flag"] or row["hardware"] in NO_DEVICE or row["model"] in NO_MODEL:
        return None
    machine, model = device(DEVICES[row["hardware"]]), find(MODELS[row["model"]])
    formats = formats_of(row)
    if formats is None:
        return None
    batch, devices = int(row["batch"]), int(row["devices"])
    split = devices if row["split"] == "tensor" else 1
    prefill = row["kind"] == "prefill"
    context = int(row["context"])
    if prefill:  # behind what is in the cache already, where the context is longer than the prompt
        prompt = int(row["prompt"])
        step = Step(batch=batch, new=prompt, cached=context - prompt)
    else:
        step = Step.decode(context, batch=batch)
    rows = parallel_table(model, step, formats, devices=split)
    accumulate = "fp16" if row["precision"].endswith("a16") else None
    target = Target(device=machine, query=RoofQuery(accumulate=accumulate))
    # The least time has no links in it: any will do.
    roofs = Roofs.of(target, rows, Port("any", 1e15))
    cores, of = CORES.get(row["hardware"], (1, 1))
    fewer = {dtype: roof._replace(peak=roof.peak * cores / of) for dtype, roof in roofs.by_precision.items()}
    found = bounds(rows, roofs._replace(by_precision=fewer))
    # Layers split over devices work one after another in decode, and on one micro-batch each in prefill.
    most = found.least_time_tokens_per_s * (devices if prefill and row["split"] == "layer" else 1)
    return Known(row["id"], row["kind"], float(row["value"]) / most)


def rows() -> Iterator[dict[str, str]]:
    with FILE.open(encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream)


def test_no_measurement_exceeds_its_bound(capsys: pytest.CaptureFixture[str]) -> None:
    every = list(rows())
    judged = [found for row in every if (found := known(row)) is not None]
    assert len(judged) > len(every) * 3 // 4
    with capsys.disabled():
        for kind in ("decode", "prefill"):
            shares = sorted(one.share for one in judged if one.kind == kind)
            middle = statistics.median(shares)
            print(f"\n{kind}: {len(shares)} measurements, median {middle:.1%} of the bound, at most {shares[-1]:.1%}")
    above = {one.id: round(one.share, 4) for one in judged if one.share > 1}
    assert above.keys() == EXPLAINED.keys(), above


@pytest.mark.parametrize(
    ("row", "bound"),
    [
        # 7 of 8 cores, 2.29 TFLOP/s, over 15.033 GFLOP a token
        ("pre061", 152.34),
        # 2048 tokens behind 8192 attend 9,216.5 positions in the mean, 4 x 28 x 28 x 128 FLOP each, in 16 bit at 118.85
        # TFLOP/s; the products, 16.751 GFLOP a token less that, in int8 at 237.7
        ("pre083", 1 / ((16.751e9 - 401_408 * 9216.5) / 237.699e12 + 401_408 * 9216.5 / 118.85e12)),
        ("pre084", 1 / ((26.616e9 - 401_408 * 33_792.5) / 237.699e12 + 401_408 * 33_792.5 / 118.85e12)),
    ],
)
def test_a_prefill_is_judged_at_its_depth_and_by_its_cores(row: str, bound: float) -> None:
    found = next(each for each in rows() if each["id"] == row)
    judged = known(found)
    assert judged is not None
    assert float(found["value"]) / judged.share == pytest.approx(bound, rel=1e-3)
