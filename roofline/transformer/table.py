"""A step of a transformer, prefill or decode, as kernels: its table of operators, and what they add up to."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from roofline.errors import InputError
from roofline.operations.linear import gemm
from roofline.transformer.architecture import Architecture
from roofline.transformer.conventions import Conventions
from roofline.transformer.ends import look_up, predict
from roofline.transformer.formats import Formats
from roofline.transformer.operator import NO_VECTOR_FLOPS, Operator, in_precision, precision_of
from roofline.transformer.step import Step
from roofline.transformer.tensors import priced, priced_tables, rotary

_MOST_TOKENS: Final = 10**9
_USUAL: Final = Conventions()


class Moved(NamedTuple):
    """Bytes of a step by what they are."""

    weights: int
    kv: int
    activations: int

    @property
    def least(self) -> int:
        """Weights and KV cache, without which no step can do."""
        return self.weights + self.kv

    @property
    def all(self) -> int:
        """Activations too, as each operator reads its input and writes its output."""
        return self.weights + self.kv + self.activations


class Table(NamedTuple):
    """The operators of one step of a batch, on one device."""

    step: Step
    operators: tuple[Operator, ...]
    conventions: Conventions
    notes: tuple[str, ...] = ()

    @property
    def flops(self) -> int:
        """FLOP of all matrix products."""
        return sum(operator.flops for operator in self.operators)

    @property
    def flops_by_precision(self) -> dict[str, int]:
        """FLOP by the precision that they run in."""
        found: dict[str, int] = {}
        for operator in self.operators:
            if operator.kernel.flops:
                dtype = operator.kernel.dtype or ""
                found[dtype] = found.get(dtype, 0) + operator.flops
        return found

    @property
    def moved(self) -> Moved:
        """Bytes through main memory, by what they are; those of communication are in the time of the links."""
        own = [operator for operator in self.operators if not operator.kernel.communicates]
        return Moved(
            weights=sum(o.times * o.weights for o in own),
            kv=sum(o.times * o.kv for o in own),
            activations=sum(o.times * o.activations for o in own),
        )

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What was counted how, as far as it matters to these operators."""
        words = list(dict.fromkeys(operator.assumes for operator in self.operators if operator.assumes))
        if any(operator.experts for operator in self.operators):
            words.append(self.conventions.of_experts)
        return (*self.conventions.assumptions, *words, NO_VECTOR_FLOPS)


def table(architecture: Architecture, step: Step, formats: Formats, conventions: Conventions | None = None) -> Table:
    """The operators of a step; those of a type of layer stand once, with the number of its layers.

    Raises:
        InputError: a size out of bounds, or a number of experts that the step cannot touch.

    """
    counted = conventions or _USUAL
    if step.tokens > _MOST_TOKENS:
        raise InputError(
            f"a step has at most 1e9 new tokens, got {step.batch:,} sequences of {step.new:,}",
            hint="give a smaller batch, or a shorter prompt",
        )
    return Table(
        step=step,
        operators=tuple(_operators(architecture, step, formats, counted)),
        conventions=counted,
        notes=architecture.notes_of(formats),
    )


def _operators(
    architecture: Architecture, step: Step, formats: Formats, conventions: Conventions
) -> Iterator[Operator]:
    own, tokens, hidden = architecture.holds(formats), step.tokens, architecture.hidden
    before = look_up(architecture, tokens=tokens, formats=formats)
    yield from priced_tables(before, architecture, formats, tokens) if own else before
    for index, (count, layer) in enumerate(architecture.layers):
        rows = layer.operators(hidden=hidden, step=step, formats=formats, conventions=conventions)
        for operator in priced(rows, layer, hidden, formats, conventions, tokens) if own else rows:
            yield operator.in_layers(count, index)
    if architecture.unplaced:
        yield _unplaced(architecture.unplaced, tokens, formats)
    if own:
        yield from rotary(architecture)
    behind = predict(architecture, step=step, formats=formats, conventions=conventions)
    yield from priced_tables(behind, architecture, formats, tokens) if own else behind


def _unplaced(parameters: int, tokens: int, formats: Formats) -> Operator:
    """Matrices of unknown shape that all tokens pass: 2 FLOP a parameter and token; their activations are unknown."""
    held = formats.of("unplaced")
    product = gemm(m=tokens, n=parameters, k=1, dtype=formats.activations, weights=held.name)
    weights = held.size_of(parameters)
    kernel = in_precision(product, precision_of("unplaced", formats))
    one = Operator("matrices of unknown shape", "unplaced", kernel, weights=weights)
    return one._replace(kernel=kernel._replace(bytes=weights))
