"""What fits into the memory of a device: how many devices, how long a context, how large a batch, how wide weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from roofline.core.device import Device
from roofline.errors import InputError
from roofline.transformer.architecture import Architecture
from roofline.transformer.formats import Formats
from roofline.transformer.memory import Demand, Load, demand, weight_bytes

_GB, _GIB = 10**9, 2**30
_MOST: Final = 10**12  # positions or sequences; what still fits then is not limited by memory
_HEADS: Final = 1024  # devices that are tried where no heads are known


def usable_capacity(device: Device) -> float:
    """Bytes of main memory that programs can have: as the driver shows it where that is known, else as it is sold.

    Raises:
        InputError: the capacity is not known.

    """
    capacity = device.main_memory.available
    if capacity is None:
        raise InputError(f"{device.id} has no known memory capacity")
    return capacity


def possible_capacity(device: Device) -> float:
    """The most that it may be: a vendor's GB are GiB as a rule, of which a driver keeps some, and nobody says so here.

    Raises:
        InputError: the capacity is not known.

    """
    usable = usable_capacity(device)
    return usable if device.main_memory.usable is not None else usable * _GIB / _GB


def fits_into(needed: Demand, device: Device) -> bool | None:
    """Whether it fits into a device; None where that depends on what is not known of the model or of the device.

    Raises:
        InputError: the capacity is not known.

    """
    surely, perhaps = needed.fits(usable_capacity(device)), needed.fits(possible_capacity(device))
    return surely if surely == perhaps else None


def smallest_devices(
    model: Architecture, formats: Formats, load: Load, capacity: float, *, bound: bool = False
) -> int | None:
    """The fewest devices between which the heads can be split and on each of which all fits; None if on none.

    ``bound``: on each of which all fits that is known, so that it takes as many at the least.

    Raises:
        InputError: it depends on what is not known of the model.

    """
    shared = math.gcd(*(layer.attention.heads for _, layer in model.layers))  # 0 where no layers are known
    for devices in range(1, (shared or _HEADS) + 1):
        if shared % devices:
            continue
        try:
            if _fits(model, formats, load._replace(devices=devices), capacity, bound=bound):
                return devices
        except _SplitError:
            continue
    return None


def uneven_devices(model: Architecture, formats: Formats, load: Load, capacity: float, devices: int) -> int | None:
    """The first number below the fewest ``devices`` on each of which all would fit, could they share the heads evenly.

    None where there is none. What is split shrinks as 1 / p and what is on every device stays, so between two numbers
    that do share the heads the bytes of p devices are a + b / p.

    Raises:
        InputError: the heads cannot be split between ``devices``.

    """
    fewer, held = devices, {devices: demand(model, formats, load._replace(devices=devices)).known}
    while fewer > 1 and len(held) == 1:
        fewer -= 1
        with suppress(InputError):  # the heads cannot be split so
            held[fewer] = demand(model, formats, load._replace(devices=fewer)).known
    if len(held) == 1:
        return None
    split = (held[fewer] - held[devices]) / (1 / fewer - 1 / devices)
    everywhere = held[devices] - split / devices
    return next((n for n in range(fewer + 1, devices) if everywhere + split / n <= capacity), None)


def longest_context(model: Architecture, formats: Formats, load: Load, capacity: float) -> int | None:
    """The most positions that each of the sequences can have; 0 if not even one, None where memory sets no limit.

    Raises:
        InputError: it depends on what is not known of the model, or the heads cannot be split so.

    """
    return _largest(lambda n: _fits(model, formats, load._replace(positions=n), capacity))


def largest_batch(model: Architecture, formats: Formats, load: Load, capacity: float) -> int | None:
    """The most sequences of that length; 0 if not even one, None where memory sets no limit.

    Raises:
        InputError: it depends on what is not known of the model, or the heads cannot be split so.

    """
    return _largest(lambda n: _fits(model, formats, load._replace(batch=n), capacity))


def widest_weights(
    model: Architecture,
    formats: Formats,
    load: Load,
    capacity: float,
    among: tuple[str, ...],
    *,
    bound: bool = False,
) -> str | None:
    """The format among these in which the weights are largest and all still fits; None if none does.

    ``bound``: in which all still fits that is known, so that no wider one can be held.

    Raises:
        UnknownNameError: no such format.
        InputError: it depends on what is not known of the model, or the heads cannot be split so.

    """
    choices = [formats._replace(weights=name, kept=None) for name in among]
    for choice in sorted(choices, key=lambda choice: weight_bytes(model, choice), reverse=True):
        if _fits(model, choice, load, capacity, bound=bound):
            return choice.weights
    return None


class _SplitError(InputError):
    """Heads that so many devices cannot share."""


def _fits(model: Architecture, formats: Formats, load: Load, capacity: float, *, bound: bool = False) -> bool:
    try:
        needed = demand(model, formats, load)
    except InputError as error:
        raise _SplitError(str(error), hint=error.hint) from None
    fits = needed.known <= capacity if bound else needed.fits(capacity)
    if fits is None:
        raise InputError(
            f"whether {model.name} fits depends on its "
            + " and ".join(w for w, b in (("KV cache", needed.kv), ("activations", needed.activations)) if b is None)
            + ", of which nothing is known",
            hint="give layers, hidden size, heads, width and vocabulary",
        )
    return fits


def _largest(fits: Callable[[int], bool]) -> int | None:
    """The largest number that fits, where all smaller ones do too."""
    if not fits(1):
        return 0
    low, high = 1, 2
    while fits(high):
        low, high = high, 2 * high
        if high > _MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
