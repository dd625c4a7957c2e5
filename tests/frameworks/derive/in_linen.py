"""The same decoder in linen: a module with its variables."""

import jax
import jax.numpy as jnp
from flax import linen as nn


class Decoder(nn.Module):
    hidden_size: int
    heads: int
    vocab_size: int
    layers: int

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(self.vocab_size, self.hidden_size)(tokens)
        for _ in range(self.layers):
            x = nn.MultiHeadDotProductAttention(self.heads, qkv_features=self.hidden_size)(x, x)
            x = nn.LayerNorm()(x)
        return nn.Dense(self.vocab_size, use_bias=False)(x)


def model(hidden_size=12, heads=3, vocab_size=100, layers=2):
    module = Decoder(hidden_size, heads, vocab_size, layers)
    return module, module.init(jax.random.key(0), jnp.zeros((1, 1), "int32"))


def unbuilt(hidden_size=12):
    return nn.Dense(hidden_size)


def of_int(hidden_size=12, vocab_size=100):
    """JAX takes Python's own int for a dtype, and no other."""
    module = nn.Embed(vocab_size, hidden_size)
    return module, module.init(jax.random.key(0), jnp.zeros((1, 1), int))
