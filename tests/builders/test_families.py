"""The models after BERT run on any supported sizes, and a gradient reaches what they train.

What a token sees of others is parity's to find (``test_family_parity.py``): one that saw later
tokens, padding, or positions in another way would compute other outputs than the reference.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas import FAMILIES, EncoderDecoderSpec
from paramproof.weights.transfer import stored_tensors
from tests.gradients import assert_reached_but
from tests.parity.differences import built, gradients
from tests.parity.families import SPECS, DecoderCase
from tests.profiles import one_in
from tests.strategies import supported_specs


# Keras warns about a vocabulary of one token, which some specs here have.
@pytest.mark.filterwarnings("ignore:.*You are using a softmax over axis -1:UserWarning")
@pytest.mark.expressed("family")
@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "encoder"])
@one_in(25)
@given(data=st.data())
def test_forward_pass(builder, family, data):
    spec = data.draw(supported_specs(builder, family), label="spec")
    model = builder.build(spec, allocate=True)
    abstract = builder.build(spec)
    assert sorted(model.weights(), key=path) == sorted(abstract.weights(), key=path)
    outputs = model.run(*inputs(spec, min(3, getattr(spec, "max_position_embeddings", 3))))
    tokens = outputs.sequence.shape[:2]
    assert tokens == inputs(spec, tokens[1])[-1].shape
    assert outputs.sequence.shape == (*tokens, spec.hidden_size)
    assert outputs.lm.shape == (*tokens, getattr(spec, "target_vocab_size", spec.vocab_size))
    assert np.isfinite(outputs.sequence).all()
    assert np.allclose(outputs.lm.sum(axis=-1), 1, atol=1e-5)
    assert outputs.pooled is outputs.mlm is outputs.nsp is None


def inputs(spec, tokens):
    """Return two sequences with the first and last token of the vocabulary; a source is padded."""
    ids = np.stack([np.zeros(tokens), np.full(tokens, spec.vocab_size - 1)]).astype("int32")
    if not isinstance(spec, EncoderDecoderSpec):
        return (ids,)
    mask = np.ones(ids.shape, dtype=bool)
    mask[1, 1:] = False
    return ids, mask, np.minimum(ids, spec.target_vocab_size - 1)


def path(weight):
    return weight.path


@pytest.mark.expressed("name")
@pytest.mark.parametrize("name", SPECS)
def test_every_trainable_tensor_is_reached(builder, name):
    """The gradient of the outputs reaches all but key biases, which the softmax ignores."""
    case = DecoderCase(SPECS[name], SPECS[name].original_numerics, "float64")
    model = built(builder, case)
    reached = gradients(model, case)
    due = {path for path, tensor in stored_tensors(case.spec).items() if tensor.trainable}
    assert set(reached) == due
    assert_reached_but(reached, {path for path in due if path.endswith("attention.key.bias")})
