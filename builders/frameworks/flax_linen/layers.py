"""What several models are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import jax
from flax import linen as nn

from paramproof.builders.jax_tracing import Values
from paramproof.formulas.spec import EncoderDecoderSpec, EncoderSpec, GPTSpec, Numerics

Activation = Callable[[jax.Array], jax.Array]
ACTIVATIONS: dict[str, Activation] = {
    "gelu": partial(nn.gelu, approximate=False),
    "gelu_new": partial(nn.gelu, approximate=True),
    "relu": nn.relu,
    "silu": nn.silu,
}


@dataclass(frozen=True)
class Parts:
    """Constructors of linen's own layers, with all that is the same throughout a model."""

    attention: Callable[..., nn.MultiHeadDotProductAttention]
    dense: Callable[..., nn.Dense]
    norm: Callable[..., nn.LayerNorm]
    table: Callable[..., nn.Embed]
    activation: Activation
    intermediate_size: int


def parts(
    spec: EncoderSpec | EncoderDecoderSpec | GPTSpec,
    numerics: Numerics,
    values: Values,
    attention_bias: bool = True,
) -> Parts:
    """Return the parts of the model of ``spec``, which compute in the dtype of ``values``."""
    heads = spec.num_attention_heads
    attention = nn.MultiHeadDotProductAttention
    return Parts(
        attention=partial(attention, num_heads=heads, use_bias=attention_bias, **values.dense),
        dense=partial(nn.Dense, **values.dense),
        norm=partial(nn.LayerNorm, epsilon=numerics.layer_norm_eps, **values.norm),
        table=partial(nn.Embed, features=spec.hidden_size, **values.table),
        activation=ACTIVATIONS[numerics.hidden_act],
        intermediate_size=spec.intermediate_size,
    )


def feed_forward(parts: Parts, x: jax.Array) -> jax.Array:
    """Apply two dense layers, which belong to the module that calls this."""
    inner = parts.activation(parts.dense(parts.intermediate_size, name="intermediate")(x))
    return parts.dense(x.shape[-1], name="output")(inner)


class Layer(nn.Module):
    """Self-attention and feed-forward network, each added to its input and normalised."""

    parts: Parts

    @nn.compact
    def __call__(self, x: jax.Array, mask: jax.Array) -> jax.Array:
        parts = self.parts
        x = parts.norm(name="attention_norm")(x + parts.attention(name="attention")(x, mask=mask))
        return parts.norm(name="feed_forward_norm")(x + feed_forward(parts, x))
