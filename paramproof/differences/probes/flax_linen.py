"""Flax linen, whose modules hold no parameters: ``init`` returns them."""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from flax.traverse_util import flatten_dict

from paramproof.builders.protocol import Array
from paramproof.differences.measure import FAN_IN, FAN_OUT, HEADS, HEADS_FOR_DRAWS, WIDTH
from paramproof.differences.probes import CountsByKind
from paramproof.formulas.spec import EncoderSpec


def norm(x: Array) -> Array:
    """nn.LayerNorm"""
    return np.asarray(nn.LayerNorm().init_with_output(_key(), x)[0])


def gelu(x: Array) -> Array:
    """nn.gelu"""
    return np.asarray(nn.gelu(x))


def dropout_rate() -> str:
    """nn.MultiHeadDotProductAttention"""
    return f"attention weights {nn.MultiHeadDotProductAttention(HEADS).dropout_rate}"


def dropout(x: Array) -> Array:
    """nn.Dropout"""
    return np.asarray(nn.Dropout(0.5).apply({}, x, rngs={"dropout": _key()}))


def dense() -> tuple[Array, Array]:
    """nn.Dense"""
    params = nn.Dense(FAN_OUT).init(_key(), jnp.ones((1, FAN_IN)))["params"]
    return np.asarray(params["kernel"]), np.asarray(params["bias"])


def query_and_key() -> tuple[Array, Array, int]:
    """nn.MultiHeadDotProductAttention"""
    params = _params(FAN_IN, HEADS_FOR_DRAWS, qkv_features=FAN_OUT)
    kernel, key = (np.asarray(params[name]["kernel"]) for name in ("query", "key"))
    return kernel, key, FAN_OUT


def table() -> Array:
    """nn.Embed"""
    params = nn.Embed(FAN_OUT, FAN_IN).init(_key(), jnp.ones((1,), int))["params"]
    return np.asarray(params["embedding"])


def padding_token() -> str:
    """nn.Embed"""
    layer = nn.Embed(5, WIDTH)
    ids = jnp.array([0, 1])
    gradients = jax.grad(lambda v: layer.apply(v, ids).sum())(layer.init(_key(), ids))
    row = gradients["params"]["embedding"][0]
    return "as any other" if row.any() else "a row that is never trained"


def query_entries(width: int, heads: int) -> int:
    """nn.MultiHeadDotProductAttention(num_heads, qkv_features)"""
    params = _params(WIDTH, heads, qkv_features=width)
    return params["query"]["kernel"].size


def attention_entries(width: int, heads: int) -> int:
    """nn.MultiHeadDotProductAttention"""
    return entries(_params(width, heads))


def attend_batch(x: Array) -> Array:
    """nn.MultiHeadDotProductAttention"""
    return np.asarray(nn.MultiHeadDotProductAttention(HEADS).init_with_output(_key(), x)[0])


def key_mask(mask: Array) -> Array:
    """mask of nn.MultiHeadDotProductAttention"""
    return mask[:, None, None, :]


def attend(x: Array, mask: Array) -> Array:
    """mask of nn.MultiHeadDotProductAttention"""
    attention = nn.MultiHeadDotProductAttention(HEADS)
    return np.asarray(attention.init_with_output(_key(), x, mask=key_mask(mask))[0])


def fresh_entries(fan_in: int, fan_out: int) -> int:
    """nn.Dense"""
    held = vars(nn.Dense(fan_out)).values()
    return entries([value for value in held if isinstance(value, jax.Array)])


def dtypes(model: Any) -> dict[str, str]:
    """Type of each parameter by its path."""
    leaves = flatten_dict(model.variables["params"], sep="/")
    return {path: str(leaf.dtype) for path, leaf in leaves.items()}


def counts(model: Any, spec: EncoderSpec) -> CountsByKind:
    """Every way of counting the parameters of ``model``."""
    variables = model.variables
    params = variables["params"]
    dropout = jax.eval_shape(nn.Dropout(0.5, deterministic=True).init, _key(), jnp.ones(3))
    return {
        "total": ('jax.tree.leaves(variables["params"])', entries(params)),
        "state": ("jax.tree.leaves(variables)", entries(variables)),
        "tabulate": ("Total Parameters of module.tabulate", _tabulated(model.module)),
        "frozen": (
            "params without those of the pooler",
            entries({name: leaf for name, leaf in params.items() if name != "pooler"}),
        ),
        "optimizer": (
            "the state of optax.adam",
            entries(jax.eval_shape(optax.adam(1e-3).init, params)),
        ),
        "dropout": ("variables of one nn.Dropout", entries(dropout)),
    }


def entries(tree: Any) -> int:
    """The number of entries of all arrays in ``tree``."""
    return sum(leaf.size for leaf in jax.tree.leaves(tree))


def abstract(features: int) -> jax.ShapeDtypeStruct:
    """A weight of a dense layer of that many features."""
    x = jax.ShapeDtypeStruct((1, features), jnp.float32)
    variables = jax.eval_shape(nn.Dense(features).init, jax.random.key(0), x)
    return variables["params"]["kernel"]


def held(weight: jax.ShapeDtypeStruct) -> str:
    """What there is in place of an array."""
    return f"jax.{type(weight).__name__}"


def value_of(weight: jax.ShapeDtypeStruct) -> Array:
    """Its value, for whoever asks for it."""
    return jnp.asarray(weight)


def _key() -> jax.Array:
    return jax.random.key(0)


def _params(features: int, heads: int, **options: Any) -> Any:
    attention = nn.MultiHeadDotProductAttention(heads, **options)
    return attention.init(_key(), jnp.ones((1, 1, features)))["params"]


def _tabulated(encoder: nn.Module) -> int:
    tokens = jnp.ones((1, 1), int)
    text = encoder.tabulate(_key(), tokens, tokens, tokens.astype(bool), depth=0)
    (number,) = re.findall(r"Total Parameters: ([\d,]+)", text)
    return int(number.replace(",", ""))
