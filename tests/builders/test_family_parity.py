"""The models after BERT compute what the papers say: GPT, LLaMA, the Transformer of 2017.

The reference is ``tests/reference``, in NumPy; how near a framework must be to it is derived
from the arithmetic, in ``tests/parity/bounds.py``.
"""

import numpy as np
import pytest

from builders.canonical import stored_tensors, taken_apart
from builders.protocol import Outputs
from builders.transfer import load_weights
from formulas import Numerics
from formulas.spec import original_numerics
from tests.parity.bounds import at_tokens, expected, output_bounds, slope, slope_bound
from tests.parity.families import SPECS, DecoderCase


@pytest.fixture(scope="module", params=["float32", "float64"])
def dtype(request):
    return request.param


@pytest.fixture(scope="module", params=SPECS)
def compared(request, builder, dtype):
    """A case, and the framework's model with its weights, None where it is refused."""
    spec = SPECS[request.param]
    case = DecoderCase(spec, original_numerics(spec), dtype)
    return case, model_of(builder, case)


def test_parity_of_outputs(framework, compared):
    case, model = compared
    if model is None:
        return
    bounds, right = output_bounds(case, framework.name), expected(case)
    found = model.run(*case.inputs)._asdict()
    assert {kind for kind, x in found.items() if x is not None} == {"sequence", "lm"}
    for kind, x in at_tokens(case, {kind: found[kind] for kind in bounds}).items():
        assert x.dtype == case.dtype
        difference = np.abs(x - right[kind]).max()
        assert difference < bounds[kind], f"{kind}, of which rounding explains {bounds[kind]:.2e}"


def test_parity_of_gradients(framework, compared):
    case, model = compared
    if model is None:
        return
    native = model.gradients(*case.inputs, cotangents=Outputs(**case.cotangents))
    gradient = by_tensor(case.spec, model.weights(), native)
    assert set(gradient) <= set(case.weights)
    along = sum(np.sum(g.astype("float64") * case.direction[k]) for k, g in gradient.items())
    difference = abs(along - slope(case, case.direction))
    assert difference < slope_bound(case, case.direction, framework.name)


@pytest.mark.parametrize(
    ("name", "numerics"),
    [
        ("gpt", {"layer_norm_eps": 1e-3}),
        ("gpt", {"hidden_act": "gelu"}),
        ("llama", {"layer_norm_eps": 1e-3}),
        ("llama", {"rope_theta": 100.0}),
        ("llama", {"hidden_act": "gelu"}),
        ("transformer", {"layer_norm_eps": 1e-3}),
        ("transformer", {"hidden_act": "gelu"}),
    ],
)
def test_parity_with_other_numerics(framework, builder, name, numerics):
    """They are met, and they matter: with its own numerics a model is too far off."""
    own = original_numerics(SPECS[name])
    values = {field: getattr(own, field) for field in own.__slots__} | numerics
    case, unlike = (DecoderCase(SPECS[name], n, "float32") for n in (Numerics(**values), own))
    model = model_of(builder, case)
    if model is None:
        return
    found, bounds = np.asarray(model.run(*case.inputs).lm), output_bounds(case, framework.name)
    assert np.abs(found - expected(case)["lm"].reshape(found.shape)).max() < bounds["lm"]
    assert np.abs(found - expected(unlike)["lm"].reshape(found.shape)).max() > 10 * bounds["lm"]


def model_of(builder, case):
    if builder.supports(case.spec) is not True:
        return None
    model = builder.build(case.spec, case.numerics, allocate=True, dtype=case.dtype)
    load_weights(model, case.spec, case.weights)
    return model


def by_tensor(spec, weights, native):
    tensors = stored_tensors(spec)
    reached = (weight for weight in weights if weight.path in native)
    parts = (taken_apart(w, native[w.path], tensors, spec.head_size) for w in reached)
    return {path: gradient for part in parts for path, gradient in part.items()}
