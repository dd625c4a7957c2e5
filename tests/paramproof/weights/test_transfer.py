"""Layouts by their definition, and two models of one spec that are lists of arrays."""

from dataclasses import replace

import numpy as np
import pytest

from paramproof.formulas import Inventory, Tensor, Weight, inventory
from paramproof.weights.transfer import (
    assign_weights,
    canonical_weights,
    dtype_of,
    from_canonical,
    stored_tensors,
    to_canonical,
    transfer,
)
from tests.bitwise import assert_same, odd_weights
from tests.specs import SMALL_ENCODER as SPEC

FIXED = "embeddings.position_embeddings.weight"


class Arrays:
    dtype = "float32"

    def __init__(self, *, without=(), frozen=False, further=()):
        due = {path: t for path, t in stored_tensors(SPEC).items() if path not in without}
        self.arrays = odd_weights(due.values(), self.dtype)
        self.listed = [Weight(path, t.shape, not frozen, (path,)) for path, t in due.items()]
        self.listed += further

    def weights(self):
        return self.listed

    def read(self):
        return dict(self.arrays)

    def write(self, arrays):
        assert set(arrays) == {weight.path for weight in self.listed}
        self.arrays = dict(arrays)


@pytest.fixture
def fixed_positions(monkeypatch):
    """The encoder with fixed positions, which a framework may store or not."""

    def with_fixed(letters):
        tensors = (replace(t, trainable=t.path != FIXED) for t in inventory(letters))
        return Inventory(letters, tuple(tensors))

    monkeypatch.setattr("paramproof.weights.transfer.inventory", with_fixed)


def others(model):
    return {path: array + 1 for path, array in model.arrays.items()}


@pytest.mark.parametrize("stored", [(True, True), (True, False), (False, True)])
def test_a_fixed_tensor_may_be_stored_or_not(fixed_positions, stored):
    """If the source does not store it, the target's own stays."""
    source, target = (Arrays(without=() if has else {FIXED}) for has in stored)
    own = {FIXED: target.arrays.get(FIXED)}
    source.arrays = others(source)
    transfer(source, target, SPEC)
    expected = {n: array for n, array in (own | source.arrays).items() if n in target.arrays}
    assert_same(canonical_weights(target, SPEC), expected)
    assert (FIXED in canonical_weights(source, SPEC)) is stored[0]


def test_the_shape_of_a_fixed_tensor_is_checked(fixed_positions):
    target = Arrays()
    with pytest.raises(ValueError, match=r"position_embeddings.weight has shape \(1,\), not"):
        assign_weights(target, SPEC, target.arrays | {FIXED: np.ones(1, "float32")})


def test_a_learned_tensor_is_required():
    with pytest.raises(ValueError, match=f"{FIXED} is missing"):
        canonical_weights(Arrays(without={FIXED}), SPEC)


def test_a_frozen_model_is_transferred():
    source, target = Arrays(), Arrays(frozen=True)
    source.arrays = others(source)
    transfer(source, target, SPEC)
    assert_same(canonical_weights(target, SPEC), source.arrays)


def test_a_weight_without_a_canonical_name_is_refused():
    strange = Weight("moving_mean", (6,), False, ())
    with pytest.raises(ValueError, match="not one of this spec: moving_mean is too much"):
        canonical_weights(Arrays(further=[strange]), SPEC)


I, A, K, O = 5, 3, 2, 6  # noqa: E741  (in, heads, head size, out; O = A·K)


def drawn(*shape):
    return np.random.default_rng(shape).normal(size=shape)


KERNEL, TURNED, BIAS = drawn(I, O), drawn(O, I), drawn(O)
# Fewer key and value heads than query heads make their parts narrower.
FUSED = {"q": KERNEL, "k": drawn(I, 2), "v": drawn(I, 2)}
LAYOUTS = {
    (): ({"x": KERNEL}, KERNEL),
    ("transposed",): ({"x": KERNEL}, KERNEL.T),
    # Head 0 is the first K columns, not every A-th.
    ("heads_out",): ({"x": KERNEL}, np.stack(np.split(KERNEL, A, axis=1), axis=1)),
    ("heads",): ({"x": BIAS}, np.stack(np.split(BIAS, A))),
    ("heads_in",): ({"x": TURNED}, np.stack(np.split(TURNED, A))),
    ("transposed", "heads_out"): ({"x": TURNED}, TURNED.T.reshape(I, A, K)),
    ("fused", "transposed"): (FUSED, np.concatenate([*FUSED.values()], axis=1).T),
}


def round_trip(weight, arrays):
    stored = from_canonical(weight, arrays, K, "float64")
    assert stored.shape == weight.shape
    tensors = {path: Tensor(path, part.shape, "") for path, part in arrays.items()}
    assert_same(to_canonical(weight, stored, tensors, K), arrays)
    return stored


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout):
    arrays, expected = LAYOUTS[layout]
    steps = tuple(step for step in layout if step != "fused")
    stored = round_trip(Weight("w", expected.shape, True, tuple(arrays), steps), arrays)
    assert (stored == expected).all()


@pytest.mark.parametrize("layers", [0, 1, 3])
def test_stacked(layers):
    kernels = {f"layers.{index}.x": drawn(I, O) + index for index in range(layers)}
    weight = Weight("w", (layers, I, A, K), True, ("layers.*.x",), ("stacked", "heads_out"))
    stored = round_trip(weight, kernels)
    for index in range(layers):
        assert (stored[index] == kernels[f"layers.{index}.x"].reshape(I, A, K)).all()


def test_dtype_of():
    assert dtype_of({}) == dtype_of({"x": drawn(2).astype("float16")}) == "float32"
    assert dtype_of({"x": drawn(2)}) == "float64"
