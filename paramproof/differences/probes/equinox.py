"""Equinox, whose modules are trees of arrays, and take one token or one sequence at a time."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from paramproof.builders.protocol import Array
from paramproof.differences.measure import FAN_IN, FAN_OUT, HEADS, HEADS_FOR_DRAWS, WIDTH
from paramproof.differences.probes import CountsByKind
from paramproof.formulas.spec import EncoderSpec


def norm(x: Array) -> Array:
    """eqx.nn.LayerNorm"""
    return np.asarray(jax.vmap(eqx.nn.LayerNorm(x.shape[-1]))(x))


def dropout_rate() -> str:
    """eqx.nn.MultiheadAttention"""
    return f"attention weights {_attention().dropout.p}"


def dropout(x: Array) -> Array:
    """eqx.nn.Dropout, with a key"""
    return np.asarray(eqx.nn.Dropout()(jnp.asarray(x), key=_key()))


def dense() -> tuple[Array, Array]:
    """eqx.nn.Linear"""
    layer = eqx.nn.Linear(FAN_IN, FAN_OUT, key=_key())
    return np.asarray(layer.weight), np.asarray(layer.bias)


def query_and_key() -> tuple[Array, Array, int]:
    """eqx.nn.MultiheadAttention"""
    attention = _attention(HEADS_FOR_DRAWS, FAN_IN, qk_size=FAN_OUT // HEADS_FOR_DRAWS)
    kernel, key = (np.asarray(one.weight) for one in (attention.query_proj, attention.key_proj))
    return kernel, key, FAN_OUT


def table() -> Array:
    """eqx.nn.Embedding"""
    return np.asarray(eqx.nn.Embedding(FAN_OUT, FAN_IN, key=_key()).weight)


def padding_token() -> str:
    """eqx.nn.Embedding"""
    layer = eqx.nn.Embedding(5, WIDTH, key=_key())
    gradients = eqx.filter_grad(lambda layer: jax.vmap(layer)(jnp.array([0, 1])).sum())(layer)
    return "as any other" if gradients.weight[0].any() else "a row that is never trained"


def query_entries(width: int, heads: int) -> int:
    """eqx.nn.MultiheadAttention(num_heads, query_size, qk_size)"""
    return _attention(heads, WIDTH, qk_size=width).query_proj.weight.size


def attention_entries(width: int, heads: int) -> int:
    """eqx.nn.MultiheadAttention"""
    return entries(_attention(heads, width))


def key_mask(mask: Array) -> Array:
    """mask of eqx.nn.MultiheadAttention, under jax.vmap"""
    return np.repeat(mask[:, None, :], mask.shape[1], axis=1)


def attend(x: Array, mask: Array) -> Array:
    """mask of eqx.nn.MultiheadAttention"""
    return np.asarray(jax.vmap(_attention())(x, x, x, key_mask(mask)))


def fresh_entries(fan_in: int, fan_out: int) -> int:
    """eqx.nn.Linear"""
    return entries(eqx.nn.Linear(fan_in, fan_out, key=_key()))


def dtypes(model: Any) -> dict[str, str]:
    """Type of each parameter by its path."""
    return {weight.path: model.dtype for weight in model.weights()}


def counts(model: Any, spec: EncoderSpec) -> CountsByKind:
    """Every way of counting the parameters of ``model``."""
    shared = model.module
    every = jax.tree.map(lambda _: True, shared)
    unfrozen = eqx.tree_at(lambda tree: tree.pytree.pooler, every, False)
    return {
        "total": ("eqx.filter(shared, eqx.is_inexact_array)", entries(shared)),
        "tied_each": (
            "eqx.filter(shared(), eqx.is_inexact_array)",
            entries(eqx.filter_eval_shape(shared)),
        ),
        "frozen": (
            "eqx.partition(shared, …), False at the pooler",
            entries(eqx.partition(shared, unfrozen)[0]),
        ),
        "dropout": ("eqx.filter of one eqx.nn.Dropout", entries(eqx.nn.Dropout())),
    }


def entries(tree: Any) -> int:
    """The number of entries of all inexact arrays in ``tree``."""
    # In a trace, shapes are arrays.
    arrays = eqx.filter_eval_shape(eqx.filter, tree, eqx.is_inexact_array)
    return sum(leaf.size for leaf in jax.tree.leaves(arrays))


def abstract(features: int) -> jax.ShapeDtypeStruct:
    """A weight of a dense layer of that many features."""
    key = jax.random.key(0)
    layer = eqx.filter_eval_shape(eqx.nn.Linear, features, features, key=key)
    return layer.weight


def held(weight: jax.ShapeDtypeStruct) -> str:
    """What there is in place of an array."""
    return f"jax.{type(weight).__name__}"


def value_of(weight: jax.ShapeDtypeStruct) -> Array:
    """Its value, for whoever asks for it."""
    return jnp.asarray(weight)


def _key() -> jax.Array:
    return jax.random.key(0)


def _attention(heads: int = HEADS, features: int = WIDTH, **options: Any) -> Any:
    return eqx.nn.MultiheadAttention(heads, features, key=_key(), **options)
