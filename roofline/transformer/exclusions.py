"""Which parts of a model a quantisation leaves at 16 bits, by the modules that it names as its exceptions.

They are listed by name, with wildcards or as regular expressions, for all layers or one by one. A part is a format of
all layers here, so what is listed of some layers only, or is not known, is handed back to be said.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from roofline.errors import InputError
from roofline.text import clip
from roofline.transformer.formats import Part

Mlp = Literal["dense", "experts", "shared"]  # of a layer: one MLP, routed experts, routed and shared ones

# transformers, vLLM and AutoAWQ; compressed-tensors; ModelOpt; vLLM's fp8; bitsandbytes
_LISTS: Final = ("modules_to_not_convert", "ignore", "exclude_modules", "ignored_layers", "llm_int8_skip_modules")
_MOST: Final = 100_000  # modules; each expert of DeepSeek-V3 by itself would be 45,000
_PATTERNS: Final = 5_000  # with wildcards, the numbers of layers aside; a list has some ten
_LONGEST: Final = 200  # characters of an expression, and its alternatives
_ALTERNATIVES: Final = 16

_GATED: Final = ("gate_proj", "up_proj", "down_proj")
_QKV: Final = ("q_proj", "k_proj", "v_proj")
_LATENT: Final = ("kv_a_proj_with_mqa", "kv_b_proj", "o_proj")


def _under(path: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{path}.{name}" for name in names)


# The matrices of a part in one layer, as modelling code calls them: each row is all of them in some families.
_ATTENTION: Final = (
    *(_under("self_attn", *_QKV, last) for last in ("o_proj", "out_proj", "dense")),
    _under("self_attn", "qkv_proj", "o_proj"),
    _under("self_attn", "q_proj", *_LATENT),
    _under("self_attn", "q_a_proj", "q_b_proj", *_LATENT),
    _under("attn", "c_attn", "c_proj"),
    _under("attention", "query_key_value", "dense"),
)
_DENSE: Final = (
    _under("mlp", *_GATED),
    _under("mlp", "gate_up_proj", "down_proj"),
    _under("mlp", "c_fc", "c_proj"),
    _under("mlp", "fc1", "fc2"),
    _under("mlp", "dense_h_to_4h", "dense_4h_to_h"),
    ("fc1", "fc2"),
)
_SHARED: Final = (_under("mlp.shared_experts", *_GATED), _under("mlp.shared_expert", *_GATED))
_EXPERTS: Final = (
    _under("mlp.experts.N", *_GATED),
    _under("mlp.experts", "gate_up_proj", "down_proj"),
    _under("block_sparse_moe.experts.N", "w1", "w2", "w3"),
)
_ROWS: Final[dict[Mlp, dict[Part, tuple[tuple[str, ...], ...]]]] = {
    "dense": {"attention": _ATTENTION, "mlp": _DENSE},
    "experts": {"attention": _ATTENTION, "experts": _EXPERTS},
    "shared": {"attention": _ATTENTION, "experts": _EXPERTS, "mlp": _SHARED},
}
_LAYER: Final = "model.layers.N"
# Compiled where they are used: few configurations list modules.
_NUMBERED: Final = r"(?s)(?:^|.*?[.*])(?:layers|h)\.(\d{1,9}|\*)(?![^.*])"
# What keeps 16 bits in any case, and what is of no language model; both may be listed, and change nothing.
_NOTHING: Final = (
    r"lm_head|embed|wte|wpe|norm|router|rotary|(?<![a-z])gate(?![a-z_])|_correction_bias|mtp|vis|image|audio"
    r"|multi_modal"
)


class _Entry(NamedTuple):
    text: str
    layer: int | None  # None: each
    modules: frozenset[str]


def modules_kept(said: Mapping[str, Any]) -> list[str]:
    """The modules that a quantization_config lists as not quantised, under all names of such lists.

    Raises:
        InputError: a list that is none, holds something else than text, or is too long.

    """
    found: list[str] = []
    for key in _LISTS:
        listed = said.get(key)
        if listed is None:
            continue
        if not isinstance(listed, list) or not all(isinstance(module, str) for module in listed):
            raise InputError(f"{key} must be a list of modules, got {clip(repr(listed))}")
        found += listed
    if len(found) > _MOST:
        raise InputError(f"{len(found)} modules are not quantised, at most {_MOST} are read")
    return list(dict.fromkeys(found))


def kept_parts(listed: Sequence[str], layers: Sequence[Mlp]) -> tuple[frozenset[Part], list[str]]:
    """The parts of which all matrices of all layers are listed, and the entries that do not count so.

    >>> kept_parts(["model.layers.0.self_attn*", "model.layers.1.self_attn*", "lm_head"], ["dense", "dense"])
    (frozenset({'attention'}), [])
    >>> kept_parts(["model.layers.0.self_attn*", "lm_head"], ["dense", "dense"])
    (frozenset(), ['model.layers.0.self_attn*'])

    """
    if not listed:
        return frozenset(), []
    entries = _entries(listed)
    everywhere = frozenset[str]().union(*(entry.modules for entry in entries if entry.layer is None))
    here: dict[int, set[str]] = {}
    for entry in entries:
        if entry.layer is not None:
            here.setdefault(entry.layer, set()).update(entry.modules)
    lacking = {
        part
        for layer, mlp in enumerate(layers)
        for part, rows in _ROWS[mlp].items()
        if not any(all(name in everywhere or name in here.get(layer, ()) for name in row) for row in rows)
    }
    rows_of = [(part, rows) for mlp in set(layers) for part, rows in _ROWS[mlp].items()]
    quantised = {name for part, rows in rows_of if part in lacking for row in rows for name in row}
    lost = (
        entry.text
        for entry in entries
        if not (entry.layer is not None and entry.layer >= len(layers))  # of layers that predict further tokens
        and (entry.modules & quantised if entry.modules else not re.search(_NOTHING, entry.text))
    )
    return frozenset(part for part, _ in rows_of if part not in lacking), list(dict.fromkeys(lost))


def _entries(listed: Sequence[str]) -> list[_Entry]:
    """What the lines of a list name; several of one line where a regular expression has alternatives."""
    found, known = [], dict[str, frozenset[str]]()
    for text in listed:
        for pattern in _wildcards(text):
            numbered = re.match(_NUMBERED, pattern)
            if numbered is None:
                layer, wanted = None, pattern
            else:
                layer = int(numbered[1]) if numbered[1] != "*" else None
                wanted = "" if re.search(_NOTHING, numbered[0]) else _LAYER + pattern[numbered.end() :]
            if wanted not in known and "*" in wanted and len(known) >= _PATTERNS:
                raise InputError(f"{len(listed)} modules are not quantised, by more than {_PATTERNS} patterns")
            modules = known[wanted] if wanted in known else _named(wanted)
            if "*" in wanted:
                known[wanted] = modules
            found.append(_Entry(text, layer, modules))
    return found


def _wildcards(text: str) -> list[str]:
    r"""Names in which ``*`` is anything, of a name or of a plain regular expression; none of any other expression.

    Expressions are not run: one of a foreign file could take for ever.

    >>> _wildcards(r"re:.*mlp\.(up|down)_proj$"), _wildcards("re:(.*a)*b"), _wildcards("lm_head")
    (['*mlp.up_proj', '*mlp.down_proj'], [''], ['lm_head'])

    """
    if not text.startswith("re:"):
        return [text]
    if len(text) > _LONGEST or text.count("|") >= _ALTERNATIVES or re.search(r"\)[*+?{]", text):
        return [""]
    plain = text.removeprefix("re:").removeprefix("^").replace(r"\.", "\0").replace(r"\d+", "*")
    plain = plain.replace(".*", "*").replace(".+", "*").replace("\0", ".")
    plain = plain.removesuffix("$") if plain.endswith("$") else f"{plain}*"
    before, opened, rest = plain.partition("(")
    inside, closed, after = rest.partition(")")
    if opened and not closed:
        return [""]
    each = [before + word + after for word in inside.removeprefix("?:").split("|")] if opened else [plain]
    return [name if re.search(r"[][\\(){}|?+^$]", name) is None else "" for name in each]


def _named(pattern: str) -> frozenset[str]:
    """The matrices of a layer that a name stands for: by themselves, by what holds them, or by a part of the path."""
    if "*" not in pattern:
        inner = f".{pattern.removeprefix(_LAYER + '.')}."
        whole = frozenset[str]().union(*_PATHS.values()) if pattern == _LAYER else frozenset[str]()
        return whole | (_PLAIN.get(inner, frozenset()))
    pieces = pattern.split("*")
    return frozenset[str]().union(*(names for path, names in _PATHS.items() if _fits(path, pieces)))


def _fits(path: str, pieces: Sequence[str]) -> bool:
    """Whether a path is these pieces with anything between them."""
    first, *between, last = pieces
    if not path.startswith(first):
        return False
    at = len(first)
    for piece in between:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return path.endswith(last) and len(path) - len(last) >= at


def _paths() -> dict[str, frozenset[str]]:
    """Each matrix of a layer, and each module that holds some, with the matrices that it stands for."""
    found: dict[str, set[str]] = {}
    for row in (*_ATTENTION, *_DENSE, *_SHARED, *_EXPERTS):
        for name in row:
            words = name.split(".")
            for end in range(len(words) + 1):
                found.setdefault(".".join((_LAYER, *words[:end])), set()).add(name)
    return {path: frozenset(names) for path, names in found.items()}


def _plain() -> dict[str, frozenset[str]]:
    """The same by each run of words within the path of a matrix."""
    found: dict[str, set[str]] = {}
    for name in _PATHS[_LAYER]:
        words = name.split(".")
        for start in range(len(words)):
            for end in range(start + 1, len(words) + 1):
                found.setdefault(f".{'.'.join(words[start:end])}.", set()).add(name)
    return {run: frozenset(names) for run, names in found.items()}


_PATHS: Final = _paths()
_PLAIN: Final = _plain()
