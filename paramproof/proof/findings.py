"""Compare derived tensors with the inventory, tensor by tensor and symbolically."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from paramproof.algebra.residual import IN_LAYERS, Residual
from paramproof.algebra.symbols import symbols, with_head_size
from paramproof.formulas import Family, FamilyLetters, Inventory, inventory
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.layout import STACKED, stored_shape
from paramproof.formulas.path import LAYER, shared_path, stack_of
from paramproof.formulas.spec import head_size_of
from paramproof.formulas.tensors import Tensor
from paramproof.proof.builder_tensors import NamedTensor


def residuals(read: Sequence[NamedTensor], letters: FamilyLetters) -> list[Residual]:
    """Return every difference between derived tensors and the formula.

    A residual may have size 0, as for a wrong shape with the right number of entries, or for a
    tensor that is frozen and unknown.
    """
    named = [t for t in inventory(letters) if t.present and t.tied_to is None]
    expected = {tensor.path: tensor for tensor in named if tensor.trainable}
    left = {path: expression(tensor.repeat) for path, tensor in expected.items()}
    found: list[Residual] = []
    for tensor in read:
        parts = [path for path in tensor.parts if path in expected]
        for path in parts:
            left[path] -= tensor.times * (expected[path].repeat if STACKED in tensor.layout else 1)
        if parts:
            found += _compared(tensor, [expected[path] for path in parts], letters)
        elif tensor.trainable or not {t.path for t in named}.issuperset(tensor.parts or ("",)):
            size = tensor.size if tensor.trainable else Expression()
            found.append(Residual("".join(tensor.parts[:1]) or tensor.path, "unexpected", size))
    for path, times in left.items():
        if times:
            what = "missing" if times.evaluate(_apart(times)) > 0 else "stored too often"
            found.append(Residual(path, what, -times * expected[path].size))
    return found


def _compared(
    read: NamedTensor, tensors: Sequence[Tensor], letters: FamilyLetters
) -> Iterator[Residual]:
    """Yield the differences between a native tensor and the canonical tensors that it holds."""
    path = shared_path(tensor.path for tensor in tensors)
    shapes = [tensor.shape for tensor in tensors]
    heads, layers = head_size_of(letters), tensors[0].repeat
    expected = stored_shape(read.layout, shapes, head_size=heads, layers=layers)
    if expected != read.shape:
        extra = read.times * (math.prod(read.shape) - math.prod(expected))
        yield Residual(path, "wrong shape", extra)
    if not read.trainable:
        yield Residual(path, "frozen", -read.size)


def _apart(one: Expression) -> dict[str, int]:
    """Return sizes that all differ, at which the sign of an expression is read."""
    return {name: 10 + number for number, name in enumerate(sorted(one.letters))}


def components_of_size(residual: Expression, family: Family) -> list[str]:
    """Return the components whose size over all layers equals ``residual``, up to its sign."""
    named = inventory(with_head_size(symbols(family.letters)))
    repeats = {stack_of(tensor.path): tensor.repeat for tensor in named}
    found = []
    for path in _components(named, ""):
        inside = LAYER in path.split(".")
        size = named.total(path) * (repeats[stack_of(f"{path}.")] if inside else 1)
        if residual in (size, -size):
            found.append(path.removeprefix(IN_LAYERS))
    return found


def _components(named: Inventory, component: str) -> Iterator[str]:
    for path, inside in named.below(component).items():
        yield path
        yield from _components(inside, path)
