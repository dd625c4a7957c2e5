"""nnx's own layers: ``nnx.MultiHeadAttention``, which groups queries itself, and dense layers.

It takes rotary positions as a function. The layers of a stack are one module.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from paramproof.builders import composition
from paramproof.builders.jax_shell import ACTIVATIONS, JaxModule, Values, rotated
from paramproof.builders.names import ModuleNames
from paramproof.formulas.spec import Numerics

NAMES = ModuleNames(
    stack="layers",
    table_weight="embedding",
    kernel="kernel",
    scale="scale",
    has_heads=True,
    is_stacked=True,
    projections=("query", "key", "value", "out"),
).families()


class Module(JaxModule, nnx.Module):
    """The base of composed models in nnx: how they run, with its operations and masks."""

    def run_layers(self, layers: nnx.Module, x: jax.Array, *seen_by_all: jax.Array) -> jax.Array:
        """Return the output of the last of the stacked ``layers``, one after the other."""

        @nnx.scan(in_axes=(nnx.Carry, 0, *(None for _ in seen_by_all)), out_axes=nnx.Carry)
        def step(x: jax.Array, layer: Any, *seen_by_all: jax.Array) -> jax.Array:
            return layer(x, *seen_by_all)

        return step(x, layers, *seen_by_all)

    def so_far(self, x: jax.Array) -> jax.Array:
        return so_far(x)


def so_far(x: jax.Array) -> jax.Array:
    """Return a mask, (B, 1, S, S), that hides from each position of ``x`` (B, S, H) those after it.

    Before Flax 0.12.7 nnx's attention is not told by ``is_causal``.
    """
    return nnx.make_causal_mask(x[..., 0], dtype=bool)


class Parts(composition.Parts):
    """Makes nnx's layers, from the random keys that are due."""

    module = Module
    activations = ACTIVATIONS

    def __init__(self, spec: Any, numerics: Numerics, *, values: Values, rngs: nnx.Rngs) -> None:
        super().__init__(spec, numerics)
        self.values = values
        self.rngs = rngs

    def stack(self, layers: int, make: Callable[[], nnx.Module]) -> nnx.Module:
        """Make one module for ``layers`` modules; every array gets a leading axis of that size."""

        @nnx.split_rngs(splits=layers)
        @nnx.vmap(axis_size=layers)
        def stack(rngs: nnx.Rngs) -> nnx.Module:
            outer, self.rngs = self.rngs, rngs
            try:
                return make()
            finally:
                self.rngs = outer

        return stack(self.rngs)

    def table(self, rows: int) -> nnx.Embed:
        return nnx.Embed(rows, self.spec.hidden_size, **self.values.table, rngs=self.rngs)

    def norm(self, kind: Callable[..., Any] = nnx.LayerNorm) -> Any:
        width, how = self.spec.hidden_size, self.values.norm
        return kind(width, epsilon=self.eps, **how, rngs=self.rngs)

    def rms_norm(self) -> nnx.RMSNorm:
        return self.norm(nnx.RMSNorm)

    def linear(self, inputs: int, outputs: int, bias: bool = True) -> nnx.Linear:
        return nnx.Linear(inputs, outputs, use_bias=bias, **self.values.dense, rngs=self.rngs)

    def bias(self, module: nnx.Module, size: int) -> nnx.Param:
        return nnx.Param(jnp.zeros((size,), self.values.dtype))

    def attention(
        self, kind: Callable[..., Any] = nnx.MultiHeadAttention, **options: Any
    ) -> nnx.MultiHeadAttention:
        how = {
            "use_bias": self.attention_bias,
            "decode": False,
            **self.values.dense,
            "rngs": self.rngs,
        }
        return kind(self.spec.num_attention_heads, self.spec.hidden_size, **how | options)

    def grouped_attention(self) -> GroupedQueryAttention:
        return self.attention(
            GroupedQueryAttention,
            qkv_features=self.spec.num_attention_heads * self.spec.head_dim,
            num_kv_heads=self.spec.num_key_value_heads,
            use_bias=False,
            attention_fn=partial(rotary_attention, theta=self.theta),
        )


class GroupedQueryAttention(nnx.MultiHeadAttention):
    """nnx's own, in which each token attends to those before it."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return super().__call__(x, mask=so_far(x))


def rotary_attention(
    query: jax.Array, key: jax.Array, value: jax.Array, *, theta: float, **how: Any
) -> jax.Array:
    """Apply nnx's attention to rotated queries and keys. If G < A, queries share keys."""
    query, key = rotated(query, theta), rotated(key, theta)
    return nnx.dot_product_attention(query, key, value, **how)


MODULES = composition.families(Parts, NAMES)
