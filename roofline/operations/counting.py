"""Counting and ordering of keys: nothing but traffic."""

from math import ceil
from typing import Final, Literal, get_args

from roofline.core.kernel import Kernel
from roofline.errors import InputError
from roofline.operations.arguments import one_of, sizes
from roofline.operations.registry import operation
from roofline.precision import storage

_FAMILY: Final = "counting"
Reuse = Literal["best", "worst"]
Scheme = Literal["onesweep", "twosweep"]
_NO_WORK: Final = "comparisons and counts are no FLOP"


@operation(_FAMILY)
def histogram(
    *,
    n: int,
    bins: int,
    reuse: Reuse = "best",
    counter: str = "int32",
    dtype: str = "int32",
) -> Kernel:
    """Histogram of n keys in a number of bins: 0 FLOP, and B.

    Compulsory traffic: each key is read once, and each counter is written once, from fast memory. At worst no counter
    stays in fast memory, and each key reads and writes one. (The two ends between which privatised histograms lie:
    Gomez-Luna et al.: An optimized approach to histogram computation on GPU, Machine Vision and Applications 24, 2013.)

    Args:
        n: keys
        bins: counters
        reuse: of the counters: each written once (best) or read and written for each key (worst)
        counter: number format of a counter
        dtype: number format of a key

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> histogram(n=1_000_000, bins=256).bytes  # (10^6 + 256) x 4
    4001024

    """
    sizes(n=n, bins=bins)
    one_of("reuse", reuse, get_args(Reuse))
    touched = bins if reuse == "best" else 2 * n
    return Kernel(
        name=f"histogram {n} in {bins}",
        flops=0,
        bytes=storage(dtype, name="dtype").size_of(n) + storage(counter, name="counter").size_of(touched),
        assumptions=(
            _NO_WORK,
            "each key read once",
            "counters in fast memory, written once" if reuse == "best" else "a counter read and written for each key",
        ),
    )


@operation(_FAMILY)
def sort(
    *,
    n: int,
    digit: int = 8,
    scheme: Scheme = "onesweep",
    values: str | None = None,
    dtype: str = "int32",
) -> Kernel:
    """Radix sort of n keys, least significant digit first: 0 FLOP, and B.

    A key of b bits takes ceil(b / digit) passes, each of which reads and writes keys and values once. The digits are
    counted in one sweep over the keys before all passes (onesweep: (2 passes + 1) n keys; Adinets, Merrill: Onesweep: a
    faster least significant digit radix sort for GPUs, arXiv:2206.01784, 2022) or in one before each (twosweep: 3
    passes n keys; Merrill, Grimshaw: High performance and scalable radix sorting, Parallel Processing Letters 21(2),
    2011).

    Args:
        n: keys
        digit: bits of a digit
        scheme: digits counted in one sweep before all passes (onesweep) or in one before each (twosweep)
        values: number format of a value that moves with each key; None: keys alone
        dtype: number format of a key

    Raises:
        InputError: a size that is not a whole number from 1 on, or a digit longer than a key.

    >>> sort(n=1_000_000).bytes  # 4 passes: (2 x 4 + 1) x 10^6 x 4
    36000000

    """
    sizes(n=n, digit=digit)
    one_of("scheme", scheme, get_args(Scheme))
    key = storage(dtype, name="dtype")
    if digit > key.bits:
        raise InputError(f"digit must be at most the {float(key.bits):g} bits of a key ({key.name}), got {digit}")
    passes = ceil(key.bits / digit)
    sweeps = 2 * passes + (1 if scheme == "onesweep" else passes)
    carried = 0 if values is None else storage(values, name="values").size_of(2 * passes * n)
    return Kernel(
        name=f"sort {n}",
        flops=0,
        bytes=key.size_of(sweeps * n) + carried,
        assumptions=(
            _NO_WORK,
            f"{passes} radix passes of {digit} bits, {sweeps} sweeps over the keys ({scheme})",
            "counts of digits stay in fast memory",
        ),
    )
