"""A way to serve a model, with the cache that it has or that of MHA, which levers are measured against."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from roofline.errors import InputError
from roofline.transformer.bounds import Bounds
from roofline.transformer.fit import usable_capacity
from roofline.transformer.memory import demand
from roofline.transformer.setup import Setup
from roofline.transformer.table import Table


class Way(NamedTuple):
    """One way to serve a model; ``mha`` gives each query head keys and values of its own in the cache."""

    setup: Setup
    mha: bool = False

    def decode(self) -> Table:
        """The operators of a decode step.

        With ``mha`` those that touch the cache are those of the model as MHA. All matrices stay as they are, so that
        nothing but the traffic of the history differs; a real MHA model would have larger projections.
        """
        if not self.mha:
            return self.setup.decode()
        conventions = replace(
            self.setup.conventions, mla="absorbed"
        )  # whose weights all stand in products of their own
        model = self.setup.with_(conventions=conventions).decode()
        other = self.setup.with_(architecture=self.setup.architecture.as_mha).decode()
        kept = [each for each in model.operators if not each.kv]
        return model._replace(operators=(*kept, *(each for each in other.operators if each.kv)))

    def bounds(self) -> Bounds:
        """What the roofs say of that step."""
        return self.setup.bounds(self.decode())

    def fits(self) -> bool | None:
        """Whether weights, cache and activations fit into the device; None where that is not known."""
        setup = self.setup
        try:
            capacity = usable_capacity(setup.target.device)
        except InputError:
            return None
        needed = demand(setup.architecture, setup.formats, setup.load)
        if self.mha:
            needed = needed._replace(kv=demand(setup.architecture.as_mha, setup.formats, setup.load).kv)
        return needed.fits(capacity)


def without_levers(setup: Setup) -> Way:
    """The way of serving that levers are measured against; context, precision of products and counting are kept."""
    plain = setup.formats.plain
    conventions = replace(setup.conventions, attention="unfused")
    bare = setup.with_(weights=plain, kv=plain, batch=1, devices=1, conventions=conventions)
    return Way(setup=bare, mha=bool(setup.architecture.layers))
