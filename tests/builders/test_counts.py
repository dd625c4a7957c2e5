"""Random specs of every family: each framework's every tensor agrees with the formula."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.algebra.residual import explained
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.builders.protocol import UnsupportedSpec
from paramproof.formulas import closed_form, compare, inventory
from paramproof.verify.cases import fixed_in, refusal
from tests.profiles import one_in
from tests.strategies import specs, supported_specs

ONE_IN = {"encoder": 1}
"""The share of the profile's examples per family; one in two for families not listed."""


def test_every_tensor_agrees_with_the_formula(framework, builder, family):
    # A literal in refused.py says which families a framework refuses.
    refused = refusal(builder, family)
    fixed = fixed_in(family, framework.fixed)
    drawn = specs(family) if refused else supported_specs(builder, family, **fixed)

    @one_in(ONE_IN.get(family, 2))
    @given(data=st.data())
    def hold(data):
        spec = data.draw(drawn, label="spec")
        assert_refused(builder, spec) if refused else assert_equal(builder, spec)

    hold()


def assert_equal(builder, spec):
    letters = spec.letters()
    weights = builder.build(spec).weights()
    report = compare(inventory(letters), weights)
    assert report.equal, explained(report, FamilyArchitecture.of(spec))
    # Count again without names and without ``compare``: sum the sizes of trainable weights.
    assert len({weight.path for weight in weights}) == len(weights)
    actual = sum(weight.size for weight in weights if weight.trainable)
    assert actual == closed_form(letters), repr(spec)


def assert_refused(builder, spec):
    reason = builder.supports(spec)
    assert isinstance(reason, str), repr(spec)
    with pytest.raises(UnsupportedSpec) as refused:
        builder.build(spec)
    assert str(refused.value) == reason
