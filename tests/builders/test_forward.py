"""The models are real: they run on tokens and a padding mask, at any sizes that are supported.

What a token sees of others is parity's to find: one that saw later tokens, padding, or positions
in another way would compute other outputs than the reference.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.verify.cases import fixed_in
from tests.parity.bounds import at_tokens
from tests.parity.cases import Case
from tests.profiles import one_in
from tests.strategies import supported_specs


# Keras warns about a vocabulary of one token, which some specs here have.
@pytest.mark.filterwarnings("ignore:.*You are using a softmax over axis -1:UserWarning")
@pytest.mark.expressed("family")
def test_forward_pass(framework, builder, family):
    fixed = fixed_in(family, framework.fixed)

    @one_in(10 if family == "encoder" else 25)
    @given(data=st.data())
    def hold(data):
        spec = data.draw(supported_specs(builder, family, **fixed), label="spec")
        model, abstract = builder.build(spec, allocate=True), builder.build(spec)
        # In any order: a framework may list weights as it created them, or sorted.
        assert sorted(model.weights(), key=path) == sorted(abstract.weights(), key=path)
        case = Case(spec, spec.original_numerics, "float32", tokens=3)
        found = model.run(*case.inputs)._asdict()
        outputs = {kind: array for kind, array in found.items() if array is not None}
        assert {kind: array.shape for kind, array in outputs.items()} == case.shapes
        if spec.vocab_size > 1:  # With a single token, a source is nothing but padding.
            assert all(np.isfinite(array).all() for array in at_tokens(case, outputs).values())

    hold()


def path(weight):
    return weight.path
