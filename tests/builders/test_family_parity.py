"""The models after BERT compute what the papers say: GPT, LLaMA, the Transformer of 2017.

The reference is ``tests/reference``, in NumPy; how near a framework must be to it is derived
from the arithmetic, in ``tests/parity/bounds.py``.
"""

from dataclasses import replace

import pytest

from tests.parity.bounds import expected, output_bounds
from tests.parity.differences import built, farthest, output_differences, outputs, slope_difference
from tests.parity.families import SPECS, DecoderCase

FORMATS = ("sequence", "lm")


OTHERS = {
    "gpt": {"layer_norm_eps": 1e-3, "hidden_act": "gelu"},
    "llama": {"layer_norm_eps": 1e-3, "hidden_act": "gelu", "rope_theta": 100.0},
    "transformer": {"layer_norm_eps": 1e-3, "hidden_act": "gelu"},
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", SPECS)
def test_parity_of_outputs(framework, builder, name, dtype):
    case = supported_case(builder, name, dtype)
    if case is None:
        return
    model = built(builder, case)
    found = outputs(model, case)
    assert {kind: x.dtype for kind, x in found.items()} == dict.fromkeys(FORMATS, dtype)
    for difference in output_differences(model, case, framework.name):
        assert difference.explained, difference


@pytest.mark.parametrize("name", SPECS)
def test_parity_of_gradients(framework, builder, name):
    case = supported_case(builder, name, "float64")
    if case is None:
        return
    difference = slope_difference(built(builder, case), case, framework.name)
    assert difference.explained, difference


@pytest.mark.parametrize("name", OTHERS)
def test_parity_with_other_numerics(framework, builder, name):
    """Numerics are met, and each matters: at its family's own the reference is too far off."""
    case = supported_case(builder, name, "float32", **OTHERS[name])
    if case is None:
        return
    found, bound = outputs(built(builder, case), case), output_bounds(case, framework.name)
    assert farthest(found["lm"], expected(case)["lm"]) <= bound["lm"]
    for field in OTHERS[name]:
        numerics = OTHERS[name] | {field: getattr(SPECS[name].original_numerics, field)}
        unlike = supported_case(builder, name, "float32", **numerics)
        assert farthest(found["lm"], expected(unlike)["lm"]) > 10 * bound["lm"], field


def supported_case(builder, name, dtype, **numerics):
    """The case at its family's numerics but for ``numerics``; None where it is refused."""
    spec = SPECS[name]
    if builder.supports(spec) is not True:
        return None
    return DecoderCase(spec, replace(spec.original_numerics, **numerics), dtype)
