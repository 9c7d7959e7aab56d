"""What a GGUF file must have if its keys are true: every matrix of every layer, and no tensor without elements.

Vectors are left out: which norms and biases there are is seen from the tensors, and conversions leave some out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Final

from roofline.errors import FileError
from roofline.text import quote
from roofline.transformer.architecture import Architecture
from roofline.transformer.ends import tables_of
from roofline.transformer.gguf_header import Tensor
from roofline.transformer.layer import Types
from roofline.transformer.operator import Tensor as Matrix

_AGAIN: Final = "the file is damaged, or its keys are of another model: download or convert it again"
_UP: Final = "ffn_up.weight"
_GATE: Final = "ffn_gate.weight"
_EXPERTS: Final = "_exps."
_JOINT: Final = "ffn_gate_up_exps.weight"


def refuse_empty(tensors: Mapping[str, Tensor]) -> None:
    """Refuse a tensor with a dimension of 0, and weights of no dimensions.

    Raises:
        FileError: names the first of them.

    """
    for tensor in tensors.values():
        if tensor.elements == 0 or (not tensor.shape and tensor.name.endswith(".weight")):
            shape = f"the shape {' x '.join(map(str, tensor.shape))}" if tensor.shape else "no dimensions"
            raise FileError(f"{tensor.where}: tensor {quote(tensor.name)} at byte {tensor.at} has {shape}", hint=_AGAIN)


def refuse_lacking(
    model: Architecture, tensors: Mapping[str, Tensor], types: Sequence[Types], *, kind: str, dense: int, where: str
) -> None:
    """Refuse a file of a whole model without one of the matrices that its keys speak of.

    Args:
        model: what the keys describe
        tensors: all of the file, by name
        types: those of each layer, with fused tensors under the names of what they hold
        kind: ``general.architecture``
        dense: layers before the first with experts, in a model of both
        where: the file, for errors

    Raises:
        FileError: names the first that is not there, tables before layers.

    """

    def lacks(name: str, whose: str) -> FileError:
        return FileError(f"{where}: no tensor {quote(name)}, which {whose}", hint=_AGAIN)

    for table in tables_of(model):
        if table.part != "vectors" and table.name not in tensors:
            raise lacks(table.name, f"a model of general.architecture {quote(kind)} has")
    # Layers that differ in their windows or types alone have the same matrices.
    wanted = {
        layer.kind: {each.name: each for each in layer.tensors(model.hidden) if each.part != "vectors"}
        for _, layer in model.layers
    }
    for number, held in enumerate(types):
        matrices = wanted[("dense" if number < dense else "MoE") if len(wanted) > 1 else next(iter(wanted))]
        lacking = _first_lacking(f"blk.{number}.", matrices, {name for name, _ in held}, tensors)
        if lacking is not None:
            raise lacks(lacking, f"{kind}.block_count {len(types)} and the other keys speak of")


def _first_lacking(
    layer: str, matrices: Mapping[str, Matrix], names: Set[str], tensors: Mapping[str, Tensor]
) -> str | None:
    """The first matrix that a layer, with tensors that hold these names, does not have."""
    for name, matrix in matrices.items():
        if name not in names:
            return layer + name
        if name == _GATE and layer + _GATE not in tensors:  # then one tensor holds gate and up
            up = tensors.get(layer + _UP)
            if up is not None and up.elements < matrix.elements + matrices[_UP].elements:
                return layer + _GATE
        if _EXPERTS in name and not {layer + name, layer + _JOINT} & tensors.keys():  # then one tensor for each
            single = (layer + name.replace(_EXPERTS, f".{expert}.") for expert in range(matrix.copies))
            lacking = next((each for each in single if each not in tensors), None)
            if lacking is not None:
                return lacking
    return None
