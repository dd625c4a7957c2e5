"""The models after BERT compute what the papers say: GPT, LLaMA, the Transformer of 2017.

The reference is ``tests/reference``, in NumPy; ``tests/parity/bounds.py`` derives the bounds for a
framework from its arithmetic.
"""

from dataclasses import asdict, replace

import pytest

from tests.builders.refused import families_built, families_left
from tests.parity.bounds import expected, output_bounds
from tests.parity.cases import MANY_TOKENS
from tests.parity.differences import (
    built,
    largest_difference,
    output_differences,
    outputs,
    slope_difference,
)
from tests.parity.families import GROUPED, SPECS, DecoderCase

FORMATS = ("sequence", "lm")

OTHERS = {
    "gpt": {"layer_norm_eps": 1e-3, "hidden_act": "gelu"},
    GROUPED: {"layer_norm_eps": 1e-3, "hidden_act": "gelu", "rope_theta": 100.0},
    "transformer": {"layer_norm_eps": 1e-3, "hidden_act": "gelu"},
}


@pytest.mark.expressed("name")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", SPECS)
def test_parity_of_outputs_and_gradients(framework, builder, name, dtype):
    case = case_of(name, dtype)
    model = built(builder, case)
    found = outputs(model, case)
    assert {kind: x.dtype for kind, x in found.items()} == dict.fromkeys(FORMATS, dtype)
    assert_explained(*output_differences(model, case, framework.name))
    if dtype == "float64":
        assert_explained(slope_difference(model, case, framework.name))


@pytest.mark.expressed("name")
@pytest.mark.parametrize("name", OTHERS)
def test_parity_with_other_numerics(framework, builder, name):
    """Other numerics have their effect: with the family's own, the reference is too far off."""
    case = case_of(name, "float32", **OTHERS[name])
    found, bound = outputs(built(builder, case), case), output_bounds(case, framework.name)
    assert largest_difference(found["lm"], expected(case)["lm"]) <= bound["lm"]
    for field in OTHERS[name]:
        numerics = OTHERS[name] | {field: getattr(SPECS[name].original_numerics, field)}
        unlike = case_of(name, "float32", **numerics)
        assert largest_difference(found["lm"], expected(unlike)["lm"]) > 10 * bound["lm"], field


@pytest.mark.expressed("name")
@pytest.mark.parametrize("width", [1, 3, 9])
@pytest.mark.parametrize("name", ["transformer"])
def test_parity_of_fixed_positions_of_an_odd_width(framework, builder, name, width):
    """The last feature is a sine without its cosine. Without layers nothing hides it."""
    case = case_of(name, "float64")
    without_layers = {"num_encoder_layers": 0, "num_decoder_layers": 0, "num_attention_heads": 1}
    case = replace(case, spec=replace(case.spec, hidden_size=width, **without_layers))
    assert_explained(*output_differences(built(builder, case), case, framework.name))


@pytest.mark.expressed("name")
@pytest.mark.parametrize("name", OTHERS)
def test_parity_of_a_long_sequence(framework, builder, name):
    """A token sees every token before it, however far away."""
    case = replace(case_of(name, "float32"), tokens=MANY_TOKENS)
    if "max_position_embeddings" in asdict(case.spec):
        case = replace(case, spec=replace(case.spec, max_position_embeddings=MANY_TOKENS))
    assert_explained(*output_differences(built(builder, case), case, framework.name))


@pytest.mark.parametrize("names", [SPECS, OTHERS], ids=["outputs", "other numerics"])
def test_every_supported_family_is_computed(framework, names):
    assert families_left(framework.name, names) == families_built(framework.name) - {"encoder"}


def assert_explained(*differences):
    assert all(difference.explained for difference in differences), list(map(str, differences))


def case_of(name, dtype, **numerics):
    """Return the case with its family's numerics, changed by ``numerics``."""
    spec = SPECS[name]
    return DecoderCase(spec, replace(spec.original_numerics, **numerics), dtype)
