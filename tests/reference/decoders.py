"""The forward passes of the models with a decoder: GPT, LLaMA and the Transformer.

Details that the papers leave open follow openai/gpt-2, src/model.py, and meta-llama/llama,
llama/model.py.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paramproof.formulas.spec import EncoderDecoderSpec, GPTSpec, LlamaSpec
from tests.reference.arithmetic import magnitude
from tests.reference.encoder import layer
from tests.reference.steps import Steps

Array = Any


def gpt(steps: Steps, spec: GPTSpec, ids: Array) -> dict[str, Array]:
    """Return ``sequence`` (B, S, H), after the final norm, and ``lm`` (B, S, V), probabilities.

    Radford et al. 2019, section 2.3, which builds on Radford et al. 2018.
    """
    tokens = steps.weights["embeddings.word_embeddings.weight"][ids]
    positions = steps.weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
    x = steps.add("embedding", tokens, np.broadcast_to(positions, tokens.shape))
    for index in range(spec.num_hidden_layers):
        x = gpt_layer(steps, f"layers.{index}", x, spec.num_attention_heads)
    x = steps.layer_norm("final_layer_norm", x)
    return {"sequence": x, "lm": language_head(steps, x, tied=spec.tie_word_embeddings)}


def gpt_layer(steps: Steps, path: str, x: Array, heads: int) -> Array:
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


def llama(steps: Steps, spec: LlamaSpec, ids: Array) -> dict[str, Array]:
    """Return the same for LLaMA: Touvron et al. 2023, arXiv:2302.13971, section 2.2."""
    x = steps.weights["embeddings.word_embeddings.weight"][ids]
    for index in range(spec.num_hidden_layers):
        x = llama_layer(steps, f"layers.{index}", x, spec)
    x = steps.rms_norm("final_norm", x)
    return {"sequence": x, "lm": language_head(steps, x, tied=spec.tie_word_embeddings)}


def llama_layer(steps: Steps, path: str, x: Array, spec: LlamaSpec) -> Array:
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


def encoder_decoder(
    steps: Steps, spec: EncoderDecoderSpec, source_ids: Array, source_mask: Array, target_ids: Array
) -> dict[str, Array]:
    """Return ``sequence`` (B, S, H), of the decoder, and ``lm`` (B, S, U), probabilities.

    Vaswani et al. 2017, arXiv:1706.03762, section 3.
    ``source_mask`` is (B, T), True at tokens. Fixed positions are computed here, even if
    ``steps.weights`` contains them.
    """
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
