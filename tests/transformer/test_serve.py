"""A model on a device from Python: figures as by hand, defaults and refusals as on the command line."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

import roofline
from roofline.commands.llm_setup import work_options
from roofline.core.device import given_device
from roofline.errors import InputError, RooflineError, UnknownNameError
from roofline.transformer.by_hand import by_hand
from roofline.transformer.setup import Setup
from tests.conftest import Runner
from tests.transformer.test_find import CONFIG

LINK = "link must be a name, or a bandwidth one way as a number in B/s, such as 450e9"
MODEL, H100 = roofline.model("llama-3.1-8b"), roofline.device("h100")
MODEL_BY_HAND = by_hand(layers=32, hidden=4096, heads=32, kv_heads=8, width=14336, vocab=128256)
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


def test_it_has_what_the_sheet_has(roofline: Runner) -> None:
    import roofline as package

    line = "llm llama-3.1-70b --hw h100 --devices 2 --context 512 --batch 4 --measured 120"
    found = json.loads(roofline(*line.split(), "--format", "json").out)
    serving = package.serve(package.model("llama-3.1-70b"), package.device("h100"), devices=2, context=512, batch=4)
    assert (serving.critical_batch, serving.crossover_context) == (
        found["critical_batch"],
        found["crossover_context_tokens"],
    )
    assert serving.critical.with_activations == found["critical_batch_with_activations"]
    assert serving.critical.at_one == found["critical_batch_at_context_1"]
    assert serving.critical.crossover_with_activations == found["crossover_context_with_activations_tokens"]
    names = ("smallest_devices", "longest_context", "largest_batch", "widest_weights")
    assert {name: getattr(serving, name) for name in names} == {name: found[name] for name in names}
    room = serving.room
    assert (room.capacity, room.served, room.gguf) == (
        found["memory_usable_byte"],
        found["widest_served_weights"],
        found["widest_gguf_weights"],
    )
    run = serving.measured(120)
    shares = (found["decode_measured_mfu"], found["decode_measured_mbu"], found["decode_share_of_bound"])
    assert (run.mfu, run.mbu, run.share) == shares


def test_a_measured_run_by_hand() -> None:
    """31 tokens/s of 14 GB of weights are 434 GB/s of 1 TB/s, and 31 x 14 GFLOP of 100 TFLOP/s."""
    chip = given_device(100e12, 1e12)
    run = roofline.serve(roofline.model(params=7e9), chip).measured(31)
    assert run.mbu == pytest.approx(0.434)
    assert run.mfu == pytest.approx(0.00434)
    assert (run.share, run.above_bound) == (run.mbu, False)
    wrong: Any
    for wrong in ("31tok/s", None, True):
        with pytest.raises(InputError, match=r"^tokens_per_s must be a number of tokens a second, such as 31, got "):
            roofline.serve(MODEL, H100).measured(wrong)
    for wrong in (0, -1, float("nan"), float("inf")):
        with pytest.raises(InputError, match=r"^measured tokens/s must be from 1e-15 to 1e\+15"):
            roofline.serve(MODEL, H100).measured(wrong)


def test_a_model_may_be_given_by_its_sizes() -> None:
    assert roofline.model(params=13e9).parameters == 13_000_000_000
    attention = roofline.model(params=70e9, layers=80, hidden=8192, heads=64, kv_heads=8)
    assert attention.kv_elements_per_token == 80 * 2 * 8 * 128
    shapes: dict[str, Any] = {"layers": 32, "hidden": 4096, "heads": 32, "kv_heads": 8, "width": 14336}
    assert roofline.model(**shapes, vocab=128_256) == MODEL_BY_HAND
    assert roofline.model(**shapes, vocab=32_000, num_experts=8, top_k=2).parameters == 46_702_792_704  # Mixtral-8x7B
    # gpt-2's MLP has two matrices: one of 4096 x 14336 less in each layer; the head is the embedding
    less = 32 * 4096 * 14336 + 128_256 * 4096
    assert MODEL_BY_HAND.parameters - roofline.model(**shapes, vocab=128_256, tied=True, gated=False).parameters == less


@pytest.mark.parametrize(
    ("name", "sizes", "message"),
    [
        ("gpt-2", {"params": 7e9}, r"^params describes a model by hand, but 'gpt-2' is named; leave one out$"),
        ("gpt-2", {"tied": True}, r"^tied describes a model by hand, but 'gpt-2' is named; leave one out$"),
        (None, {}, r"^a model by hand lacks layers, hidden, heads, width, vocab$"),
        (7e9, {}, r"^a model is named by text or a path, such as 'llama-3.1-8b', got 7000000000.0$"),
        (None, {"params": "13B"}, r"^params must be a number, such as 70e9, got '13B'$"),
        (None, {"layers": 32.0}, r"^layers must be a whole number from 1 to 1e15, got 32.0$"),
    ],
)
def test_a_model_that_is_none_is_refused(name: Any, sizes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        roofline.model(name, **sizes)


def test_a_path_is_a_model_too(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    assert roofline.model(tmp_path).hidden == roofline.model(tmp_path / "config.json").hidden == 64
    with pytest.raises(roofline.FileError):  # a path is no preset, whatever its name
        roofline.model(Path("llama-3.1-8b"))


def test_errors_that_a_caller_may_want_to_catch_are_public() -> None:
    for call, kind in (
        (lambda: roofline.model("no-such-model"), roofline.UnknownNameError),
        (lambda: roofline.model("nowhere.json"), roofline.FileError),
        (lambda: roofline.serve(MODEL, H100, batch=0), roofline.InputError),
    ):
        with pytest.raises(kind) as error:
            call()
        assert isinstance(error.value, roofline.RooflineError)


@pytest.mark.parametrize(
    ("work", "message"),
    [
        ({"latency": "5us"}, "latency must be a number of seconds, such as 5e-6, got '5us'"),
        ({"reserve": "5GB"}, "reserve must be a number of bytes, such as 5e9, got '5GB'"),
        ({"reserve": float("nan")}, "reserve must be 0 or 1 B at least, got nan B"),
        ({"mfu": "45%"}, "mfu must be a number above 0 and at most 1, such as 0.45, got '45%'"),
        ({"mbu": True}, "mbu must be a number above 0 and at most 1, such as 0.45, got True"),
        ({"mfu": 45}, "mfu must be above 0 and at most 1 (100 %), got 45"),
        ({"mbu": 0}, "mbu must be above 0 and at most 1 (100 %), got 0"),
        ({"batch": 1.5}, "batch must be a whole number from 1 to 1e15, got 1.5"),
        ({"batch": "8"}, "batch must be a whole number from 1 to 1e15, got '8'"),
        ({"weights": 8}, "weights must be the name of a format, such as fp8, got 8"),
        ({"keep": "head"}, "keep must be a list of parts of the weights, such as ['head'], got 'head'"),
        ({"keep": [1]}, "keep must be a list of parts of the weights, such as ['head'], got [1]"),
        ({"keep": 5}, "keep must be a list of parts of the weights, such as ['head'], got 5"),
        ({"experts": 2.5}, "experts must be a whole number from 1 on, or one of expected, min, max, all, got 2.5"),
        ({"link": "450GB/s"}, f"{LINK}, got '450GB/s'"),
        ({"link": [1]}, f"{LINK}, got [1]"),
        ({"link": 10**400}, "link must be a name, or a bandwidth between 1e-06 and 1e+40 B/s, got inf"),
    ],
)
def test_what_is_of_another_kind_is_told_what_to_give(work: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        roofline.serve(MODEL, H100, **work)
    assert str(error.value) == message


def test_a_share_in_percent_is_told_how_to_write_it() -> None:
    with pytest.raises(InputError) as error:
        roofline.serve(MODEL, H100, mfu=45)
    assert error.value.hint == "45 % is 0.45"


WRONG: list[Any] = ["x", "", 1.5, -1, float("nan"), float("inf"), [], ["x"], {}, True, b"1", 10**400, object()]
ARGUMENTS = [name for name in inspect.signature(roofline.serve).parameters if name not in ("model", "device")]


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
def test_no_argument_of_any_kind_is_a_fault_of_the_program(name: str, value: Any) -> None:
    try:
        serving = roofline.serve(MODEL, H100, **{name: value})
        assert serving.decode.total > 0
        assert serving.room.demand.known > 0
    except RooflineError as error:
        assert name in str(error) or "kept" in str(error)


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
        ({"prompt": "4k"}, r"^prompt must be a whole number from 1 to 1e15, got '4k'$"),
        ({"context": 8.5}, r"^context must be a whole number from 0 to 1e15, got 8.5$"),
        ({"batch": 0}, r"^batch must be a whole number from 1 to 1e15, got 0$"),
        ({"generate": -1}, r"^generate must be a whole number from 0 to 1e15, got -1$"),
        ({"kv_block": 0}, r"^kv_block must be a whole number from 1"),
        ({"latency": 1e9}, r"^latency must be from 0 to 1 s a serial step, got 1e\+09 s$"),
        ({"latency": float("nan")}, r"^latency must be from 0 to 1 s"),
        ({"reserve": 0.5}, r"^reserve must be 0 or 1 B at least, got 0.5 B$"),
        ({"devices": 2, "link": 0.0}, r"^link must be a name, or a bandwidth between 1e-06 and 1e\+40 B/s, got 0$"),
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


def test_a_context_that_follows_may_be_said() -> None:
    setup = roofline.serve(MODEL, H100, prompt=2000, generate=500, context=2500).setup
    assert setup == roofline.serve(MODEL, H100, prompt=2000, generate=500).setup._replace(target=setup.target)
    with pytest.raises(RooflineError, match=r"^context follows from prompt and generate"):
        roofline.serve(MODEL, H100, prompt=2000, generate=500, context=2501)


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


@pytest.mark.parametrize("link", ["nope", ""])
def test_a_link_that_a_device_has_not_is_refused_for_one_device_too(link: str) -> None:
    with pytest.raises(UnknownNameError, match="has no link"):
        roofline.serve(MODEL, H100, link=link)
