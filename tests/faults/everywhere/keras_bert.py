"""keras-bert's layers with other options, by their names, and its model cut."""

from functools import partial
from typing import Any

import tensorflow as tf
from keras_layer_normalization import LayerNormalization
from keras_multi_head import MultiHeadAttention
from keras_position_wise_feed_forward import FeedForward
from tensorflow import keras

from paramproof.builders.frameworks import keras_bert
from tests.faults.everywhere.patches import constructed, followed


def without(name: str, layer: Any, *_: Any) -> None:
    """Replace a bias that the layer always has, or all its biases, by zeros."""
    zeros = tf.zeros_like(getattr(layer, name))
    delattr(layer, name)
    setattr(layer, name, zeros)


def with_final_norm(made: Any, *_: Any) -> Any:
    model, outputs = made
    sequence = LayerNormalization(name="Final-Norm")(model.outputs[0])
    return keras.Model(model.inputs, [sequence, *model.outputs[1:]]), outputs


def with_frozen_table(made: Any, *_: Any) -> None:
    made[0].get_layer("Embedding-Token").trainable = False


PLANTS = {
    "query bias dropped": partial(followed, MultiHeadAttention, "build", partial(without, "bq")),
    "attention biases lost": partial(
        constructed, MultiHeadAttention, "Encoder-.*-MultiHeadSelfAttention", use_bias=False
    ),
    "intermediate bias dropped": partial(followed, FeedForward, "build", partial(without, "b1")),
    "pooler bias dropped": partial(constructed, keras.layers.Dense, "NSP-Dense", use_bias=False),
    "norms without parameters": partial(
        constructed, LayerNormalization, "Embedding-Norm", center=False, scale=False
    ),
    "final norm added": partial(followed, keras_bert, "_model", with_final_norm),
    "token table frozen": partial(followed, keras_bert, "_model", with_frozen_table),
}

IMPOSSIBLE = {"decoder untied": "always ties its MLM decoder"}
