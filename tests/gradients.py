"""Encoders whose gradients are looked at, and which gradients are nothing but rounding."""

from dataclasses import replace

import numpy as np

from tests.specs import SMALL_ENCODER as ENCODER

ENCODERS = {
    "encoder": ENCODER,
    "bare": replace(ENCODER, pooler=False),
    "heads": replace(ENCODER, mlm_head=True, nsp_head=True),
    "untied": replace(ENCODER, mlm_head=True, nsp_head=True, tie_word_embeddings=False),
}

# What is not reached is rounding, in float32 where Keras and nnx fall back to it.
ROUNDING = 1e-3


def assert_reached_but(gradients, dead):
    """The gradient of all tensors but ``dead`` is no rounding, and that of those is."""
    sizes = {path: np.abs(gradient).max() for path, gradient in gradients.items()}
    weakest = min((size, path) for path, size in sizes.items() if path not in dead)
    loudest = max(((size, path) for path, size in sizes.items() if path in dead), default=(0, ""))
    assert loudest[0] < ROUNDING * weakest[0], f"not told apart: {loudest} and {weakest}"
