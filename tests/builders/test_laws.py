"""The laws of tests/laws.py on what the frameworks build."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.protocol import UnsupportedSpec
from builders.strategies import supported_specs
from tests.laws import LAWS
from tests.profiles import a_fifth


@pytest.mark.parametrize("field", LAWS)
@a_fifth()
@given(data=st.data())
def test_law(framework, builder, field, data):
    def count(spec):
        return sum(weight.size for weight in builder.build(spec).weights() if weight.trainable)

    spec = data.draw(supported_specs(builder, **framework.fixed), label="spec")
    if field in framework.fixed:
        # What cannot vary obeys no law: the refusal itself is what is checked.
        with pytest.raises(UnsupportedSpec):
            LAWS[field](count, spec)
    else:
        LAWS[field](count, spec)
