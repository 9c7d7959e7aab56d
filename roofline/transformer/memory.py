"""What one device holds of a model at work: its weights, the KV cache, activations at their peak, and a reserve."""

from typing import NamedTuple

from roofline.operations.arguments import counts, sizes
from roofline.precision import storage
from roofline.records import self_checked
from roofline.transformer import choices
from roofline.transformer.architecture import Architecture
from roofline.transformer.formats import Formats
from roofline.transformer.parallel import shard
from roofline.transformer.tensors import bytes_by_part

_LOGIT = 4  # B; logits are kept in fp32
_SUM = 3  # hidden states of a residual sum: two read, one written


@self_checked
class Load(NamedTuple):
    """Sequences that a device, or each of several, serves at once.

    Raises:
        InputError: a number that is no whole number, or none at all.

    """

    batch: int = 1  # sequences
    positions: int = 1  # of each sequence at its end
    decoded: int = 0  # of these positions those that are no prompt, and come one a step
    chunk: int = choices.CHUNK  # tokens of a prompt that one step takes at most
    block: int = 1  # positions in which the cache is given out (vLLM: 16); 1: what is live
    reserve: int = 0  # B that nothing of this may use
    devices: int = 1  # between which each layer is split

    def _check(self) -> None:
        sizes(batch=self.batch, positions=self.positions, chunk=self.chunk, block=self.block, devices=self.devices)
        counts(reserve=self.reserve, decoded=self.decoded)

    @property
    def tokens(self) -> int:
        """Tokens of the largest step: a chunk of one prompt, or one token of each sequence."""
        return max(min(self.positions - self.decoded, self.chunk), self.batch)


class Demand(NamedTuple):
    """Bytes on each device; None is not known, which is not zero."""

    weights: int
    kv: int | None  # in whole blocks
    live: int | None  # KV of the positions that are there
    activations: int | None  # at their peak
    reserve: int

    @property
    def known(self) -> int:
        """The sum of all that is known: the least that is needed.

        >>> Demand(weights=10, kv=None, live=None, activations=None, reserve=1).known
        11

        """
        return self.weights + (self.kv or 0) + (self.activations or 0) + self.reserve

    @property
    def complete(self) -> bool:
        """Whether nothing is unknown."""
        return self.kv is not None and self.activations is not None

    def fits(self, capacity: float) -> bool | None:
        """Whether it fits into so many bytes; None if that depends on what is not known."""
        if self.known > capacity:
            return False
        return True if self.complete else None


def demand(model: Architecture, formats: Formats, load: Load) -> Demand:
    """What each device holds, in B: its share of the weights, the cache of all sequences at their end, and the rest.

    Raises:
        InputError: devices that the heads cannot be split between.

    """
    part = shard(model, load.devices)
    known = bool(part.layers)
    return Demand(
        weights=weight_bytes(part, formats),
        kv=kv_bytes(part, formats, load) if known else None,
        live=live_bytes(part, formats, load) if known else None,
        activations=activation_bytes(part, formats, load) if known and part.vocab else None,
        reserve=load.reserve,
    )


def weight_bytes(model: Architecture, formats: Formats) -> int:
    """Bytes of all weights, each part in its format; a tied LM head is stored once.

    In the formats of a file that lists its tensors, each in its own type, with those that are no parameters.

    >>> from roofline.transformer.by_hand import by_hand
    >>> weight_bytes(by_hand(params=70e9), Formats()) == 2 * 70 * 10**9
    True

    """
    held = model.quantization
    further = held.further if held is not None and model.holds(formats) else 0
    return sum(bytes_by_part(model, formats).values()) + further


def kv_bytes(model: Architecture, formats: Formats, load: Load) -> int:
    """Bytes that an allocator gives out for the KV cache: each sequence has whole blocks of positions in each layer.

    Kwon et al.: PagedAttention, arXiv:2309.06180, section 4. A layer with a window keeps no more positions than it.

    Raises:
        InputError: nothing is known of the layers.

    >>> from roofline.transformer.presets import find
    >>> kv_bytes(find("llama-3.1-8b"), Formats(), Load(positions=17, block=16)) == 2 * 16 * 32 * 2 * 8 * 128 * 2
    True

    """
    return load.batch * _kv(model, formats, load, load.block)


def live_bytes(model: Architecture, formats: Formats, load: Load) -> int:
    """Bytes of the KV cache that hold a position.

    Raises:
        InputError: nothing is known of the layers.

    """
    return load.batch * _kv(model, formats, load, 1)


def _kv(model: Architecture, formats: Formats, load: Load, block: int) -> int:
    """Bytes of one sequence in all layers."""
    _ = model.kv_elements_per_token  # says what is missing, if anything is
    held = storage(formats.kv, name="kv")
    total = 0
    for count, layer in model.layers:
        window = layer.attention.window
        positions = load.positions if window is None else min(load.positions, window)
        total += count * held.size_of(-(-positions // block) * block * layer.attention.kv_elements)
    return total


def activation_bytes(model: Architecture, formats: Formats, load: Load) -> int | None:
    """Bytes of the largest operator's inputs and outputs, or of the logits of the last tokens; None if unknown.

    An operator's operands are all live while it runs, so that no step can do with less. Attention is fused, so no
    scores are held; the residual stream, which outlives an operator, is not added. Logits are those of one token of
    each sequence, with the hidden states that they are made of.

    >>> from roofline.transformer.presets import find
    >>> peak = activation_bytes(find("llama-3.1-8b"), Formats(), Load(positions=8192))
    >>> peak == 8192 * 3 * 14336 * 2  # the gated activation: gate and up read, their product written
    True

    """
    widest = _SUM * model.hidden
    for _, layer in model.layers:
        elements = layer.widest(model.hidden)
        if elements is None:
            return None
        widest = max(widest, elements)
    held = storage(formats.activations, name="activations")
    logits = held.size_of(load.batch * model.hidden) + _LOGIT * load.batch * model.vocab
    return max(held.size_of(load.tokens * widest), logits)
