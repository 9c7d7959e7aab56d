"""The largest sizes that are believed of a model: far beyond all that were built, and small enough to reckon with.

A step has at most 1e9 tokens, so that no array of it exceeds what operations take; see roofline.operations.arguments.
"""

from __future__ import annotations

from typing import Final

SIZE: Final = (
    500_000  # of hidden size, heads, widths, experts; of heads x their size: some 50,000 are the largest known
)
VOCAB: Final = 10**8
CONTEXT: Final = 10**9  # positions, of a window too
DEPTH: Final = 100_000  # layers; each is looked at
