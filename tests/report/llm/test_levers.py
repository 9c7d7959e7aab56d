"""The table of levers: its rows, what stands under it, and FlashAttention in prefill against known figures."""

from __future__ import annotations

import json

import pytest

from roofline.render import render
from roofline.report import plain
from roofline.report.llm.levers import levers_report
from tests.report.llm.setups import setup


def test_a_row_a_lever_with_reasons_where_it_does_not_apply() -> None:
    document = json.loads(render(levers_report([setup()], {}), "json"))
    rows = {row["lever"]: row for row in document["levers"]}
    assert next(iter(rows)) == "no lever"
    assert list(rows)[-1] == "all together"
    assert rows["MLA"]["total_time_tokens_per_s"] is None
    assert rows["MLA"]["null_reasons"]["gain"] == "it caches keys and values, no latent"
    assert rows["batch 32"]["null_reasons"] == {"gain_added_last": "another lever of its kind goes further"}
    assert rows["no lever"]["gain"] == 1
    assert (rows["no lever"]["fits"], rows["weights fp8"]["fits"]) == (False, True)  # 150 GB and 81.5 GB of 85.5 GB
    assert document["prefill_attention"][0]["prompt_tokens"] == 4096


def test_flash_attention_in_prefill() -> None:
    """Worked elsewhere for Llama-3.1-8B, 8192 tokens, H100: 5.37 GB against 555 GB; by operator 140 ms and 288 ms.

    By hand: 32 layers of q, k, v, o once, 2 B x 8192 x 128 x (32 + 8) x 2; and 4 x 2 B x 32 x 8192^2 more.
    """
    report = levers_report([setup("llama-3.1-8b", prompt=8192)], {})
    found = report.lead["prefill_attention"][0]
    fused = 32 * 2 * 8192 * 128 * 2 * (32 + 8)
    assert found["flash_byte"] == fused == pytest.approx(5.37e9, rel=1e-3)
    assert found["unfused_byte"] == fused + 32 * 4 * 2 * 32 * 8192**2 == pytest.approx(555e9, rel=1e-3)
    assert found["flash_operator_time_s"] == pytest.approx(0.140, rel=0.01)
    assert found["unfused_operator_time_s"] == pytest.approx(0.288, rel=0.01)
    assert any(
        line.startswith("FlashAttention in a prefill of 8,192 tokens: attention moves") for line in report.summary
    )


def test_the_headline_stands_beside_the_roof_that_kernels_reach() -> None:
    report = levers_report([setup()], {})
    assert [line.split()[1] for line in report.roofs[:2]] == ["989.4", "1979"]
    assert report.roofs[1].endswith("I* 591 FLOP/B")
    assert report.context["roofs"][0]["headline"] is False
    assert report.context["roofs"][1]["headline"] is True
    assert report.context["roofs"][1]["ridge_flop_per_byte"] == pytest.approx(1979 / 3.35)


def test_the_verdict_of_all_together_says_why() -> None:
    """M3 Ultra, I* 28.63e12 / 819e9 = 35.0: batch 64 with int4 weights, GQA and fp8 cache is past it."""
    apple = levers_report([setup(hw="m3ultra")], {})
    together = next(line for line in apple.summary if line.startswith("all together: "))
    assert "compute-bound: I " in together
    assert together.endswith("is past I* 34.96")
    assert "m3ultra has no bf16 peak: fp16 in its place" in apple.notes
    assert "tensor parallel does not apply: no link of m3ultra to other devices is known" in apple.notes
    slow = levers_report([setup(latency=1e-3)], {})
    assert any("link-bound: the links take 2." in line for line in slow.summary)  # 160 all-reduces of 14 steps of 1 ms


def test_several_devices_stand_in_one_table() -> None:
    report = levers_report([setup(), setup(hw="h200")], {})
    assert {plain(row["device"]) for row in report.rows} == {"h100-sxm", "h200-sxm"}
    gains = [row["total_time_tokens_per_s"] for row in report.rows if row["lever"] == "no lever"]
    assert gains[1] / gains[0] == pytest.approx(4.8 / 3.35)
    assert any(line.startswith("all together on h200-sxm: ") for line in report.summary)
    # The M4 Max has no link, so that one link is told: that of the other device, by its name.
    mixed = levers_report([setup(hw="m4max"), setup()], {})
    assert [line.partition(":")[0] for line in mixed.roofs if line.startswith("link")] == ["link of h100-sxm"]


def test_what_is_counted_is_said_and_nothing_is_promised() -> None:
    text = render(levers_report([setup("deepseek-v3")], {}), "table")
    assert "note: attention: exact causal triangle" in text
    assert "tokens/s are by the total time, which kernels that fuse more than is counted can beat" in text
    assert "the row is hypothetical" in text
    assert "predict" not in text.replace("for predicting several tokens", "")  # of a layer that the model has
    assert max(len(line) for line in text.splitlines()[2:18]) <= 80
