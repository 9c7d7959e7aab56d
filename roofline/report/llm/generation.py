"""What generating takes, as columns and in a sentence: the first token, the steps behind it, and estimates of both."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from roofline import units
from roofline.report import Column, Value
from roofline.report.llm import Field, cells, columns
from roofline.text import counted
from roofline.transformer.served import Served

if TYPE_CHECKING:
    from roofline.transformer.generation import Generation


def _found(value: Callable[[Generation], float]) -> Callable[[Served], Any]:
    return lambda s: None if s.generation is None else value(s.generation)


def _estimated(value: Callable[[Generation], float]) -> Callable[[Served], Any]:
    return lambda s: Value(None, None, "no measured efficiency given") if s.estimated is None else value(s.estimated)


# fmt: off
# What the prefill decides stands under it, and so does what decode steps do.
_PREFILL: Final[tuple[Field, ...]] = (
    Field("time_to_first_token_s", "first token", "", "s", _found(lambda g: g.first_token)),
    Field("estimated_time_to_first_token_s", "est. first token", "est. first", "s",
          _estimated(lambda g: g.first_token)),
)
_DECODE: Final[tuple[Field, ...]] = (
    Field("next_token_time_s", "", "", "s", _found(lambda g: g.next_token)),
    Field("last_token_time_s", "", "", "s", _found(lambda g: g.last_token)),
    Field("time_per_token_s", "mean per token", "", "s", _found(lambda g: g.mean_token)),
    Field("generated_tokens_per_s", "", "", "number", _found(lambda g: g.tokens_per_s)),
    Field("tokens_in_all", "", "", "count", _found(lambda g: g.tokens)),
    Field("time_to_last_token_s", "", "", "s", _found(lambda g: g.all_tokens)),
    Field("estimated_time_per_token_s", "est. mean per token", "est. mean", "s", _estimated(lambda g: g.mean_token)),
    Field("estimated_generated_tokens_per_s", "", "", "number", _estimated(lambda g: g.tokens_per_s)),
    Field("estimated_time_to_last_token_s", "", "", "s", _estimated(lambda g: g.all_tokens)),
)
# fmt: on


def generation_columns(*, short: bool) -> list[Column]:
    """The columns of a request, those of a sheet or those of rows."""
    found = [*columns(_PREFILL, short=short, group="prefill"), *columns(_DECODE, short=short, group="decode")]
    return [column._replace(spare=short) for column in found]  # the lines below tables have them too


def generation_cells(served: Served) -> dict[str, Any]:
    """The cells of :func:`generation_columns`; none where nothing is generated."""
    return {} if served.generation is None else cells((*_PREFILL, *_DECODE), served)


def generation_lines(served: Served, *, of: str | None = None) -> list[str]:
    """The times of a request in a sentence, and the estimates in another; ``of`` names one device of several."""
    found, estimated, count = served.generation, served.estimated, served.setup.generate
    if found is None:
        return []
    where, mean = f" on {of}" if of else "", units.show(found.mean_token, "s")
    if count > 1:
        ends = f"{units.show(found.next_token, 's')} the first, {units.show(found.last_token, 's')} the last"
        mean = f"{mean} each in the mean ({ends})"
    rate = f"{units.significant(found.tokens_per_s)} tokens/s"
    lines = [
        f"generating{where}, by the total time: the prefill makes the first token after "
        f"{units.show(found.first_token, 's')}; then {counted(count, 'decode step')}, a token of each sequence in "
        f"each, {'takes' if count == 1 else 'take'} {mean}: {rate}{_in_all(found)}"
    ]
    if estimated is not None:
        mfu, mbu = served.setup.mfu, served.setup.mbu
        at = " and ".join(f"{name} {units.show(v, '1')}" for name, v in (("MFU", mfu), ("MBU", mbu)) if v is not None)
        each = units.show(estimated.mean_token, "s") + (" each in the mean" if count > 1 else "")
        lines.append(
            f"estimate{where} at {at}: first token after {units.show(estimated.first_token, 's')}, then {each}: "
            f"{units.significant(estimated.tokens_per_s)} tokens/s{_in_all(estimated)}"
        )
    return lines


def _in_all(found: Generation) -> str:
    """How many tokens that makes, the one of the prefill included, and when the last of them is there."""
    which = "both" if found.tokens == 2 else f"all {found.tokens:,}"
    each = f"{which} tokens of each sequence" if found.batch > 1 else which
    return f"; {each} after {units.show(found.all_tokens, 's')}"
