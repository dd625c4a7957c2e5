"""The reference for any model, by the type of its spec, and its derivative by the complex step.

f'(x) = Im f(x + ih) / h for analytic f, without a difference and so without cancellation, for
arbitrarily small h: Squire & Trapp 1998, "Using complex variables to estimate derivatives of real
functions", SIAM Review 40(1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paramproof.formulas.spec import EncoderDecoderSpec, EncoderSpec, GPTSpec, LlamaSpec
from tests.reference import decoders, encoder
from tests.reference.arithmetic import Exact
from tests.reference.steps import Steps

Array = Any

STEP = 1e-30
"""Its square is negligible beside any rounding error."""

FORWARD = {
    EncoderSpec: encoder.forward,
    EncoderDecoderSpec: decoders.encoder_decoder,
    GPTSpec: decoders.gpt,
    LlamaSpec: decoders.llama,
}


def forward(
    spec: Any, numerics: Any, weights: Mapping[str, Array], *inputs: Any, arithmetic: Any = None
) -> dict[str, Array]:
    """Return outputs by kind; ``weights`` has every canonical tensor except tied ones."""
    return FORWARD[type(spec)](Steps(weights, numerics, arithmetic or Exact()), spec, *inputs)


def derivative(
    spec: Any,
    numerics: Any,
    weights: Mapping[str, Array],
    direction: Mapping[str, Array],
    *inputs: Any,
    arithmetic: Any = None,
) -> dict[str, Array]:
    """Return how fast each output changes as the weights move along ``direction``.

    Takes and returns the same as ``forward``; a weight that ``direction`` lacks does not move.
    """
    moved = {
        path: weight + 1j * STEP * direction[path] if path in direction else weight + 0j
        for path, weight in weights.items()
    }
    outputs = forward(spec, numerics, moved, *inputs, arithmetic=arithmetic)
    return {kind: output.imag / STEP for kind, output in outputs.items()}
