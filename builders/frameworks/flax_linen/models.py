"""linen's own layers: ``nn.MultiHeadDotProductAttention``, ``nn.Dense``, ``nn.RMSNorm``.

A module holds its layers from ``setup`` on, and they take their sizes from what they see first.
linen's attention has neither rotary positions nor grouped queries, so LLaMA's is composed.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import linen as nn

from paramproof.builders import composition
from paramproof.builders.jax_shell import ACTIVATIONS, JaxModule, Values, rotated
from paramproof.builders.names import ModuleNames
from paramproof.formulas.spec import Numerics

NAMES = ModuleNames(
    separator="/",
    stack="layers_*",
    table_weight="embedding",
    kernel="kernel",
    scale="scale",
    has_heads=True,
    projections=("query", "key", "value", "out"),
    mlm_head="mlm_head/",
).families()


class Module(JaxModule, nn.Module):
    """The base of composed models in linen: how they run, with its operations and masks."""

    own: Any

    def setup(self) -> None:
        self.compose(self.own)

    def so_far(self, x: jax.Array) -> jax.Array:
        return so_far(x)


def so_far(x: jax.Array) -> jax.Array:
    """Return a mask, (B, 1, S, S), that hides from each position of (B, S, H) those after it."""
    return nn.make_causal_mask(x[..., 0], dtype=bool)


class Parts(composition.Parts):
    """Makes linen's layers."""

    module = Module
    activations = ACTIVATIONS

    def __init__(self, spec: Any, numerics: Numerics, *, values: Values) -> None:
        super().__init__(spec, numerics)
        self.values = values

    def table(self, rows: int) -> nn.Embed:
        return nn.Embed(rows, self.spec.hidden_size, **self.values.table)

    def norm(self) -> nn.LayerNorm:
        return nn.LayerNorm(self.eps, **self.values.norm)

    def rms_norm(self) -> nn.RMSNorm:
        return nn.RMSNorm(self.eps, **self.values.norm)

    def linear(self, inputs: int, outputs: int, bias: bool = True) -> nn.Dense:
        return nn.Dense(outputs, use_bias=bias, **self.values.dense)

    def bias(self, module: nn.Module, size: int) -> jax.Array:
        return module.param("bias", nn.initializers.zeros, (size,), self.values.dtype)

    def attention(self) -> nn.MultiHeadDotProductAttention:
        return nn.MultiHeadDotProductAttention(
            self.spec.num_attention_heads, use_bias=self.attention_bias, **self.values.dense
        )

    def grouped_attention(self) -> GroupedQueryAttention:
        return GroupedQueryAttention(self)


class GroupedQueryAttention(nn.Module):
    """Causal attention in which A / G query heads share the key and the value of one head.

    Source: Ainslie et al. 2023, arXiv:2305.13245, section 2.2.
    """

    own: Parts

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        spec = self.own.spec
        heads, groups = spec.num_attention_heads, spec.num_key_value_heads
        project = partial(nn.DenseGeneral, use_bias=False, **self.own.values.dense)
        query = project((heads, spec.head_dim), name="query")(x)
        key = project((groups, spec.head_dim), name="key")(x)
        value = project((groups, spec.head_dim), name="value")(x)
        query, key = rotated(query, self.own.theta), rotated(key, self.own.theta)
        key, value = (jnp.repeat(shared, heads // groups, axis=-2) for shared in (key, value))
        attended = nn.dot_product_attention(query, key, value, mask=so_far(x))
        return project(spec.hidden_size, axis=(-2, -1), name="out")(attended)


MODULES = composition.families(Parts, NAMES)
