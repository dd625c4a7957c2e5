"""Flax nnx, whose modules hold parameters, random keys and counters alike as variables."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from paramproof.builders.protocol import Array
from paramproof.differences.measure import FAN_IN, FAN_OUT, HEADS, HEADS_FOR_DRAWS, WIDTH
from paramproof.differences.probes import CountsByKind
from paramproof.formulas.spec import EncoderSpec


def norm(x: Array) -> Array:
    """nnx.LayerNorm"""
    return np.asarray(nnx.LayerNorm(x.shape[-1], rngs=nnx.Rngs(0))(x))


def gelu(x: Array) -> Array:
    """nnx.gelu"""
    return np.asarray(nnx.gelu(x))


def dropout_rate() -> str:
    """nnx.MultiHeadAttention"""
    return f"attention weights {_attention().dropout_rate}"


def dropout(x: Array) -> Array:
    """nnx.Dropout"""
    return np.asarray(nnx.Dropout(0.5, rngs=nnx.Rngs(0))(x))


def dense() -> tuple[Array, Array]:
    """nnx.Linear"""
    layer = nnx.Linear(FAN_IN, FAN_OUT, rngs=nnx.Rngs(0))
    return np.asarray(layer.kernel), np.asarray(layer.bias)


def query_and_key() -> tuple[Array, Array, int]:
    """nnx.MultiHeadAttention"""
    attention = _attention(HEADS_FOR_DRAWS, FAN_IN, qkv_features=FAN_OUT)
    kernel, key = (np.asarray(one.kernel) for one in (attention.query, attention.key))
    return kernel, key, FAN_OUT


def table() -> Array:
    """nnx.Embed"""
    return np.asarray(nnx.Embed(FAN_OUT, FAN_IN, rngs=nnx.Rngs(0)).embedding)


def padding_token() -> str:
    """nnx.Embed"""
    layer = nnx.Embed(5, WIDTH, rngs=nnx.Rngs(0))
    gradients = nnx.grad(lambda layer: layer(jnp.array([0, 1])).sum())(layer)
    row = np.asarray(gradients["embedding"])[0]
    return "as any other" if row.any() else "a row that is never trained"


def query_entries(width: int, heads: int) -> int:
    """nnx.MultiHeadAttention(num_heads, in_features, qkv_features)"""
    return np.asarray(_attention(heads, WIDTH, qkv_features=width).query.kernel).size


def attention_entries(width: int, heads: int) -> int:
    """nnx.MultiHeadAttention"""
    return entries(nnx.state(_attention(heads, width)))


def attend_batch(x: Array) -> Array:
    """nnx.MultiHeadAttention"""
    return np.asarray(_attention()(x))


def key_mask(mask: Array) -> Array:
    """mask of nnx.MultiHeadAttention"""
    return mask[:, None, None, :]


def attend(x: Array, mask: Array) -> Array:
    """mask of nnx.MultiHeadAttention"""
    return np.asarray(_attention()(x, mask=key_mask(mask)))


def fresh_entries(fan_in: int, fan_out: int) -> int:
    """nnx.Linear"""
    return entries(nnx.state(nnx.Linear(fan_in, fan_out, rngs=nnx.Rngs(0))))


def dtypes(model: Any) -> dict[str, str]:
    """Type of each parameter by its path."""
    leaves = nnx.to_flat_state(nnx.state(model.module, nnx.Param))
    return {".".join(map(str, path)): str(leaf.get_value().dtype) for path, leaf in leaves}


def counts(model: Any, spec: EncoderSpec) -> CountsByKind:
    """Every way of counting the parameters of ``model``."""
    module = model.module
    dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    optimizer = nnx.eval_shape(lambda: nnx.Optimizer(module, optax.adam(1e-3), wrt=nnx.Param))
    unfrozen = nnx.All(nnx.Param, nnx.Not(nnx.PathContains("pooler")))
    return {
        "total": ("nnx.state(module, nnx.Param)", entries(nnx.state(module, nnx.Param))),
        "state": ("nnx.state(module)", entries(nnx.state(module))),
        "rng": ("nnx.state(module, nnx.RngState)", entries(nnx.state(module, nnx.RngState))),
        "frozen": (
            'nnx.Param and not nnx.PathContains("pooler")',
            entries(nnx.state(module, unfrozen)),
        ),
        "optimizer": (
            "nnx.state(nnx.Optimizer(module, optax.adam(…)))",
            entries(nnx.state(optimizer)),
        ),
        "dropout": ("nnx.state of one nnx.Dropout", entries(nnx.state(dropout))),
        "dropout_total": (
            "nnx.state(…, nnx.Param) of one nnx.Dropout",
            entries(nnx.state(dropout, nnx.Param)),
        ),
    }


def entries(state: Any) -> int:
    """The number of entries of all arrays in ``state``."""
    return sum(leaf.size for leaf in jax.tree.leaves(state))


def abstract(features: int) -> jax.ShapeDtypeStruct:
    """A weight of a dense layer of that many features."""
    layer = nnx.eval_shape(lambda: nnx.Linear(features, features, rngs=nnx.Rngs(0)))
    return layer.kernel.get_value()


def held(weight: jax.ShapeDtypeStruct) -> str:
    """What there is in place of an array."""
    return f"jax.{type(weight).__name__}"


def value_of(weight: jax.ShapeDtypeStruct) -> Array:
    """Its value, for whoever asks for it."""
    return jnp.asarray(weight)


def _attention(heads: int = HEADS, features: int = WIDTH, **options: Any) -> Any:
    return nnx.MultiHeadAttention(heads, features, decode=False, rngs=nnx.Rngs(0), **options)
