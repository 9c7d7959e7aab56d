"""Setups in words: formats by device, what each of several devices holds, and what narrower products would run at."""

from __future__ import annotations

import pytest

from roofline.report.llm.roofs import peak_lines
from roofline.report.llm.sentences import assumptions, devices_notes, narrower_products, title, work_line
from roofline.transformer.by_hand import by_hand
from tests.report.llm.setups import setup


def test_formats_that_differ_stand_with_their_devices() -> None:
    """The M4 Max has no bf16, so that weights, cache and products are in fp16 there."""
    mixed = [setup("llama-3.1-8b", hw) for hw in ("m4max", "rtx5090", "h100")]
    assert title(mixed, on="3 devices") == "Llama-3.1-8B on 3 devices"
    assert work_line(mixed) == (
        "batch 1, prompt 4096, context 4096; "
        "weights, KV cache and products in fp16 on m4max, bf16 on rtx5090 and h100-sxm"
    )
    named = [one.with_(weights="q8_0", kv="fp8") for one in mixed]
    assert title(named, on="3 devices") == "Llama-3.1-8B, weights in q8_0, on 3 devices"
    by_device = "in fp16 on m4max, bf16 on rtx5090 and h100-sxm"
    assert work_line(named).endswith(f"; KV cache in fp8; products {by_device}; vectors stay {by_device}")
    alike = mixed[1:]
    assert work_line(alike).endswith("; KV cache in bf16, products in bf16")
    assert title(alike, on="2 devices") == "Llama-3.1-8B, weights in bf16, on 2 devices"


def test_of_many_devices_a_few_are_named() -> None:
    many = [setup("llama-3.1-8b", hw) for hw in ("m4max", "h100", "h200", "b200", "a100")]
    assert work_line(many).endswith(" in fp16 on m4max, bf16 on h100-sxm, h200-sxm, b200 and 1 more")


@pytest.mark.parametrize(
    ("model", "devices", "parts"),
    [
        ("llama-3.1-70b", [16], ["each of 16 devices", "each KV head is on 2 devices"]),  # 8 KV heads
        ("llama-3.1-70b", [8], ["each of 8 devices"]),
        (
            "llama-3.1-70b",
            [1, 2, 4, 8, 16, 32],
            ["each of 2 to 32 devices", "each KV head is on 2 of 16 or 4 of 32 devices"],
        ),
        ("deepseek-v3", [4, 8], ["each of 4 or 8 devices", "the latent of MLA is on every device"]),
    ],
)
def test_what_is_on_every_device_is_said_once(model: str, devices: list[int], parts: list[str]) -> None:
    (line,) = devices_notes([setup(model, devices=each) for each in devices])
    assert all(part in line for part in parts)
    assert ("KV head" in line) == any("KV head" in part for part in parts)
    assert ("MLA" in line) == (model == "deepseek-v3")
    assert line.endswith("; rows of the embedding are gathered on every device")


def test_one_device_holds_all_and_nothing_is_said() -> None:
    assert devices_notes([setup()]) == []


@pytest.mark.parametrize(
    ("model", "hw", "more", "says"),
    [
        (
            "deepseek-v3",
            "h100",
            {},
            "weights are in fp8-128x128, products in bf16: --compute fp8 would run the products with them at 1979",
        ),
        (
            "llama-3.1-8b",
            "h100",
            {"weights": "int8"},
            "--compute int8 would run the products with them at 1979 TFLOP/s on h100-sxm",
        ),
        (
            "llama-3.1-8b",
            "a100",
            {"weights": "int8"},
            "int8 would run the products with them at 624.0 TFLOP/s on a100-sxm-80gb",
        ),
        ("deepseek-v3", "a100", {}, None),  # an A100 has no fp8
        ("deepseek-v3", "h100", {"compute": "bf16"}, None),  # which is what was asked for
        ("deepseek-v3", "h100", {"compute": "fp8"}, None),
        ("llama-3.1-8b", "h100", {}, None),
        ("llama-3.1-8b", "h100", {"weights": "int4-g128"}, None),  # for storage alone
        ("llama-3.1-8b", "h100", {"weights": "q8_0"}, None),
    ],
)
def test_narrower_products_are_named_where_there_are_any(
    model: str, hw: str, more: dict[str, str], says: str | None
) -> None:
    found = narrower_products(setup(model, hw, **more))
    assert len(found) == (says is not None)
    assert says is None or says in found[0]


def test_a_mean_peak_says_of_which_it_is_made() -> None:
    """Attention and the LM head run in 16 bits: of an H100 989.4 TFLOP/s, beside 1979 (1978.9) in fp8."""
    one = setup("llama-3.1-8b", weights="fp8", compute="fp8")
    said = "1979 TFLOP/s fp8 and 989.4 TFLOP/s bf16, weighted by FLOP (harmonic mean)"
    assert peak_lines([one]) == [f"peak and I*: of {said}"]
    assert peak_lines([setup("llama-3.1-8b", weights="fp8")]) == []
    both = peak_lines([one, setup("llama-3.1-8b", "b200", weights="fp8", compute="fp8")])
    assert [line.partition(": ")[0] for line in both] == ["peak and I* of h100-sxm", "peak and I* of b200"]


def test_mla_says_which_phase_is_which() -> None:
    one = setup("deepseek-v3")
    tables = [one.prefill, one.decode]
    said = [text for text in assumptions(tables) if text.startswith("MLA")]
    assert [text.partition(":")[0] for text in said] == ["MLA naive in prefill", "MLA absorbed in decode"]
    from roofline.transformer.conventions import Conventions

    alike = one.with_(conventions=Conventions(mla="absorbed"))
    said = [text for text in assumptions([alike.prefill, alike.decode]) if text.startswith("MLA")]
    assert [text.partition(":")[0] for text in said] == ["MLA absorbed in prefill and decode"]


def test_attention_in_another_precision_than_the_products_is_said() -> None:
    one = setup("llama-3.1-8b", "h100", weights="fp8", compute="fp8", kv="fp8")
    assert "products in fp8 (of attention in bf16)" in work_line([one])
    assert "products in bf16;" in work_line([setup("llama-3.1-8b", "h100", weights="fp8")])


def test_a_part_that_a_model_has_not_is_not_said_to_stay() -> None:
    bare = setup("llama-3.1-8b", "h100", weights="int4")._replace(architecture=by_hand(params=13e9))
    assert " stay in " not in work_line([bare])
