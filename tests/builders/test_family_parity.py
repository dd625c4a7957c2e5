"""The models after BERT compute what the papers say: GPT, LLaMA, the Transformer of 2017.

The reference is ``tests/reference``, in NumPy; how near a framework must be to it is derived
from the arithmetic, in ``tests/parity/bounds.py``.
"""

import pytest

from formulas import Numerics
from formulas.spec import original_numerics
from tests.parity.bounds import expected, output_bounds
from tests.parity.differences import built, farthest, output_differences, outputs, slope_difference
from tests.parity.families import SPECS, DecoderCase

KINDS = ("sequence", "lm")


@pytest.fixture(scope="module", params=["float32", "float64"])
def dtype(request):
    return request.param


@pytest.fixture(scope="module", params=SPECS)
def compared(request, builder, dtype):
    """A case, and the framework's model of it, None where it is refused."""
    spec = SPECS[request.param]
    case = DecoderCase(spec, original_numerics(spec), dtype)
    return case, built(builder, case) if builder.supports(spec) is True else None


def test_parity_of_outputs(framework, compared):
    case, model = compared
    if model is None:
        return
    found = outputs(model, case)
    assert {kind: x.dtype for kind, x in found.items()} == dict.fromkeys(KINDS, case.dtype)
    for difference in output_differences(model, case, framework.name):
        assert difference.explained, difference


def test_parity_of_gradients(framework, compared):
    case, model = compared
    if model is None:
        return
    difference = slope_difference(model, case, framework.name)
    assert difference.explained, difference


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
    if builder.supports(case.spec) is not True:
        return
    model = built(builder, case)
    found, bound = outputs(model, case)["lm"], output_bounds(case, framework.name)["lm"]
    assert farthest(found, expected(case)["lm"]) <= bound
    assert farthest(found, expected(unlike)["lm"]) > 10 * bound
