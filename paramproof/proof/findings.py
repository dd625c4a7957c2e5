"""What tensors read in letters have otherwise than the inventory says, tensor by tensor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from paramproof.algebra.residual import IN_LAYERS, Residual
from paramproof.formulas import EncoderLetters, Inventory, inventory
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.layout import STACKED, stored_shape
from paramproof.formulas.path import LAYER, shared_path
from paramproof.formulas.tensors import Tensor
from paramproof.proof.parts import encoder_letters
from paramproof.proof.symbolic import POINTS, SymbolicTensor


def residuals(read: Sequence[SymbolicTensor], letters: EncoderLetters) -> list[Residual]:
    """Return each way in which tensors read in letters are not as the formula says.

    A residual may be of size 0: another shape with as many entries, or an unknown name beside a
    missing one.
    """
    named = [t for t in inventory(letters) if t.present and t.tied_to is None]
    expected = {tensor.path: tensor for tensor in named if tensor.trainable}
    left = {path: expression(tensor.repeat) for path, tensor in expected.items()}
    found: list[Residual] = []
    for tensor in read:
        parts = [path for path in tensor.parts if path in expected]
        for path in parts:
            left[path] -= tensor.times * (letters.L if STACKED in tensor.layout else 1)
        if parts:
            found += _compared(tensor, [expected[path] for path in parts], letters)
        elif tensor.trainable or not {t.path for t in named}.issuperset(tensor.parts or ("",)):
            size = tensor.size if tensor.trainable else Expression()
            found.append(Residual("".join(tensor.parts[:1]) or tensor.path, "unexpected", size))
    for path, times in left.items():
        if times:
            what = "missing" if times.evaluate(POINTS[0]) > 0 else "stored too often"
            found.append(Residual(path, what, -times * expected[path].size))
    return found


def _compared(
    read: SymbolicTensor, tensors: Sequence[Tensor], letters: EncoderLetters
) -> Iterator[Residual]:
    """Yield how one native tensor is not as the canonical tensors in it ask for."""
    path = shared_path(tensor.path for tensor in tensors)
    shapes = [tensor.shape for tensor in tensors]
    expected = stored_shape(read.layout, shapes, head_size=letters.head_size, layers=letters.L)
    if expected != read.shape:
        extra = read.times * (math.prod(read.shape) - math.prod(expected))
        yield Residual(path, "wrong shape", extra)
    if not read.trainable:
        yield Residual(path, "frozen", -read.size)


def components_of_size(residual: Expression) -> list[str]:
    """Return the components whose size, in all layers, is ``residual`` up to the sign."""
    letters = encoder_letters()
    named = inventory(letters)
    found = []
    for path in _components(named, ""):
        size = named.total(path) * (letters.L if LAYER in path.split(".") else 1)
        if residual in (size, -size):
            found.append(path.removeprefix(IN_LAYERS))
    return found


def _components(named: Inventory, component: str) -> Iterator[str]:
    for path in named.components(component):
        yield path
        yield from _components(named, path)
