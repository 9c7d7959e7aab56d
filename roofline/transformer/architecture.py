"""The architecture of a decoder: its layers by type and number, its tables, and what follows exactly from them."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple

from roofline.errors import InputError
from roofline.operations.arguments import counts, sizes
from roofline.precision import PRECISIONS, parse, remarks
from roofline.records import FrozenDict, self_checked
from roofline.transformer.formats import PARTS, PLAIN_BITS, Formats, Part
from roofline.transformer.layer import Layer, Types


class Quantization(NamedTuple):
    """The format in which a checkpoint says that it holds its weights."""

    weights: str  # a name of roofline.precision
    kept: frozenset[Part] | None = None  # parts that stay at 16 bit; None: as is usual of the format
    types: Types = ()  # of the tensors beside those of layers, where the file lists all; the layers have their own
    further: int = 0  # B of tensors of that file that are none of these parameters
    rotary: int = 0  # B among them that each step reads: the factors of a rotary embedding
    note: str = ""  # what must be said of weights that are held so
    kv: str = ""  # the format of the KV cache where the checkpoint says one; else 16 bits
    kv_note: str = ""  # what must be said of a cache that is taken so


class _Fields(NamedTuple):
    """What an architecture is described by."""

    name: str
    hidden: int  # h; 0 where nothing but the number of parameters is known
    vocab: int  # V; 0 where embedding and LM head are known in sum only
    layers: tuple[tuple[int, Layer], ...]  # (count, type)
    tied: bool = False  # the LM head is the embedding table, stored once
    positions: int = 0  # rows of a learned table of positions (GPT-2, OPT)
    final_norm: bool = True
    norm_bias: bool = False  # of the final norm
    head_bias: bool = False
    unplaced: int = 0  # further parameters of matrices that every token passes, known in sum only
    dtype: str = "bf16"  # of the checkpoint where it is not quantised: a type of 16 bits
    quantization: Quantization | None = None
    longest_context: int | None = None  # tokens that the model was made for
    source: str = ""
    notes: tuple[str, ...] = ()  # what is left out: vision towers, layers for training alone


@self_checked
class Architecture(_Fields):
    """A decoder-only transformer. Layers are grouped by type, whatever order they have in the model.

    Raises:
        InputError: a size that is impossible, or a model without parameters.
        UnknownNameError: a dtype that is none.

    """

    def _check(self) -> "Architecture | None":
        counts(hidden=self.hidden, vocab=self.vocab, positions=self.positions, unplaced=self.unplaced)
        if self.layers or self.vocab:
            sizes(hidden=self.hidden)
        for count, _ in self.layers:
            sizes(layers=count)
        if self.longest_context is not None:
            sizes(longest_context=self.longest_context)
        if self.dtype not in PRECISIONS:
            return self._replace(dtype=parse(self.dtype, name="dtype"))
        if not (self.layers or self.unplaced):
            raise InputError(f"{self.name} has neither layers nor parameters")
        return None

    @property
    def plain(self) -> str:
        """The 16-bit type of what is not quantised: that of the checkpoint, or bf16 where it has another."""
        return self.dtype if PRECISIONS[self.dtype].bits == PLAIN_BITS else "bf16"

    @property
    def depth(self) -> int:
        """Number of layers."""
        return sum(count for count, _ in self.layers)

    @property
    def is_moe(self) -> bool:
        """Whether any layer has routed experts."""
        return any(layer.kind == "MoE" for _, layer in self.layers)

    @property
    def has_latent(self) -> bool:
        """Whether any layer caches a latent (MLA) in place of keys and values."""
        return any(layer.attention.kind == "latent" for _, layer in self.layers)

    @property
    def as_mha(self) -> "Architecture":
        """The same model with keys and values for each head."""
        return self._replace(layers=tuple((count, layer.as_mha()) for count, layer in self.layers))

    @property
    def parameters(self) -> int:
        """Parameters that are stored, a tied LM head once."""
        return sum(self.parameters_by_part.values())

    @property
    def active_parameters(self) -> int:
        """Parameters with k of the E experts of each layer, embedding table and LM head included."""
        return self.parameters - sum(self._sum(Layer.idle).values())

    @property
    def active_parameters_without_embedding(self) -> int:
        """The active parameters less an input table of tokens that is only looked up: one that is no LM head too."""
        return self.active_parameters - (0 if self.tied else self.vocab * self.hidden)

    @cached_property
    def parameters_by_part(self) -> Mapping[Part, int]:
        """Stored parameters of each part, which add up to the model; a tied LM head has none of its own."""
        parts = self._sum(Layer.parameters)
        norms = self.final_norm * self.hidden * (1 + self.norm_bias)
        parts["embedding"] += (self.vocab + self.positions) * self.hidden
        parts["head"] += 0 if self.tied else self.vocab * self.hidden
        parts["vectors"] += norms + self.head_bias * self.vocab
        parts["unplaced"] += self.unplaced
        return FrozenDict(parts)

    @property
    def kv_elements_per_token(self) -> int:
        """Elements that a token adds to the KV cache of all layers, before any window is full.

        Raises:
            InputError: nothing is known of the layers.

        """
        if not self.layers:
            raise InputError(
                f"the KV cache of {self.name} is unknown: nothing is known of its layers",
                hint="give layers, hidden size, heads and KV heads beside the parameters",
            )
        return sum(count * layer.attention.kv_elements for count, layer in self.layers)

    def formats(
        self,
        *,
        weights: str | None = None,
        kv: str | None = None,
        activations: str | None = None,
        compute: str | None = None,
    ) -> Formats:
        """The formats that are named, and for the others those of the checkpoint, or 16 bits.

        Arithmetic has 16 bits, whatever the weights are held in, and so has a cache of which the checkpoint says
        nothing. What it says of its cache holds with weights in another format too.

        Raises:
            UnknownNameError: no such format; the nearest are named.

        """
        plain = self.plain
        held = self.quantization
        named = Formats(
            weights=(held.weights if held else plain) if weights is None else weights,
            kv=self._cache if kv is None else kv,
            activations=plain if activations is None else activations,
            compute=plain if compute is None else compute,
            plain=plain,
        )
        if held is None or held.kept is None or named.weights != held.weights:
            return named
        return named._replace(kept=held.kept)

    def holds(self, formats: Formats) -> bool:
        """Whether these formats are those of the file, so that each tensor counts with a type of its own."""
        held = self.quantization
        return held is not None and bool(held.types) and (held.weights, held.kept) == (formats.weights, formats.kept)

    def notes_of(self, formats: Formats) -> tuple[str, ...]:
        """What must be said of results for this model in these formats."""
        held = self.quantization
        if held is None or formats.weights != held.weights or (held.types and not self.holds(formats)):
            return (*self.notes, *self._cache_note(formats), *formats.notes)
        rest = remarks(formats.kv, formats.activations) if held.types else formats.notes
        return (*self.notes, *([held.note] if held.note else ()), *self._cache_note(formats), *rest)

    @property
    def _cache(self) -> str:
        return (self.quantization.kv if self.quantization else "") or self.plain

    def _cache_note(self, formats: Formats) -> tuple[str, ...]:
        """What must be said of the cache of the checkpoint, unless another format was named for it."""
        said = self.quantization.kv_note if self.quantization else ""
        held = self.quantization.kv if self.quantization else ""
        return (said,) if said and formats.kv == (held or formats.plain) else ()

    def _sum(self, of: Callable[[Layer, int], dict[Part, int]]) -> dict[Part, int]:
        parts: dict[Part, int] = dict.fromkeys(PARTS, 0)
        for count, layer in self.layers:
            for part, parameters in of(layer, self.hidden).items():
                parts[part] += count * parameters
        return parts
