"""What is counted how, where the field has more than one convention, and what that says of experts."""

from typing import NamedTuple

from roofline.errors import InputError
from roofline.operations.arguments import one_of
from roofline.records import self_checked
from roofline.text import clip
from roofline.transformer.choices import EXPERTS, WORDS, Attention, Count, Latent, Logits, Touched


@self_checked
class Conventions(NamedTuple):
    """How attention, mixtures and the LM head are counted; the defaults are those of a lower bound.

    Raises:
        InputError: a word that is none of those known, or a number of experts below 1.

    """

    attention: Attention = "flash"
    count: Count = "causal"  # type: ignore[assignment]  # in the place of a method that tuples have
    mla: Latent = "auto"
    experts: Touched | int = "expected"
    logits: Logits = "last"

    def _check(self) -> None:
        for name, words in WORDS.items():
            one_of(name, getattr(self, name), words)
        if isinstance(self.experts, str):
            one_of("experts", self.experts, EXPERTS)
        elif not _whole(self.experts) or self.experts < 1:
            known = f"a whole number from 1 on, or one of {', '.join(EXPERTS)}"
            raise InputError(f"experts must be {known}, got {clip(repr(self.experts))}")

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The conventions in words."""
        heads = "the last token of each sequence" if self.logits == "last" else "all new tokens"
        return (
            "attention: exact causal triangle" if self.count == "causal" else "attention: full rectangle of pairs",
            "flash: scores stay on the chip" if self.attention == "flash" else "unfused: scores moved 4 times",
            f"LM head on {heads}; the embedding is a gather",
            "norms and residual sums unfused",
            "q, k, v in one product",
            "gated MLPs move gate and up once more",
        )

    def touched(self, experts: int, per_token: int, tokens: float) -> float:
        """Experts of one layer whose weights a step reads.

        By expectation; at least k, as where all tokens choose alike; at most min(E, k T); all E, as an engine reads
        that computes every expert; or a number.

        >>> [Conventions(experts=how).touched(8, 2, 3) for how in ("expected", "min", "max", "all", 5)]
        [4.625, 2, 6, 8, 5]

        Raises:
            InputError: a given number below k or above E.

        """
        match self.experts:
            case "expected":
                return distinct_experts(experts, per_token, tokens)
            case "min":
                return per_token
            case "max":
                return min(experts, per_token * tokens)
            case "all":
                return experts
            case given if per_token <= given <= experts:
                return given
        raise InputError(
            f"experts must be from {per_token} (those of one token) to {experts} (all), got {self.experts}"
        )

    @property
    def of_experts(self) -> str:
        """How the distinct experts that a step touches are counted, in words."""
        return {
            "expected": "experts: expected number of distinct ones, each token's drawn uniformly and independently",
            "min": "experts: as few as one token has, as if all chose alike",
            "max": "experts: as many as the tokens can touch",
            "all": "experts: all are read, touched or not",
        }.get(
            str(self.experts),
            f"experts: {self.experts} {'is' if self.experts == 1 else 'are'} touched in each layer, as given",
        )


def distinct_experts(experts: int, per_token: int, tokens: float) -> float:
    """Expected number of different experts that T tokens touch, each k of E: E (1 - (1 - k/E)^T).

    One token passes by an expert with probability 1 - k/E, and all T of them with (1 - k/E)^T, as they are drawn
    independently; the expectation of the number touched is the sum of the others over the E experts. Exact for k
    different experts a token, uniformly drawn; real routers favour some, so fewer are touched. At least k, at most
    min(E, k T).

    >>> round(distinct_experts(8, 2, 3), 3), round(distinct_experts(256, 8, 64), 2)
    (4.625, 222.44)

    """
    return float(experts * (1 - (1 - per_token / experts) ** tokens))


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
