"""What may be said of a model's work, and what is taken where nothing is: words of conventions, and usual sizes.

Options and help texts are made of these; so nothing is imported here that ``--help`` would have to wait for.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

Attention = Literal["flash", "unfused"]  # unfused writes the scores to memory
Count = Literal["causal", "full"]  # full: the whole rectangle of pairs, as FLOP counters have it
Latent = Literal["auto", "absorbed", "naive"]  # auto: absorbed in decode, else naive
Logits = Literal["last", "all"]  # LM head on the last token of each sequence, or on all new ones
Touched = Literal["expected", "min", "max", "all"]  # distinct experts that a step touches in a layer

# The first of each is the default.
WORDS: Final[dict[str, tuple[str, ...]]] = {
    "attention": get_args(Attention),
    "count": get_args(Count),
    "mla": get_args(Latent),
    "logits": get_args(Logits),
}
EXPERTS: Final[tuple[str, ...]] = get_args(Touched)
CONVENTIONS: Final = (*WORDS, "experts")

PROMPT: Final = 4096  # tokens, or as many as the model can take
BATCH: Final = 1  # sequences
DEVICES: Final = 1
BLOCK: Final = 16  # positions in which vLLM gives out the cache
CHUNK: Final = 8192  # tokens of a prompt in one step, as serving engines cut long prompts
