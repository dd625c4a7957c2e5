"""Carry weights from one model to another, across frameworks, by way of canonical ones.

A canonical weight is a NumPy array under the path and in the shape of the inventory: a kernel
is (in, out), q, k and v are three, every layer has its own, and what is tied is there once.
"""

from __future__ import annotations

from collections.abc import Mapping

from paramproof.builders.arrays import raise_if_any
from paramproof.builders.protocol import Array, Builder, BuiltModel, NotAllocated
from paramproof.formulas import Numerics, Spec, compare, inventory
from paramproof.formulas.spec.protocols import head_size_of
from paramproof.weights.canonical import (
    dtype_of,
    from_canonical,
    require_canonical,
    stored_tensors,
    to_canonical,
)

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
