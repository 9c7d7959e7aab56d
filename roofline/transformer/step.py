"""A step of a batch: how many sequences, how many new tokens of each, how many in the cache already."""

from typing import NamedTuple

from roofline.operations.arguments import counts, sizes
from roofline.records import self_checked


@self_checked
class Step(NamedTuple):
    """B sequences, each with S new tokens after C cached ones: prefill has C = 0, decode S = 1.

    Raises:
        InputError: a number that is no whole number, or no token at all.

    >>> Step.prefill(4096).cached, Step.decode(4096).cached, Step.decode(4096, batch=8).tokens
    (0, 4095, 8)

    """

    batch: int = 1  # B
    new: int = 1  # S
    cached: int = 0  # C
    is_prompt: bool = False  # the new tokens are a whole prompt, be it of one token

    def _check(self) -> None:
        sizes(batch=self.batch, new=self.new)
        counts(cached=self.cached)

    @classmethod
    def prefill(cls, prompt: int, *, batch: int = 1) -> "Step":
        """The whole prompt at once, with nothing cached."""
        return cls(batch=batch, new=prompt, is_prompt=True)

    @classmethod
    def decode(cls, context: int, *, batch: int = 1) -> "Step":
        """One token that attends ``context`` positions, itself among them; 0, like 1, leaves nothing in the cache."""
        counts(context=context)
        return cls(batch=batch, cached=max(context - 1, 0))

    @property
    def tokens(self) -> int:
        """New tokens of all sequences, B S."""
        return self.batch * self.new

    @property
    def positions(self) -> int:
        """Positions of a sequence after the step, C + S."""
        return self.cached + self.new

    @property
    def is_decode(self) -> bool:
        """Whether each sequence has one new token, behind its prompt."""
        return self.new == 1 and not self.is_prompt
