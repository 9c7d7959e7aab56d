"""Closed forms: the FLOPs and bytes of an operation from its shapes, as in ``roofline.operations.gemm(m=..., n=..., k=...)``."""

from __future__ import annotations

from collections.abc import Callable

from roofline.core.kernel import Kernel


def __getattr__(name: str) -> Callable[..., Kernel]:
    from roofline.operations import registry

    found = registry.operations().get(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found.function


def __dir__() -> list[str]:
    from roofline.operations import registry

    return list(registry.operations())
