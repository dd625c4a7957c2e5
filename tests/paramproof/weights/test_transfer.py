"""What may differ between two models of one spec, tried on models that are lists of arrays."""

from dataclasses import replace

import numpy as np
import pytest

from paramproof.formulas import Inventory, Weight, inventory
from paramproof.weights.transfer import assign_weights, canonical_weights, stored_tensors, transfer
from tests.bitwise import assert_same, odd_weights
from tests.specs import SMALL_ENCODER as SPEC

FIXED = "embeddings.position_embeddings.weight"


class Arrays:
    """A model that holds the tensors of SPEC unchanged, except those left out."""

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


def test_a_fixed_tensor_is_not_required(fixed_positions):
    source, target = Arrays(without={FIXED}), Arrays()
    own = target.arrays[FIXED]
    source.arrays = others(source)
    assert FIXED not in canonical_weights(source, SPEC)
    transfer(source, target, SPEC)
    assert_same(canonical_weights(target, SPEC), {**source.arrays, FIXED: own})


def test_a_fixed_tensor_that_is_not_stored_is_left_out(fixed_positions):
    source, target = Arrays(), Arrays(without={FIXED})
    source.arrays = others(source)
    transfer(source, target, SPEC)
    expected = {path: array for path, array in source.arrays.items() if path != FIXED}
    assert_same(canonical_weights(target, SPEC), expected)


def test_a_fixed_tensor_is_transferred_and_its_shape_checked(fixed_positions):
    source, target = Arrays(), Arrays()
    source.arrays = others(source)
    transfer(source, target, SPEC)
    assert_same(canonical_weights(target, SPEC), source.arrays)
    with pytest.raises(ValueError, match=r"position_embeddings.weight has shape \(1,\), not"):
        assign_weights(target, SPEC, source.arrays | {FIXED: np.ones(1, "float32")})


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
