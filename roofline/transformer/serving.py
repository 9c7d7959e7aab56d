"""A model at work on a device: the bounds of its steps, what it takes of memory, and what a measured run is worth."""

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from roofline.records import fixed
from roofline.transformer.arguments import number
from roofline.transformer.bounds import Bounds
from roofline.transformer.memory import Demand
from roofline.transformer.room import Room, room
from roofline.transformer.served import Critical, critical, generated
from roofline.transformer.setup import Setup

if TYPE_CHECKING:
    from roofline.transformer.efficiency import Efficiency
    from roofline.transformer.generation import Generation


class _Fields(NamedTuple):
    """What a model at work is made of."""

    setup: Setup


@fixed
class Serving(_Fields):
    """A model at work on a device; all that ``roofline llm`` prints of one, and more in :attr:`room`, :attr:`critical`.

    Figures are of each device where there are several; tokens/s are of all sequences and devices together.
    """

    @cached_property
    def prefill(self) -> Bounds:
        """The bounds of the prefill of all prompts: FLOP, B, B/s, FLOP/s, s and tokens/s."""
        return self.setup.bounds(self.setup.prefill)

    @cached_property
    def decode(self) -> Bounds:
        """The bounds of one decode step at the context, in the same units."""
        return self.setup.bounds(self.setup.decode)

    @property
    def prefill_estimate(self) -> float | None:
        """Seconds of the prefill at the measured efficiencies; None where none was given."""
        return self.setup.estimate(self.prefill)

    @property
    def decode_estimate(self) -> float | None:
        """Seconds of a decode step at the measured efficiencies; None where none was given."""
        return self.setup.estimate(self.decode)

    @property
    def generation(self) -> "Generation | None":
        """Seconds to the first token and of each behind it, by the total time; None where nothing is generated."""
        return generated(self.setup, self.setup.roofs_of_steps, lambda step: step.total)

    @property
    def memory(self) -> Demand:
        """What each device has to hold, in B; None is not known."""
        return self.setup.demand()

    @property
    def fits(self) -> bool | None:
        """Whether that fits into the memory of a device; None where it is not known."""
        return self.setup.fits()

    @cached_property
    def room(self) -> Room:
        """What a device holds, and how far each size could go, the others being as they are."""
        return room(self.setup)

    @property
    def smallest_devices(self) -> int | None:
        """The fewest devices that hold it; None: no number of them, or not known (:attr:`room` says why)."""
        return self.room.devices

    @property
    def longest_context(self) -> int | None:
        """The most positions that fit at this batch; None: memory sets no limit, or not known."""
        return self.room.context

    @property
    def largest_batch(self) -> int | None:
        """The most sequences that fit at this context; None: memory sets no limit, or not known."""
        return self.room.batch

    @property
    def widest_weights(self) -> str | None:
        """The widest format of weights that fits; None: none does, or not known."""
        return self.room.weights

    @cached_property
    def critical(self) -> Critical:
        """From which batch decode is compute-bound, and beyond which context none is, by each way of counting."""
        return critical(self.setup)

    @property
    def critical_batch(self) -> float | None:
        """Sequences from which decode at this context is compute-bound, by weights and KV cache; None: none is."""
        return self.critical.batch

    @property
    def crossover_context(self) -> float | None:
        """Positions beyond which no batch of decode is compute-bound, by weights and KV cache; None: none."""
        return self.critical.crossover

    def measured(self, tokens_per_s: float) -> "Efficiency":
        """What a run is worth that decodes at this context: its MFU, its MBU, and its share of the bound.

        Args:
            tokens_per_s: of all sequences together

        Raises:
            InputError: no finite number > 0.

        """
        from roofline.transformer.efficiency import efficiency  # noqa: PLC0415  (few steps are measured)

        rate = number("tokens_per_s", tokens_per_s, what="tokens a second", example="31")
        return efficiency(self.decode, tokens_per_s=rate)

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be said of the figures."""
        tables = (self.setup.prefill, self.setup.decode)
        return tuple(dict.fromkeys((*self.setup.notes, *(note for table in tables for note in table.notes))))
