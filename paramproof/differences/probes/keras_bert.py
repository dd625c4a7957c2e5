"""keras-bert, whose layers are tf-keras's and its own: each question runs in its own graph."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import keras_bert
import tensorflow as tf
from keras_layer_normalization import LayerNormalization
from keras_multi_head import MultiHeadAttention
from tensorflow import keras

from paramproof.differences.measure import HEADS, WIDTH

ATTENTION = "MultiHeadAttention of keras-multi-head"
MASK = f"the mask that Keras hands to {ATTENTION}"
GET_MODEL = "get_model"
TABLE = f"Embedding-Token of {GET_MODEL}"

tensor = tf.constant


@contextmanager
def same_draws() -> Iterator[None]:
    with tf.Graph().as_default():
        tf.compat.v1.set_random_seed(0)
        yield


def array(found: Any) -> Any:
    """Return the value in the current graph, its variables initialised."""
    with tf.compat.v1.Session() as session:
        session.run(tf.compat.v1.global_variables_initializer())
        return session.run(found)


def layer(name: str, width: int = WIDTH, heads: int = HEADS, tokens: int = 5) -> Any:
    return keras_bert.get_model(tokens, 5, None, width, 1, heads, 2).get_layer(name)


def encoded(x: Any) -> Any:
    inputs, output = keras_bert.get_model(5, 5, None, WIDTH, 1, HEADS, 2, training=False)
    tokens = tf.ones((1, 3), "int32")
    return keras.Model(inputs, output)([tokens, tokens])


def dense(fan_in: int, fan_out: int) -> list[Any]:
    found = keras.layers.Dense(fan_out)
    found.build((None, fan_in))
    return [found.kernel, found.bias]


def attention(features: int, heads: int, width: int) -> list[Any]:
    found = layer("Encoder-1-MultiHeadSelfAttention", features, heads)
    return [found.Wq, found.Wk, found.weights]


def attend(x: Any, mask: Any = None) -> Any:
    """Call an attention as ``get_model`` makes it, but for its kernels.

    Drawn as they come, they are all alike.
    """

    def kernel(shape: tuple[int, ...], **options: Any) -> tf.Tensor:
        return tf.random.normal(shape, stddev=WIDTH**-0.5)

    return MultiHeadAttention(HEADS, activation=None, kernel_initializer=kernel)(x, mask=mask)


ASKED = {
    "layer_norm_eps": (
        "LayerNormalization of keras-layer-normalization",
        lambda x: LayerNormalization()(x),
    ),
    "gelu": (
        'feed_forward_activation="gelu" of get_model',
        lambda x: layer("Encoder-1-FeedForward").activation(x),
    ),
    "activation": (GET_MODEL, lambda x: layer("Encoder-1-FeedForward").activation(x)),
    "norm.place": (GET_MODEL, encoded),
    "dropout.rate": (
        GET_MODEL,
        lambda: [
            layer("Encoder-1-FeedForward-Dropout").rate,
            getattr(layer("Encoder-1-MultiHeadSelfAttention"), "dropout", None) or "none",
        ],
    ),
    "dropout.unasked": ("layers.Dropout of tf-keras", lambda x: keras.layers.Dropout(0.5)(x)),
    "dense": ("layers.Dense of tf-keras", dense),
    "made": (
        "layers.Dense of tf-keras",
        lambda fan_in, fan_out: keras.layers.Dense(fan_out).weights,
    ),
    "initialiser.table": (
        TABLE,
        lambda tokens, width: layer("Embedding-Token", width, 6, tokens).embeddings,
    ),
    "padding_token": (
        TABLE,
        lambda *sizes: layer("Embedding-Token").compute_mask(tf.constant([[0, 1]]))[0],
    ),
    "attention": (GET_MODEL, attention),
    "initialiser.query": (ATTENTION, attention),
    "initialiser.key": (ATTENTION, attention),
    "attention.width": ("embed_dim and head_num of get_model", attention),
    "attention.batch_axis": (ATTENTION, attend),
    "attend": (MASK, attend),
    "mask.shape": (MASK, lambda mask: mask),
}

COUNTS = {
    "total": ("model.count_params()", lambda model: model.model.count_params()),
    "state": ("model.variables", lambda model: model.model.variables),
    "dropout": (
        "variables of one layers.Dropout",
        lambda model: keras.layers.Dropout(0.5).variables,
    ),
}
