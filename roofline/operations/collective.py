"""Communication between devices: bytes that one device sends over its links, and the serial steps that cost a latency.

p devices, each with one full-duplex port into a network without contention: the model of Thakur, Rabenseifner, Gropp:
Optimization of collective communication operations in MPICH, Int. J. High Performance Computing Applications 19(1),
2005. Nothing is reduced in the switches. One device sends nothing: what is left is a copy in its own memory.
"""

from typing import Final, Literal, get_args

from roofline.core.kernel import Kernel
from roofline.operations.arguments import divides, one_of, sizes
from roofline.operations.registry import operation
from roofline.precision import storage

_FAMILY: Final = "communication"
Algorithm = Literal["ring", "tree"]
Exchange = Literal["pairwise", "bruck"]
_OUT_OF_PLACE: Final = "own memory: input read once, result written once; staging buffers not counted"


@operation(_FAMILY)
def allreduce(*, n: int, p: int, algorithm: Algorithm = "ring", dtype: str = "bf16") -> Kernel:
    """Sum of n elements over p devices, which all get it, in FLOP, B of own memory and B on the wire.

    A reduce-scatter and an all-gather: 2 (p - 1) / p n elements sent by each device, in 2 (p - 1) steps on a ring
    (Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations, J. Parallel and Distributed
    Computing 69(2), 2009) or 2 ceil(log2 p) by halving and doubling (tree; Rabenseifner's algorithm in Thakur et al.
    2005); (p - 1) / p n additions each. Where p does not divide n, the device that sends most in each of the
    two phases counts.

    Args:
        n: elements of the vector on each device
        p: devices
        algorithm: ring (neighbours only) or tree (recursive halving and doubling)
        dtype: number format of an element

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = allreduce(n=1024, p=8)
    >>> kernel.wire, kernel.messages, kernel.flops  # 2 x 7/8 x 1024 x 2 B; 2 x 7; 7/8 x 1024
    (3584, 14, 896)

    """
    sent = _all_but_one_part(n, p)
    element = storage(dtype, name="dtype")
    return Kernel(
        name=f"allreduce {n} over {p}",
        flops=sent,
        bytes=2 * element.size_of(n),
        wire=2 * element.size_of(sent),
        messages=2 * _steps(p, algorithm),
        devices=p,
        dtype=element.arithmetic,
        assumptions=_assumptions(p, algorithm, reduces=True),
        unit="vector",
    )


@operation(_FAMILY)
def reducescatter(*, n: int, p: int, algorithm: Algorithm = "ring", dtype: str = "bf16") -> Kernel:
    """Sum of n elements over p devices, of which each gets a p-th, in FLOP, B of own memory and B on the wire.

    (p - 1) / p n elements sent and as many additions by each device, in p - 1 steps on a ring or ceil(log2 p) by
    recursive halving (tree): Thakur et al. 2005; for any p: Traeff: Optimal, non-pipelined reduce-scatter and allreduce
    algorithms, arXiv:2410.14234, 2024. Where p does not divide n, the device that sends most counts.

    Args:
        n: elements of the vector on each device
        p: devices
        algorithm: ring (neighbours only) or tree (recursive halving)
        dtype: number format of an element

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = reducescatter(n=1024, p=8)
    >>> kernel.wire, kernel.messages, kernel.bytes  # 7/8 x 1024 x 2 B; 7; (1 + 1/8) x 1024 x 2 B
    (1792, 7, 2304)

    """
    sent = _all_but_one_part(n, p)
    element = storage(dtype, name="dtype")
    return Kernel(
        name=f"reducescatter {n} over {p}",
        flops=sent,
        bytes=element.size_of(n) + element.size_of(-(-n // p)),
        wire=element.size_of(sent),
        messages=_steps(p, algorithm),
        devices=p,
        dtype=element.arithmetic,
        assumptions=_assumptions(p, algorithm, reduces=True),
        unit="vector",
    )


@operation(_FAMILY)
def allgather(*, n: int, p: int, algorithm: Algorithm = "ring", dtype: str = "bf16") -> Kernel:
    """Parts of p devices put together to n elements on each: B of own memory and B on the wire, 0 FLOP.

    (p - 1) / p n elements sent by each device, in p - 1 steps on a ring or ceil(log2 p) by recursive doubling or
    Bruck's algorithm (tree): Thakur et al. 2005. Where p does not divide n, the device that sends most counts.

    Args:
        n: elements of the result; each device brings a p-th of them
        p: devices
        algorithm: ring (neighbours only) or tree (recursive doubling)
        dtype: number format of an element

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = allgather(n=1024, p=8)
    >>> kernel.wire, kernel.messages, kernel.bytes  # 7/8 x 1024 x 2 B; 7; (1/8 + 1) x 1024 x 2 B
    (1792, 7, 2304)

    """
    sent = _all_but_one_part(n, p)
    element = storage(dtype, name="dtype")
    return Kernel(
        name=f"allgather {n} over {p}",
        flops=0,
        bytes=element.size_of(-(-n // p)) + element.size_of(n),
        wire=element.size_of(sent),
        messages=_steps(p, algorithm),
        devices=p,
        assumptions=_assumptions(p, algorithm),
    )


@operation(_FAMILY)
def alltoall(*, n: int, p: int, algorithm: Exchange = "pairwise", dtype: str = "bf16") -> Kernel:
    """Transposition of parts: each of p devices sends a p-th of its n elements to each: B on the wire, 0 FLOP.

    Pairwise exchange sends (p - 1) / p n elements in p - 1 steps; Bruck's algorithm forwards the parts of others and
    needs ceil(log2 p) steps, in which part i is sent once for each bit set in i: n / 2 log2 p elements for a power of
    two (Thakur et al. 2005; Bruck et al.: Efficient algorithms for all-to-all communications in multiport
    message-passing systems, IEEE Trans. Parallel and Distributed Systems 8(11), 1997).

    Args:
        n: elements that each device has and gets; p divides it
        p: devices
        algorithm: pairwise (each part straight to its device) or bruck (fewer, larger messages)
        dtype: number format of an element

    Raises:
        InputError: a size that is not a whole number from 1 on, or devices that do not divide the elements.

    >>> kernel = alltoall(n=1024, p=8)
    >>> kernel.wire, kernel.messages, kernel.bytes  # 7/8 x 1024 x 2 B; 7; 2 x 1024 x 2 B
    (1792, 7, 4096)

    """
    sizes(n=n, p=p)
    one_of("algorithm", algorithm, get_args(Exchange))
    divides("p", p, "n", n)
    element = storage(dtype, name="dtype")
    parts = p - 1 if algorithm == "pairwise" else _bits_set_below(p)
    return Kernel(
        name=f"alltoall {n} over {p}",
        flops=0,
        bytes=2 * element.size_of(n),
        wire=element.size_of(n // p * parts),
        messages=p - 1 if algorithm == "pairwise" else (p - 1).bit_length(),
        devices=p,
        assumptions=(f"{algorithm} exchange between {p} devices", _OUT_OF_PLACE),
    )


@operation(_FAMILY)
def p2p(*, n: int, dtype: str = "bf16") -> Kernel:
    """One message of n elements from one device to another: B of own memory and B on the wire, 0 FLOP.

    All n elements are read from the memory of the sender, or written to that of the receiver, and sent in one step
    (Hockney: The communication challenge for MPP, Parallel Computing 20(3), 1994: latency + bytes / bandwidth).

    Args:
        n: elements sent
        dtype: number format of an element

    Raises:
        InputError: a size that is not a whole number from 1 on.

    >>> kernel = p2p(n=1024)
    >>> kernel.wire, kernel.messages, kernel.bytes
    (2048, 1, 2048)

    """
    sizes(n=n)
    moved = storage(dtype, name="dtype").size_of(n)
    return Kernel(
        name=f"p2p {n}",
        flops=0,
        bytes=moved,
        wire=moved,
        messages=1,
        devices=2,
        assumptions=("one message, read once by the sender, written once by the receiver",),
    )


def _all_but_one_part(n: int, p: int) -> int:
    """Elements that the busiest device passes on: all but the smallest of p parts; none where there is but one."""
    sizes(n=n, p=p)
    return n - n // p


def _steps(p: int, algorithm: Algorithm) -> int:
    one_of("algorithm", algorithm, get_args(Algorithm))
    return p - 1 if algorithm == "ring" else (p - 1).bit_length()  # ceil(log2 p)


def _assumptions(p: int, algorithm: Algorithm, *, reduces: bool = False) -> tuple[str, ...]:
    return (
        f"{algorithm} over {p} devices, each sending and receiving at once",
        *(("reduced by the devices, not in the switches",) if reduces else ()),
        _OUT_OF_PLACE,
    )


def _bits_set_below(p: int) -> int:
    """Bits set in all of 0, 1, ... p - 1 together.

    >>> _bits_set_below(8)  # each of three bits in half of the eight numbers
    12
    """
    total = 0
    for bit in range(p.bit_length()):
        period = 2 << bit
        total += p // period * (period // 2) + max(0, p % period - period // 2)
    return total
