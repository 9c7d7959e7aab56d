"""Roofline calculator: how fast a kernel can run on a machine, and what holds it back.

The public names are imported when they are first used, so that ``import roofline`` costs nothing.

>>> import roofline
>>> h100 = roofline.device("h100")
>>> target = roofline.Target(device=h100, query=roofline.RoofQuery(dtype="bf16"))
>>> placed = target.place(roofline.Kernel(name="decode", flops=140e9, bytes=140e9))
>>> placed.first.bound, round(placed.first.roof.ridge_point, 1)
('memory', 295.3)
>>> roofline.operations.gemm(m=4096, n=4096, k=4096, dtype="bf16").flops
137438953472
>>> serving = roofline.serve(roofline.model("llama-3.1-70b"), h100, devices=4, weights="fp8")
>>> serving.decode.bound, serving.fits
('memory', True)

"""

# Nothing is imported here, not even from the standard library: an interrupt would find nobody yet to keep it quiet.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from roofline import operations as operations
    from roofline.catalog.find import device as device
    from roofline.core.choice import RoofQuery as RoofQuery
    from roofline.core.device import Device as Device
    from roofline.core.device import Link as Link
    from roofline.core.device import Memory as Memory
    from roofline.core.device import Peak as Peak
    from roofline.core.device import Source as Source
    from roofline.core.kernel import Kernel as Kernel
    from roofline.core.placement import Placed as Placed
    from roofline.core.placement import Placement as Placement
    from roofline.core.roof import Roof as Roof
    from roofline.core.target import Target as Target
    from roofline.errors import FileError as FileError
    from roofline.errors import InputError as InputError
    from roofline.errors import RooflineError as RooflineError
    from roofline.errors import UnknownNameError as UnknownNameError
    from roofline.transformer.architecture import Architecture as Architecture
    from roofline.transformer.find import model as model
    from roofline.transformer.serve import serve as serve
    from roofline.transformer.serving import Serving as Serving

__version__ = "0.1.0"
_HOMES = {
    "Architecture": "transformer.architecture",
    "Device": "core.device",
    "FileError": "errors",
    "InputError": "errors",
    "Kernel": "core.kernel",
    "Link": "core.device",
    "Memory": "core.device",
    "Peak": "core.device",
    "Placed": "core.placement",
    "Placement": "core.placement",
    "Roof": "core.roof",
    "RoofQuery": "core.choice",
    "RooflineError": "errors",
    "Serving": "transformer.serving",
    "Source": "core.device",
    "Target": "core.target",
    "UnknownNameError": "errors",
    "device": "catalog.find",
    "model": "transformer.find",
    "serve": "transformer.serve",
}
__all__ = ["Architecture", "Device", "FileError", "InputError", "Kernel", "Link", "Memory", "Peak", "Placed"]
__all__ += [
    "Placement",
    "Roof",
    "RoofQuery",
    "RooflineError",
    "Serving",
    "Source",
    "Target",
    "UnknownNameError",
    "device",
    "model",
]
__all__ += ["operations", "serve"]


def __getattr__(name: str) -> "Any":
    from importlib import import_module  # noqa: PLC0415

    if name == "operations":
        return import_module("roofline.operations")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"roofline.{_HOMES[name]}"), name)


def __dir__() -> "list[str]":
    return [*globals(), *_HOMES, "operations"]
