"""A number that counts the FLOPs done with it: formulas run on it are a second witness for counts per element."""

from __future__ import annotations

import math
from collections.abc import Callable


class Tally:
    """How many FLOPs were done; numbers made by ``number`` count into it, an elementary function as one."""

    def __init__(self) -> None:
        self.flops = 0

    def number(self, value: float) -> Number:
        return Number(value, self)


class Number:
    """A float whose arithmetic is counted."""

    def __init__(self, value: float, tally: Tally) -> None:
        self.value, self.tally = value, tally

    def _count(self, value: float) -> Number:
        self.tally.flops += 1
        return Number(value, self.tally)

    def __add__(self, other: Number | float) -> Number:
        return self._count(self.value + _value(other))

    def __sub__(self, other: Number | float) -> Number:
        return self._count(self.value - _value(other))

    def __mul__(self, other: Number | float) -> Number:
        return self._count(self.value * _value(other))

    def __truediv__(self, other: Number | float) -> Number:
        return self._count(self.value / _value(other))

    def __rmul__(self, other: float) -> Number:
        return self._count(other * self.value)

    def __neg__(self) -> Number:
        return self._count(-self.value)

    def map(self, function: Callable[[float], float]) -> Number:
        return self._count(function(self.value))

    def exp(self) -> Number:
        return self.map(math.exp)

    def maximum(self, other: Number) -> Number:
        return self._count(max(self.value, other.value))


def _value(other: Number | float) -> float:
    return other.value if isinstance(other, Number) else other
