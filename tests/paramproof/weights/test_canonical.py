"""Layouts applied to arrays, each compared with its definition written out by hand."""

import numpy as np
import pytest

from paramproof.formulas import Tensor, Weight
from paramproof.weights.transfer import dtype_of, from_canonical, to_canonical
from tests.bitwise import assert_same

I, A, K, O = 5, 3, 2, 6  # noqa: E741  (in, heads, head size, out; O = A·K)


def array(*shape):
    return np.random.default_rng(shape).normal(size=shape)


def round_trip(weight, arrays):
    """Return the stored array, after splitting it into ``arrays`` and storing it again."""
    stored = from_canonical(weight, arrays, K, "float64")
    assert stored.shape == weight.shape
    tensors = {path: Tensor(path, part.shape, "") for path, part in arrays.items()}
    assert_same(to_canonical(weight, stored, tensors, K), arrays)
    return stored


def test_unchanged():
    kernel = array(I, O)
    assert (round_trip(Weight("w", (I, O), True, ("x",)), {"x": kernel}) == kernel).all()


def test_transposed():
    kernel = array(I, O)
    stored = round_trip(Weight("w", (O, I), True, ("x",), ("transposed",)), {"x": kernel})
    assert all(stored[o, i] == kernel[i, o] for i in range(I) for o in range(O))


def test_heads_follow_each_other():
    """Head 0 is the first K columns, not every A-th."""
    kernel, bias = array(I, O), array(O)
    out = round_trip(Weight("w", (I, A, K), True, ("x",), ("heads_out",)), {"x": kernel})
    one = round_trip(Weight("b", (A, K), True, ("x",), ("heads",)), {"x": bias})
    into = round_trip(Weight("w", (A, K, I), True, ("x",), ("heads_in",)), {"x": kernel.T})
    for a in range(A):
        assert (out[:, a] == kernel[:, a * K : (a + 1) * K]).all()
        assert (one[a] == bias[a * K : (a + 1) * K]).all()
        assert (into[a] == kernel.T[a * K : (a + 1) * K]).all()


def test_fused_parts_are_of_any_size():
    """Fewer key and value heads than query heads make their parts narrower."""
    parts = {"q": array(I, 6), "k": array(I, 2), "v": array(I, 2)}
    stored = round_trip(Weight("w", (10, I), True, ("q", "k", "v"), ("transposed",)), parts)
    assert (stored[:6] == parts["q"].T).all()
    assert (stored[6:8] == parts["k"].T).all()
    assert (stored[8:] == parts["v"].T).all()


@pytest.mark.parametrize("layers", [0, 1, 3])
def test_stacked(layers):
    kernels = {f"layers.{index}.x": array(I, O) + index for index in range(layers)}
    weight = Weight("w", (layers, I, A, K), True, ("layers.*.x",), ("stacked", "heads_out"))
    stored = round_trip(weight, kernels)
    for index in range(layers):
        assert (stored[index] == kernels[f"layers.{index}.x"].reshape(I, A, K)).all()


def test_dtype_of():
    assert dtype_of({}) == dtype_of({"x": array(2).astype("float16")}) == "float32"
    assert dtype_of({"x": array(2)}) == "float64"
