"""The forward pass of the Transformer: Vaswani et al. 2017, arXiv:1706.03762, section 3."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from paramproof.formulas.spec import EncoderDecoderSpec, Numerics
from tests.reference.arithmetic import Exact
from tests.reference.encoder import layer
from tests.reference.gpt import causal, language_head
from tests.reference.steps import Steps

Array = Any


def forward(
    spec: EncoderDecoderSpec,
    numerics: Numerics,
    weights: Mapping[str, Array],
    source_ids: Array,
    source_mask: Array,
    target_ids: Array,
    arithmetic: Any = None,
) -> dict[str, Array]:
    """Return ``sequence`` (B, S, H), of the decoder, and ``lm`` (B, S, U), probabilities.

    ``source_mask`` is (B, T), True at tokens. Fixed positions are computed here, even if
    ``weights`` contains them.
    """
    steps = Steps(weights, numerics, arithmetic or Exact())
    heads, visible = spec.num_attention_heads, source_mask[:, None, None, :]
    target = "encoder" if spec.share_embeddings else "decoder"

    memory = embeddings(steps, spec, "encoder", source_ids, "encoder")
    for index in range(spec.num_encoder_layers):
        memory = layer(steps, f"encoder.layers.{index}", memory, visible, heads)
    x = embeddings(steps, spec, target, target_ids, "decoder")
    for index in range(spec.num_decoder_layers):
        x = decoder_layer(steps, f"decoder.layers.{index}", x, memory, visible, heads)

    table = f"{target}.embeddings.word_embeddings.weight"
    lm = language_head(steps, x, tied=spec.tie_word_embeddings, table=table)
    return {"sequence": x, "lm": lm}


def embeddings(
    steps: Steps, spec: EncoderDecoderSpec, words: str, ids: Array, positions: str
) -> Array:
    """Return tokens times √H (section 3.4), plus positions (section 3.5)."""
    tokens = steps.weights[f"{words}.embeddings.word_embeddings.weight"][ids]
    tokens = tokens * math.sqrt(spec.hidden_size)
    length, hidden = tokens.shape[1:]
    if spec.learned_positions:
        table = steps.weights[f"{positions}.embeddings.position_embeddings.weight"][:length]
    else:
        # An angle is rounded before its sine is taken, and the largest angle is the position.
        sizes = np.broadcast_to(1.0 + np.arange(length)[:, None], (length, hidden))
        table = steps.arithmetic.rounded("positions", sinusoids(length, hidden), sizes)
    return steps.add("embedding", tokens, np.broadcast_to(table, tokens.shape))


def sinusoids(length: int, hidden_size: int) -> Array:
    """Return PE(p, 2i) = sin(p / 10000^(2i/H)) and PE(p, 2i + 1) = cos(p / 10000^(2i/H))."""
    table = np.empty((length, hidden_size))
    for position in range(length):
        for feature in range(hidden_size):
            wave = (math.sin, math.cos)[feature % 2]
            pair = feature // 2
            table[position, feature] = wave(position / 10000 ** (2 * pair / hidden_size))
    return table


def decoder_layer(
    steps: Steps, path: str, x: Array, memory: Array, visible: Array, heads: int
) -> Array:
    """Attend to the encoder's output in a third sublayer, between the other two: section 3.1."""
    attended = steps.attention(f"{path}.attention", x, causal(x.shape[1]), heads)
    x = steps.layer_norm(f"{path}.attention_layer_norm", steps.add("sum", x, attended))
    attended = steps.attention(f"{path}.cross_attention", x, visible, heads, memory=memory)
    x = steps.layer_norm(f"{path}.cross_attention_layer_norm", steps.add("sum", x, attended))
    outer = steps.feed_forward(f"{path}.feed_forward", x)
    return steps.layer_norm(f"{path}.feed_forward_layer_norm", steps.add("sum", x, outer))
