"""Forces between particles, each pair computed directly."""

from roofline.core.kernel import Kernel
from roofline.operations.arguments import sizes
from roofline.operations.registry import operation
from roofline.precision import storage

_READ, _WRITTEN = 4, 3  # values of a body: position and mass; acceleration


@operation("particles")
def nbody(*, n: int, flops: int = 20, tile: int | None = None, steps: int = 1, dtype: str = "fp32") -> Kernel:
    """Gravitational accelerations of n bodies, all pairs, in FLOP and B.

    20 n^2 FLOP: n^2 interactions, that of a body with itself included (softening makes it harmless), of 20 each: 3
    differences, 6 for the softened square of the distance, 2 for its cube, a root, a division, 1 for the mass and 6 to
    add up (Nyland, Harris, Prins: Fast N-body simulation with CUDA, GPU Gems 3, ch. 31, 2007). 38 is common too, with
    root and division at the cost of their iterations (Warren et al.: Pentium Pro inside, SC 1997).

    Compulsory traffic: position and mass (4 values) of each body are read and its acceleration (3) is written once.
    Where the fast memory holds only a tile of the bodies whose accelerations are being summed, all n are read again
    for each tile.

    Args:
        n: bodies
        flops: FLOP of one interaction
        tile: bodies whose accelerations are summed in one pass over all bodies; None: all
        steps: time steps
        dtype: number format of positions, masses and accelerations

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = nbody(n=16384)
    >>> kernel.flops, kernel.bytes  # 20 x 16384^2; 16384 x (4 + 3) x 4
    (5368709120, 458752)

    """
    sizes(n=n, flops=flops, steps=steps)
    value = storage(dtype, name="dtype")
    passes = 1
    if tile is not None:
        sizes(tile=tile)
        passes = -(-n // tile)
    # A body that is in the tile and among those streamed past it is read twice, unless all are in one tile.
    read = n if passes == 1 else n * (1 + passes)
    return Kernel(
        name=f"nbody {n}",
        flops=flops * n * n * steps,
        bytes=value.size_of((read * _READ + n * _WRITTEN) * steps),
        dtype=value.arithmetic,
        assumptions=(
            f"{flops} FLOP an interaction, n^2 interactions",
            "4 values of a body read, 3 written",
            "each body read once"
            if passes == 1
            else f"bodies of {passes} tiles read once, and all bodies again past each tile",
        ),
        unit="vector",
    )
