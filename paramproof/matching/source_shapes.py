"""The shapes that a converter of transformers expects in a file.

Converters turn the tensors in a file into those in memory. This module applies their operations
backwards, to find the shapes in the file from those in memory: a ``Concatenate`` gives its parts, a
``MergeModulelist`` its single experts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paramproof.catalogue.conversions import Operation, Transform
from paramproof.formulas.report import Shape

Member = tuple[int, int | None]
"""The index of a converter's source, and the number in the tensor's name, an expert's index."""


def members(
    converter: Transform, targets: Sequence[Shape], found: Mapping[Member, Shape]
) -> dict[Member, Shape]:
    """Return the shapes that the file should have, given the shapes of the ``targets`` in memory.

    ``found`` has the file's own shapes. They settle what the shapes in memory leave open: whether
    a tensor is transposed where the converter transposes only if needed, and how wide each part of
    a concatenation is.
    """
    number = len(converter.sources)
    if converter.operations[0].name == "ErnieFuseAndSplitTextVisionExperts":
        return _split_between_targets(converter.operations[0], targets, number)
    parts: list[Shape] = list(targets)
    singly = False
    for operation in reversed(converter.operations):
        dim = operation.options.get("dim", 0)
        if operation.name in ("Chunk", "Split"):
            parts = [_with(parts[0], dim, sum(shape[dim] for shape in parts))]
        elif operation.name == "Concatenate" and operation.options.get("num_shards_attribute"):
            return _shards(parts[0], dim, found)
        elif operation.name == "Concatenate":
            parts = _parts(parts[0], dim, number, found)
        elif operation.name == "MergeModulelist":
            singly = True
        elif operation.name == "Transpose":
            parts = [_transposed(operation, shape, found) for shape in parts]
    if not singly:
        # A name without experts may contain a number too: the index of a layer.
        numbers = dict(found.keys())
        return {(n, numbers.get(n)): shape for n, shape in enumerate(parts)}
    return {
        (source, index): shape[1:]
        for source, shape in enumerate(parts)
        for index in range(shape[0])
    }


def _with(shape: Shape, dim: int, length: int) -> Shape:
    return (*shape[:dim], length, *shape[dim + 1 :])


def _parts(shape: Shape, dim: int, number: int, found: Mapping[Member, Shape]) -> list[Shape]:
    """Return the shapes of a concatenation's parts: the file's own if they fit, else equal ones."""
    own = [next((s for (n, _), s in found.items() if n == source), ()) for source in range(number)]
    if all(len(s) == len(shape) and _with(s, dim, 0) == _with(shape, dim, 0) for s in own) and (
        sum(s[dim] for s in own) == shape[dim]
    ):
        return own
    return [_with(shape, dim, shape[dim] // number)] * number


def _shards(shape: Shape, dim: int, found: Mapping[Member, Shape]) -> dict[Member, Shape]:
    """Return the shapes of a tensor's shards: the file's own if they add up, else equal ones."""
    lengths = [s[dim] if len(s) > dim else 0 for s in found.values()]
    if sum(lengths) == shape[dim]:
        return {key: _with(shape, dim, n) for key, n in zip(found, lengths, strict=True)}
    return {key: _with(shape, dim, shape[dim] // len(found)) for key in found}


def _transposed(operation: Operation, shape: Shape, found: Mapping[Member, Shape]) -> Shape:
    if operation.options.get("check_dims") and shape in found.values():
        return shape
    dim0, dim1 = operation.options.get("dim0", 0), operation.options.get("dim1", 1)
    lengths = list(shape)
    lengths[dim0], lengths[dim1] = lengths[dim1], lengths[dim0]
    return tuple(lengths)


def _split_between_targets(
    operation: Operation, targets: Sequence[Shape], number: int
) -> dict[Member, Shape]:
    """Return the shapes of single experts; the first target holds the first of them, and so on."""
    dim = operation.options.get("concat_dim", 1)
    experts = [
        _with(shape, dim, shape[dim] // number)[1:] for shape in targets for _ in range(shape[0])
    ]
    return {
        (source, index): shape for source in range(number) for index, shape in enumerate(experts)
    }
