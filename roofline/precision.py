"""Number formats: those that arithmetic runs in, those that memory holds, their names, spellings and sizes in bits."""

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from roofline.errors import InputError, UnknownNameError, nearest
from roofline.text import quote

if TYPE_CHECKING:
    from fractions import Fraction


class Precision(NamedTuple):
    """One number format that arithmetic can run in."""

    name: str
    bits: int  # of one element in memory
    aliases: tuple[str, ...] = ()


PRECISIONS: Final[dict[str, Precision]] = {
    p.name: p
    for p in (
        Precision("fp64", 64, ("float64", "f64", "double")),
        Precision("fp32", 32, ("float32", "f32", "single", "float")),
        Precision("tf32", 32, ("tensorfloat32",)),  # 19 significant bits, stored in 32
        Precision("fp16", 16, ("float16", "f16", "half")),
        Precision("bf16", 16, ("bfloat16",)),
        Precision("fp8", 8, ("float8", "f8", "e4m3", "e5m2", "fp8_e4m3", "fp8_e5m2", "float8_e4m3fn", "float8_e5m2")),
        Precision("fp6", 6, ("float6", "f6", "e3m2", "e2m3")),
        Precision("fp4", 4, ("float4", "f4", "e2m1")),
        Precision("int32", 32, ("i32",)),
        Precision("int16", 16, ("i16",)),
        Precision("int8", 8, ("i8",)),
        Precision("int4", 4, ("i4",)),
    )
}
_ALIASES: Final = {alias: p.name for p in PRECISIONS.values() for alias in (p.name, *p.aliases)}


def parse(text: str, *, name: str = "precision") -> str:
    """The standard name of a precision.

    Raises:
        UnknownNameError: no such precision; the nearest are named.

    >>> parse("BFloat16"), parse("half"), parse("e4m3")
    ('bf16', 'fp16', 'fp8')

    """
    found = _ALIASES.get(text.strip().lower().removeprefix("torch."))
    if found is None:
        near = nearest(text.strip().lower(), _ALIASES, 3)
        raise UnknownNameError(
            f"{name}: unknown precision {quote(text)}",
            hint=f"did you mean: {', '.join(near)}?" if near else f"one of: {', '.join(PRECISIONS)}",
        )
    return found


class Format(NamedTuple):
    """One way to hold numbers in memory: bits of the elements, and of what blocks of elements share (their scales)."""

    name: str
    element_bits: int  # of each element, or of each `per` elements
    blocks: tuple[tuple[int, int], ...] = ()  # (elements, bits that they share)
    arithmetic: str = "bf16"  # precision that it is computed in; what is for storage alone is converted first
    aliases: tuple[str, ...] = ()
    source: str = ""
    per: int = 1  # a measured average has a fraction of a bit
    note: str = ""  # to be shown with whatever rests on this format
    container: Literal["gguf"] | None = None  # the one kind of file that holds it; None: several do

    @property
    def bits(self) -> "Fraction":
        """Bits of one element with its share of the scales of its blocks.

        >>> float(storage("mxfp4").bits), float(storage("q8_0").bits)
        (4.25, 8.5)

        """
        from fractions import Fraction  # noqa: PLC0415  (3 ms that a command without shapes need not pay)

        return sum((Fraction(bits, elements) for elements, bits in self.blocks), Fraction(self.element_bits, self.per))

    def size_of(self, elements: int) -> int:
        """Bytes of so many elements, rounded up to whole bytes; a block that is begun has a whole scale.

        >>> storage("mxfp4").size_of(32), storage("mxfp4").size_of(33), storage("fp4").size_of(3)
        (17, 19, 2)

        """
        shared = sum(-(-elements // block) * bits for block, bits in self.blocks) if self.blocks else 0
        return -(-(elements * self.element_bits + shared * self.per) // (8 * self.per))


_OCP: Final = "OCP Microscaling Formats (MX) Specification v1.0, table 1"
_NVFP4: Final = "NVIDIA: Introducing NVFP4; an fp8 scale per 16, the fp32 scale of the tensor left out"
_DEEPSEEK: Final = "DeepSeek-V3 technical report, arXiv:2412.19437, 3.3.2: an fp32 scale per 128 x 128 weights"
_GROUPS: Final = "Frantar et al.: GPTQ, arXiv:2210.17323; Lin et al.: AWQ, arXiv:2306.00978; an fp16 scale per group"
_QLORA: Final = "Dettmers et al.: QLoRA, arXiv:2305.14314, section 3"
_GGML: Final = "llama.cpp, the gguf package's GGML_QUANT_SIZES: weights and bytes of a block"
_MIXES: Final = "llama.cpp, tools/quantize/README.md: bits per weight of Llama-3.1-8B"

# A block of these is a whole: bytes for so many weights, codes and scales together.
_GGML_BLOCKS: Final = (
    (32, {"q4_0": 18, "q4_1": 20, "q5_0": 22, "q5_1": 24, "q8_0": 34, "iq4_nl": 18}),
    (256, {"q2_k": 84, "q3_k": 110, "q4_k": 144, "q5_k": 176, "q6_k": 210, "tq1_0": 54, "tq2_0": 66}),
    (256, {"iq4_xs": 136, "iq3_s": 110, "iq3_xxs": 98, "iq2_s": 82, "iq2_xs": 74, "iq2_xxs": 66}),
    (256, {"iq1_m": 56, "iq1_s": 50}),
    (128, {"q1_0": 18}),
)
# A file of these mixes block formats, so its average depends on the model; in 1/10,000 bit.
_GGUF_MIXES: Final = (
    *(("iq2_m", 29294), ("iq3_xs", 34977), ("iq3_m", 37628), ("q2_k_s", 29697)),
    *(("q3_k_s", 36429), ("q3_k_l", 42979), ("q4_k_s", 46672)),
    *(("q4_k_m", 48944), ("q5_k_s", 55704), ("q5_k_m", 57036)),
    ("q3_k_m", 39960),  # not in that table: by the mix of src/llama-quant.cpp, which gives those of the others too
)

FORMATS: Final[dict[str, Format]] = {
    f.name: f
    for f in (
        *(Format(p.name, p.bits, arithmetic=p.name, aliases=p.aliases) for p in PRECISIONS.values()),
        Format("int64", 64, arithmetic="int64", aliases=("i64",)),  # of indices; no device has a peak for it
        Format("fp8-128x128", 8, ((128 * 128, 32),), "fp8", ("fp8-block", "fp8-b128"), _DEEPSEEK),
        Format("mxfp8", 8, ((32, 8),), "fp8", source=_OCP),
        Format("mxfp6", 6, ((32, 8),), "fp6", source=_OCP),
        Format("mxfp4", 4, ((32, 8),), "fp4", source=_OCP),
        Format("mxint8", 8, ((32, 8),), "int8", source=_OCP),
        Format("nvfp4", 4, ((16, 8),), "fp4", source=_NVFP4),
        Format("int4-g128", 4, ((128, 20),), aliases=("awq", "gptq"), source=f"{_GROUPS} and a 4-bit zero"),
        Format("int4-g64", 4, ((64, 20),), source=f"{_GROUPS} and a 4-bit zero"),
        Format("int4-g32", 4, ((32, 20),), source=f"{_GROUPS} and a 4-bit zero"),
        Format("int4-g128-sym", 4, ((128, 16),), source=_GROUPS),
        Format("int4-g64-sym", 4, ((64, 16),), source=_GROUPS),
        Format("int4-g32-sym", 4, ((32, 16),), source=_GROUPS),
        Format("nf4", 4, ((64, 32),), source=f"{_QLORA}: an fp32 scale per 64"),
        Format("nf4-dq", 4, ((64, 8), (64 * 256, 32)), source=f"{_QLORA}: an 8-bit scale per 64, an fp32 per 16,384"),
        *(
            Format(name, 0, ((weights, 8 * size),), source=_GGML, container="gguf")
            for weights, sizes in _GGML_BLOCKS
            for name, size in sizes.items()
        ),
        *(
            Format(
                name,
                bits,
                per=10_000,
                source=_MIXES,
                container="gguf",
                note=f"{name} is a mix of block formats: {bits / 10_000} bit per weight is the average of Llama-3.1-8B,"
                " and other models differ",
            )
            for name, bits in _GGUF_MIXES
        ),
    )
}
_SPELLINGS: Final = {spelling.replace("_", "-"): f.name for f in FORMATS.values() for spelling in (f.name, *f.aliases)}


def storage(text: str, *, name: str = "format", mixes: bool = False) -> Format:
    """The format of a name, of arithmetic (``bf16``) or of storage alone (``int4-g128``); ``-`` and ``_`` are alike.

    Raises:
        UnknownNameError: no such format; the nearest are named, and all.
        InputError: a mix over the weights of a model (``q4_k_m``) where mixes are not asked for.

    >>> storage("Q4_K").name, storage("int4_g128").name, storage("half").name
    ('q4_k', 'int4-g128', 'fp16')

    """
    known = FORMATS.get(text)
    if known is not None and (mixes or known.per == 1):
        return known  # a standard name, which is what functions give one another
    wanted = text.strip().lower().removeprefix("torch.").replace("_", "-")
    found = _SPELLINGS.get(wanted)
    if found is None:
        near = dict.fromkeys(_SPELLINGS[word] for word in nearest(wanted, _SPELLINGS, 3))
        every = f"one of: {', '.join(FORMATS)}"
        raise UnknownNameError(
            f"{name}: unknown number format {quote(text)}",
            hint=f"did you mean: {', '.join(near)}? {every}" if near else every,
        )
    if FORMATS[found].per > 1 and not mixes:
        raise InputError(
            f"{name}: {found} is a mix of formats over the weights of a model, not the format of one array",
            hint="name a block format, such as q4_k",
        )
    return FORMATS[found]


def arithmetic(text: str) -> str:
    """The precision that arithmetic on such operands runs in; bf16 for formats that are converted before it.

    Raises:
        UnknownNameError: no such format; the nearest are named.

    >>> arithmetic("fp16"), arithmetic("mxfp8"), arithmetic("q4_k")
    ('fp16', 'fp8', 'bf16')

    """
    return storage(text, mixes=True).arithmetic


def remarks(*texts: str) -> tuple[str, ...]:
    """What must be said of results that rest on these formats, each once.

    >>> remarks("bf16", "mxfp4")
    ('mxfp4 takes 4.25 bits an element, its scales included',)

    """
    formats = [storage(text, mixes=True) for text in texts]
    return tuple(dict.fromkeys(said for each in formats if (said := each.note or _blocks(each))))


def _blocks(held: Format) -> str:
    """How many bits an element takes where blocks share scales."""
    if not held.blocks:
        return ""
    bits = held.element_bits / held.per + sum(shared / elements for elements, shared in held.blocks)
    return f"{held.name} takes {bits:g} bits an element, its scales included"
