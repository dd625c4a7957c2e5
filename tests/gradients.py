"""Encoders for tests of gradients, and a check of which gradients are only rounding."""

from dataclasses import replace

import numpy as np

from tests.specs import SMALL_ENCODER as ENCODER

ENCODERS = {
    "encoder": ENCODER,
    "bare": replace(ENCODER, pooler=False),
    "heads": replace(ENCODER, mlm_head=True, nsp_head=True),
    "untied": replace(ENCODER, mlm_head=True, nsp_head=True, tie_word_embeddings=False),
}

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
