"""keras-bert, whose layers are tf-keras's and its own: each is asked in a graph of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import keras_bert
import tensorflow as tf
from keras_layer_normalization import LayerNormalization
from keras_multi_head import MultiHeadAttention
from tensorflow import keras

from paramproof.builders.protocol import Array
from paramproof.differences.measure import FAN_IN, FAN_OUT, HEADS, HEADS_FOR_DRAWS, WIDTH
from paramproof.differences.probes import CountsByKind
from paramproof.formulas.spec import EncoderSpec


def norm(x: Array) -> Array:
    """LayerNormalization of keras-layer-normalization"""
    return _computed(LayerNormalization(), x)


def gelu(x: Array) -> Array:
    """feed_forward_activation="gelu" of get_model"""
    return encoder_activation(x)


def encoder_activation(x: Array) -> Array:
    """get_model"""
    with tf.Graph().as_default():
        activation = _get_model().get_layer("Encoder-1-FeedForward").activation
    return _computed(activation, x)


def encoder_steps() -> list[str]:
    """get_model"""
    with tf.Graph().as_default():
        names = [layer.name for layer in _get_model().layers]
    return [name.removeprefix("Encoder-1-") for name in names if name.startswith("Encoder-1-")]


def dropout_rate() -> str:
    """get_model"""
    with tf.Graph().as_default():
        model = _get_model()
    attention = model.get_layer("Encoder-1-MultiHeadSelfAttention")
    within = getattr(attention, "dropout", None) or "none"
    return f"{model.get_layer('Encoder-1-FeedForward-Dropout').rate}; attention weights {within}"


def dropout(x: Array) -> Array:
    """layers.Dropout of tf-keras"""
    return _computed(keras.layers.Dropout(0.5), x)


def dense() -> tuple[Array, Array]:
    """layers.Dense of tf-keras"""
    with tf.Graph().as_default():
        layer = keras.layers.Dense(FAN_OUT)
        layer.build((None, FAN_IN))
        kernel, bias = _values([layer.kernel, layer.bias])
    return kernel, bias


def query_and_key() -> tuple[Array, Array, int]:
    """MultiHeadAttention of keras-multi-head"""
    with tf.Graph().as_default():
        layer = MultiHeadAttention(HEADS_FOR_DRAWS)
        layer.build((None, None, FAN_IN))
        kernel, key = _values([layer.Wq, layer.Wk])
    return kernel, key, FAN_IN


def table() -> Array:
    """Embedding-Token of get_model"""
    with tf.Graph().as_default():
        model = _get_model(token_num=FAN_OUT, embed_dim=FAN_IN, head_num=HEADS_FOR_DRAWS)
        (values,) = _values([model.get_layer("Embedding-Token").embeddings])
    return values


def padding_token() -> str:
    """Embedding-Token of get_model"""
    with tf.Graph().as_default():
        layer = _get_model().get_layer("Embedding-Token")
        masks = layer.compute_mask(tf.constant([[0, 1]]))
        (mask,) = _values([masks[0]])
    return "as any other" if mask[0, 0] else "masked"


def query_entries(width: int, heads: int) -> int:
    """embed_dim and head_num of get_model"""
    with tf.Graph().as_default():
        layer = _get_model(embed_dim=width, head_num=heads).layers
        (attention,) = (one for one in layer if isinstance(one, MultiHeadAttention))
        return attention.Wq.shape.num_elements()


def attention_entries(width: int, heads: int) -> int:
    """get_model"""
    with tf.Graph().as_default():
        model = _get_model(embed_dim=width, head_num=heads)
        return model.get_layer("Encoder-1-MultiHeadSelfAttention").count_params()


def attend_batch(x: Array) -> Array:
    """MultiHeadAttention of keras-multi-head"""
    return _computed(_attention(), x)


def key_mask(mask: Array) -> Array:
    """the mask that Keras hands to MultiHeadAttention of keras-multi-head"""
    return mask


def attend(x: Array, mask: Array) -> Array:
    """the mask that Keras hands to MultiHeadAttention of keras-multi-head"""
    attention = _attention()
    return _computed(lambda x: attention(x, mask=tf.constant(key_mask(mask))), x)


def fresh_entries(fan_in: int, fan_out: int) -> int:
    """layers.Dense of tf-keras"""
    with tf.Graph().as_default():
        return entries(keras.layers.Dense(fan_out).weights)


def dtypes(model: Any) -> dict[str, str]:
    """Type of each weight by its path."""
    weights = model.model.weights
    return {weight.name.removesuffix(":0"): weight.dtype.base_dtype.name for weight in weights}


def counts(model: Any, spec: EncoderSpec) -> CountsByKind:
    """Every way of counting the parameters of ``model``; its pooler ends up frozen."""
    built = model.model
    with built.outputs[0].graph.as_default():
        optimizer = keras.optimizers.Adam()
        optimizer.build(built.trainable_weights)
    found = {
        "total": ("model.count_params()", built.count_params()),
        "weights": ("model.weights", entries(built.weights)),
        "trainable": ("model.trainable_weights", entries(built.trainable_weights)),
        "state": ("model.variables", entries(built.variables)),
        "optimizer": ("the variables of optimizers.Adam, built", entries(optimizer.variables)),
        "dropout": (
            "variables of one layers.Dropout",
            entries(keras.layers.Dropout(0.5).variables),
        ),
    }
    built.get_layer("NSP-Dense").trainable = False
    with tf.Graph().as_default():
        bare = keras.Model(*_get_model(spec, training=False))
    return found | {
        "bare": ("count_params() of get_model(training=False)", bare.count_params()),
        "bare_trainable": (
            "trainable_weights of get_model(training=False)",
            entries(bare.trainable_weights),
        ),
        "frozen_total": ("count_params(), the pooler frozen", built.count_params()),
        "frozen": ("trainable_weights, the pooler frozen", entries(built.trainable_weights)),
    }


def entries(variables: Iterable[tf.Variable]) -> int:
    """Their number, in all of ``variables``."""
    return sum(variable.shape.num_elements() for variable in variables)


def abstract(features: int) -> tf.Variable:
    """A weight of a dense layer of that many features."""
    with tf.Graph().as_default():
        model = keras_bert.get_model(5, seq_len=None, transformer_num=0, embed_dim=features)
    return model.get_layer("NSP-Dense").kernel


def held(weight: tf.Variable) -> str:
    """What there is in place of an array."""
    return f"{type(weight).__name__} of a graph without a session"


def value_of(weight: tf.Variable) -> Array:
    """Its value, for whoever asks for it."""
    return weight.numpy()


SMALL = EncoderSpec(
    vocab_size=5,
    hidden_size=WIDTH,
    num_hidden_layers=1,
    num_attention_heads=HEADS,
    intermediate_size=2,
    max_position_embeddings=5,
    type_vocab_size=2,
)


def _get_model(spec: EncoderSpec = SMALL, **options: Any) -> Any:
    sizes = {
        "token_num": spec.vocab_size,
        "pos_num": spec.max_position_embeddings,
        "seq_len": None,
        "embed_dim": spec.hidden_size,
        "transformer_num": spec.num_hidden_layers,
        "head_num": spec.num_attention_heads,
        "feed_forward_dim": spec.intermediate_size,
    }
    return keras_bert.get_model(**{**sizes, **options})


def _attention() -> MultiHeadAttention:
    """As ``get_model`` makes it, but for its kernels: drawn as they come, they are all alike."""

    def kernel(shape: tuple[int, ...], **options: Any) -> tf.Tensor:
        return tf.random.normal(shape, stddev=WIDTH**-0.5)

    return MultiHeadAttention(HEADS, activation=None, kernel_initializer=kernel)


def _computed(function: Callable[[Any], Any], x: Array) -> Array:
    """``function`` of a tensor as one of arrays, with the same weights at every call."""
    with tf.Graph().as_default():
        tf.compat.v1.set_random_seed(0)
        (result,) = _values([function(tf.constant(x))])
    return result


def _values(tensors: list[Any]) -> list[Array]:
    """Those of the current graph, its variables initialised."""
    with tf.compat.v1.Session() as session:
        session.run(tf.compat.v1.global_variables_initializer())
        return session.run(tensors)
