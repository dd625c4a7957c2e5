"""The laws of tests/laws.py on what the frameworks build."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from paramproof.builders.protocol import UnsupportedSpec
from paramproof.random_specs import fixed_in, refusal
from tests.laws import CASES, FAMILY_LAWS
from tests.profiles import one_in
from tests.strategies import supported_specs

# Of the others each tensor is held to the formula, and the formula to the same laws.
ONE_IN = {"encoder": 5, "encoder-decoder": 25, "gpt": 25, "llama": 25}


@pytest.mark.parametrize(("family", "field"), CASES)
def test_law(framework, builder, family, field):
    if refusal(builder, family):
        # Without a model nothing can obey a law: the refusal is tested with the counts.
        return
    fixed = fixed_in(family, framework.fixed)
    law = FAMILY_LAWS[family][field]

    def count(spec):
        # A law may lead from what can be expressed to what cannot: then it starts elsewhere.
        assume(field in fixed or builder.supports(spec) is True)
        return sum(weight.size for weight in builder.build(spec).weights() if weight.trainable)

    @one_in(ONE_IN[family])
    @given(data=st.data())
    def hold(data):
        spec = data.draw(supported_specs(builder, family, **fixed), label="spec")
        if field in fixed:
            # What cannot vary obeys no law: the refusal itself is what is checked.
            with pytest.raises(UnsupportedSpec):
                law(count, spec)
        else:
            law(count, spec)

    hold()
