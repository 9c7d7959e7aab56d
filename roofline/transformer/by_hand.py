"""A model described by hand: by its shapes, or by its number of parameters and as much of its shapes as is known."""

from __future__ import annotations

from typing import Final

from roofline.errors import InputError
from roofline.operations.arguments import LARGEST, sizes
from roofline.text import clip
from roofline.transformer import limits
from roofline.transformer.architecture import Architecture
from roofline.transformer.gqa import Gqa
from roofline.transformer.layer import Layer
from roofline.transformer.mlp import Dense
from roofline.transformer.moe import Moe
from roofline.units import significant

_SHAPES: Final = ("layers", "hidden", "heads", "width", "vocab")
_BILLION: Final = 10**9
_ATTENTION: Final = ("layers", "hidden", "heads")
_UNPLACED: Final = "each parameter outside the attention is read once a step and makes 2 FLOP a token"


def by_hand(
    *,
    params: float | None = None,
    layers: int | None = None,
    hidden: int | None = None,
    heads: int | None = None,
    kv_heads: int | None = None,
    head_dim: int | None = None,
    width: int | None = None,
    vocab: int | None = None,
    num_experts: int | None = None,
    top_k: int | None = None,
    tied: bool = False,
    gated: bool = True,
    name: str | None = None,
) -> Architecture:
    """The architecture of which so much is known, in three steps.

    - params: weights and FLOPs of matrices; KV cache, attention and activations stay unknown.
    - params, layers, hidden and heads: KV cache and attention too; activations stay unknown.
    - layers, hidden, heads, width and vocab: everything, and params follows from them.

    Args:
        params: number of parameters, such as 70e9
        layers: number of layers
        hidden: hidden size, h
        heads: query heads
        kv_heads: heads of keys and values; None: as many as query heads
        head_dim: size of a head; None: hidden / heads
        width: width of the MLP, or of one expert
        vocab: rows of the embedding table
        num_experts: experts of each layer; None: one MLP
        top_k: experts that a token passes
        tied: the LM head is the embedding table
        gated: the MLP has a gate, and so three matrices in place of two
        name: what it is called; None: a model of so many parameters

    Raises:
        InputError: too little, too much, or sizes that contradict one another.

    >>> by_hand(params=70e9).parameters
    70000000000
    >>> by_hand(layers=32, hidden=4096, heads=32, kv_heads=8, width=14336, vocab=128256).parameters  # Llama-3.1-8B
    8030261248

    """
    given = {"layers": layers, "hidden": hidden, "heads": heads, "width": width, "vocab": vocab}
    missing = [word for word in _SHAPES if given[word] is None]
    for word, flag in (("tied", tied), ("gated", gated)):
        if not isinstance(flag, bool):
            raise InputError(f"{word} must be True or False, got {clip(repr(flag))}")
    _believed(heads=heads, head_dim=head_dim, hidden=hidden, kv_heads=kv_heads, width=width, num_experts=num_experts)
    _believed(limits.DEPTH, layers=layers)
    _believed(limits.VOCAB, vocab=vocab)
    further = {"width": width, "vocab": vocab, "num_experts": num_experts, "top_k": top_k}
    if params is not None:
        if not missing:
            raise InputError("params follows from the shapes, which are all given; leave it out")
        if tied or not gated:
            idle = "tied" if tied else "gated"
            raise InputError(f"{idle} has no effect beside params", hint="give all sizes in place of params")
        if any(value is not None for value in further.values()):
            said = ", ".join(word for word, value in further.items() if value is not None)
            raise InputError(
                f"{said} beside params, but not all of the shapes",
                hint=f"give {', '.join(missing)} too and leave out params, or leave out {said}",
            )
        return _counted(_whole(params), layers, hidden, heads, kv_heads, head_dim, name=name)
    if layers is None or hidden is None or heads is None or width is None or vocab is None:
        raise InputError(
            f"a model by hand lacks {', '.join(missing)}", hint="or give its number of parameters, such as 70e9"
        )
    sizes(layers=layers, hidden=hidden, vocab=vocab)
    if (num_experts is None) is not (top_k is None):
        raise InputError("num_experts and top_k go together; one of them is missing")
    mlp: Dense | Moe = Dense(width=width, gated=gated)
    if num_experts is not None and top_k is not None:
        sizes(top_k=top_k)
        if top_k > num_experts:
            raise InputError(f"top_k must not exceed num_experts: {top_k} of {num_experts}")
        if top_k * width > limits.SIZE:
            raise InputError(f"top_k x width must be at most {limits.SIZE:,}, got {top_k:,} x {width:,}")
        mlp = Moe(experts=num_experts, per_token=top_k, width=width, gated=gated)
    layer = Layer(attention=_gqa(hidden, heads, kv_heads, head_dim), mlp=mlp)
    found = Architecture(name="", hidden=hidden, vocab=vocab, layers=((layers, layer),), tied=tied, source="by hand")
    return found._replace(name=name or _by_size(found.parameters))


def _by_size(params: int) -> str:
    """What a model without a name is called.

    >>> _by_size(70 * 10**9), _by_size(124_439_808)
    ('a model of 70.00 B parameters', 'a model of 124.4 M parameters')

    """
    size, unit = (params / 1e9, "B") if params >= _BILLION else (params / 1e6, "M")
    return f"a model of {significant(size)} {unit} parameters"


def _counted(
    params: int,
    layers: int | None,
    hidden: int | None,
    heads: int | None,
    kv_heads: int | None,
    head_dim: int | None,
    *,
    name: str | None,
) -> Architecture:
    """A model whose parameters are known in sum, with or without its attention."""
    given = {"layers": layers, "hidden": hidden, "heads": heads, "kv_heads": kv_heads, "head_dim": head_dim}
    name = name or _by_size(params)
    if all(value is None for value in given.values()):
        unknown = "KV cache, attention and activations are unknown and not counted: nothing is known of the layers"
        return Architecture(
            name=name, hidden=0, vocab=0, layers=(), unplaced=params, source="by hand", notes=(unknown, _UNPLACED)
        )
    if layers is None or hidden is None or heads is None:
        missing = ", ".join(word for word in _ATTENTION if given[word] is None)
        raise InputError(f"the attention of a model by hand lacks {missing}", hint="or give params alone")
    sizes(layers=layers, hidden=hidden)
    layer = Layer(attention=_gqa(hidden, heads, kv_heads, head_dim), mlp=None, norms=0)
    attention = layers * layer.attention.matrices(hidden)
    if attention >= params:
        raise InputError(f"params is {params}, but the attention of {layers} such layers alone has {attention}")
    return Architecture(
        name=name,
        hidden=hidden,
        vocab=0,
        layers=((layers, layer),),
        final_norm=False,
        unplaced=params - attention,
        source="by hand",
        notes=(
            "norms, and activations of MLP, embedding and LM head are not counted: nothing is known of them",
            _UNPLACED,
        ),
    )


def _believed(largest: int = limits.SIZE, **given: int | None) -> None:
    """Refuse a size that no model has; products of two such would be no size of an array.

    Raises:
        InputError: names it.

    """
    for name, value in given.items():
        if value is None:
            continue
        sizes(**{name: value})
        if value > largest:
            raise InputError(f"{name} must be at most {largest:,}, got {value:,}")


def _gqa(hidden: int, heads: int, kv_heads: int | None, head_dim: int | None) -> Gqa:
    sizes(heads=heads)
    if head_dim is None and hidden % heads:
        raise InputError(f"head_dim is missing, and {heads} heads do not divide the hidden size {hidden}")
    size = hidden // heads if head_dim is None else head_dim
    if heads * size > limits.SIZE:
        raise InputError(f"heads x head_dim must be at most {limits.SIZE:,}, got {heads:,} x {size:,}")
    return Gqa(heads=heads, kv_heads=heads if kv_heads is None else kv_heads, head_dim=size)


def _whole(params: float) -> int:
    """A number of parameters, which people write as 70e9."""
    if isinstance(params, bool) or not isinstance(params, int | float):
        raise InputError(f"params must be a number, such as 70e9, got {clip(repr(params))}")
    if not 1 <= params <= LARGEST or params != int(params):
        got = "more" if params > LARGEST else f"{params:g}"  # an integer may be too large for a float
        raise InputError(f"params must be a whole number from 1 to 1e15, got {got}")
    return int(params)
