"""A gradient reaches exactly the tensors that are called trainable.

It is the gradient of all outputs at once, times random numbers, in float64, and is examined per
canonical tensor, since a framework may keep several in one array (PyTorch's key bias is a slice).
The few exceptions have reasons, and are asserted to be exceptions.
"""

import numpy as np
import pytest

from paramproof.builders.protocol import Outputs
from paramproof.weights.transfer import stored_tensors
from tests.parity.cases import ENCODERS, SPECS, fixed_case
from tests.parity.differences import built, gradients
from tests.specs import IDS

# In float32 (where Keras and nnx fall back to it), rounding hides an unreached tensor.
ROUNDING = 1e-3


def assert_reached_but(gradients, dead):
    """Fail unless the gradients of exactly the tensors in ``dead`` are only rounding."""
    sizes = {path: np.abs(gradient).max() for path, gradient in gradients.items()}
    weakest = min((size, path) for path, size in sizes.items() if path not in dead)
    loudest = max(((size, path) for path, size in sizes.items() if path in dead), default=(0, ""))
    assert loudest[0] < ROUNDING * weakest[0], (
        f"not separated by magnitude: {loudest} and {weakest}"
    )


@pytest.mark.expressed("name")
@pytest.mark.parametrize("name", [*ENCODERS, *SPECS])
def test_every_trainable_tensor_is_reached(builder, name):
    case = fixed_case(builder, name, seed=9 if name in ENCODERS else 0)
    reached = gradients(built(builder, case), case)
    due = {path for path, tensor in stored_tensors(case.spec).items() if tensor.trainable}
    assert set(reached) == due
    # A key bias moves all scores of a query alike, which the softmax ignores.
    assert_reached_but(reached, {path for path in due if path.endswith("attention.key.bias")})
    if name in ENCODERS:
        used = {*case.inputs[0].flat}
        unused = [token for token in range(case.spec.vocab_size) if token not in used]
        tokens = reached["embeddings.word_embeddings.weight"]
        positions = reached["embeddings.position_embeddings.weight"]
        # Four of seven positions are used; a decoder that shares the token table uses every row.
        assert np.abs(positions[4:]).max() == 0
        assert np.abs(positions[:4]).max(axis=1).min() > 0
        tied = case.spec.mlm_head and case.spec.tie_word_embeddings
        assert (np.abs(tokens[unused]).max() > 0) == tied


def test_degenerate_sizes(builder):
    """With one position there is nothing to attend to, so queries and keys have no effect."""
    case = fixed_case(builder, "encoder", tokens=1)
    reached = gradients(built(builder, case), case)
    queries_and_keys = ("attention.query.", "attention.key.")
    dead = {path for path in reached if path.split(".", 2)[-1].startswith(queries_and_keys)}
    assert len(dead) == 8
    assert_reached_but(reached, dead)


def test_only_trainable_weights_have_a_gradient(builder):
    model = builder.build(ENCODERS["encoder"], allocate=True)
    ids = np.array(IDS, dtype="int32")
    sequence = np.ones_like(model.run(ids, ids * 0, ids != 0).sequence)
    native = model.gradients(ids, ids * 0, ids != 0, cotangents=Outputs(sequence))
    assert set(native) <= {weight.path for weight in model.weights() if weight.trainable}
    assert "pooler" not in " ".join(path for path, g in native.items() if np.abs(g).max() > 0)
