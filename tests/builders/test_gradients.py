"""A gradient reaches exactly the tensors that are called trainable.

It is the gradient of all outputs at once, times random numbers, in float64, and is examined per
canonical tensor, since a framework may keep several in one array (PyTorch's key bias is a slice).
The few exceptions have reasons, and are asserted to be exceptions.
"""

import numpy as np
import pytest

from paramproof.builders.protocol import Outputs
from paramproof.formulas import inventory
from tests.gradients import ENCODER, ENCODERS, assert_reached_but
from tests.parity.differences import by_tensor
from tests.specs import IDS

UNUSED_TOKEN = 10


@pytest.fixture(scope="module", params=ENCODERS)
def case(request, builder):
    """Return a spec and its gradient by canonical tensor."""
    spec = ENCODERS[request.param]
    model = builder.build(spec, allocate=True, dtype="float64")
    random = np.random.default_rng(0)
    ids = random.integers(1, UNUSED_TOKEN, (2, 4)).astype("int32")
    ids[0, 3] = 0
    types = random.integers(0, 2, ids.shape).astype("int32")
    outputs = model.run(ids, types, ids != 0)
    cotangents = Outputs(*(None if o is None else random.normal(size=o.shape) for o in outputs))
    native = model.gradients(ids, types, ids != 0, cotangents=cotangents)
    return spec, by_tensor(spec, model, native)


@pytest.mark.expressed("case")
def test_every_trainable_tensor_is_reached(case):
    spec, gradients = case
    due = {t.path for t in inventory(spec.letters()).expand() if t.tied_to is None}
    assert set(gradients) == due
    # A key bias moves all scores of a query alike, which the softmax ignores.
    assert_reached_but(gradients, {path for path in due if path.endswith("attention.key.bias")})


@pytest.mark.expressed("case")
def test_unused_rows_are_not_reached(case):
    spec, gradients = case
    tokens = gradients["embeddings.word_embeddings.weight"]
    positions = gradients["embeddings.position_embeddings.weight"]
    # Four of seven positions are used; a decoder that shares the token table uses every row.
    assert np.abs(positions[4:]).max() == 0
    assert np.abs(positions[:4]).max(axis=1).min() > 0
    tied = spec.mlm_head and spec.tie_word_embeddings
    assert (np.abs(tokens[UNUSED_TOKEN]).max() > 0) == tied


def test_degenerate_sizes(builder):
    """With one position there is nothing to attend to, so queries and keys have no effect."""
    model = builder.build(ENCODER, allocate=True, dtype="float64")
    ids = np.array([[3], [4]], dtype="int32")
    outputs = model.run(ids, ids * 0, ids != 0)
    cotangents = Outputs(
        *(None if o is None else np.random.default_rng(1).normal(size=o.shape) for o in outputs)
    )
    native = model.gradients(ids, ids * 0, ids != 0, cotangents=cotangents)
    gradients = by_tensor(ENCODER, model, native)
    queries_and_keys = ("attention.query.", "attention.key.")
    dead = {path for path in gradients if path.split(".", 2)[-1].startswith(queries_and_keys)}
    assert len(dead) == 8
    assert_reached_but(gradients, dead)


def test_only_trainable_weights_have_a_gradient(builder):
    """Only weights that ``weights`` calls trainable have a gradient at all."""
    model = builder.build(ENCODER, allocate=True)
    ids = np.array(IDS, dtype="int32")
    sequence = np.ones_like(model.run(ids, ids * 0, ids != 0).sequence)
    native = model.gradients(ids, ids * 0, ids != 0, cotangents=Outputs(sequence))
    assert set(native) <= {weight.path for weight in model.weights() if weight.trainable}
    assert "pooler" not in " ".join(path for path, g in native.items() if np.abs(g).max() > 0)
