"""Flax linen, whose modules hold no parameters: ``init`` returns them."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn

from paramproof.differences.measure import HEADS

ATTENTION = "nn.MultiHeadDotProductAttention"
MASK = f"mask of {ATTENTION}"
KEY = jax.random.key(0)
layer = nn.MultiHeadDotProductAttention

tensor, array, same_draws = jnp.asarray, np.asarray, nullcontext


def dense(fan_in: int, fan_out: int) -> list[jax.Array]:
    params = nn.Dense(fan_out).init(KEY, jnp.ones((1, fan_in)))["params"]
    return [params["kernel"], params["bias"]]


def fresh(fan_in: int, fan_out: int) -> list[jax.Array]:
    return [value for value in vars(nn.Dense(fan_out)).values() if isinstance(value, jax.Array)]


def table(tokens: int, width: int) -> jax.Array:
    return nn.Embed(tokens, width).init(KEY, jnp.ones((1,), int))["params"]["embedding"]


def attention(features: int, heads: int, width: int) -> list[Any]:
    params = layer(heads, qkv_features=width).init(KEY, jnp.ones((1, 1, features)))["params"]
    return [params["query"]["kernel"], params["key"]["kernel"], jax.tree.leaves(params)]


def attend(x: jax.Array, mask: jax.Array | None = None) -> jax.Array:
    return layer(HEADS).init_with_output(KEY, x, mask=mask)[0]


ASKED = {
    "layer_norm_eps": ("nn.LayerNorm", lambda x: nn.LayerNorm().init_with_output(KEY, x)[0]),
    "gelu": ("nn.gelu", nn.gelu),
    "dropout.rate": (ATTENTION, lambda: [None, layer(HEADS).dropout_rate]),
    "dropout.unasked": (
        "nn.Dropout",
        lambda x: nn.Dropout(0.5).apply({}, x, rngs={"dropout": KEY}),
    ),
    "dense": ("nn.Dense", dense),
    "made": ("nn.Dense", fresh),
    "initialiser.table": ("nn.Embed", table),
    "attention": (ATTENTION, attention),
    "attention.width": (f"{ATTENTION}(num_heads, qkv_features)", attention),
    "attention.batch_axis": (ATTENTION, attend),
    "attend": (MASK, attend),
    "mask.shape": (MASK, lambda mask: mask[:, None, None, :]),
}


def dropout(model: Any) -> Any:
    return jax.eval_shape(nn.Dropout(0.5, deterministic=True).init, KEY, jnp.ones(3))


COUNTS = {
    "total": ('jax.tree.leaves(variables["params"])', lambda model: model.variables["params"]),
    "state": ("jax.tree.leaves(variables)", lambda model: model.variables),
    "dropout": ("variables of one nn.Dropout", dropout),
}
