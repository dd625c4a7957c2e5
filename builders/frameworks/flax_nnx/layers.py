"""What several models are made of, and how their layers are stacked and run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import jax
from flax import nnx

from paramproof.builders.jax_tracing import Values
from paramproof.formulas.spec import EncoderDecoderSpec, EncoderSpec, GPTSpec, Numerics

Activation = Callable[[jax.Array], jax.Array]
ACTIVATIONS: dict[str, Activation] = {
    "gelu": partial(nnx.gelu, approximate=False),
    "gelu_new": partial(nnx.gelu, approximate=True),
    "relu": nnx.relu,
    "silu": nnx.silu,
}

Module = TypeVar("Module", bound=nnx.Module)


def stacked(layers: int, make: Callable[[nnx.Rngs], Module], rngs: nnx.Rngs) -> Module:
    """Make one module for ``layers`` modules; every array gets a leading axis of that length."""

    @nnx.split_rngs(splits=layers)
    @nnx.vmap(axis_size=layers)
    def stack(rngs: nnx.Rngs) -> Module:
        return make(rngs)

    return stack(rngs)


def through(layers: nnx.Module, x: jax.Array, *seen_by_all: jax.Array) -> jax.Array:
    """Return the output of the last of the stacked ``layers``, applied one after the other."""

    @nnx.scan(in_axes=(nnx.Carry, 0, *(None for _ in seen_by_all)), out_axes=nnx.Carry)
    def step(x: jax.Array, layer: Any, *seen_by_all: jax.Array) -> jax.Array:
        return layer(x, *seen_by_all)

    return step(x, layers, *seen_by_all)


def so_far(x: jax.Array) -> jax.Array:
    """Return a mask, (B, 1, S, S), that hides from each position of ``x`` (B, S, H) those after it.

    Before Flax 0.12.7 nnx's attention is not told by ``is_causal``.
    """
    return nnx.make_causal_mask(x[..., 0], dtype=bool)


@dataclass(frozen=True)
class Parts:
    """Constructors of nnx's own layers, with all that is the same throughout a model."""

    attention: Callable[..., nnx.MultiHeadAttention]
    dense: Callable[..., nnx.Linear]
    norm: Callable[..., nnx.LayerNorm]
    table: Callable[..., nnx.Embed]
    activation: Activation
    hidden_size: int
    intermediate_size: int


def parts(
    spec: EncoderSpec | EncoderDecoderSpec | GPTSpec,
    numerics: Numerics,
    values: Values,
    attention_bias: bool = True,
) -> Parts:
    """Return the parts of the model of ``spec``, which compute in the dtype of ``values``."""
    hidden, heads = spec.hidden_size, spec.num_attention_heads
    attention = partial(nnx.MultiHeadAttention, heads, hidden, decode=False, **values.dense)
    return Parts(
        attention=partial(attention, use_bias=attention_bias),
        dense=partial(nnx.Linear, **values.dense),
        norm=partial(nnx.LayerNorm, hidden, epsilon=numerics.layer_norm_eps, **values.norm),
        table=partial(nnx.Embed, features=hidden, **values.table),
        activation=ACTIVATIONS[numerics.hidden_act],
        hidden_size=hidden,
        intermediate_size=spec.intermediate_size,
    )


class Sublayers(nnx.Module):
    """Self-attention and a feed-forward network, with a norm for each, in no order yet."""

    def __init__(self, parts: Parts, rngs: nnx.Rngs) -> None:
        hidden, inner = parts.hidden_size, parts.intermediate_size
        self.activation = parts.activation
        self.attention = parts.attention(rngs=rngs)
        self.attention_norm = parts.norm(rngs=rngs)
        self.intermediate = parts.dense(hidden, inner, rngs=rngs)
        self.output = parts.dense(inner, hidden, rngs=rngs)
        self.feed_forward_norm = parts.norm(rngs=rngs)

    def feed_forward(self, x: jax.Array) -> jax.Array:
        return self.output(self.activation(self.intermediate(x)))


class Layer(Sublayers):
    """Each sublayer's output is added to its input, and the sum is normalised."""

    def __call__(self, x: jax.Array, mask: jax.Array) -> jax.Array:
        x = self.attention_norm(x + self.attention(x, mask=mask))
        return self.feed_forward_norm(x + self.feed_forward(x))
