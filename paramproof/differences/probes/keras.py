"""Keras 3, on whichever backend this process has."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import keras
from keras import layers, ops

from paramproof.differences.measure import HEADS, WIDTH

ATTENTION = "layers.MultiHeadAttention"
MASK = f"attention_mask of {ATTENTION}"
WHOLE = f"{ATTENTION}(num_heads, width // num_heads)"

tensor, array, same_draws = ops.convert_to_tensor, ops.convert_to_numpy, nullcontext


def dense(fan_in: int, fan_out: int) -> list[Any]:
    layer = layers.Dense(fan_out)
    layer.build((None, fan_in))
    return [layer.kernel, layer.bias]


def table(tokens: int, width: int) -> Any:
    layer = layers.Embedding(tokens, width)
    layer.build()
    return layer.embeddings


def attention(features: int, heads: int, width: int) -> list[Any]:
    layer = layers.MultiHeadAttention(heads, width)
    layer.build((None, None, features), (None, None, features))
    return [layer.query_dense.kernel, layer.key_dense.kernel, layer.weights]


def attend(x: Any, mask: Any = None) -> Any:
    initialiser = keras.initializers.GlorotUniform(seed=0)
    layer = layers.MultiHeadAttention(HEADS, WIDTH // HEADS, kernel_initializer=initialiser)
    return layer(x, x, attention_mask=mask)


ASKED = {
    "layer_norm_eps": ("layers.LayerNormalization", lambda x: layers.LayerNormalization()(x)),
    "gelu": ("activations.gelu", keras.activations.gelu),
    "gelu.ops": ("ops.gelu", ops.gelu),
    "dropout.rate": (
        ATTENTION,
        lambda: [None, layers.MultiHeadAttention(1, 1).get_config()["dropout"]],
    ),
    "dropout.unasked": ("layers.Dropout", lambda x: layers.Dropout(0.5)(x)),
    "dense": ("layers.Dense", dense),
    "made": ("layers.Dense", lambda fan_in, fan_out: layers.Dense(fan_out).weights),
    "initialiser.table": ("layers.Embedding", table),
    "padding_token": (
        "layers.Embedding",
        lambda *sizes: layers.Embedding(*sizes).compute_mask(ops.convert_to_tensor([[0, 1]])),
    ),
    "attention": (ATTENTION, attention),
    "attention.bias": (WHOLE, attention),
    "attention.heads": (WHOLE, attention),
    "attention.width": (f"{ATTENTION}(num_heads, key_dim)", attention),
    "attention.batch_axis": (ATTENTION, attend),
    "attend": (MASK, attend),
    "mask.shape": (MASK, lambda mask: mask[:, None, :]),
}

COUNTS = {
    "total": ("model.count_params()", lambda model: model.model.count_params()),
    "state": ("model.variables", lambda model: model.model.variables),
    "dropout": ("variables of one layers.Dropout", lambda model: layers.Dropout(0.5).variables),
}
