"""How much of a device's memory a setup takes, and how far each of its sizes could go, the others being as they are."""

import math
from typing import Final, NamedTuple

from roofline.errors import InputError
from roofline.precision import storage
from roofline.transformer.fit import (
    largest_batch,
    longest_context,
    possible_capacity,
    smallest_devices,
    uneven_devices,
    usable_capacity,
    widest_weights,
)
from roofline.transformer.memory import Demand, demand
from roofline.transformer.setup import Setup

# Formats that engines for many users serve, and those that files for llama.cpp are made in, each for whoever uses one.
_MANY: Final = 10**9  # weights, which tell formats apart that differ by a scale in a block
SERVED: Final = ("bf16", "fp8", "int8", "nvfp4", "mxfp4", "int4-g128")
GGUF: Final = (
    *("bf16", "q8_0", "q6_k", "q5_k_m", "q5_k_s", "q4_k_m", "q4_k_s", "iq4_nl", "iq4_xs"),
    *("q3_k_l", "iq3_m", "q3_k_m", "iq3_s", "iq3_xs", "q3_k_s", "iq3_xxs"),
    *("q2_k", "q2_k_s", "iq2_m", "iq2_s", "iq2_xs", "iq2_xxs", "iq1_m", "iq1_s"),
)


class Edges(NamedTuple):
    """What follows from what is known of the demand, where not all is: no fewer devices do, and no wider weights."""

    devices: int | None  # None: no number of them
    served: str | None  # of SERVED; None: none is narrow enough
    gguf: str | None  # of GGUF

    @property
    def weights(self) -> str | None:
        """The widest format of both kinds."""
        return _wider(self.served, self.gguf)


class Room(NamedTuple):
    """What a device holds, and the edges of what it could; None is not known, or for a largest number: no limit."""

    demand: Demand
    tokens: int  # of the step whose activations are held
    capacity: float | None = None  # B that programs can have for sure
    possible: float | None = None  # B that they may have: more, where no driver was asked
    fits: bool | None = None  # None: it is not known
    why: str | None = None  # it is not known whether it fits
    devices: int | None = None  # the fewest
    split: tuple[int, int] | None = None  # where none is enough: the most that can share the heads, B on each of them
    context: int | None = None
    batch: int | None = None
    served: str | None = None  # the widest of SERVED
    gguf: str | None = None  # the widest of GGUF
    uneven: int | None = None  # fewer devices that would hold it, if from so many on they could share the heads
    bounds: Edges | None = None  # of a model of which not all is known

    @property
    def weights(self) -> str | None:
        """The widest format of both kinds."""
        return _wider(self.served, self.gguf)

    @property
    def weights_fit(self) -> bool | None:
        """Whether the weights alone fit, beside what is reserved; None where the capacity is not known."""
        if self.capacity is None:
            return None
        return self.demand.weights + self.demand.reserve <= self.capacity

    @property
    def depends(self) -> bool:
        """Whether it fits only if the GB that the device was sold with are GiB."""
        return self.fits is None and self.why is None


def _wider(*names: str | None) -> str | None:
    """The format of more bits."""
    found = [storage(name, mixes=True) for name in names if name]
    return max(found, key=lambda held: held.size_of(_MANY)).name if found else None


def room(setup: Setup) -> Room:
    """The memory of a setup.

    Raises:
        InputError: devices that cannot share the heads.

    """
    model, formats, load = setup.architecture, setup.formats, setup.load
    needed = setup.demand()
    try:
        capacity, possible = usable_capacity(setup.target.device), possible_capacity(setup.target.device)
    except InputError as error:
        return Room(needed, load.tokens, why=str(error))
    known = Room(needed, load.tokens, capacity, possible, setup.fits(needed))
    if not needed.complete:
        unknown = " and ".join(
            word for word, size in (("KV cache", needed.kv), ("activations", needed.activations)) if size is None
        )
        verb = "are" if needed.activations is None else "is"
        return known._replace(
            why=f"{unknown} {verb} unknown",
            bounds=Edges(
                smallest_devices(model, formats, load, possible, bound=True),
                widest_weights(model, formats, load, possible, SERVED, bound=True),
                widest_weights(model, formats, load, possible, GGUF, bound=True),
            ),
        )
    devices = smallest_devices(model, formats, load, capacity)
    return known._replace(
        devices=devices,
        split=None if devices else _most(setup),
        context=longest_context(model, formats, load, capacity),
        batch=largest_batch(model, formats, load, capacity),
        served=widest_weights(model, formats, load, capacity, SERVED),
        gguf=widest_weights(model, formats, load, capacity, GGUF),
        uneven=uneven_devices(model, formats, load, capacity, devices) if devices else None,
    )


def _most(setup: Setup) -> tuple[int, int]:
    """The most devices that can share the heads of all layers, and the bytes on each of them."""
    model, load = setup.architecture, setup.load
    shared = math.gcd(*(layer.attention.heads for _, layer in model.layers))
    for devices in range(shared, 1, -1):
        if shared % devices == 0:
            try:
                return devices, demand(model, setup.formats, load._replace(devices=devices)).known
            except InputError:  # the KV heads cannot be split so
                continue
    return 1, demand(model, setup.formats, load._replace(devices=1)).known
