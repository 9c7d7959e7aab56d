"""The levers that move decode: each alone and all together, against the model without any of them.

Without levers each query head has keys and values of its own (MHA), weights and cache have 16 bits, attention writes
its scores to memory, and one device serves one sequence. A lever takes one way to serve a model to another.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from roofline.core.link import port
from roofline.errors import RooflineError
from roofline.precision import storage
from roofline.transformer.bounds import Bounds
from roofline.transformer.formats import PLAIN_BITS
from roofline.transformer.parallel import shard
from roofline.transformer.setup import Setup
from roofline.transformer.table import Table

_BATCHES: Final = (32, 64)
_WEIGHTS: Final = ("fp8", "int4-g128")
_KV: Final = "fp8"
_DEVICES: Final = (8, 4, 2)  # tried in this order where nobody says how many
_DUST: Final = 1e-9  # of rounding, which is no gain
_BARE: Final = "nothing is known of the layers"


class Way(NamedTuple):
    """One way to serve a model; ``mha`` gives each query head keys and values of its own in the cache."""

    setup: Setup
    mha: bool = False

    @property
    def decode(self) -> Table:
        """The operators of a decode step.

        With ``mha`` those that touch the cache are those of the model as MHA. All matrices stay as they are, so that
        nothing but the traffic of the history differs; a real MHA model would have larger projections.
        """
        if not self.mha:
            return self.setup.decode
        absorbed = self.setup.conventions._replace(mla="absorbed")  # whose weights all stand in products of their own
        model = self.setup.with_(conventions=absorbed).decode
        other = self._as_mha.decode
        kept = [each for each in model.operators if not each.kv]
        return model._replace(operators=(*kept, *(each for each in other.operators if each.kv)))

    def bounds(self) -> Bounds:
        """What the roofs say of that step."""
        return self.setup.bounds(self.decode)

    def fits(self) -> bool | None:
        """Whether weights, cache and activations fit into the device; None where that is not known."""
        needed = self.setup.demand()
        return self.setup.fits(needed._replace(kv=self._as_mha.demand().kv) if self.mha else needed)

    @property
    def _as_mha(self) -> Setup:
        return self.setup.with_(architecture=self.setup.architecture.as_mha)


class Lever(NamedTuple):
    """One lever: its name, and what it does to a way of serving, or why it does not apply."""

    name: str
    pull: Callable[[Way], Way]
    why: str | None = None
    joint: bool = True  # among all together; False: another one of its kind goes further


class Effect(NamedTuple):
    """What a lever does to decode."""

    name: str
    why: str | None = None  # it does not apply
    bounds: Bounds | None = None  # alone
    fits: bool | None = None
    gain: float | None = None  # tokens/s over those without any lever
    last: float | None = None  # tokens/s of all levers together over those of all others


def levers(setup: Setup) -> tuple[Lever, ...]:
    """The levers in the order of the table, also those that do not apply."""
    return (*_batches(setup), *_cache(setup), *_weights(setup), _flash(setup), _tensor_parallel(setup))


def effects(setup: Setup) -> tuple[Effect, ...]:
    """Decode without levers, with each alone, and with all together.

    Raises:
        UnknownNameError: the device has no peak of a precision that the model multiplies in.

    """
    start, known = without_levers(setup), levers(setup)
    applied = [lever for lever in known if lever.why is None and lever.joint]
    base, best = start.bounds(), _pulled(start, applied).bounds()

    def effect(name: str, way: Way, last: float | None = None) -> Effect:
        found = way.bounds()
        return Effect(name, None, found, way.fits(), found.total_time_tokens_per_s / base.total_time_tokens_per_s, last)

    def alone(lever: Lever) -> Effect:
        if lever.why is not None:
            return Effect(lever.name, lever.why)
        others = _pulled(start, [each for each in applied if each is not lever]).bounds()
        last = best.total_time_tokens_per_s / others.total_time_tokens_per_s if lever.joint else None
        return effect(lever.name, lever.pull(start), last)

    return (effect("no lever", start), *map(alone, known), effect("all together", _pulled(start, applied)))


def next_levers(setup: Setup) -> tuple[Effect, ...]:
    """Each lever that gains something from the setup as it is asked, the largest gain (over the setup) first.

    Raises:
        UnknownNameError: the device has no peak of a precision that the model multiplies in.

    """
    asked = Way(setup=setup)
    base, found = asked.bounds().total_time_tokens_per_s, []
    for lever in levers(setup):
        if lever.why is None:
            way = lever.pull(asked)
            bounds = way.bounds()
            found.append(Effect(lever.name, None, bounds, way.fits(), bounds.total_time_tokens_per_s / base))
    gains = [effect for effect in found if (effect.gain or 0.0) > 1 + _DUST]
    return tuple(sorted(gains, key=lambda effect: effect.gain or 0.0, reverse=True))


def joined_devices(setup: Setup) -> int | None:
    """How many devices the lever of tensor parallelism joins; None where it does not apply."""
    lever = _tensor_parallel(setup)
    return None if lever.why is not None else lever.pull(Way(setup=setup)).setup.devices


def without_levers(setup: Setup) -> Way:
    """The way of serving that levers are measured against; context, precision of products and counting are kept."""
    plain = setup.formats.plain
    conventions = setup.conventions._replace(attention="unfused")
    bare = setup.with_(weights=plain, kv=plain, batch=1, devices=1, conventions=conventions)
    return Way(setup=bare, mha=bool(setup.architecture.layers))


def _pulled(way: Way, pulled: list[Lever]) -> Way:
    for lever in pulled:
        way = lever.pull(way)
    return way


def _changed(name: str, **changes: object) -> Lever:
    return Lever(name, lambda way: way._replace(setup=way.setup.with_(**changes)))


def _batches(setup: Setup) -> Iterator[Lever]:
    batches = sorted({*_BATCHES, setup.batch} - {1})
    for batch in batches:
        yield _changed(f"batch {batch}", batch=batch)._replace(joint=batch == batches[-1])


def _cache(setup: Setup) -> Iterator[Lever]:
    def shared(way: Way) -> Way:
        return way._replace(mha=False)

    known = [layer.attention for _, layer in setup.architecture.layers]
    latent = setup.architecture.has_latent
    for kind, name, why in (
        ("heads", "GQA", "its latent serves all heads" if latent else "it has as many KV heads as heads"),
        ("latent", "MLA", "it caches keys and values, no latent"),
    ):
        of = next((each.sharing for each in known if each.kind == kind and each.sharing), None)
        yield Lever(f"{name}: {of}" if of else name, shared, None if of else why if known else _BARE)
    for held, joint in _narrower(setup.formats.kv, (_KV,)):
        yield _changed(f"KV cache {held}", kv=held)._replace(why=None if known else _BARE, joint=joint)


def _weights(setup: Setup) -> Iterator[Lever]:
    for held, joint in _narrower(setup.formats.weights, _WEIGHTS):
        yield _changed(f"weights {held}", weights=held)._replace(joint=joint)


def _narrower(asked: str, usual: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    """The usual formats and the one that was asked for, if it is below 16 bit; and which is the narrowest."""
    own = storage(asked, mixes=True)
    names = {*usual, own.name} if own.bits < PLAIN_BITS else {*usual}
    ordered = sorted(names, key=lambda name: (-storage(name, mixes=True).bits, name))
    return ((name, name == ordered[-1]) for name in ordered)


def _flash(setup: Setup) -> Lever:
    def fused(way: Way) -> Way:
        return way._replace(setup=way.setup.with_(conventions=way.setup.conventions._replace(attention="flash")))

    return Lever("FlashAttention", fused, None if setup.architecture.layers else _BARE)


def _tensor_parallel(setup: Setup) -> Lever:
    """As many devices as were asked for, else the most that can share the heads."""
    why = ""
    for devices in (setup.devices,) if setup.devices > 1 else _DEVICES:
        try:
            # Says so where the device has no link; nobody asked for several, so that bare parameters need one too.
            _ = port(setup.target.device, setup.link) if setup.devices == 1 else setup.port
            shard(setup.architecture.as_mha, devices)
            shard(setup.architecture, devices)
        except RooflineError as error:
            why = why or str(error)
            continue
        return _changed(f"{devices} devices", devices=devices)
    return Lever("tensor parallel", lambda way: way, why)
