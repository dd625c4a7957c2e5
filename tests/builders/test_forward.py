"""The models are real: they run on ids, types and a padding mask."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.profiles import one_in
from tests.specs import SMALL_ENCODER as SPEC
from tests.strategies import supported_specs


@one_in(10)
@given(data=st.data())
def test_forward_pass(framework, builder, data):
    spec = data.draw(supported_specs(builder, **framework.fixed), label="spec")
    model = builder.build(spec, allocate=True)
    # In any order: a framework may list weights as it created them, or sorted.
    assert sorted(model.weights(), key=path) == sorted(builder.build(spec).weights(), key=path)

    tokens = min(3, spec.max_position_embeddings)
    # Padding is token 0, if there is another token to pad with: keras-bert has no other mask.
    last = spec.vocab_size - 1
    ids = np.array([[last] * tokens, [last] * (tokens - 1) + [0]], dtype="int32")
    mask = ids != 0 if last else np.zeros_like(ids, dtype=bool)
    if not last or not mask.any(axis=1).all():
        ids, mask = ids[:1], mask[:1]
    outputs = model.run(ids, np.full_like(ids, spec.type_vocab_size - 1), mask)

    batch, hidden = len(ids), spec.hidden_size
    assert outputs.sequence.shape == (batch, tokens, hidden)
    assert _shape(outputs.pooled) == ((batch, hidden) if spec.pooler else None)
    assert _shape(outputs.mlm) == ((batch, tokens, spec.vocab_size) if spec.mlm_head else None)
    assert _shape(outputs.nsp) == ((batch, 2) if spec.nsp_head else None)
    if last:
        assert all(np.isfinite(array[:1]).all() for array in outputs if array is not None)


def test_an_abstract_model_does_not_run(builder):
    model = builder.build(SPEC)
    ids = np.ones((1, 2), dtype="int32")
    with pytest.raises(RuntimeError, match="allocate=True"):
        model.run(ids, ids * 0, ids != 0)


def path(weight):
    return weight.path


def _shape(array):
    return None if array is None else array.shape
