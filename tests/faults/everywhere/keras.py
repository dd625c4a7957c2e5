"""Keras's own layers with other options, by their names."""

from functools import partial
from typing import Any

from keras import layers

from paramproof.builders.frameworks.keras.encoder import Encoder
from tests.faults.everywhere.patches import constructed, followed


def final_norm(encoder: Any, *_: Any) -> None:
    encoder.final_norm = layers.LayerNormalization(name="final_norm")
    encoder.final_norm.build((None, None, encoder.hidden_size))


PLANTS = {
    "query bias dropped": partial(constructed, layers.EinsumDense, "query", bias_axes=None),
    "attention biases lost": partial(
        constructed, layers.MultiHeadAttention, "attention", use_bias=False
    ),
    "intermediate bias dropped": partial(constructed, layers.Dense, "intermediate", use_bias=False),
    "pooler bias dropped": partial(constructed, layers.Dense, "pooler", use_bias=False),
    "norms without parameters": partial(
        constructed, layers.LayerNormalization, "embeddings_norm", center=False, scale=False
    ),
    "final norm added": partial(followed, Encoder, "build", final_norm),
    "token table frozen": partial(
        constructed, layers.Embedding, "word_embeddings", trainable=False
    ),
}
