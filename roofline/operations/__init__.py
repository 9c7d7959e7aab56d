"""Closed forms: FLOPs and bytes of an operation from its shapes, as in ``roofline.operations.gemm(m=8, n=8, k=8)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roofline.core.kernel import Kernel


def __getattr__(name: str) -> Callable[..., Kernel] | list[str]:
    # Whoever imports one module of this package must not pay for all of them, which only names of operations need.
    if name == "__all__":
        return __dir__()
    if name.isidentifier() and not name.startswith("__") and not _is_module(name):
        from roofline.operations.registry import operations  # noqa: PLC0415  (only names of operations need it)

        found = operations().get(name)
        if found is not None:
            return found.function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _is_module(name: str) -> bool:
    from importlib.util import find_spec  # noqa: PLC0415  (a command that names no operation need not load it)

    return find_spec(f"{__name__}.{name}") is not None


def __dir__() -> list[str]:
    from roofline.operations.registry import operations  # noqa: PLC0415  (as above)

    return list(operations())
