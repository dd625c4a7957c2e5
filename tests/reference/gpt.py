"""The forward pass of GPT: Radford et al. 2019, section 2.3, which builds on Radford et al. 2018.

Details that the papers leave open follow openai/gpt-2, src/model.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from paramproof.formulas.spec import GPTSpec, Numerics
from tests.reference.arithmetic import Exact
from tests.reference.steps import Steps

Array = Any


def forward(
    spec: GPTSpec,
    numerics: Numerics,
    weights: Mapping[str, Array],
    ids: Array,
    arithmetic: Any = None,
) -> dict[str, Array]:
    """Return ``sequence`` (B, S, H), after the final norm, and ``lm`` (B, S, V), probabilities."""
    steps = Steps(weights, numerics, arithmetic or Exact())
    tokens = weights["embeddings.word_embeddings.weight"][ids]
    positions = weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
    x = steps.add("embedding", tokens, np.broadcast_to(positions, tokens.shape))
    for index in range(spec.num_hidden_layers):
        x = layer(steps, f"layers.{index}", x, spec.num_attention_heads)
    x = steps.layer_norm("final_layer_norm", x)
    return {"sequence": x, "lm": language_head(steps, x, tied=spec.tie_word_embeddings)}


def layer(steps: Steps, path: str, x: Array, heads: int) -> Array:
    """x + Sublayer(LayerNorm(x)) twice: section 2.3 (the norm is moved to the input)."""
    normalised = steps.layer_norm(f"{path}.attention_layer_norm", x)
    attended = steps.attention(f"{path}.attention", normalised, causal(x.shape[1]), heads)
    x = steps.add("sum", x, attended)
    normalised = steps.layer_norm(f"{path}.feed_forward_layer_norm", x)
    return steps.add("sum", x, steps.feed_forward(f"{path}.feed_forward", normalised))


def causal(length: int) -> Array:
    """Return True where the key does not follow the query: Vaswani et al. 2017, section 3.2.3."""
    return np.tril(np.ones((1, 1, length, length), dtype=bool))


def language_head(
    steps: Steps, x: Array, *, tied: bool, table: str = "embeddings.word_embeddings.weight"
) -> Array:
    """Return the probability of every token, by the token table if ``tied`` (Press & Wolf 2016)."""
    scores = steps.product("decoder", x, steps.weights[table if tied else "lm_head.weight"].T)
    return steps.softmax(scores)
