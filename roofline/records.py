"""Records that check themselves: named tuples, each of which refuses what it must not hold whenever one is made.

Frozen dataclasses do the same, at four times the price of a class, which every start of the program would pay. What a
record holds by key stands in a dictionary that cannot be changed either.
"""

from collections.abc import Iterable, Mapping
from functools import wraps
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol, TypeVar, Union, get_args, get_origin

from roofline.errors import InputError
from roofline.text import clip

if TYPE_CHECKING:

    class _Checked(Protocol):
        def _check(self) -> Any: ...


T = TypeVar("T", bound="_Checked")
U = TypeVar("U")
K = TypeVar("K")
V = TypeVar("V")


def self_checked(record: type[T]) -> type[T]:
    """Have a named tuple call its method ``_check`` on each that is made: by its name, ``_make`` or ``_replace``.

    What ``_check`` returns, if anything, stands in place of the record: the same with names in their standard spelling,
    say. Nor can it be given further attributes, where a subclass of a named tuple has room for what it computes once.

    >>> from typing import NamedTuple
    >>> @self_checked
    ... class Size(NamedTuple):
    ...     rows: int
    ...     def _check(self):
    ...         if self.rows < 1:
    ...             raise ValueError("rows must be >= 1")
    >>> Size(rows=4)._replace(rows=0)
    Traceback (most recent call last):
    ValueError: rows must be >= 1
    """
    plain: Any = record
    made = plain.__new__

    @wraps(made)
    def new(cls: Any, *values: Any, **named: Any) -> Any:
        one = made(cls, *values, **named)
        try:
            return one._check() or one
        except (TypeError, AttributeError, OverflowError) as error:
            raise InputError(_mistyped(one) or f"{cls.__name__}: {error}") from None

    def make(cls: Any, values: Iterable[Any]) -> Any:
        return new(cls, *values)

    plain.__new__, plain._make = new, classmethod(make)
    return fixed(record)


def _mistyped(one: Any) -> str | None:
    """Which field is of a type that its annotation does not allow, in words; None where all are as they should be."""
    for name, hint in _made_of(type(one)).items():
        value = getattr(one, name)
        if not _allowed(value, hint):
            wanted = "a number" if _allowed(0.5, hint) else getattr(hint, "__name__", str(hint))
            return f"{name} must be {wanted}, got {clip(repr(value))}"
    return None


def _made_of(record: type) -> Mapping[str, Any]:
    """The fields of a record with their annotations, whether they are its own or those of its base."""
    return next(each.__annotations__ for each in record.__mro__ if "_fields" in vars(each))


def _allowed(value: Any, hint: Any) -> bool:
    """Whether a value is of the type of an annotation; of a collection only what it is, not what is in it."""
    if isinstance(hint, str) or hint is Any:
        return True  # of a type that is only imported where types are checked
    if get_origin(hint) in (UnionType, Union):
        return any(_allowed(value, each) for each in get_args(hint))
    if get_origin(hint) is Literal:
        return isinstance(value, type(get_args(hint)[0]))
    kind = get_origin(hint) or hint
    return isinstance(value, (int, float) if kind is float else kind) and not (
        isinstance(value, bool) and kind is float
    )


def fixed(record: type[U]) -> type[U]:
    """Have the attributes of a record stay as they are; what it computes once it keeps all the same."""

    def refuse(self: Any, name: str, *_: Any) -> NoReturn:
        raise AttributeError(f"{name} of a {type(self).__name__} cannot be set; _replace makes another")

    plain: Any = record
    plain.__setattr__ = plain.__delattr__ = refuse
    return record


class FrozenDict(dict[K, V]):
    """A dictionary that cannot be changed, and so has a hash.

    >>> levels = FrozenDict({"L2": 5e12})
    >>> levels["L2"], levels == {"L2": 5e12}, hash(levels) == hash(FrozenDict(L2=5e12))
    (5000000000000.0, True, True)
    >>> levels["L2"] = 0.0
    Traceback (most recent call last):
    TypeError: it cannot be changed; make another with dict()

    """

    __slots__ = ()

    def __new__(cls, *values: Any, **named: Any) -> "FrozenDict[K, V]":
        """Make it of what a dictionary is made of."""
        made = super().__new__(cls)
        dict.update(made, *values, **named)
        return made

    def __init__(self, *_: Any, **__: Any) -> None:
        """All is there already, and no second call changes it."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("it cannot be changed; make another with dict()")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]  # dictionaries have none
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (dict(self),))
