"""Random specs: every framework's every tensor is as the formula says."""

from hypothesis import given
from hypothesis import strategies as st

from builders.residual import explained
from builders.strategies import supported_specs
from formulas import closed_form, compare, inventory


@given(data=st.data())
def test_every_tensor_is_as_the_formula_says(framework, builder, data):
    spec = data.draw(supported_specs(builder, **framework.fixed), label="spec")
    letters = spec.letters()
    weights = builder.build(spec).weights()
    report = compare(inventory(letters), weights)
    assert report.equal, explained(report, spec)
    # The same count without names and without ``compare``: sizes of what is trainable.
    assert len({weight.path for weight in weights}) == len(weights)
    actual = sum(weight.size for weight in weights if weight.trainable)
    assert actual == closed_form(letters), repr(spec)
