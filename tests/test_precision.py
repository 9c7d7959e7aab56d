"""Names of number formats."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline import precision
from roofline.errors import InputError, UnknownNameError


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("bf16", "bf16"),
        ("BFloat16", "bf16"),
        ("half", "fp16"),
        ("torch.float32", "fp32"),
        ("E4M3", "fp8"),
        ("double", "fp64"),
    ],
)
def test_aliases(text: str, name: str) -> None:
    assert precision.parse(text) == name


def test_an_unknown_precision_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown precision 'fp7'") as caught:
        precision.parse("fp7")
    assert "fp8" in (caught.value.hint or "")


def test_bits_are_those_of_the_name() -> None:
    for name, found in precision.PRECISIONS.items():
        assert found.bits == (32 if name == "tf32" else int(name.lstrip("fpbint")))  # tf32 is stored in 32 bits


def test_no_alias_is_used_twice() -> None:
    names = [n for p in precision.PRECISIONS.values() for n in (p.name, *p.aliases)]
    assert len(names) == len(set(names))


# Bytes of a block by hand: the elements' bits, then the scales' bits.
BLOCKS = [
    ("bf16", 1, 2),
    ("fp8", 1, 1),
    ("int4", 2, 1),
    ("int64", 1, 8),
    ("fp8-128x128", 128 * 128, 16384 + 4),  # an fp32 scale per tile
    ("mxfp8", 32, 32 + 1),  # E8M0 scale
    ("mxfp6", 32, 24 + 1),
    ("mxfp4", 32, 17),  # gpt-oss: 17 B per 32
    ("mxint8", 32, 33),
    ("nvfp4", 64, 36),  # 32 B of codes, 4 scales of 1 B
    ("int4-g128-sym", 128, 64 + 2),  # an fp16 scale
    ("int4-g64-sym", 64, 32 + 2),
    ("int4-g32-sym", 32, 16 + 2),
    ("int4-g128", 256, 128 + 2 * 2 + 1),  # two groups: two fp16 scales, two 4-bit zeros
    ("int4-g64", 128, 64 + 2 * 2 + 1),
    ("int4-g32", 64, 32 + 2 * 2 + 1),
    ("nf4", 64, 32 + 4),  # an fp32 absmax
    ("nf4-dq", 64 * 256, 8192 + 256 + 4),  # 256 absmax of 8 bits, one fp32 for them
    ("q4_0", 32, 16 + 2),  # codes, an fp16 scale
    ("q4_1", 32, 16 + 2 + 2),  # and an fp16 minimum
    ("q5_0", 32, 20 + 2),
    ("q5_1", 32, 20 + 2 + 2),
    ("q8_0", 32, 32 + 2),
    ("iq4_nl", 32, 16 + 2),
    ("q2_k", 256, 64 + 16 + 4),  # codes; 4-bit scale and minimum for each 16; two fp16
    ("q3_k", 256, 96 + 12 + 2),  # codes of 3 bits; 16 scales of 6 bits; one fp16
    ("q4_k", 256, 128 + 12 + 4),  # codes; 8 scales and 8 minima of 6 bits; two fp16
    ("q5_k", 256, 160 + 12 + 4),
    ("q6_k", 256, 192 + 16 + 2),  # codes of 6 bits; 16 scales of 8 bits; one fp16
    ("iq4_xs", 256, 128 + 6 + 2),  # codes; 8 scales of 6 bits; one fp16
    ("tq2_0", 256, 64 + 2),
    ("tq1_0", 256, 52 + 2),  # five trits a byte, the last 16 four a byte: 48 + 4
]


@pytest.mark.parametrize(("text", "elements", "size"), BLOCKS)
def test_a_block_has_the_bytes_of_its_codes_and_scales(text: str, elements: int, size: int) -> None:
    found = precision.storage(text)
    assert found.size_of(elements) == size
    assert found.bits == Fraction(8 * size, elements)


# Bits per weight as the llama.cpp sources print them.
PRINTED = {
    "iq1_s": 1.5625,
    "iq1_m": 1.75,
    "iq2_xxs": 2.0625,
    "iq2_xs": 2.3125,
    "iq2_s": 2.5625,
    "iq3_xxs": 3.0625,
    "iq3_s": 3.4375,
    "iq2_m": 2.9294,
    "iq3_xs": 3.4977,
    "iq3_m": 3.7628,
    "q2_k_s": 2.9697,
    "q4_k_m": 4.8944,
    "q5_k_m": 5.7036,
}


@pytest.mark.parametrize("text", PRINTED)
def test_bits_per_weight_are_the_printed_ones(text: str) -> None:
    assert precision.storage(text, mixes=True).bits == Fraction(str(PRINTED[text]))


@pytest.mark.parametrize(
    ("mix", "first", "others", "output"),
    [
        ("q3_k_s", "q3_k", "q3_k", "q3_k"),
        ("q3_k_m", "q5_k", "q4_k", "q4_k"),
        ("q3_k_l", "q5_k", "q5_k", "q5_k"),
    ],
)
def test_the_mix_that_is_not_printed_follows_from_its_rule_as_those_beside_it_do(
    mix: str, first: str, others: str, output: str
) -> None:
    """Llama-3.1-8B by src/llama-quant.cpp: types of v and down in the first two layers and the others, and of output.

    The LM head is q6_k and all else q3_k; 65 norms of 4096 are fp32. Q3_K_S and Q3_K_L come out as they are printed.
    """
    h, narrow, width, layers, vocab = 4096, 1024, 14336, 32, 128256
    bits = {"q3_k": 110 / 32, "q4_k": 144 / 32, "q5_k": 176 / 32, "q6_k": 210 / 32}  # bytes of a block of 256
    size = vocab * h * (bits["q3_k"] + bits["q6_k"]) + 32 * 65 * h
    for layer in range(layers):
        size += (h * narrow + h * width) * bits[first if layer < 2 else others] + h * h * bits[output]
        size += (h * h + h * narrow + 2 * h * width) * bits["q3_k"]
    assert round(size / 8_030_261_248, 4) == float(precision.storage(mix, mixes=True).bits)


def test_a_real_checkpoint_has_the_size_that_its_formats_give() -> None:
    # gpt-oss-120b: 36 layers x 128 experts x 2880 x (2 x 2880 + 2880) weights in MXFP4, the other parameters (of
    # 116,829,156,672) in 16 bit; the checkpoint's tensors are 65,248,815,744 B.
    experts = 36 * 128 * 2880 * 3 * 2880
    rest = 116_829_156_672 - experts
    assert precision.storage("mxfp4").size_of(experts) + precision.storage("bf16").size_of(rest) == 65_248_815_744
    # Case L19: 8e9 weights of Q4_K are 4.5 GB.
    assert precision.storage("q4_k").size_of(8_000_000_000) == 4_500_000_000


def test_a_block_that_is_begun_has_a_whole_scale() -> None:
    assert precision.storage("mxfp4").size_of(33) == 17 + 2  # half a byte of code is a byte; 8 more bits of scale
    assert precision.storage("q4_k").size_of(1) == 144  # codes and scales are one block
    assert precision.storage("int4").size_of(3) == 2


def test_a_mix_says_that_it_is_an_average_and_a_block_format_how_many_bits_it_takes() -> None:
    assert precision.remarks("q4_k_m", "bf16", "q4_k_m") == (
        "q4_k_m is a mix of block formats: 4.8944 bit per weight is the average of Llama-3.1-8B,"
        " and other models differ",
    )
    # 144 B for 256 weights; an fp16 scale and a 4-bit zero per 128
    assert precision.remarks("q4_k", "int4-g128", "bf16") == (
        "q4_k takes 4.5 bits an element, its scales included",
        "int4-g128 takes 4.15625 bits an element, its scales included",
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [("Q4_K", "q4_k"), ("q4-k", "q4_k"), ("INT4_G128", "int4-g128"), ("awq", "int4-g128"), ("half", "fp16"),
     ("torch.bfloat16", "bf16"), ("fp8_e4m3", "fp8"), (" nvfp4 ", "nvfp4")],
)  # fmt: skip
def test_formats_are_found_by_their_spellings(text: str, name: str) -> None:
    assert precision.storage(text).name == name


def test_every_precision_is_a_format_of_its_own_bits_and_computes_in_itself() -> None:
    for name, found in precision.PRECISIONS.items():
        assert precision.storage(name).bits == found.bits
        assert precision.arithmetic(name) == name


@pytest.mark.parametrize(
    ("text", "runs_in"),
    [
        ("mxfp8", "fp8"),
        ("nvfp4", "fp4"),
        ("mxfp6", "fp6"),
        ("int4-g128", "bf16"),
        ("q8_0", "bf16"),
    ],
)
def test_arithmetic_runs_in_the_element_type_or_after_conversion(text: str, runs_in: str) -> None:
    assert precision.arithmetic(text) == runs_in


def test_every_block_format_names_its_source_and_no_spelling_is_used_twice() -> None:
    spellings = [s.replace("_", "-") for f in precision.FORMATS.values() for s in (f.name, *f.aliases)]
    assert len(spellings) == len(set(spellings))
    assert all(f.source for f in precision.FORMATS.values() if f.blocks or f.per > 1)


def test_a_mix_is_a_format_of_weights_only() -> None:
    with pytest.raises(InputError, match="output: q4_k_m is a mix of formats over the weights of a model") as caught:
        precision.storage("Q4_K_M", name="output")
    assert "q4_k" in (caught.value.hint or "")
    assert precision.arithmetic("q4_k_m") == "bf16"


def test_an_unknown_format_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="weights: unknown number format 'q4_kk'") as caught:
        precision.storage("q4_kk", name="weights")
    assert "q4_k" in (caught.value.hint or "")


@given(st.sampled_from(sorted(precision.FORMATS)), st.integers(1, 10**18), st.integers(1, 10**18))
def test_sizes_are_exact_grow_and_never_fall_below_the_bits(name: str, a: int, b: int) -> None:
    found = precision.storage(name, mixes=True)
    assert 8 * found.size_of(a) >= a * found.bits
    # No more than a block and a byte above.
    assert 8 * found.size_of(a) < a * found.bits + sum(bits for _, bits in found.blocks) + 8
    assert found.size_of(a) <= found.size_of(a + b) <= found.size_of(a) + found.size_of(b)
