"""PyTorch models in half precision: values are transferred exactly, or refused."""

import numpy as np
import pytest

from paramproof.builders import load
from paramproof.builders.protocol import Outputs
from paramproof.weights.files import read_weights, save_weights
from paramproof.weights.transfer import assign_weights, canonical_weights, stored_tensors, transfer
from tests.bitwise import assert_same, odd_weights
from tests.frameworks.modules import torch
from tests.specs import SMALL_ENCODER as SPEC

pytestmark = pytest.mark.framework("torch", "transformers")

BIAS = "pooler.bias"


def build_model(framework, dtype="float32"):
    model = load(framework.name).build(SPEC, allocate=True)
    model.module.to(getattr(torch, dtype))
    return model


def representable(dtype):
    """Return float32 weights that ``dtype`` represents exactly, including subnormals and -0."""
    arrays = odd_weights(stored_tensors(SPEC).values(), "float32")
    tiny = torch.finfo(getattr(torch, dtype)).smallest_normal / 4
    rounded = {}
    for name, array in arrays.items():
        values = torch.tensor(array.copy()).to(getattr(torch, dtype)).float().numpy()
        values.flat[0] = tiny
        values.flat[-1] = -0.0
        rounded[name] = values
    return rounded


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_representable_values_are_transferred_exactly(framework, builder, dtype, tmp_path):
    model, arrays = build_model(framework, dtype), representable(dtype)
    assert model.dtype == "float32"
    assign_weights(model, SPEC, arrays)
    assert next(model.module.parameters()).dtype.is_floating_point
    assert str(next(model.module.parameters()).dtype) == f"torch.{dtype}"
    assert_same(canonical_weights(model, SPEC), arrays)
    target = build_model(framework)
    transfer(model, target, SPEC)
    assert_same(canonical_weights(target, SPEC), arrays)
    save_weights(tmp_path / "weights", canonical_weights(model, SPEC), SPEC)
    assert_same(read_weights(tmp_path / "weights", SPEC), arrays)


@pytest.mark.parametrize(("dtype", "value"), [("bfloat16", 1.001), ("float16", 70_000.0)])
def test_values_that_would_be_rounded_are_refused(framework, builder, dtype, value):
    model, arrays = build_model(framework, dtype), representable(dtype)
    assign_weights(model, SPEC, arrays)
    other = {name: array * 2 for name, array in arrays.items()}
    other[BIAS] = arrays[BIAS].copy()
    other[BIAS][1:3] = value
    said = rf"pooler\.\S*bias would be rounded in {dtype}, 2 of 6 values$"
    with pytest.raises(ValueError, match=said):
        assign_weights(model, SPEC, other)
    assert_same(canonical_weights(model, SPEC), arrays)


def test_a_model_of_two_types(framework, builder):
    model = build_model(framework, "bfloat16")
    whole = [p for p in model.module.parameters() if p.dim() == 1]
    for parameter in whole:
        parameter.data = parameter.data.float()
    arrays = representable("bfloat16")
    arrays[BIAS] = np.array([1.001, 1 / 3, 2, 3, 4, 5], "float32")
    assign_weights(model, SPEC, arrays)
    assert_same(canonical_weights(model, SPEC), arrays)
    assert {p.dtype for p in model.module.parameters()} == {torch.bfloat16, torch.float32}


def test_half_precision_computes(framework, builder):
    ids = np.array([[3, 4, 5]])
    model = build_model(framework, "bfloat16")
    inputs = ids, ids * 0, ids > 0
    sequence = model.run(*inputs).sequence
    assert sequence.dtype == np.float32
    found = model.gradients(*inputs, cotangents=Outputs(np.ones_like(sequence)))
    assert {array.dtype for array in found.values()} == {np.dtype("float32")}
