"""All that follows from a setup: its steps and their bounds, critical batch, memory, and what generating takes."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from roofline.transformer.bounds import Bounds, Roofs, bounds
from roofline.transformer.closed_decode import closed_decode
from roofline.transformer.critical import critical_batch_of, crossover_context
from roofline.transformer.room import Room, room
from roofline.transformer.setup import Setup
from roofline.transformer.table import Table

if TYPE_CHECKING:  # few steps are generated or measured, so that most commands need not load these
    from roofline.transformer.efficiency import Efficiency
    from roofline.transformer.generation import Generation


class Critical(NamedTuple):
    """The critical batch by what is counted, in sequences, and the crossover context, in positions; None: never."""

    batch: float | None  # weights and KV cache
    with_activations: float | None
    at_one: float | None  # at context 1
    at_one_with_activations: float | None
    crossover: float | None  # beyond it no batch is compute-bound; None: there is none
    crossover_with_activations: float | None
    cached: bool  # whether the KV cache is known


def critical(setup: Setup) -> Critical:
    """The closed forms of :mod:`roofline.transformer.critical` for what is asked of a model.

    Where a layer is split over several devices it is the batch of all of them; their links are left out.

    Raises:
        InputError: devices that cannot share the heads.
        UnknownNameError: the device has no peak of a precision that the model multiplies in.

    """
    model = closed_decode(setup.architecture, setup.formats, setup.conventions, devices=setup.devices)
    roofs = setup.roofs(setup.decode)
    peaks, bandwidth = {dtype: roof.peak for dtype, roof in roofs.by_precision.items()}, roofs.bandwidth
    return Critical(
        batch=critical_batch_of(model, setup.context, peaks, bandwidth),
        with_activations=critical_batch_of(model, setup.context, peaks, bandwidth, activations=True),
        at_one=critical_batch_of(model, 0, peaks, bandwidth),
        at_one_with_activations=critical_batch_of(model, 0, peaks, bandwidth, activations=True),
        crossover=crossover_context(model, peaks, bandwidth),
        crossover_with_activations=crossover_context(model, peaks, bandwidth, activations=True),
        cached=bool(setup.architecture.layers),
    )


def generated(setup: Setup, roofs: Roofs, seconds: Callable[[Bounds], float]) -> "Generation | None":
    """What generating takes by one of the times of a step; None where nothing is generated."""
    if not setup.generate:
        return None
    from roofline.transformer.generation import generation  # noqa: PLC0415  (few requests are generated)

    return generation(
        setup.table, roofs, prompt=setup.prompt, generated=setup.generate, batch=setup.batch, seconds=seconds
    )


class Served(NamedTuple):
    """A setup with all that follows from it."""

    setup: Setup
    tables: dict[str, Table]  # by phase
    roofs: Roofs
    bounds: dict[str, Bounds]
    room: Room
    critical: Critical
    generation: "Generation | None"  # by the total time; None where nothing is generated
    estimated: "Generation | None"  # at the efficiencies that somebody measured; None without any
    rate: float | None  # measured tokens/s of decode, of all sequences together
    measured: "Efficiency | None"  # what that rate is worth

    @classmethod
    def of(cls, setup: Setup, rate: float | None = None) -> "Served":
        """Compute it.

        Raises:
            InputError: devices that cannot share the heads, a step out of bounds.
            UnknownNameError: a peak, a link or a format that does not exist.

        """
        tables = {"prefill": setup.prefill, "decode": setup.decode}
        roofs = setup.roofs_of_steps
        found = {phase: bounds(table, roofs) for phase, table in tables.items()}
        return cls(
            setup=setup,
            tables=tables,
            roofs=roofs,
            bounds=found,
            room=room(setup),
            critical=critical(setup),
            generation=generated(setup, roofs, lambda step: step.total),
            estimated=_estimated(setup, roofs),
            rate=rate,
            measured=None if rate is None else _measured(found["decode"], rate),
        )


def _estimated(setup: Setup, roofs: Roofs) -> "Generation | None":
    if setup.mfu is None and setup.mbu is None:
        return None
    from roofline.transformer.efficiency import estimate  # noqa: PLC0415  (few steps are measured)

    return generated(setup, roofs, lambda step: estimate(step, mfu=setup.mfu, mbu=setup.mbu))


def _measured(decode: Bounds, rate: float) -> "Efficiency":
    from roofline.transformer.efficiency import efficiency  # noqa: PLC0415  (as above)

    return efficiency(decode, tokens_per_s=rate)
