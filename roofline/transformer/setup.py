"""What is asked of a model: how it is held and counted, what it serves, and on which device, of how many."""

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from roofline.core.target import Target
from roofline.errors import InputError, UnknownNameError
from roofline.operations.arguments import counts, sizes
from roofline.precision import storage
from roofline.records import self_checked
from roofline.transformer import arguments, choices
from roofline.transformer.architecture import Architecture
from roofline.transformer.bounds import Bounds, Roofs, bounds
from roofline.transformer.choices import CONVENTIONS
from roofline.transformer.conventions import Conventions
from roofline.transformer.fit import fits_into
from roofline.transformer.formats import Formats, Part
from roofline.transformer.memory import Demand, Load, demand
from roofline.transformer.parallel import parallel_table
from roofline.transformer.step import Step
from roofline.transformer.table import Table

if TYPE_CHECKING:
    from roofline.core.link import Port

_HALVES: Final = ("bf16", "fp16")  # may stand in for each other: the same bytes, and a note says so


class _Fields(NamedTuple):
    """What was said, with a value for all that was not."""

    architecture: Architecture
    target: Target
    conventions: Conventions = Conventions()
    weights: str | None = None  # format; None: that of the checkpoint
    kept: frozenset[Part] | None = None  # parts of the weights that stay at 16 bits; None: as the checkpoint has them
    kv: str | None = None
    compute: str | None = None  # precision of products; None: the 16-bit type
    batch: int = choices.BATCH  # sequences
    prompt: int = choices.PROMPT  # tokens of each
    context: int = choices.PROMPT  # positions that a decode step attends, its own among them; 0: no cache
    generate: int = 0  # decode steps behind each prompt, each of a token
    devices: int = choices.DEVICES  # between which each layer is split
    link: str | None = None  # None: the first of the device
    latency: float = 0.0  # s of each serial step over the link
    block: int = choices.BLOCK  # positions in which the cache is given out
    chunk: int = choices.CHUNK  # tokens of a prompt that are prefilled at once, for the memory of activations
    reserve: int = 0  # B of memory that are left alone
    mfu: float | None = None  # efficiencies that somebody measured, at most 1
    mbu: float | None = None


@self_checked
class Setup(_Fields):
    """One model on one device, or on each of several. Formats that nobody named follow from model and device.

    Raises:
        InputError: a size that is no whole number from 1 on, or a latency or share that cannot be.

    """

    def _check(self) -> None:
        counts(context=self.context, generate=self.generate, reserve=self.reserve)
        sizes(batch=self.batch, prompt=self.prompt, devices=self.devices, kv_block=self.block, chunk=self.chunk)
        arguments.latency(self.latency)
        arguments.share("mfu", self.mfu)
        arguments.share("mbu", self.mbu)

    def with_(self, **changes: Any) -> "Setup":
        """The same but for these fields, or words of its conventions."""
        words = {name: changes.pop(name) for name in CONVENTIONS if name in changes}
        if words:
            changes["conventions"] = changes.get("conventions", self.conventions)._replace(**words)
        return self._replace(**changes)

    def said(self, name: str) -> Any:
        """The value of a field, or of a word of its conventions."""
        return getattr(self.conventions if name in CONVENTIONS else self, name)

    @property
    def _taken(self) -> str:
        """The precision of products by default: the checkpoint's, the other 16-bit type, or fp32 where neither is.

        Fp64 is taken only by whoever names it.
        """
        named = ("fp64",) if self.compute == "fp64" else ()
        have = self._dense
        return next((dtype for dtype in (self._plain, *_HALVES, "fp32", *named) if dtype in have), self._plain)

    @property
    def _plain(self) -> str:
        """The 16-bit type: that of the weights where one was named, else that of the checkpoint."""
        named = None if self.weights is None else storage(self.weights, name="weights", mixes=True).name
        return named if named in _HALVES else self.architecture.plain

    @property
    def _dense(self) -> list[str]:
        """The precisions of which the device has a dense peak."""
        return list(dict.fromkeys(peak.dtype for peak in self.target.device.peaks if peak.dense is not None))

    @cached_property
    def formats(self) -> Formats:
        """The formats that were named, and for the others those of the checkpoint, as far as the device has them.

        Raises:
            UnknownNameError: no such format.
            InputError: no such part.

        """
        taken = self._taken
        if taken in _HALVES:
            model = self.architecture if self.architecture.dtype == taken else self.architecture._replace(dtype=taken)
            formats = model.formats(weights=self.weights, kv=self.kv, compute=self.compute)
        else:  # without 16-bit arithmetic weights and cache are converted as they are read
            formats = self.architecture.formats(
                weights=self.weights, kv=self.kv, activations=taken, compute=self.compute or taken
            )
        return formats if self.kept is None else formats._replace(kept=self.kept)

    @property
    def port(self) -> "Port | None":
        """The link to the other devices; None for one device alone.

        None too where the device has none and nothing is known of the layers, so that nothing is known to be sent.

        Raises:
            UnknownNameError: the device has no such link.

        """
        device = self.target.device
        if self.devices == 1 or not (device.links or self.architecture.layers):
            return None
        from roofline.core.link import port  # noqa: PLC0415  (one device needs no link)

        return port(device, self.link, self.latency, devices=self.devices)

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be said of the formats that were taken."""
        usual, taken = self._plain, self._taken
        said = [_alias(word, text) for word, text in (("weights", self.weights), ("KV cache", self.kv)) if text]
        if usual != taken:
            said.append(f"{self.target.device.id} has no {usual} peak: {taken} in its place")
        if (self.mfu is None) is not (self.mbu is None):
            given, other = ("MBU", "MFU") if self.mfu is None else ("MFU", "MBU")
            said.append(f"estimates: {other} was not given with the {given}, and is taken as 100 %")
        if self.mfu is not None or self.mbu is not None:
            said.append("estimates: MFU and MBU are those of whole steps; no estimate is below the total time")
        return tuple(note for note in said if note)

    @property
    def load(self) -> Load:
        """What each device has to hold at the end."""
        longest = max(self.prompt + self.generate, self.context)
        return Load(
            batch=self.batch,
            positions=longest,
            decoded=longest - self.prompt,
            chunk=self.chunk,
            block=self.block,
            reserve=self.reserve,
            devices=self.devices,
        )

    def demand(self) -> Demand:
        """What each device holds, in B.

        Raises:
            InputError: devices that cannot share the heads.

        """
        return demand(self.architecture, self.formats, self.load)

    def fits(self, needed: Demand | None = None) -> bool | None:
        """Whether that (by default what this setup needs) fits into the device; None where that is not known.

        Raises:
            InputError: devices that cannot share the heads.

        """
        needed = self.demand() if needed is None else needed
        try:
            return fits_into(needed, self.target.device)
        except InputError:  # nobody says how much memory the device has
            return None

    def table(self, step: Step) -> Table:
        """The operators of a step on each device.

        Raises:
            InputError: devices that cannot share the heads, or a step out of bounds.

        """
        return parallel_table(self.architecture, step, self.formats, self.conventions, devices=self.devices)

    @cached_property
    def prefill(self) -> Table:
        """The operators of the prefill of all prompts at once.

        Raises:
            InputError: devices that cannot share the heads, or a step out of bounds.

        """
        return self.table(Step.prefill(self.prompt, batch=self.batch))

    @cached_property
    def decode(self) -> Table:
        """The operators of one decode step at the context.

        Raises:
            InputError: devices that cannot share the heads, or a step out of bounds.

        """
        return self.table(Step.decode(self.context, batch=self.batch))

    @property
    def roofs_of_steps(self) -> Roofs:
        """The roofs of the device for prefill and decode, which a request runs under.

        Raises:
            UnknownNameError: the device has no peak of a precision that one of them multiplies in.

        """
        first, then = self.roofs(self.prefill), self.roofs(self.decode)
        return then._replace(by_precision={**first.by_precision, **then.by_precision})

    def roofs(self, table: Table) -> Roofs:
        """The roofs of the device for a table.

        Raises:
            UnknownNameError: the device has no peak of a precision that the table multiplies in.

        """
        link = self.port
        try:
            return Roofs.of(self.target, table, link)
        except UnknownNameError as error:
            raise UnknownNameError(str(error), hint=self._instead) from None

    @property
    def _instead(self) -> str:
        """What the device has where a peak is missing, and whether --compute can name it."""
        dense = self._dense
        if not dense:
            sparse = ", ".join(dict.fromkeys(peak.dtype for peak in self.target.device.peaks))
            return f"it has: {sparse}, with 2:4 sparsity alone; a model needs a dense peak, whatever --compute names"
        # Attention and what stays as it is run in 16 bits or more; of bare parameters there is neither.
        wide = [dtype for dtype in (*_HALVES, "fp32", "fp64") if dtype in dense] if self.architecture.layers else dense
        known = f"it has: {', '.join(dense)}"
        if not wide:
            return f"{known}; attention runs in 16 bits or more, whatever --compute names"
        return (
            f"{known}; name one with --compute, such as {wide[0]}"
            if dense[1:]
            else f"{known}; give --compute {wide[0]}"
        )

    def bounds(self, table: Table) -> Bounds:
        """What the roofs say of a step."""
        return bounds(table, self.roofs(table))

    def estimate(self, step: Bounds) -> float | None:
        """Seconds of a step at the efficiencies that somebody measured; None where none was given."""
        if self.mfu is None and self.mbu is None:
            return None
        from roofline.transformer.efficiency import estimate  # noqa: PLC0415  (most steps have bounds alone)

        return estimate(step, mfu=self.mfu, mbu=self.mbu)


def _alias(what: str, text: str) -> str | None:
    """What to say of a format by another of its names, such as a method that makes it; spellings are no other name.

    >>> _alias("weights", "AWQ"), _alias("weights", "Q4_K")
    ('weights: awq is taken as int4-g128', None)

    """
    written, name = text.strip().lower(), storage(text, mixes=True).name
    return None if written.replace("_", "-") == name.replace("_", "-") else f"{what}: {written} is taken as {name}"
