"""Setups of the shipped models on devices of the catalogue, as the command line makes them."""

from __future__ import annotations

from typing import Any

from roofline.catalog.find import device
from roofline.core.choice import RoofQuery
from roofline.core.target import Target
from roofline.transformer.presets import find
from roofline.transformer.setup import Setup


def setup(model: str = "llama-3.1-70b", hw: str = "h100", **more: Any) -> Setup:
    return Setup(architecture=find(model), target=Target(device=device(hw), query=RoofQuery()), **more)
