"""Sweeps of a stencil over a regular grid, with the traffic of a named model of cache reuse."""

from math import prod
from typing import Final, Literal, get_args

from roofline.core.kernel import Kernel
from roofline.errors import InputError
from roofline.operations.arguments import one_of, sizes
from roofline.operations.registry import operation
from roofline.precision import Format, storage

Shape = Literal["star", "box"]
Reuse = Literal["perfect", "layer", "none"]
_USABLE: Final = 2  # half of a cache is left to the layers: the rule of thumb of the layer condition


@operation("structured grids")
def stencil(
    *,
    grid: tuple[int, ...],
    shape: Shape = "star",
    radius: int = 1,
    coefficients: int | None = None,
    steps: int = 1,
    reuse: Reuse = "perfect",
    cache: int | None = None,
    write_allocate: bool = False,
    dtype: str = "fp64",
) -> Kernel:
    """Sweeps of a stencil over a grid in 2D or 3D, in FLOP and B.

    Coefficients are constant. A star has s = 1 + 2 d r points, a box s = (2 r + 1)^d. With c different coefficients a
    point costs s - 1 additions and c multiplications, s + c - 1 FLOP: 2 s - 1 if every point has its own, and 8 and 30
    for the 7- and 27-point stencils with 2 and 4 (Datta et al.: Optimization and performance modeling of stencil
    computations on modern microprocessors, SIAM Review 51(1), 2009; Datta et al.: Auto-tuning the 27-point stencil for
    multicore, iWAPT 2009).

    Each sweep reads one array and writes another (Jacobi). Elements read from memory for each point that is updated:

    - perfect: 1, all neighbours are still in the cache (Datta et al. 2009);
    - layer: 1 if 2 r + 1 layers (planes in 3D, rows in 2D) fit half of the cache, else, in 3D, 2 r + 1 (one for each
      plane) if the rows that the stencil touches do, else one for each of these rows: 4 r + 1 in a star, (2 r + 1)^2 in
      a box of 3D, 2 r + 1 in 2D (layer conditions: Stengel, Treibig, Hager, Wellein: Quantifying performance
      bottlenecks of stencil computations using the execution-cache-memory model, ICS 2015);
    - none: s, every neighbour comes from memory.

    Written: 1 element, and 1 more read where a store first loads its line (write_allocate).

    Args:
        grid: points along each dimension, two or three; the last one is contiguous in memory
        shape: star (along the axes) or box (all points within the radius)
        radius: reach of the stencil in points
        coefficients: different coefficients; None: one for each point of the stencil
        steps: sweeps over the grid, each through memory
        reuse: model of cache reuse: perfect, layer (by the layer conditions, needs cache) or none
        cache: B of the cache that one sweep has for itself, for the layer conditions; None: no cache
        write_allocate: a store reads its cache line first
        dtype: number format of the grid

    Raises:
        InputError: a size that is not a whole number from 1 on, or the layer model without a cache.

    >>> kernel = stencil(grid=(256, 256, 256), coefficients=2, write_allocate=True)
    >>> kernel.flops // 256**3, kernel.bytes // 256**3  # Datta et al. 2009: 8 FLOP and 24 B a point
    (8, 24)

    """
    one_of("shape", shape, get_args(Shape))
    one_of("reuse", reuse, get_args(Reuse))
    if len(grid) not in (2, 3):
        raise InputError(f"grid must have two or three dimensions, got {len(grid)}")
    for points in grid:
        sizes(grid=points)
    sizes(radius=radius, steps=steps)
    span = 2 * radius + 1
    if min(grid) < span:
        raise InputError(f"grid must have at least 2 radius + 1 = {span} points along each dimension, got {min(grid)}")
    neighbours = 1 + 2 * len(grid) * radius if shape == "star" else span ** len(grid)
    distinct = neighbours if coefficients is None else coefficients
    sizes(coefficients=distinct)
    if distinct > neighbours:
        raise InputError(f"coefficients must be at most the {neighbours} points of the stencil, got {distinct}")
    if (cache is None) == (reuse == "layer"):
        raise InputError(
            "cache must be given with the layer model of reuse"
            if cache is None
            else f"cache is for the layer model, not for reuse {reuse}"
        )
    element = storage(dtype, name="dtype")
    if cache is not None:
        sizes(cache=cache)
        read, reuse_said = _layer_reads(grid, shape, span, cache, element)
    else:
        read = 1 if reuse == "perfect" else neighbours
        reuse_said = {"perfect": "perfect reuse: each element read once a sweep", "none": "no reuse at all"}[reuse]
    updated = prod(grid) * steps
    return Kernel(
        name=f"{shape} stencil {'x'.join(map(str, grid))}",
        flops=updated * (neighbours + distinct - 1),
        bytes=element.size_of(updated * (read + (2 if write_allocate else 1))),
        dtype=element.arithmetic,
        assumptions=(
            f"{neighbours} points with {distinct} coefficients: {neighbours + distinct - 1} FLOP a point",
            f"{reuse_said}: {read} {'element' if read == 1 else 'elements'} read a point",
            "stores load their line first" if write_allocate else "no write-allocate",
            "points at the boundary count like all others",
            *((f"{steps} sweeps, each through memory",) if steps > 1 else ()),
        ),
        unit="vector",
    )


def _layer_reads(grid: tuple[int, ...], shape: Shape, span: int, cache: int, element: Format) -> tuple[int, str]:
    """Elements read for each update under the layer conditions, and which of them holds."""
    planar = len(grid) == 2
    if element.size_of(span * prod(grid[1:])) * _USABLE <= cache:
        return 1, f"{span} {'rows' if planar else 'planes'} fit half of the cache"
    # Rows of the grid that the stencil touches: in a star of 3D those of its middle plane and one in each other plane.
    rows = span if planar else 2 * span - 1 if shape == "star" else span * span
    if planar or element.size_of(rows * grid[-1]) * _USABLE > cache:
        return rows, f"no reuse between {'rows' if planar else 'rows or planes'}"
    return span, f"{rows} rows fit half of the cache, {span} planes do not"
