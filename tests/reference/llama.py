"""The forward pass of LLaMA: Touvron et al. 2023, arXiv:2302.13971, section 2.2.

Details that the paper leaves open follow meta-llama/llama, llama/model.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from paramproof.formulas.spec import LlamaSpec, Numerics
from tests.reference.arithmetic import Exact, magnitude
from tests.reference.gpt import causal, language_head
from tests.reference.steps import Steps

Array = Any


def forward(
    spec: LlamaSpec,
    numerics: Numerics,
    weights: Mapping[str, Array],
    ids: Array,
    arithmetic: Any = None,
) -> dict[str, Array]:
    """Return ``sequence`` (B, S, H), after the final norm, and ``lm`` (B, S, V), probabilities."""
    steps = Steps(weights, numerics, arithmetic or Exact())
    x = weights["embeddings.word_embeddings.weight"][ids]
    for index in range(spec.num_hidden_layers):
        x = layer(steps, f"layers.{index}", x, spec)
    x = steps.rms_norm("final_norm", x)
    return {"sequence": x, "lm": language_head(steps, x, tied=spec.tie_word_embeddings)}


def layer(steps: Steps, path: str, x: Array, spec: LlamaSpec) -> Array:
    """x + Sublayer(RMSNorm(x)) twice, the second a gated network."""
    attended = steps.attention(
        f"{path}.attention",
        steps.rms_norm(f"{path}.attention_norm", x),
        causal(x.shape[1]),
        spec.num_attention_heads,
        key_value_heads=spec.num_key_value_heads,
        rotate=lambda x: rotated(steps, x),
    )
    x = steps.add("sum", x, attended)
    normalised = steps.rms_norm(f"{path}.feed_forward_norm", x)
    return steps.add("sum", x, gated_feed_forward(steps, f"{path}.feed_forward", normalised))


def gated_feed_forward(steps: Steps, path: str, x: Array) -> Array:
    """(SiLU(x·W_gate) ⊙ x·W_up)·W_down: Shazeer 2020, arXiv:2002.05202, equation 6, SwiGLU."""
    gate, up = steps.activation(steps.linear(f"{path}.gate", x)), steps.linear(f"{path}.up", x)
    product = steps.arithmetic.rounded("linear", gate * up, magnitude(gate) * magnitude(up))
    return steps.linear(f"{path}.down", product)


def rotated(steps: Steps, x: Array) -> Array:
    """Return R_p·x at each position p of ``x`` (B, A, S, K): Su et al. 2021, arXiv:2104.09864.

    R_p (section 3.2.2, equation 15) is written out, column by column: it rotates the plane of two
    features by p·θ^(-2i/K). The paper pairs features 2i and 2i + 1; we pair i and i + K/2, as
    Hugging Face does: a permutation of a head's features, the same for queries and keys.
    """
    length, width = x.shape[2:]
    half = width // 2
    turns = np.zeros((length, width, width))
    sizes = np.zeros((length, 1, 1))
    for position in range(length):
        for i in range(half):
            angle = position * steps.numerics.rope_theta ** (-2 * i / width)
            cos, sin = np.cos(angle), np.sin(angle)
            turns[position, i, i] = turns[position, i + half, i + half] = cos
            turns[position, i, i + half], turns[position, i + half, i] = -sin, sin
        # An angle is rounded before its sine is taken, and the largest angle is the position.
        sizes[position] = 1 + position
    terms = magnitude(x)[..., None, :] @ (abs(turns) * sizes).transpose(0, 2, 1)
    value = x[..., None, :] @ turns.transpose(0, 2, 1)
    return steps.arithmetic.rounded("positions", value[..., 0, :], terms[..., 0, :])
