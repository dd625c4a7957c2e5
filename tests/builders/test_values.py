"""A model's values are read and written by native path, exact to the bit."""

from dataclasses import replace

import numpy as np
import pytest

from paramproof.builders.protocol import NotAllocated
from tests.bitwise import assert_same, odd
from tests.specs import IDS
from tests.specs import SMALL_ENCODER as SPEC

HEADS = replace(SPEC, mlm_head=True, nsp_head=True)


@pytest.fixture(scope="module", params=["float32", "float64"])
def model(request, builder):
    return builder.build(HEADS, allocate=True, dtype=request.param)


@pytest.fixture
def values(model):
    return {w.path: odd(w.shape, model.dtype, seed) for seed, w in enumerate(model.weights())}


def test_written_values_are_read_back(model, values):
    assert {w.path: w.shape for w in model.weights()} == {k: v.shape for k, v in values.items()}
    assert {array.dtype for array in values.values()} == {np.dtype(model.dtype)}
    before = model.read()
    was = {path: array.copy() for path, array in before.items()}
    model.write(values)
    assert_same(model.read(), values)
    assert_same(before, was)


def test_the_model_copies_written_values(model, values):
    """The caller may go on to use its array. From 64 bytes JAX would share it."""
    mine = {path: aligned(array) for path, array in values.items()}
    model.write(mine)
    for array in mine.values():
        array.fill(7)
    assert_same(model.read(), values)


WRONG = {
    "is missing": lambda arrays, path: arrays.pop(path),
    "is not a weight of this model": lambda arrays, path: arrays.update(nobody=arrays[path]),
    "has shape": lambda arrays, path: arrays.update({path: arrays[path][..., None]}),
    "is float16, not": lambda arrays, path: arrays.update({path: arrays[path].astype("float16")}),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_nothing_is_partly_written(model, values, wrong):
    model.write(values)
    others = {path: array + 1 for path, array in values.items()}
    path = list(others)[-1]
    WRONG[wrong](others, path)
    named = "nobody" if wrong == "is not a weight of this model" else path
    with pytest.raises(ValueError, match=f"^the weights do not fit: {named} {wrong}"):
        model.write(others)
    assert_same(model.read(), values)


def test_an_abstract_model_has_no_values_and_does_not_run(builder):
    model, ids = builder.build(SPEC), np.array(IDS, dtype="int32")
    assert model.dtype == "float32"
    for action in (model.read, lambda: model.run(ids, ids * 0, ids != 0)):
        with pytest.raises(NotAllocated, match="allocate=True"):
            action()
    with pytest.raises((NotAllocated, ValueError)):
        model.write({})


def test_an_abstract_model_takes_values_or_says_that_it_cannot(builder, model, values):
    """With them it computes: tests/parity writes weights to abstract models, where it can."""
    abstract, ids = builder.build(HEADS, dtype=model.dtype), np.array(IDS, dtype="int32")
    try:
        abstract.write(values)
    except NotAllocated:
        with pytest.raises(NotAllocated):
            abstract.run(ids, ids * 0, ids != 0)
    else:
        assert_same(abstract.read(), values)


def aligned(array):
    size = array.nbytes
    buffer = np.empty(size + 64, dtype="uint8")
    start = -buffer.ctypes.data % 64
    other = buffer[start : start + size].view(array.dtype).reshape(array.shape)
    other[...] = array
    return other
