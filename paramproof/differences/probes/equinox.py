"""Equinox, whose modules are trees of arrays, and take one token or one sequence at a time."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from paramproof.differences.measure import HEADS, WIDTH

ATTENTION = "eqx.nn.MultiheadAttention"
MASK = f"mask of {ATTENTION}"
KEY = jax.random.key(0)

tensor, array, same_draws = jnp.asarray, np.asarray, nullcontext


def arrays(tree: Any) -> list[Any]:
    # In a trace, shapes are arrays.
    return jax.tree.leaves(eqx.filter_eval_shape(eqx.filter, tree, eqx.is_inexact_array))


def layer(features: int, heads: int, **options: Any) -> Any:
    return eqx.nn.MultiheadAttention(heads, features, key=KEY, **options)


def attention(features: int, heads: int, width: int) -> list[Any]:
    found = layer(features, heads, qk_size=width)
    every = jax.tree.leaves(eqx.filter(found, eqx.is_inexact_array))
    return [found.query_proj.weight, found.key_proj.weight, every]


def attend(x: jax.Array, mask: jax.Array) -> jax.Array:
    return jax.vmap(layer(WIDTH, HEADS))(x, x, x, mask)


ASKED = {
    "layer_norm_eps": ("eqx.nn.LayerNorm", lambda x: jax.vmap(eqx.nn.LayerNorm(x.shape[-1]))(x)),
    "dropout.rate": (ATTENTION, lambda: [None, layer(WIDTH, HEADS).dropout.p]),
    "dropout.unasked": ("eqx.nn.Dropout, with a key", lambda x: eqx.nn.Dropout()(x, key=KEY)),
    "dense": ("eqx.nn.Linear", lambda *sizes: jax.tree.leaves(eqx.nn.Linear(*sizes, key=KEY))),
    "initialiser.table": (
        "eqx.nn.Embedding",
        lambda *sizes: eqx.nn.Embedding(*sizes, key=KEY).weight,
    ),
    "attention": (ATTENTION, attention),
    "attention.width": (f"{ATTENTION}(num_heads, query_size, qk_size)", attention),
    "attend": (MASK, attend),
    "mask.shape": (
        f"{MASK}, under jax.vmap",
        lambda mask: jnp.repeat(mask[:, None, :], mask.shape[1], axis=1),
    ),
}


COUNTS = {
    "total": ("eqx.filter(shared, eqx.is_inexact_array)", lambda model: arrays(model.module)),
    "tied_each": (
        "eqx.filter(shared(), eqx.is_inexact_array)",
        lambda model: arrays(eqx.filter_eval_shape(model.module)),
    ),
    "dropout": ("eqx.filter of one eqx.nn.Dropout", lambda model: arrays(eqx.nn.Dropout())),
}
