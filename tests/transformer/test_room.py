"""How far each size of a setup could go; the words are those of tests/report/llm/test_fits.py."""

from __future__ import annotations

from roofline.transformer.room import room
from tests.report.llm.setups import setup


def test_a_reserve_counts_with_the_weights() -> None:
    # 16.06 GB of weights in 24 GB
    assert room(setup("llama-3.1-8b", "rtx4090")).weights_fit is True
    assert room(setup("llama-3.1-8b", "rtx4090", reserve=20 * 10**9)).weights_fit is False


def test_what_fits_needs_no_reason_why_nothing_does() -> None:
    found = room(setup("llama-3.1-8b"))
    assert (found.fits, found.devices, found.split) == (True, 1, None)
    assert (found.weights, found.served, found.gguf) == ("bf16", "bf16", "bf16")
