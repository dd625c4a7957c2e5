"""The shapes of the tensors in a file from which a converter of transformers makes others.

Transformers computes from the file to memory. The shapes that it expects in the file follow from
those in memory, by its operations backwards: of a ``Concatenate`` the parts, of a
``MergeModulelist`` the single experts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paramproof.catalogue.conversions import Operation, Transform
from paramproof.formulas.report import Shape

Member = tuple[int, int | None]
"""The number of a converter's source, and the number in the name, which is an expert's."""


def members(
    converter: Transform, targets: Sequence[Shape], found: Mapping[Member, Shape]
) -> dict[Member, Shape]:
    """Return the shapes that are expected in the file for tensors of these shapes in memory.

    ``found`` are those in the file. They decide where the shapes in memory do not: which way
    round a tensor lies that is transposed only if need be, and how wide the parts are that are
    joined.
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
        # A plain name may have a number in it, which is a layer's of another kind.
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
    """Return the shapes of the parts of a concatenation: equal ones, unless those found fit."""
    own = [next((s for (n, _), s in found.items() if n == source), ()) for source in range(number)]
    if all(len(s) == len(shape) and _with(s, dim, 0) == _with(shape, dim, 0) for s in own) and (
        sum(s[dim] for s in own) == shape[dim]
    ):
        return own
    return [_with(shape, dim, shape[dim] // number)] * number


def _shards(shape: Shape, dim: int, found: Mapping[Member, Shape]) -> dict[Member, Shape]:
    """Return the shards of a tensor: as many as are found, which together are as long as it."""
    lengths = [s[dim] if len(s) > dim else 0 for s in found.values()]
    if sum(lengths) == shape[dim]:
        return {key: _with(shape, dim, n) for key, n in zip(found, lengths, strict=True)}
    return {key: _with(shape, dim, shape[dim] // len(found)) for key in found}


def _transposed(operation: Operation, shape: Shape, found: Mapping[Member, Shape]) -> Shape:
    if operation.options.get("check_dims") and shape in found.values():
        return shape
    one, other = operation.options.get("dim0", 0), operation.options.get("dim1", 1)
    axes = list(shape)
    axes[one], axes[other] = axes[other], axes[one]
    return tuple(axes)


def _split_between_targets(
    operation: Operation, targets: Sequence[Shape], number: int
) -> dict[Member, Shape]:
    """Return single experts, the first of which are in the first target, and so on."""
    dim = operation.options.get("concat_dim", 1)
    experts = [
        _with(shape, dim, shape[dim] // number)[1:] for shape in targets for _ in range(shape[0])
    ]
    return {
        (source, index): shape for source in range(number) for index, shape in enumerate(experts)
    }
