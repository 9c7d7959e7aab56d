"""A model on a device from Python: figures as by hand, defaults and refusals as on the command line."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest

import roofline
from roofline.commands.llm_setup import work_options
from roofline.errors import InputError, RooflineError, UnknownNameError
from roofline.transformer.setup import Setup
from tests.conftest import Runner

MODEL, H100 = roofline.model("llama-3.1-8b"), roofline.device("h100")
# Without the embedding, of which a step reads one row a sequence (docs of the preset: 8,030,261,248 in all).
READ = 2 * 7_504_924_672
POSITION = 131_072  # B of KV cache: 32 layers x 2 x 8 heads x 128 x 2 B


def test_decode_by_hand() -> None:
    """8 sequences read the weights once, 1,024 positions each and 8 rows of the embedding; each writes a position."""
    serving = roofline.serve(MODEL, H100, batch=8, context=1024)
    least = (READ + 8 * 2 * 4096 + 8 * 1025 * POSITION) / 3.35e12
    assert serving.decode.least == pytest.approx(least, rel=1e-12)
    assert serving.decode.least_time_tokens_per_s == pytest.approx(8 / least)
    assert (serving.decode.bound, serving.prefill.bound) == ("memory", "compute")
    assert (serving.memory.weights, serving.memory.kv) == (2 * 8_030_261_248, 8 * 1024 * POSITION)
    assert serving.fits is True
    assert roofline.serve(roofline.model("llama-3.1-70b"), H100).fits is False  # 141 GB


def test_the_critical_batch_by_hand() -> None:
    """At context 1, B sequences do 2 x 7.505e9 B FLOP on 15.01e9 B: the ridge at 989.4 / 3.35 = 295.3 and a little."""
    assert roofline.serve(MODEL, H100, context=1).critical_batch == pytest.approx(296, abs=1.5)
    assert roofline.serve(roofline.model("llama-3.1-70b"), H100, context=4096).critical_batch is None


def test_generating_has_a_first_token_and_those_behind_it() -> None:
    serving = roofline.serve(MODEL, H100, prompt=100, generate=11)
    assert serving.setup.context == 111
    assert serving.generation is not None
    assert serving.generation.first_token == serving.prefill.total
    assert serving.generation.last_token == serving.decode.total
    assert roofline.serve(MODEL, H100).generation is None


def test_an_estimate_is_by_shares_that_somebody_measured() -> None:
    serving = roofline.serve(MODEL, H100, mfu=0.5, mbu=0.8)
    assert serving.prefill_estimate == pytest.approx(serving.prefill.compute / 0.5)  # compute-bound, twice as long
    assert serving.decode_estimate == pytest.approx(serving.decode.moved.least / 3.35e12 / 0.8)  # memory-bound
    assert roofline.serve(MODEL, H100).decode_estimate is None


def test_it_is_what_the_command_says(roofline: Runner) -> None:
    import roofline as package

    line = "llm deepseek-v3 --hw b200 --devices 8 --weights fp8 --batch 64 --context 9000 --mla naive --latency 2us"
    found = json.loads(roofline(*line.split(), "--format", "json").out)
    serving = package.serve(
        package.model("deepseek-v3"),
        package.device("b200"),
        devices=8,
        weights="fp8",
        batch=64,
        context=9000,
        mla="naive",
        latency=2e-6,
    )
    assert found["decode_total_time_s"] == serving.decode.total
    assert found["prefill_operator_time_s"] == serving.prefill.by_operator
    assert (found["fits"], found["critical_batch"]) == (serving.fits, serving.critical_batch)
    assert found["memory_needed_byte"] == serving.memory.known


def test_each_option_of_the_work_is_an_argument_with_its_default() -> None:
    @work_options
    def command() -> None:
        """Carry the options."""

    options = {param.name: param.default for param in command.__click_params__}  # type: ignore[attr-defined]
    arguments = {
        name: argument.default
        for name, argument in inspect.signature(roofline.serve).parameters.items()
        if name not in ("model", "device")
    }
    assert set(arguments) == set(options) - {"hw", "peak", "bw", "measured", "strict"}
    for name in ("batch", "devices", "chunk", "kv_block", "attention", "count", "mla", "experts", "logits"):
        assert arguments[name] == options[name]


def test_a_link_may_be_a_bandwidth() -> None:
    """64 all-reduces between 2 devices, 8,192 B each one way."""
    serving = roofline.serve(MODEL, H100, devices=2, link=50e9, context=1)
    assert serving.decode.link == pytest.approx(64 * 8192 / 50e9)


def test_bare_parameters_are_a_model_too() -> None:
    from roofline.transformer.by_hand import by_hand

    serving = roofline.serve(by_hand(params=7e9), H100)
    assert serving.decode.least == pytest.approx(14e9 / 3.35e12)
    assert serving.fits is None
    assert serving.memory.kv is None


def test_what_is_to_be_said_of_it() -> None:
    notes = roofline.serve(MODEL, roofline.device("m4max"), weights="awq").notes
    assert "weights: awq is taken as int4-g128" in notes
    assert "m4max has no bf16 peak: fp16 in its place" in notes


@pytest.mark.parametrize(
    ("work", "message"),
    [
        ({"prompt": 100, "context": 50}, r"^context must be at least the prompt, .* got 50 below 100$"),
        ({"context": 9, "generate": 9}, r"^context follows from prompt and generate"),
        ({"prompt": 0}, r"^prompt must be a whole number from 1 to 1e15, got 0$"),
        ({"prompt": "4k"}, r"^prompt must be a whole number from 1 to 1e15, got 4k$"),
        ({"context": 8.5}, r"^context must be a whole number from 0 to 1e15, got 8.5$"),
        ({"batch": 0}, r"^batch must be a whole number from 1 to 1e15, got 0$"),
        ({"generate": -1}, r"^generate must be a whole number from 0 to 1e15, got -1$"),
        ({"kv_block": 0}, r"^kv_block must be a whole number from 1"),
        ({"latency": 1e9}, r"^latency must be from 0 to 1 s a serial step, got 1e\+09 s$"),
        ({"latency": float("nan")}, r"^latency must be from 0 to 1 s"),
        ({"reserve": 0.5}, r"^reserve must be 0 or 1 B at least, got 0.5 B$"),
        ({"devices": 2, "link": 0.0}, r"^link must be a name, or a bandwidth > 0 in B/s, got 0$"),
        ({"weights": "fp9"}, r"^weights: unknown number format 'fp9'$"),
        ({"kv": "q4_k_m"}, r"^kv: q4_k_m is a mix"),
        ({"keep": ["tail"]}, r"^kept: no such part: 'tail'$"),
        ({"devices": 2, "link": "x"}, r"^h100-sxm has no link 'x'$"),
        ({"attention": "quick"}, r"^attention must be one of flash, unfused, got 'quick'$"),
    ],
)
def test_what_is_impossible_is_refused(work: dict[str, Any], message: str) -> None:
    with pytest.raises(RooflineError, match=message):
        roofline.serve(MODEL, H100, **work)


def test_names_in_place_of_models_and_devices_are_told_how_to_find_them() -> None:
    of: Any = roofline.serve
    with pytest.raises(InputError, match=r"^device must be what roofline.device\(\) gives, got 'h100'$"):
        of(MODEL, "h100")
    with pytest.raises(InputError, match=r"^model must be what roofline.model\(\) gives, got 'gpt-2'$"):
        of("gpt-2", H100)


def test_a_setup_alone_has_the_same_defaults() -> None:
    setup = roofline.serve(MODEL, H100).setup
    assert setup == Setup(architecture=MODEL, target=setup.target)


def test_tokens_to_generate_do_not_shorten_a_prompt_that_was_not_given() -> None:
    """4096 and 512; 8192 are all that a model is made for: then as many as leave room."""
    for generate, prompt in ((0, 4096), (512, 4096), (5000, 4096)):
        setup = roofline.serve(MODEL, H100, generate=generate).setup
        assert (setup.prompt, setup.context) == (prompt, prompt + generate)
    short = roofline.serve(roofline.model("gpt-2"), H100, generate=100).setup
    assert (short.prompt, short.context) == (1024 - 100, 1024)


@pytest.mark.parametrize("name", ["weights", "kv", "compute"])
def test_an_empty_format_is_no_default(name: str) -> None:
    with pytest.raises(UnknownNameError, match="unknown"):
        roofline.serve(MODEL, H100, **{name: ""})  # type: ignore[arg-type]
