"""Arguments of an operation against its annotations: another type is refused by name, before the call.

The modules of operations do not postpone annotations, which are read here and need not be compiled from text.
"""

from collections.abc import Callable, Mapping
from functools import cache, wraps
from operator import index
from typing import Any, Final, Literal, NamedTuple, TypeVar, cast, get_args, get_origin, get_type_hints

from roofline.core.kernel import Kernel
from roofline.errors import InputError, OutOfRangeError
from roofline.text import clip

Kind = Literal["size", "switch", "number", "word", "format", "sizes"]
F = TypeVar("F", bound=Callable[..., Kernel])

_KINDS: Final[dict[Any, Kind]] = {int: "size", bool: "switch", float: "number", str: "format", tuple: "sizes"}
_WANTED: Final[dict[Kind, str]] = {
    "size": "a whole number",
    "sizes": "whole numbers, such as (4, 4)",
    "switch": "True or False",
    "number": "a number",
    "word": "a word",
    "format": "the name of a number format, such as 'bf16'",
}
_SHOWN: Final = (str, float, bool, type(None))  # what is short when written; of all else the type is named


class Hint(NamedTuple):
    """What an annotation allows."""

    kind: Kind
    words: tuple[str, ...]  # what a "word" may be
    optional: bool  # None is allowed
    plain: type | None  # the type of which every value passes as it is


@cache
def hints(function: Callable[..., Kernel]) -> Mapping[str, Hint]:
    """What the annotations of an operation allow, by argument."""
    return {name: _hint(hint) for name, hint in get_type_hints(function).items() if name != "return"}


def _hint(hint: Any) -> Hint:
    arguments = get_args(hint)
    optional = type(None) in arguments
    if optional:
        hint = next(a for a in arguments if a is not type(None))
    if get_origin(hint) is Literal:
        return Hint("word", get_args(hint), optional, str)
    plain = get_origin(hint) or hint
    return Hint(_KINDS[plain], (), optional, None if plain is tuple else plain)


def typed(function: F) -> F:
    """The same function, which refuses arguments of another type than its annotations have.

    What has ``__index__``, as numpy's integers have, is a whole number; a list of them, or one alone, stands for a
    tuple. The domain of each argument is the function's to judge.
    """

    @wraps(function)
    def call(*args: Any, **given: Any) -> Kernel:
        known = hints(function)
        for name, value in given.items():
            hint = known.get(name)
            if hint is not None and type(value) is not hint.plain:  # most are of it, and pass as they are
                given[name] = _taken(name, value, hint)
        try:
            return function(*args, **given)  # what is positional, missing or unknown is Python's to name
        except OutOfRangeError as error:
            large = [name for name, value in given.items() if name in known and _is_large(value, known[name])]
            raise InputError(f"{', '.join(large)} are too large together: {error}") from None

    return cast("F", call)


def _taken(name: str, value: Any, hint: Hint) -> Any:
    if value is None and hint.optional:
        return None
    match hint.kind:
        case "size":
            return _whole(name, value, hint.kind)
        case "sizes":
            parts = value if isinstance(value, tuple | list) else (value,)
            return tuple(_whole(name, part, hint.kind) for part in parts)
        case "switch":
            return _of_type(name, value, hint.kind, bool)
        case "number":
            from numbers import Real  # noqa: PLC0415  (numbers are floats but for numpy's)

            return _of_type(name, value, hint.kind, Real)
        case _:
            return _of_type(name, value, hint.kind, str)


def _whole(name: str, value: Any, kind: Kind) -> Any:
    if isinstance(value, bool | float):  # no sizes either: the function refuses them, and says from where to where
        return value
    try:
        return index(value)
    except TypeError:
        raise _refused(name, value, kind) from None


def _of_type(name: str, value: Any, kind: Kind, wanted: type) -> Any:
    if not isinstance(value, wanted) or (kind == "number" and isinstance(value, bool)):
        raise _refused(name, value, kind)
    return value


def _refused(name: str, value: Any, kind: Kind) -> InputError:
    got = clip(repr(value)) if isinstance(value, _SHOWN) else f"a value of type {type(value).__name__}"
    return InputError(f"{name} must be {_WANTED[kind]}, got {got}")


def _is_large(value: Any, hint: Hint) -> bool:
    return (hint.kind == "size" and value is not None and value > 1) or (hint.kind == "sizes" and bool(value))
