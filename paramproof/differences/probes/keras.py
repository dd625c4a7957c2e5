"""Keras 3, on whichever backend this process has."""

from __future__ import annotations

import math
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import keras
from keras import layers, ops

from paramproof.builders.protocol import Array
from paramproof.differences.measure import FAN_IN, FAN_OUT, HEADS, HEADS_FOR_DRAWS, WIDTH
from paramproof.differences.probes import CountsByKind
from paramproof.formulas.spec import EncoderSpec, Numerics


def norm(x: Array) -> Array:
    """layers.LayerNormalization"""
    return ops.convert_to_numpy(layers.LayerNormalization()(x))


def gelu(x: Array) -> Array:
    """activations.gelu"""
    return ops.convert_to_numpy(keras.activations.gelu(ops.convert_to_tensor(x)))


def ops_gelu(x: Array) -> Array:
    """ops.gelu"""
    return ops.convert_to_numpy(ops.gelu(x))


def dropout_rate() -> str:
    """layers.MultiHeadAttention"""
    config = layers.MultiHeadAttention(HEADS, WIDTH // HEADS).get_config()
    return f"attention weights {config['dropout']}"


def dropout(x: Array) -> Array:
    """layers.Dropout"""
    return ops.convert_to_numpy(layers.Dropout(0.5)(x))


def dense() -> tuple[Array, Array]:
    """layers.Dense"""
    layer = layers.Dense(FAN_OUT)
    layer.build((None, FAN_IN))
    return ops.convert_to_numpy(layer.kernel), ops.convert_to_numpy(layer.bias)


def query_and_key() -> tuple[Array, Array, int]:
    """layers.MultiHeadAttention"""
    attention = _attention(HEADS_FOR_DRAWS, FAN_OUT // HEADS_FOR_DRAWS, FAN_IN)
    kernels = attention.query_dense.kernel, attention.key_dense.kernel
    return *map(ops.convert_to_numpy, kernels), FAN_OUT


def table() -> Array:
    """layers.Embedding"""
    layer = layers.Embedding(FAN_OUT, FAN_IN)
    layer.build()
    return ops.convert_to_numpy(layer.embeddings)


def padding_token() -> str:
    """layers.Embedding"""
    mask = layers.Embedding(5, WIDTH).compute_mask(ops.convert_to_tensor([[0, 1]]))
    return "as any other" if mask is None else "masked"


def query_entries(width: int, heads: int) -> int:
    """layers.MultiHeadAttention(num_heads, key_dim)"""
    return math.prod(_attention(heads, width).query_dense.kernel.shape)


def attention_entries(width: int, heads: int) -> int:
    """layers.MultiHeadAttention(num_heads, width // num_heads)"""
    return _attention(heads, width // heads, width).count_params()


def attend_batch(x: Array) -> Array:
    """layers.MultiHeadAttention"""
    tensor = ops.convert_to_tensor(x)
    return ops.convert_to_numpy(_drawn_alike()(tensor, tensor))


def key_mask(mask: Array) -> Array:
    """attention_mask of layers.MultiHeadAttention"""
    return mask[:, None, :]


def attend(x: Array, mask: Array) -> Array:
    """attention_mask of layers.MultiHeadAttention"""
    tensor = ops.convert_to_tensor(x)
    return ops.convert_to_numpy(_drawn_alike()(tensor, tensor, attention_mask=key_mask(mask)))


def fresh_entries(fan_in: int, fan_out: int) -> int:
    """layers.Dense"""
    return entries(layers.Dense(fan_out).weights)


def dtypes(model: Any) -> dict[str, str]:
    """Type of each weight by its path, without the name of the model."""
    weights = model.model.weights
    return {weight.path.partition("/")[2]: weight.dtype for weight in weights}


def counts(model: Any, spec: EncoderSpec) -> CountsByKind:
    """Every way of counting the parameters of ``model``; its pooler ends up frozen."""
    encoder = model.model
    found = {
        "total": ("model.count_params()", encoder.count_params()),
        "weights": ("model.weights", entries(encoder.weights)),
        "trainable": ("model.trainable_weights", entries(encoder.trainable_weights)),
        "state": ("model.variables", entries(encoder.variables)),
        "dropout": ("variables of one layers.Dropout", entries(layers.Dropout(0.5).variables)),
        "unbuilt": ("model.weights before build", entries(_unbuilt(encoder, spec).weights)),
    }
    # On tensorflow a slot is placed beside its variable's value, which is then made.
    if keras.backend.backend() != "tensorflow":
        slots = _adam_entries(encoder.trainable_variables)
        found["optimizer"] = "the variables of optimizers.Adam, built", slots
    encoder.pooler.trainable = False
    return found | {
        "frozen_total": ("count_params(), the pooler frozen", encoder.count_params()),
        "frozen": ("trainable_weights, the pooler frozen", entries(encoder.trainable_weights)),
    }


def entries(variables: Iterable[keras.Variable]) -> int:
    """Their number, in all of ``variables``."""
    return sum(math.prod(variable.shape) for variable in variables)


def abstract(features: int) -> keras.Variable:
    """A weight of a dense layer of that many features."""

    def build() -> keras.Variable:
        with keras.StatelessScope(initialize_variables=False):
            layer = layers.Dense(features)
            layer.build((None, features))
        return layer.kernel

    # The next scope to end would initialise it: what is still to be is listed by thread.
    with ThreadPoolExecutor(max_workers=1) as passing:
        return passing.submit(build).result()


def held(weight: keras.Variable) -> str:
    """What there is in place of an array."""
    return f"{keras.Variable.__name__} with an initialiser"


def value_of(weight: keras.Variable) -> Array:
    """Its value, for whoever asks for it."""
    return ops.convert_to_numpy(weight.value)


def _attention(heads: int, key_dim: int, width: int = WIDTH, **options: Any) -> Any:
    layer = layers.MultiHeadAttention(heads, key_dim, **options)
    layer.build((None, None, width), (None, None, width))
    return layer


@cache
def _drawn_alike() -> Any:
    """An attention with the same weights at every call."""
    initialiser = keras.initializers.GlorotUniform(seed=0)
    return _attention(HEADS, WIDTH // HEADS, kernel_initializer=initialiser)


def _unbuilt(encoder: Any, spec: EncoderSpec) -> Any:
    return type(encoder)(spec, Numerics(), "float32")


def _adam_entries(variables: list[keras.Variable]) -> int:
    """What Adam keeps, without a value, as ``variables`` are."""

    optimizer = keras.optimizers.Adam()

    def build() -> int:
        with keras.StatelessScope(initialize_variables=False):
            optimizer.build(variables)
        return entries(optimizer.variables)

    with ThreadPoolExecutor(max_workers=1) as passing:
        return passing.submit(build).result()
