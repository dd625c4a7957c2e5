"""Flax nnx, whose modules hold parameters, random keys and counters alike as variables."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from paramproof.differences.measure import HEADS, WIDTH

ATTENTION = "nnx.MultiHeadAttention"
MASK = f"mask of {ATTENTION}"

tensor, array, same_draws = jnp.asarray, np.asarray, nullcontext


def arrays(module: Any, kind: Any = ...) -> list[Any]:
    return jax.tree.leaves(nnx.state(module, kind))


def linear(fan_in: int, fan_out: int) -> list[Any]:
    layer = nnx.Linear(fan_in, fan_out, rngs=nnx.Rngs(0))
    return [layer.kernel.get_value(), layer.bias.get_value()]


def table(tokens: int, width: int) -> Any:
    return nnx.Embed(tokens, width, rngs=nnx.Rngs(0)).embedding.get_value()


def layer(features: int, heads: int, **options: Any) -> Any:
    return nnx.MultiHeadAttention(heads, features, decode=False, rngs=nnx.Rngs(0), **options)


def attention(features: int, heads: int, width: int) -> list[Any]:
    found = layer(features, heads, qkv_features=width)
    kernels = [one.kernel.get_value() for one in (found.query, found.key)]
    return [*kernels, arrays(found)]


def attend(x: jax.Array, mask: jax.Array | None = None) -> jax.Array:
    return layer(WIDTH, HEADS)(x, mask=mask)


ASKED = {
    "layer_norm_eps": (
        "nnx.LayerNorm",
        lambda x: nnx.LayerNorm(x.shape[-1], rngs=nnx.Rngs(0))(x),
    ),
    "gelu": ("nnx.gelu", nnx.gelu),
    "dropout.rate": (ATTENTION, lambda: [None, layer(WIDTH, HEADS).dropout_rate]),
    "dropout.unasked": ("nnx.Dropout", lambda x: nnx.Dropout(0.5, rngs=nnx.Rngs(0))(x)),
    "dense": ("nnx.Linear", linear),
    "initialiser.table": ("nnx.Embed", table),
    "attention": (ATTENTION, attention),
    "attention.width": (f"{ATTENTION}(num_heads, in_features, qkv_features)", attention),
    "attention.batch_axis": (ATTENTION, attend),
    "attend": (MASK, attend),
    "mask.shape": (MASK, lambda mask: mask[:, None, None, :]),
}


COUNTS = {
    "total": ("nnx.state(module, nnx.Param)", lambda model: arrays(model.module, nnx.Param)),
    "state": ("nnx.state(module)", lambda model: arrays(model.module)),
    "dropout": (
        "nnx.state of one nnx.Dropout",
        lambda model: arrays(nnx.Dropout(0.5, rngs=nnx.Rngs(0))),
    ),
}
