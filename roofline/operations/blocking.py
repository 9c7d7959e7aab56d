"""Traffic of a product of dense matrices: each operand once, or as often as tiles in a fast memory make it."""

from typing import NamedTuple

from roofline.errors import InputError
from roofline.operations.arguments import held, sizes
from roofline.precision import PRECISIONS, Format, remarks, storage


class Operands(NamedTuple):
    """How A (activations), B (weights), C (output) and the sums before they are rounded are held."""

    a: Format
    b: Format
    c: Format
    sums: Format

    @classmethod
    def of(cls, dtype: str, a: str | None, b: str | None, c: str | None, sums: str | None = None) -> "Operands":
        """The formats that arguments name; ``dtype`` where they name none, and the output's for the sums."""
        every = storage(dtype, name="dtype")
        result = held("result", c, every)
        return cls(
            a=held("activations", a, every),
            b=held("weights", b, every),
            c=result,
            sums=held("accumulator", sums, result),
        )

    @property
    def arithmetic(self) -> str:
        """The precision that the products run in: that of A, or of a wider B, which cannot be narrowed without loss.

        >>> Operands.of("bf16", "fp8", None, None).arithmetic, Operands.of("bf16", None, "fp8", None).arithmetic
        ('bf16', 'bf16')
        >>> Operands.of("fp8", None, "int4-g128", None).arithmetic  # what is for storage alone is converted to A's
        'fp8'

        """
        plain, other = PRECISIONS.get(self.b.name), PRECISIONS.get(self.a.arithmetic)
        wider = plain is not None and other is not None and plain.bits > other.bits
        return self.b.arithmetic if wider else self.a.arithmetic

    def remarks(self) -> tuple[str, ...]:
        """What must be said of these formats."""
        return remarks(*(each.name for each in self))


def moved(
    m: int,
    n: int,
    k: int,
    formats: Operands,
    *,
    blocks: tuple[int, int, int] = (1, 1, 1),
    bias: bool = False,
    accumulate: bool = False,
    spill: bool = False,
) -> int:
    """Bytes that one product moves in so many blocks along m, n and k: A once for each block along n, and so on.

    >>> bf16 = Operands.of("bf16", None, None, None)
    >>> moved(4, 6, 8, bf16, blocks=(2, 3, 4))  # 2 B: A of 32 three times, B of 48 twice, C of 24
    432

    """
    along_m, along_n, along_k = blocks
    total = along_n * formats.a.size_of(m * k) + along_m * formats.b.size_of(k * n)
    total += (1 + accumulate) * formats.c.size_of(m * n) + along_m * bias * formats.c.size_of(n)
    # Between two blocks the sums are written and read.
    return total + (2 * (along_k - 1) * formats.sums.size_of(m * n) if spill else 0)


def blocks_of(tile: tuple[int, ...], m: int, n: int, k: int) -> tuple[int, int, int]:
    """How many blocks of a tile cover m, n and k; what sticks out counts as a block.

    Raises:
        InputError: not three sizes from 1 on.

    >>> blocks_of((4, 4, 4), m=8, n=9, k=3)
    (2, 3, 1)

    """
    for size in tile:
        sizes(tile=size)
    if len(tile) != 3:
        raise InputError(f"tile must be three sizes M,N,K, got {len(tile)}")
    return -(-m // tile[0]), -(-n // tile[1]), -(-k // tile[2])


def tile_size(tile: tuple[int, ...], formats: Operands) -> int:
    """Bytes of fast memory that a tile M,N,K takes: one of A, one of B, and the sums of one of C.

    >>> tile_size((128, 128, 32), Operands.of("bf16", None, None, None))  # 2 x (128 x 32 + 32 x 128 + 128 x 128)
    49152

    """
    m, n, k = tile
    return formats.a.size_of(m * k) + formats.b.size_of(k * n) + formats.sums.size_of(m * n)


def in_words(tile: tuple[int, ...], formats: Operands, blocks: tuple[int, int, int], *, spill: bool) -> tuple[str, ...]:
    """What a tile takes of fast memory, and how often the operands move for it."""
    m, n, k = tile
    return (
        f"tiles of {m}x{n}x{k}, which take {tile_size(tile, formats):,} B of fast memory",
        f"A is read {_often(blocks[1])}, B {_often(blocks[0])}",
        f"C is spilled in {formats.sums.name} {_often(blocks[2] - 1)}" if spill else "C is moved once, when it is done",
    )


def _often(times: int) -> str:
    return "once" if times == 1 else f"{times} times"
