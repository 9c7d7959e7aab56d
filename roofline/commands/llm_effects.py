"""Options of a model that can have no effect on what is asked: each is refused, and the error says why."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from roofline.errors import InputError
from roofline.precision import storage

if TYPE_CHECKING:
    from roofline.transformer.architecture import Architecture
    from roofline.transformer.setup import Setup

_NO_LAYERS: Final = "has no effect: nothing is known of the layers; give --layers, --hidden and --heads"
_NO_SIZES: Final = "has no effect: not all sizes of the model are known; give them in place of --params"
_NO_MEMORY: Final = "has no effect: the memory capacity of the device is unknown"
_SIXTEEN: Final = 16


class Asked(NamedTuple):
    """What is asked of a model: as setups, all of them or those at the ends of a sweep, and what is shown of them."""

    model: "Architecture"
    setups: "Sequence[Setup]"
    table: str  # the option that asks for a table of its own; empty: the sheet, or a row a device
    phases: frozenset[str]  # of which something is shown
    said: frozenset[str]  # names of the options that were given
    swept: frozenset[str] = frozenset()

    @property
    def rows_alone(self) -> bool:
        """Whether all that is shown of memory is whether it fits."""
        return self.table in ("--sweep", "--levers")

    @property
    def capacity_known(self) -> bool:
        """Whether that is known of any device."""
        return any(setup.target.device.main_memory.available for setup in self.setups)


def refuse_idle(asked: Asked) -> None:
    """Refuse the first option that changes nothing; one that any of several setups uses does change something.

    Raises:
        InputError: an option, or a sweep, without effect.

    """
    for name, reason in _REASONS.items():
        if name in asked.said | asked.swept:
            why = reason(asked)
            if why is not None:
                option = f"--sweep {name}" if name in asked.swept else f"--{name.replace('_', '-')}"
                raise InputError(f"{option} {why}")


def _attention(asked: Asked) -> str | None:
    if not asked.model.layers:
        return _NO_LAYERS
    return "has no effect: --levers shows both ways" if asked.table == "--levers" else None


def _count(asked: Asked) -> str | None:
    if not asked.model.layers:
        return _NO_LAYERS
    return None if "prefill" in asked.phases else "has no effect: in decode a query attends all positions either way"


def _logits(asked: Asked) -> str | None:
    if not asked.model.vocab:
        return _NO_SIZES
    return None if "prefill" in asked.phases else "has no effect: a decode step has one token of each sequence"


def _mla(asked: Asked) -> str | None:
    return None if asked.model.has_latent else f"is of multi-head latent attention; {asked.model.name} has none"


def _experts(asked: Asked) -> str | None:
    return None if asked.model.is_moe else f"is of a mixture of experts; {asked.model.name} is none"


def _kv(asked: Asked) -> str | None:
    if not asked.model.layers:
        return _NO_LAYERS
    return _no_lever(asked, [setup.formats.kv for setup in asked.setups])


def _weights(asked: Asked) -> str | None:
    held = asked.model.quantization
    own = _SIXTEEN if held is None else storage(held.weights, mixes=True).bits
    return None if own < _SIXTEEN else _no_lever(asked, [setup.formats.weights for setup in asked.setups])


def _no_lever(asked: Asked, formats: Sequence[str]) -> str | None:
    """Levers start from 16 bits, and only what is narrower is one of them."""
    if asked.table != "--levers" or any(storage(name, mixes=True).bits < _SIXTEEN for name in formats):
        return None
    return f"has no effect: levers are formats below 16 bits, and {formats[0]} is none"


def _keep(asked: Asked) -> str | None:
    counts = asked.model.parameters_by_part
    for part in sorted(asked.setups[0].kept or ()):
        if not (counts.get(part, 1) or (part == "head" and asked.model.vocab)):
            return f"{part} has no effect: {asked.model.name} has no such weights"
    if asked.table == "--levers":
        return None
    formats = [setup.formats for setup in asked.setups]
    if any(storage(name, mixes=True).bits != _SIXTEEN for each in formats for name in (each.weights, each.compute)):
        return None
    return f"has no effect: all weights are in {formats[0].weights}, and so have 16 bits"


def _prompt(asked: Asked) -> str | None:
    if "context" in asked.swept:
        return "has no effect: each prompt is as long as the context that is swept"
    if "prefill" in asked.phases:
        return None
    if not asked.model.layers:
        return _NO_LAYERS
    # The context follows from the prompt where it is not said.
    return _NO_MEMORY if asked.table == "--sweep" and "context" in asked.said and not asked.capacity_known else None


def _context(asked: Asked) -> str | None:
    if "prompt" in asked.swept:
        return "has no effect: the rows are of prefill"
    if asked.model.layers:
        return None
    follows = "prefill" in asked.phases and "prompt" not in asked.said  # the prompt from the context
    return None if follows and any(setup.context for setup in asked.setups) else _NO_LAYERS


def _generate(asked: Asked) -> str | None:
    return None if asked.model.layers or not asked.table else _NO_LAYERS


def _over_links(asked: Asked) -> str | None:
    from roofline.transformer.levers import levers

    if asked.table != "--levers" and all(setup.devices == 1 for setup in asked.setups):
        return "is of several devices; give --devices"
    if not asked.model.layers:
        return f"{_NO_LAYERS}, from which all-reduces follow"
    if asked.table != "--levers":
        return None
    for setup in asked.setups:
        if setup.target.device.links:
            _ = setup.with_(devices=2).port  # a link of another name is a mistake of its own
    reasons = [lever.why for setup in asked.setups for lever in levers(setup) if lever.name == "tensor parallel"]
    return f"has no effect: {reasons[0]}" if len(reasons) == len(asked.setups) else None


def _reserve(asked: Asked) -> str | None:
    return _NO_MEMORY if asked.rows_alone and not asked.capacity_known else None


def _kv_block(asked: Asked) -> str | None:
    return _reserve(asked) if asked.model.layers else _NO_LAYERS


def _chunk(asked: Asked) -> str | None:
    return _reserve(asked) if asked.model.layers and asked.model.vocab else _NO_SIZES


def _efficiency(asked: Asked) -> str | None:
    return f"has no effect: {asked.table} shows no estimates" if asked.table else None


def _measured(asked: Asked) -> str | None:
    return f"has no effect: {asked.table} shows no measured run" if asked.table else None


def _strict(asked: Asked) -> str | None:
    return None if "measured" in asked.said else "has no effect: it judges --measured, which is not given"


_REASONS: Final[Mapping[str, Callable[[Asked], str | None]]] = {
    "experts": _experts,
    "mla": _mla,
    "attention": _attention,
    "count": _count,
    "logits": _logits,
    "weights": _weights,
    "keep": _keep,
    "kv": _kv,
    "prompt": _prompt,
    "context": _context,
    "generate": _generate,
    "link": _over_links,
    "latency": _over_links,
    "reserve": _reserve,
    "kv_block": _kv_block,
    "chunk": _chunk,
    "mfu": _efficiency,
    "mbu": _efficiency,
    "measured": _measured,
    "strict": _strict,
}
