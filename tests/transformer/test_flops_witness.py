"""An independent witness: FLOPs of whole models as PyTorch counts them while transformers runs them.

The models are built at full size on the meta device, which holds no data, from the same configurations. PyTorch's
counter sees the matrix products; it takes a causal mask for no saving, and transformers applies the LM head to all
tokens, so that is how they are counted here too. What is left out of the comparison is the table of rotary angles,
which transformers makes as a product of an inner size of 1.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import roofline.transformer
from roofline.transformer.config import architecture
from roofline.transformer.conventions import Conventions
from roofline.transformer.formats import Formats
from roofline.transformer.presets import find
from roofline.transformer.step import Step
from roofline.transformer.table import table

torch: Any = pytest.importorskip("torch", reason="no torch to compare with: pip install '.[witness]'")
transformers: Any = pytest.importorskip("transformers", reason="no transformers: pip install '.[witness]'")
counter: Any = pytest.importorskip("torch.utils.flop_counter")

MODELS = ("llama-2-7b", "llama-2-70b", "llama-3.1-8b", "llama-3.2-1b", "qwen2.5-7b", "qwen3-32b", "gemma-2-9b", "phi-4")
AS_COUNTED = Conventions(count="full", logits="all")


def built(name: str) -> Any:
    path = Path(roofline.transformer.__path__[0]) / "models" / f"{name}.json"
    config = transformers.AutoConfig.for_model(**json.loads(path.read_text(encoding="utf-8"))["config"])
    with torch.device("meta"):
        return transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager")


def counted(model: Any, tokens: Any, **more: Any) -> int:
    with counter.FlopCounterMode(display=False) as mode, torch.no_grad():
        model(tokens, **more)
    by_module = mode.get_flop_counts()
    angles = sum(sum(found.values()) for name, found in by_module.items() if name.endswith("rotary_emb"))
    return int(mode.get_total_flops() - angles)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore")  # of libraries that warn of themselves
def test_prefill(name: str) -> None:
    model = built(name)
    for batch, prompt in ((1, 7), (3, 250)):
        tokens = torch.zeros(batch, prompt, dtype=torch.long, device="meta")
        ours = table(find(name), Step.prefill(prompt, batch=batch), Formats(), AS_COUNTED).flops
        assert counted(model, tokens) == ours


@pytest.mark.parametrize("name", ["llama-3.1-8b", "gemma-2-9b", "qwen3-32b"])
@pytest.mark.filterwarnings("ignore")
def test_decode_with_a_cache(name: str) -> None:
    """Two sequences of 90 tokens, and one more of each."""
    model = built(name)
    with torch.no_grad():
        cache = model(torch.zeros(2, 90, dtype=torch.long, device="meta"), use_cache=True).past_key_values
    next_token = torch.zeros(2, 1, dtype=torch.long, device="meta")
    ours = table(find(name), Step.decode(91, batch=2), Formats(), AS_COUNTED).flops
    assert counted(model, next_token, past_key_values=cache, use_cache=True) == ours


@pytest.mark.filterwarnings("ignore")
def test_windows_shorter_than_the_prompt_save_no_products() -> None:
    """Gemma-2 in small, whose every other layer has a window of 16: the mask is applied behind the product."""
    config = {
        "model_type": "gemma2",
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 4,
        "vocab_size": 500,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 24,
        "sliding_window": 16,
    }
    with torch.device("meta"):
        given = transformers.AutoConfig.for_model(**config)
        model = transformers.AutoModelForCausalLM.from_config(given, attn_implementation="eager")
    small = architecture(config, name="small", where="config.json")
    for tokens in (12, 40):
        ours = table(small, Step.prefill(tokens, batch=2), Formats(), AS_COUNTED).flops
        assert counted(model, torch.zeros(2, tokens, dtype=torch.long, device="meta")) == ours
    with torch.no_grad():
        cache = model(torch.zeros(2, 40, dtype=torch.long, device="meta"), use_cache=True).past_key_values
    next_token = torch.zeros(2, 1, dtype=torch.long, device="meta")
    ours = table(small, Step.decode(41, batch=2), Formats(), AS_COUNTED).flops
    assert counted(model, next_token, past_key_values=cache, use_cache=True) == ours


@pytest.mark.filterwarnings("ignore")
def test_latent_attention_of_transformers_is_the_naive_one() -> None:
    """DeepSeek-V3 with one layer, whose MLP is dense: cached keys and values are those of all heads, expanded.

    In prefill nothing is cached, so that each token is expanded once, as here.
    """
    config = {
        "model_type": "deepseek_v3",
        "hidden_size": 96,
        "intermediate_size": 208,
        "num_hidden_layers": 2,
        "vocab_size": 1000,
        "num_attention_heads": 6,
        "num_key_value_heads": 6,
        "first_k_dense_replace": 2,
        "q_lora_rank": 36,
        "kv_lora_rank": 24,
        "qk_nope_head_dim": 20,
        "qk_rope_head_dim": 12,
        "v_head_dim": 28,
    }
    given = transformers.AutoConfig.for_model(**config)
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(given, attn_implementation="eager")
    tokens = torch.zeros(2, 50, dtype=torch.long, device="meta")
    small = architecture(config, name="small", where="config.json")
    assert counted(model, tokens) == table(small, Step.prefill(50, batch=2), Formats(), AS_COUNTED).flops
