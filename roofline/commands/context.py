"""The context that travels with a JSON result: which version said it, to which command."""

from __future__ import annotations

from typing import Any

from roofline import __version__


def context(command: str, **more: Any) -> dict[str, Any]:
    """Version and command, and whatever else the command adds."""
    return {"roofline_version": __version__, "command": command, **more}
