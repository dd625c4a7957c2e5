"""Carry weights from one model to another, across frameworks, by way of canonical ones.

A canonical weight is a NumPy array under the path and in the shape of the inventory: a kernel
is (in, out), q, k and v are three, every layer has its own, and what is tied is there once. A
framework's file declares how it stores canonical tensors; here that is executed, backwards and
forwards, with the very patterns from which ``compare`` derives shapes. Nothing is computed with a
value, so both ways are exact to the bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from einops import rearrange

from paramproof.builders.arrays import mismatches, raise_if_any
from paramproof.builders.protocol import Array, Builder, BuiltModel, DType, NotAllocated
from paramproof.formulas import Numerics, Spec, Weight, compare, inventory
from paramproof.formulas.layout import LAYOUTS, STACKED
from paramproof.formulas.path import at_layer
from paramproof.formulas.spec import head_size_of
from paramproof.formulas.tensors import Tensor

WORDS = {"missing": "missing", "unexpected": "too much", "wrong shape": "of another shape"}
"""What makes a model unfit for the weights of a spec. Being frozen does not."""


def transfer(source: BuiltModel, target: BuiltModel, spec: Spec) -> None:
    """Give ``target`` the weights of ``source``; both are models of ``spec``, allocated.

    Raises as ``canonical_weights`` and ``assign_weights`` do, before anything is written.
    """
    assign_weights(target, spec, canonical_weights(source, spec))


def canonical_weights(model: BuiltModel, spec: Spec) -> dict[str, Array]:
    """Return the values of ``model``, a model of ``spec``, by canonical path, in model order.

    A tied tensor has no entry, nor has a fixed one that the framework does not store. Raises
    ``ValueError`` where the model is not one of ``spec``, ``NotAllocated`` where it is abstract.
    """
    _require_model_of(spec, model)
    tensors, values = stored_tensors(spec), model.read()
    found: dict[str, Array] = {}
    for weight in model.weights():
        found |= to_canonical(weight, values[weight.path], tensors, head_size_of(spec))
    return {path: found[path] for path in tensors if path in found}


def assign_weights(model: BuiltModel, spec: Spec, arrays: Mapping[str, Array]) -> None:
    """Give ``model``, a model of ``spec``, these values: the inverse of ``canonical_weights``.

    Raises, before anything is written, ``NotAllocated`` as ``BuiltModel.write`` does and
    ``ValueError`` where the model is not one of ``spec`` or the arrays do not fit: each that
    is missing, unknown, wrongly shaped, not finite, or not of exactly the model's dtype is
    named. Nothing is cast; who wants to does, with ``array.astype(model.dtype)``.
    """
    _require_model_of(spec, model)
    require_canonical(spec, model.dtype, arrays)
    absent = set(stored_tensors(spec)) - set(arrays)
    if any(absent.intersection(weight.parts) for weight in model.weights()):
        # A fixed tensor that the source does not store stays as the framework made it.
        arrays = {**canonical_weights(model, spec), **arrays}
    model.write(
        {
            weight.path: from_canonical(weight, arrays, head_size_of(spec), model.dtype)
            for weight in model.weights()
        }
    )


def build_with(
    builder: Builder,
    spec: Spec,
    arrays: Mapping[str, Array],
    numerics: Numerics | None = None,
) -> BuiltModel:
    """Build a model of ``spec`` that begins with these weights, in their dtype.

    No random values are made first where the framework can do without. Raises ``ValueError``
    as ``assign_weights`` does, and ``UnsupportedSpec`` as ``build`` does.
    """
    dtype = dtype_of(arrays)
    model = builder.build(spec, numerics, dtype=dtype)
    try:
        assign_weights(model, spec, arrays)
    except NotAllocated:
        model = builder.build(spec, numerics, allocate=True, dtype=dtype)
        assign_weights(model, spec, arrays)
    return model


def _require_model_of(spec: Spec, model: BuiltModel) -> None:
    """Raise ``ValueError`` naming each tensor that is not as ``spec`` has it; it may be frozen."""
    rows = compare(inventory(spec.letters()), model.weights()).rows
    wrong = [(row.path, f"is {WORDS[row.kind]}") for row in rows if row.kind in WORDS]
    raise_if_any(wrong, "the model is not one of this spec")


def stored_tensors(spec: Spec) -> dict[str, Tensor]:
    """Return the tensors of ``spec`` that have values of their own, by path: tied ones once."""
    expanded = inventory(spec.letters()).expand()
    return {tensor.path: tensor for tensor in expanded if tensor.tied_to is None}


def require_canonical(spec: Spec, dtype: DType, arrays: Mapping[str, Array]) -> None:
    """Raise ``ValueError`` naming whatever keeps ``arrays`` from being the weights of ``spec``.

    Required are exactly the trainable tensors of ``spec``, with canonical shapes, ``dtype`` and
    finite values. A fixed tensor may be left out, because not every framework stores it.
    """
    expected = stored_tensors(spec)
    shapes = {path: t.shape for path, t in expected.items() if t.trainable or path in arrays}
    wrong = mismatches(shapes, dtype, arrays)
    if not wrong:
        finite = ((path, np.isfinite(array).all()) for path, array in arrays.items())
        wrong = [(path, "has NaN or infinite values") for path, good in finite if not good]
    raise_if_any(wrong)


def dtype_of(arrays: Mapping[str, Array]) -> DType:
    """Return the dtype that ``arrays`` should have: float64 if the first has, or float32."""
    first = next(iter(arrays.values()), None)
    return "float64" if str(getattr(first, "dtype", "")) == "float64" else "float32"


def to_canonical(
    weight: Weight, array: Array, tensors: Mapping[str, Tensor], head_size: int
) -> dict[str, Array]:
    """Return the canonical arrays in the value of a weight, by path: its layout, backwards."""

    def split(array: Array, paths: Sequence[str]) -> dict[str, Array]:
        for pattern in reversed(_patterns(weight)):
            left, right = pattern.split(" -> ")
            array = _rearranged(array, f"{right} -> {left}", head_size)
        ends = np.cumsum([tensors[path].shape[-1] for path in paths])[:-1]
        return dict(zip(paths, np.split(array, ends, axis=-1), strict=True))

    if not weight.stacked:
        return split(array, weight.parts)
    found: dict[str, Array] = {}
    for index, layer in enumerate(array):
        found |= split(layer, [at_layer(part, index) for part in weight.parts])
    return found


def from_canonical(
    weight: Weight, arrays: Mapping[str, Array], head_size: int, dtype: DType
) -> Array:
    """Return the value of a weight from the canonical ``arrays``: its layout, forwards."""

    def join(parts: Sequence[Array]) -> Array:
        array = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-1)
        for pattern in _patterns(weight):
            array = _rearranged(array, pattern, head_size)
        return array

    if not weight.stacked:
        return join([arrays[part] for part in weight.parts])
    stacked = np.empty(weight.shape, dtype)
    for index, layer in enumerate(stacked):
        layer[...] = join([arrays[at_layer(part, index)] for part in weight.parts])
    return stacked


def _patterns(weight: Weight) -> list[str]:
    return [LAYOUTS[name] for name in weight.layout if name != STACKED]


def _rearranged(array: Array, pattern: str, head_size: int) -> Array:
    return rearrange(array, pattern, **({"k": head_size} if "k" in pattern else {}))
