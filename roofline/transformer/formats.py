"""The number formats of a model: of its weights part by part, its KV cache, its activations, its arithmetic."""

from typing import Final, Literal, NamedTuple

from roofline.errors import InputError
from roofline.precision import PRECISIONS, Format, parse, remarks, storage
from roofline.records import self_checked
from roofline.text import quote

Part = Literal["embedding", "attention", "mlp", "experts", "router", "vectors", "head", "unplaced"]
PARTS: Final[tuple[Part, ...]] = (
    "embedding",  # the table of tokens, and that of positions
    "attention",  # matrices of projections
    "mlp",  # matrices that all tokens pass, shared experts among them
    "experts",  # matrices of routed experts
    "router",
    "vectors",  # norms, biases, sinks
    "head",  # the LM head, even where it is the embedding
    "unplaced",  # matrices known in sum only, of a model described by hand
)
_KEPT: Final[frozenset[Part]] = frozenset({"embedding", "router", "vectors", "head"})
_KEPT_BY_GGUF: Final[frozenset[Part]] = frozenset({"router", "vectors"})
PLAIN_BITS: Final = 16  # of what nobody quantises: activations, cache, and the parts that stay as they are


@self_checked
class Formats(NamedTuple):
    """Names of :mod:`roofline.precision`, in their standard spelling.

    Raises:
        UnknownNameError: no such format; the nearest are named.
        InputError: a part that does not exist, or a mix of weight formats where one array is meant.

    >>> int4 = Formats(weights="awq")
    >>> int4.weights, int4.of("experts").name, int4.of("head").name
    ('int4-g128', 'int4-g128', 'bf16')

    """

    weights: str = "bf16"
    kv: str = "bf16"
    activations: str = "bf16"
    compute: str = "bf16"  # precision in which matrices are multiplied; int4 weights are converted to it first
    plain: str = "bf16"  # of the parts that stay as they are
    kept: frozenset[Part] | None = None  # the parts that stay in `plain`; None: as checkpoints of this format have it

    def _check(self) -> "Formats | None":
        weights = storage(self.weights, name="weights", mixes=True)
        for part in sorted(self.kept or ()):
            if part not in PARTS:
                raise InputError(f"kept: no such part: {quote(part)}", hint=f"one of: {', '.join(PARTS)}")
        spelt = (
            weights.name,
            storage(self.kv, name="kv").name,
            storage(self.activations, name="activations").name,
            parse(self.compute, name="compute"),
            storage(self.plain, name="plain").name,
            kept_by(weights) if self.kept is None else frozenset(self.kept),
        )
        fixed = isinstance(self.kept, frozenset)  # and no set or list that somebody else could change
        return None if fixed and spelt == self else tuple.__new__(Formats, spelt)  # which needs no second look

    def of(self, part: Part) -> Format:
        """The format that holds the weights of a part."""
        return storage(self.plain if part in (self.kept or ()) else self.weights, mixes=True)

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be said of results that rest on these formats."""
        return remarks(self.weights, self.kv, self.activations)


def kept_by(weights: Format) -> frozenset[Part]:
    """The parts that a checkpoint of this format leaves at 16 bit.

    AWQ, GPTQ, NVFP4, MXFP4 and fp8 checkpoints leave embedding, LM head, router, norms and biases alone; llama.cpp
    quantises all but router, norms and biases (tools/quantize/README.md); 16 and 32 bits are for all alike.
    """
    if weights.name in PRECISIONS and PRECISIONS[weights.name].bits >= PLAIN_BITS:
        return frozenset()
    return _KEPT_BY_GGUF if weights.container == "gguf" else _KEPT
