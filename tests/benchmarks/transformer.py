"""Totals and tables of decode steps a second on one core: ``python -m tests.benchmarks.transformer``.

A total is both bounds of one batch and context on one device in closed form; a table has every operator of the step,
with its FLOPs, bytes and least time. Wanted are 100,000 totals and 5,000 tables a second of a dense model.
"""

from __future__ import annotations

from time import process_time

from roofline.catalog.find import device
from roofline.core.choice import RoofQuery
from roofline.core.target import Target
from roofline.transformer.bounds import Roofs, bounds
from roofline.transformer.closed_decode import closed_decode
from roofline.transformer.formats import Formats
from roofline.transformer.presets import find
from roofline.transformer.step import Step
from roofline.transformer.table import table

MODELS = ("llama-3.1-70b", "gpt-oss-120b", "deepseek-v3")
DEVICES = ("h100-sxm", "b200", "mi300x")
BATCHES, CONTEXTS = range(1, 1025, 8), range(128, 32768, 256)


def totals(name: str) -> float:
    """Totals a second over a grid of batches, contexts and devices."""
    closed = closed_decode(find(name), Formats())
    targets = [Target(device=device(one), query=RoofQuery(dtype="bf16")).choice().roof for one in DEVICES]
    roofs = [({"bf16": roof.peak}, roof.bandwidth) for roof in targets]
    start = process_time()
    for peaks, bandwidth in roofs:
        for batch in BATCHES:
            for context in CONTEXTS:
                closed.total_time(batch, context, peaks, bandwidth)
    return len(roofs) * len(BATCHES) * len(CONTEXTS) / (process_time() - start)


def tables(name: str) -> float:
    """Tables a second, without bounds."""
    model, formats, number = find(name), Formats(), 2000
    start = process_time()
    for context in range(1, number + 1):
        table(model, Step.decode(context, batch=32), formats)
    return number / (process_time() - start)


def bounded(name: str) -> float:
    """Tables a second with the three bounds of each."""
    model, formats, number = find(name), Formats(), 2000
    roofs = Roofs.of(
        Target(device=device("h100-sxm"), query=RoofQuery(dtype="bf16")), table(model, Step.decode(1), formats)
    )
    start = process_time()
    for context in range(1, number + 1):
        bounds(table(model, Step.decode(context, batch=32), formats), roofs)
    return number / (process_time() - start)


def main() -> None:
    print(f"{'model':16}{'totals/s':>12}{'tables/s':>12}{'with bounds':>14}")
    for name in MODELS:
        print(f"{name:16}{totals(name):12,.0f}{tables(name):12,.0f}{bounded(name):14,.0f}")


if __name__ == "__main__":
    main()
