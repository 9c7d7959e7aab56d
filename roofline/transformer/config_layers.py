"""The layers that a configuration describes, grouped by type: attention with its windows, dense MLPs and experts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from roofline.text import clip, counted, quote
from roofline.transformer.families import ExpertKeys, Family
from roofline.transformer.gqa import Gqa
from roofline.transformer.keys import DEPTH, HEADS, KV_HEADS, WIDTH, Keys
from roofline.transformer.layer import Layer, Types
from roofline.transformer.mlp import Dense

if TYPE_CHECKING:
    from roofline.transformer.exclusions import Mlp
    from roofline.transformer.mla import Mla
    from roofline.transformer.moe import Moe

_PER_TOKEN: Final = ("num_experts_per_tok", "experts_per_token", "num_experts_per_token", "moe_topk")

_DEEP: Final = 100  # layers, of a file that does not say; no model has so many dense ones before the first experts


def needed(keys: Keys, family: Family) -> Iterator[tuple[str, ...]]:
    """The keys without which the layers of a family cannot be built, each under all its spellings."""
    yield from (DEPTH, HEADS)
    if family.attention == "mla":
        yield from (("kv_lora_rank",), ("qk_nope_head_dim",), ("qk_rope_head_dim",), ("v_head_dim",))
    sparse = _sparse(keys, family, keys.maybe(*DEPTH) or _DEEP)
    if not all(sparse) and family.usual_width is None:
        yield WIDTH
    if any(sparse) and family.moe is not None:
        yield from (family.moe.number, _PER_TOKEN, family.moe.width)


def layers_of(keys: Keys, family: Family, types: Sequence[Types] = ()) -> tuple[tuple[int, Layer], ...]:
    """Layer types with their number, in the order in which they first appear.

    With the types of the tensors of each layer, layers of other types are of another type.

    Raises:
        FileError: a key is missing or has an impossible value, or a layer is of an unsupported kind.
        InputError: sizes that contradict one another.

    """
    depth = keys.whole(*DEPTH)
    _check_dense(keys, family, depth)
    windows, sparse = _windows(keys, family, depth), _sparse(keys, family, depth)
    counts: dict[tuple[int | None, bool, Types], int] = {}
    for kind in zip(windows, sparse, types or [()] * depth, strict=True):
        counts[kind] = counts.get(kind, 0) + 1
    return tuple(
        (
            count,
            Layer(
                attention=_mla(keys, family) if family.attention == "mla" else _gqa(keys, family, window),
                mlp=_moe(keys, family, family.moe) if moe and family.moe else _dense(keys, family),
                norms=family.norms,
                norm_bias=family.norm_bias,
                types=held,
            ),
        )
        for (window, moe, held), count in counts.items()
    )


def mlps_of(keys: Keys, family: Family) -> list[Mlp]:
    """What MLP each layer has."""
    shared = family.moe is not None and any(
        keys.maybe(key) for key in (family.moe.shared, family.moe.shared_width) if key is not None
    )
    return [
        ("shared" if shared else "experts") if moe else "dense" for moe in _sparse(keys, family, keys.whole(*DEPTH))
    ]


def _gqa(keys: Keys, family: Family, window: int | None) -> Gqa:
    heads, called = keys.whole(*HEADS), keys.called(*HEADS)
    kv_heads = (keys.maybe(*KV_HEADS) or heads) if family.grouped else heads
    width, size = keys.maybe("head_dim"), keys.called("head_dim")
    if width is None:
        if keys.hidden % heads:
            raise keys.error(f"no key {size}, and {called} {heads} does not divide the hidden size {keys.hidden}")
        width = keys.hidden // heads
    assumed = next(iter(keys.assumed(*KV_HEADS)), None)
    if kv_heads > heads:
        raise keys.error(f"{keys.called(*KV_HEADS)} must not exceed {called}: {kv_heads} of {heads}", assumed)
    if heads % kv_heads:
        says = f"{keys.called(*KV_HEADS)} must divide {called}: {heads} is no multiple of {kv_heads}"
        raise keys.error(says, assumed)
    keys.product((called, heads), (size, width))
    norms = 0
    if family.qk_norm and keys.flag(family.qk_norm_key):
        norms = 2 * width if family.qk_norm == "head" else (heads + kv_heads) * width
    biased = keys.flag(family.biases)
    return Gqa(
        heads=heads,
        kv_heads=kv_heads,
        head_dim=width,
        qkv_bias=keys.flag(family.qkv_bias) and biased,
        output_bias=keys.flag(family.output_bias) and biased,
        qk_norm=norms,
        window=window,
        sinks=family.sinks,
    )


def _mla(keys: Keys, family: Family) -> Mla:
    from roofline.transformer.mla import Mla  # noqa: PLC0415  (a room is loaded for models that have it)

    for size in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"):
        keys.product((keys.called(*HEADS), keys.whole(*HEADS)), (keys.called(size), keys.whole(size)))
    return Mla(
        heads=keys.whole(*HEADS),
        q_lora_rank=keys.maybe("q_lora_rank"),
        kv_lora_rank=keys.whole("kv_lora_rank"),
        nope_dim=keys.whole("qk_nope_head_dim"),
        rope_dim=keys.whole("qk_rope_head_dim"),
        value_dim=keys.whole("v_head_dim"),
        bias=keys.flag(family.qkv_bias),
    )


def _dense(keys: Keys, family: Family) -> Dense:
    width = keys.maybe(*WIDTH)
    if width is None and family.usual_width is not None:
        width = family.usual_width * keys.hidden
    return Dense(
        width=keys.whole(*WIDTH) if width is None else width,
        gated=family.gated,
        bias=keys.flag(family.mlp_bias) and keys.flag(family.biases),
    )


def _moe(keys: Keys, family: Family, said: ExpertKeys) -> Moe:
    from roofline.transformer.moe import Moe  # noqa: PLC0415  (as above)

    experts, per_token = _routed(keys, said)
    width = keys.whole(*said.width)
    shared, number = width, 0
    if said.shared_width is not None:
        shared = keys.maybe(said.shared_width) or 0
        number = int(shared > 0)
    elif said.shared is not None:
        number = keys.maybe(said.shared) or 0
        keys.product((keys.called(said.shared), number), (keys.called(*said.width), width))
    return Moe(
        experts=experts,
        per_token=per_token,
        width=width,
        bias=family.expert_bias,
        router_bias=family.router_bias,
        shared_experts=number,
        shared_width=shared if number else 0,
        shared_gate=said.shared_width is not None and number > 0,
    )


def _routed(keys: Keys, said: ExpertKeys) -> tuple[int, int]:
    """Experts, and those of a token."""
    experts, per_token = keys.whole(*said.number), keys.whole(*_PER_TOKEN)
    if per_token > experts:
        names = keys.called(*_PER_TOKEN), keys.called(*said.number)
        raise keys.error(f"{names[0]} must not exceed {names[1]}: {per_token} of {experts}")
    keys.product((keys.called(*_PER_TOKEN), per_token), (keys.called(*said.width), keys.whole(*said.width)))
    return experts, per_token


def _sparse(keys: Keys, family: Family, depth: int) -> list[bool]:
    """Whether each layer has experts in place of one MLP."""
    if family.moe is None or family.moe.layers == "all":
        return [family.moe is not None] * depth
    if family.moe.layers == "behind":
        dense, every = keys.maybe("first_k_dense_replace") or 0, keys.maybe("moe_layer_freq") or 1
        return [i >= dense and i % every == 0 for i in range(depth)]
    every, listed = keys.maybe("decoder_sparse_step") or 1, keys.values.get("mlp_only_layers") or []
    if not isinstance(listed, list) or not all(type(layer) is int for layer in listed):
        raise keys.error("mlp_only_layers must be a list of layers")
    dense_ones = set(listed)
    return [i not in dense_ones and (i + 1) % every == 0 for i in range(depth)]


def _check_dense(keys: Keys, family: Family, depth: int) -> None:
    """Refuse dense layers that are not there; a default of the family may go beyond a model of few layers."""
    if family.moe is None or family.moe.layers == "all":
        return
    if family.moe.layers == "behind":
        key = "first_k_dense_replace"
        dense = (keys.maybe(key) or 0) if key in keys.values else 0
        if dense > depth:
            raise keys.error(f"{keys.called(key)} is {dense}, but the model has {counted(depth, 'layer')}")
        return
    for layer in keys.values.get("mlp_only_layers") or ():
        if not 0 <= layer < depth:
            raise keys.error(
                f"mlp_only_layers names layer {clip(str(layer))}, but the model has {counted(depth, 'layer')}",
                f"its layers are 0 to {depth - 1}",
            )


def _windows(keys: Keys, family: Family, depth: int) -> list[int | None]:
    """The sliding window of each layer; a window that ``use_sliding_window`` switches off is none."""
    asked = keys.flag("use_sliding_window")
    words = keys.words("layer_types", depth)
    if "use_sliding_window" in keys.values or family.window in ("asked", "late"):
        if not asked:
            words = None if words is None else ["full_attention" if w == "sliding_attention" else w for w in words]
    elif words is None and family.window == "never":
        return [None] * depth
    if words is None:
        words = _pattern(keys, family, depth, asked=asked)
    for word in words:
        if word not in ("full_attention", "sliding_attention"):
            raise keys.error(
                f"{keys.called('layer_types')}: {quote(word)} is not supported",
                "full_attention and sliding_attention are",
            )
    if "sliding_attention" not in words:
        return [None] * depth
    window = keys.whole("sliding_window")
    return [window if word == "sliding_attention" else None for word in words]


def _pattern(keys: Keys, family: Family, depth: int, *, asked: bool) -> list[str]:
    """What transformers makes of a configuration that lists no layer_types."""
    off = family.window == "never" or (family.window in ("asked", "late") and not asked)
    if off or keys.maybe("sliding_window") is None:
        return ["full_attention"] * depth
    if family.window == "pattern":
        period = keys.maybe("sliding_window_pattern") or family.period
        return ["sliding_attention" if (i + 1) % period else "full_attention" for i in range(depth)]
    late = family.window == "late" and keys.values.get("max_window_layers") != 0
    first = keys.whole("max_window_layers") if late else 0
    return ["sliding_attention" if i >= first else "full_attention" for i in range(depth)]
