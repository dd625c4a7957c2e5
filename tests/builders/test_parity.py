"""The same model: every framework computes what the papers' formulas do, number for number.

With the same weights and tokens, outputs at tokens and gradients agree with the reference in
``tests/reference``, up to rounding (``tests/parity/bounds.py``). ``tests/faults`` has the mistakes
that it notices, among them those that no count shows.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.weights.transfer import canonical_weights
from tests.builders.refused import families_built, families_left
from tests.parity.bounds import expected, output_bounds, slope, slope_bound
from tests.parity.cases import DTYPES, GROUPED, MANY_TOKENS, SPECS, cases, fixed_case, own_epsilon
from tests.parity.differences import (
    built,
    dotted,
    gradients,
    largest_difference,
    output_differences,
    outputs,
    slope_difference,
)
from tests.profiles import one_in
from tests.reference.steps import ACTIVATIONS

ENCODER = "heads"
MODELS = (ENCODER, *SPECS)
OTHERS = {
    "gpt": {"layer_norm_eps": 1e-3, "hidden_act": "gelu"},
    GROUPED: {"layer_norm_eps": 1e-3, "hidden_act": "gelu", "rope_theta": 100.0},
    "transformer": {"layer_norm_eps": 1e-3, "hidden_act": "gelu"},
}
"""For a model of each family after BERT, other numerics than its own."""


def assert_explained(case, *differences):
    assert all(difference.explained for difference in differences), (
        f"spec = {case.spec!r}\n{case.numerics}, {case.dtype}, weights of scale {case.scale}, "
        f"seed {case.seed}\n" + "\n".join(map(str, differences))
    )


def is_noticed(model, case, framework):
    return [d.kind for d in output_differences(model, case, framework.name) if not d.explained]


@pytest.mark.expressed("name")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", MODELS)
def test_parity_of_outputs_and_gradients(framework, builder, name, dtype):
    case = fixed_case(builder, name, dtype)
    model = built(builder, case)
    found = {kind: array.dtype for kind, array in outputs(model, case).items()}
    rounded = {"pooled"} & {*found} if "tanh" in framework.float32_steps else ()
    assert found == dict.fromkeys(case.shapes, dtype) | dict.fromkeys(rounded, "float32")
    assert_explained(case, *output_differences(model, case, framework.name))
    if dtype == "float64":
        assert_explained(case, slope_difference(model, case, framework.name))


@pytest.mark.parametrize("names", [SPECS, OTHERS], ids=["outputs", "other numerics"])
def test_every_supported_family_is_computed(framework, names):
    assert families_left(framework.name, names) == families_built(framework.name) - {"encoder"}


@pytest.mark.expressed("name")
@pytest.mark.parametrize("name", OTHERS)
def test_parity_with_other_numerics(framework, builder, name):
    """Other numerics have their effect: with the family's own, the reference is too far off."""
    own = fixed_case(builder, name, "float32")
    case = replace(own, numerics=replace(own.numerics, **OTHERS[name]))
    found, bound = outputs(built(builder, case), case)["lm"], output_bounds(case, framework.name)
    assert largest_difference(found, expected(case)["lm"]) <= bound["lm"]
    for field in OTHERS[name]:
        numerics = replace(case.numerics, **{field: getattr(own.numerics, field)})
        unlike = expected(replace(case, numerics=numerics))["lm"]
        assert largest_difference(found, unlike) > 10 * bound["lm"], field


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_parity_of_every_activation(framework, builder, name, dtype):
    case = fixed_case(builder, ENCODER, dtype)
    cases = {
        other: replace(case, numerics=replace(case.numerics, hidden_act=other))
        for other in ACTIVATIONS
    }
    model = built(builder, cases[name])
    alike = [other for other in cases if not is_noticed(model, cases[other], framework)]
    assert alike == [name]


@pytest.mark.expressed("name")
@pytest.mark.parametrize("width", [1, 3, 9])
@pytest.mark.parametrize("name", ["transformer"])
def test_parity_of_fixed_positions_of_an_odd_width(framework, builder, name, width):
    """The last feature is a sine without its cosine. Without layers nothing hides it."""
    case = fixed_case(builder, name)
    without_layers = {"num_encoder_layers": 0, "num_decoder_layers": 0, "num_attention_heads": 1}
    case = replace(case, spec=replace(case.spec, hidden_size=width, **without_layers))
    assert_explained(case, *output_differences(built(builder, case), case, framework.name))


@pytest.mark.expressed("name")
@pytest.mark.parametrize("name", [ENCODER, *OTHERS])
def test_parity_of_a_long_sequence(framework, builder, name):
    case = fixed_case(builder, name, "float32", tokens=MANY_TOKENS)
    if hasattr(case.spec, "max_position_embeddings"):
        case = replace(case, spec=replace(case.spec, max_position_embeddings=MANY_TOKENS))
    assert case.inputs[0].shape[1] == MANY_TOKENS
    assert_explained(case, *output_differences(built(builder, case), case, framework.name))


@one_in(2)
@given(data=st.data())
def test_parity_of_outputs(framework, builder, data):
    case = data.draw(cases(framework, builder), label="case")
    assert_explained(case, *output_differences(built(builder, case), case, framework.name))


@one_in(5)
@given(data=st.data())
def test_parity_of_gradients(framework, builder, data):
    """Compare the gradient along a random direction in the space of all weights."""
    case = data.draw(cases(framework, builder), label="case")
    if case.numerics.hidden_act == "relu":
        # ReLU's derivative jumps at 0, so rounding may put an argument on either side.
        case = replace(case, dtype="float64")
    assert_explained(case, slope_difference(built(builder, case), case, framework.name))


@pytest.mark.parametrize("dtype", DTYPES)
def test_parity_of_the_gradient_of_every_tensor(framework, builder, dtype):
    case = fixed_case(builder, ENCODER, dtype)
    found = gradients(built(builder, case), case)
    for path, along in case.direction.items():
        direction = {path: along}
        gradient = {path: found[path]} if path in found else {}
        error = abs(dotted(gradient, direction) - slope(case, direction))
        assert error <= slope_bound(case, direction, framework.name), path


@pytest.mark.parametrize("dtype", DTYPES)
def test_parity_with_its_own_weights(framework, builder, dtype):
    case = fixed_case(builder, ENCODER, dtype)
    model = builder.build(case.spec, case.numerics, allocate=True, dtype=dtype)
    case = replace(case, own=canonical_weights(model, case.spec))
    assert_explained(case, *output_differences(model, case, framework.name))


def test_a_float32_step_needs_wider_bounds_in_float64(framework, builder):
    """The wider bounds for a framework are necessary; a fix in the framework makes this fail."""
    # At BERT's epsilon, 1e-12, nobody could see that a framework has it in float32.
    case = fixed_case(builder, ENCODER)
    case = replace(
        case, numerics=replace(case.numerics, layer_norm_eps=own_epsilon(builder) or 1e-3)
    )
    exact = output_bounds(case, framework="")
    found = output_differences(built(builder, case), case, framework.name)
    beyond = [difference.kind for difference in found if difference.actual > exact[difference.kind]]
    # An encoder has neither of these two steps.
    steps = set(framework.float32_steps) - {"positions", "rms_norm"}
    assert bool(beyond) == bool(steps)


def test_parity_fails_on_nan(builder):
    case = fixed_case(builder, ENCODER, "float32")
    broken = {path: np.full_like(array, np.nan) for path, array in case.weights.items()}
    model = built(builder, case)
    with np.errstate(invalid="ignore"):
        differences = list(output_differences(model, replace(case, own=broken), ""))
    assert not any(difference.explained for difference in differences)


def test_parity_notices_a_millionth_in_float64(framework, builder):
    """An epsilon of 1e-6 in place of BERT's; a float32 step may hide it."""
    if steps := framework.float32_steps:
        pytest.skip(f"{framework.name} takes steps in float32: {', '.join(steps)}")
    case = fixed_case(builder, ENCODER, seed=8)
    other = replace(case, numerics=replace(case.numerics, layer_norm_eps=1e-6))
    assert "sequence" in is_noticed(built(builder, case), other, framework)
