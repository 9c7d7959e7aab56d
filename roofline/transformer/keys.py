"""The keys of a model's configuration, under all their spellings, each checked, and errors that name file and key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from roofline.errors import FileError
from roofline.text import clip, counted
from roofline.transformer import limits

HIDDEN: Final = ("hidden_size", "n_embd", "d_model", "hidden_dim")
DEPTH: Final = ("num_hidden_layers", "n_layer", "num_layers", "n_layers")
HEADS: Final = ("num_attention_heads", "n_head", "n_heads", "num_heads")
KV_HEADS: Final = ("num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv")
WIDTH: Final = ("intermediate_size", "ffn_dim", "n_inner", "ffn_hidden_size")
VOCABULARY: Final = ("vocab_size", "padded_vocab_size")
LONGEST: Final = ("max_position_embeddings", "n_positions", "n_ctx", "seq_length", "max_seq_len")
_LIMITS: Final = {
    **dict.fromkeys(DEPTH, limits.DEPTH),
    **dict.fromkeys(VOCABULARY, limits.VOCAB),
    **dict.fromkeys((*LONGEST, "sliding_window"), limits.CONTEXT),
}
# Keys of which 0 says that there is none, as null does; of all others it is an impossible value.
_NONE_AT_0: Final = frozenset(
    {
        *("head_dim", "sliding_window", "max_window_layers", "q_lora_rank", "num_nextn_predict_layers"),
        *("n_shared_experts", "shared_expert_intermediate_size", "first_k_dense_replace"),
    }
)

_WRITTEN: Final = 10**30


def refusal(where: str, message: str, hint: str | None = None) -> FileError:
    """An error of a file, which names it."""
    return FileError(f"{where}: {message}", hint=hint)


class Keys:
    """A configuration, of which only what is asked for is checked."""

    def __init__(
        self,
        values: Mapping[str, Any],
        where: str,
        names: Mapping[str, str] | None = None,
        *,
        kind: str = "",
        defaults: Mapping[str, int | bool] | None = None,
    ) -> None:
        self.values = values
        self.where = where
        self.names = names or {}  # what the file calls a key, where that is another word
        self.kind = kind  # the model_type
        self.defaults = defaults or {}  # of its configuration class
        self._assumed: dict[str, int | bool] = {}

    @property
    def hidden(self) -> int:
        """The hidden size, h."""
        return self.whole(*HIDDEN)

    def error(self, message: str, hint: str | None = None) -> FileError:
        """An error that names the file."""
        return refusal(self.where, message, hint)

    def called(self, *spellings: str) -> str:
        """What the file calls a key: under the spelling that it has, else the first."""
        key = next((key for key in spellings if self.values.get(key) is not None), spellings[0])
        return self.names.get(key, key)

    def product(self, first: tuple[str, int], second: tuple[str, int]) -> None:
        """Refuse two sizes, each possible, whose product is not.

        Raises:
            FileError: names both keys.

        """
        (one, a), (two, b) = first, second
        if a * b > limits.SIZE:
            raise self.error(f"{one} x {two} must be at most {limits.SIZE:,}, got {a:,} x {b:,}")

    def whole(self, *spellings: str) -> int:
        """A whole number from 1 on that must be there, or have a default in the family.

        Raises:
            FileError: no such key under any spelling, another value, or two spellings that disagree.

        """
        found = self.maybe(*spellings)
        if found is None:
            for key in spellings:
                if self.values.get(key) is not None:
                    return self._number(key)  # which 0 is not
            first = self.names.get(spellings[0], spellings[0])
            others = f" (nor {', '.join(spellings[1:])})" if spellings[1:] and not self.names else ""
            raise self.error(f"no key {first}{others}")
        return found

    def demand(self, *wanted: tuple[str, ...]) -> None:
        """Refuse a file that lacks any of these keys, each under all its spellings; names all that it lacks.

        Raises:
            FileError: some are missing, or a value is impossible.

        """
        absent = [spellings for spellings in wanted if self.maybe(*spellings) is None]
        if absent[1:]:
            raise self.error(f"no keys {', '.join(self.names.get(first, first) for first, *_ in absent)}")
        if absent:
            self.whole(*absent[0])

    def maybe(self, *spellings: str) -> int | None:
        """As :meth:`whole`, but None where no spelling is there; null is no value, nor 0 of what there may be none of.

        Raises:
            FileError: another value than a whole number from 1 on, or two spellings that disagree.

        """
        given = {key: self._number(key) for key in spellings if self._has(key)}
        if len(set(given.values())) > 1:
            said = (f"{self.names.get(key, key)} is {value}" for key, value in given.items())
            raise self.error(f"contradicts itself: {', '.join(said)}")
        if given:
            return next(iter(given.values()))
        for key in spellings:
            if key in self.defaults and key not in self.values:
                self._assumed[key] = self.defaults[key]
                return int(self.defaults[key])
        return None

    def flag(self, key: bool | str) -> bool:
        """A constant as it is, a key by its value; what is missing is the family's default, or false.

        Raises:
            FileError: another value than true or false.

        """
        if isinstance(key, bool):
            return key
        value = self.values.get(key)
        if value is None:
            return bool(self.defaults.get(key, False))
        if not isinstance(value, bool):
            raise self.error(f"{self.names.get(key, key)} must be true or false, got {_shown(value)}")
        return value

    def words(self, key: str, length: int) -> list[str] | None:
        """A list of as many words; None where it is not there.

        Raises:
            FileError: no list of words, or of another length.

        """
        value, name = self.values.get(key), self.names.get(key, key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise self.error(f"{name} must be a list of words, got {_shown(value)}")
        if len(value) != length:
            raise self.error(f"{name} names {counted(len(value), 'layer')}, but the model has {length}")
        return value

    def assumed(self, *spellings: str) -> tuple[str, ...]:
        """What was taken from the family's defaults, in words; of these keys alone if any are named."""
        return tuple(
            f"{self.names.get(key, key)} is not in the file: {value}, as transformers takes it for {self.kind}"
            for key, value in self._assumed.items()
            if not spellings or key in spellings
        )

    def _has(self, key: str) -> bool:
        value = self.values.get(key)
        return value is not None and not (key in _NONE_AT_0 and type(value) in (int, bool) and not value)

    def _number(self, key: str) -> int:
        value = self.values[key]
        largest = _LIMITS.get(key, limits.SIZE)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= largest:
            name = self.names.get(key, key)
            raise self.error(f"{name} must be a whole number from 1 to {largest:,}, got {_shown(value)}")
        return value


def _shown(value: object) -> str:
    if isinstance(value, int) and abs(value) > _WRITTEN:  # Python writes no number of thousands of digits
        return "more" if value > 0 else "less"
    return clip(repr(value))
