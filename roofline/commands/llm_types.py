"""What the options of a model take beyond sizes and formats: a model, parameters, parts, experts, a rate of tokens."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

import click

from roofline.commands.sizes import size
from roofline.errors import InputError
from roofline.text import quote

if TYPE_CHECKING:
    _ExpertsType = click.ParamType[str | int]
    _FloatType = click.ParamType[float]
    _PartsType = click.ParamType[frozenset[str]]
    _StrType = click.ParamType[str]
else:
    _ExpertsType = _FloatType = _PartsType = _StrType = click.ParamType

# Compiled where they are used: most runs give neither.
_PARAMETERS: Final = r"([0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE]\+?[0-9]{1,2})?) ?([KMBT]?)"
_SCALES: Final = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
_RATE: Final = r"([0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,3})?) ?(?:(?:tok|token|tokens|t)/s)?"


class ParametersType(_FloatType):
    """A number of parameters, such as 70e9 or 70B."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ARG002
        """The number; an error names the option."""
        if not isinstance(value, str):
            return float(value)
        match = re.fullmatch(_PARAMETERS, value.strip().replace("_", ""))
        name = param.opts[-1] if param is not None else "value"
        if match is None:
            capital = value.strip().upper()
            right = (
                capital
                if re.fullmatch(_PARAMETERS, capital) and capital.strip("0.KMBT ") and "E" not in capital
                else "70e9 or 70B"
            )
            raise InputError(f"{name} must be a number of parameters, got {quote(value)}", hint=f"write {right}")
        return round(float(match[1]) * _SCALES[match[2]], 3)


class ModelType(_StrType):
    """A preset or a file; only completed here, looked up later."""

    name = "MODEL"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG002
        """The ids of the presets and the subcommands, and the aliases where neither fits."""
        from click.shell_completion import CompletionItem

        from roofline.transformer import find, presets

        if find.is_path(incomplete) or incomplete.startswith((".", "/", "~")):
            return [CompletionItem(incomplete, type="file")]
        known = presets.presets()
        names = [name for name in (*known, "list", "show") if name.startswith(incomplete)]
        names = names or sorted(alias for alias, _ in presets.aliases(known) if alias.startswith(incomplete))
        return [CompletionItem(name) for name in names]


class PartsType(_PartsType):
    """Parts of the weights, with commas between them; their names are judged where they are used."""

    name = "PART,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> frozenset[str]:  # noqa: ARG002
        """The parts; none of them where that is said."""
        parts = value.split(",") if isinstance(value, str) else value
        found = frozenset(part.strip().lower() for part in parts)
        if "none" in found and len(found) > 1:
            raise InputError(f"--keep is none or parts, got {quote(value)}")
        return found - {"none"}


class ExpertsType(_ExpertsType):
    """How many distinct experts a step touches: a word or a number."""

    name = "expected|min|max|all|N"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """The words as they are written."""
        return self.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | int:  # noqa: ARG002
        """A word, which the conventions judge, or a number."""
        return size(value, name="--experts") if isinstance(value, str) and value.strip().isdigit() else value


class TokenRateType(_FloatType):
    """Tokens a second, with or without their unit."""

    name = "TOK/S"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ARG002
        """The rate; an error names the option."""
        if not isinstance(value, str):
            return float(value)
        match = re.fullmatch(_RATE, value.strip().lower())
        rate = float(match[1]) if match else 0.0
        if not 0 < rate < math.inf:
            name = param.opts[-1] if param is not None else "value"
            raise InputError(
                f"{name} must be a rate > 0 in tokens/s, got {quote(value)}", hint="for example 41 or 41tok/s"
            )
        return rate
