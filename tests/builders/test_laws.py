"""The laws of tests/laws.py for the encoders that the frameworks build.

They follow for the other families: each tensor is compared with the formula (test_counts.py), and
the formula obeys the laws (tests/formulas/test_closed_form.py). For the same reason two examples
suffice for a framework that builds slowly.
"""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from paramproof.builders.protocol import UnsupportedSpec
from paramproof.verify.cases import refusal
from tests.laws import LAWS
from tests.profiles import one_in
from tests.strategies import supported_specs


@pytest.mark.shapes_only
@pytest.mark.parametrize("field", LAWS)
def test_law(framework, abstract, field):
    if reason := refusal(abstract, "encoder"):
        pytest.skip(f"without an encoder nothing can obey a law: {reason}")
    fixed = framework.fixed
    law = LAWS[field]

    def count(spec):
        # A law may lead from a supported spec to a refused one: then start from another one.
        assume(field in fixed or abstract.supports(spec) is True)
        return sum(weight.size for weight in abstract.build(spec).weights() if weight.trainable)

    @one_in(12 if framework.slow else 5)
    @given(data=st.data())
    def hold(data):
        spec = data.draw(supported_specs(abstract, **fixed), label="spec")
        if field in fixed:
            # A field that cannot vary obeys no law: check the refusal itself.
            with pytest.raises(UnsupportedSpec):
                law(count, spec)
        else:
            law(count, spec)

    hold()
