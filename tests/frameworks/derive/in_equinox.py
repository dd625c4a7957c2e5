"""The same decoder in Equinox."""

import equinox as eqx
import jax


class Decoder(eqx.Module):
    embedding: eqx.nn.Embedding
    attention: list[eqx.nn.MultiheadAttention]
    norm: list[eqx.nn.LayerNorm]
    head: eqx.nn.Linear

    def __init__(self, hidden_size, heads, vocab_size, layers, key):
        biases = {f"use_{name}_bias": True for name in ("query", "key", "value", "output")}
        keys = iter(jax.random.split(key, layers + 2))
        self.embedding = eqx.nn.Embedding(vocab_size, hidden_size, key=next(keys))
        self.attention = [
            eqx.nn.MultiheadAttention(heads, hidden_size, **biases, key=next(keys))
            for _ in range(layers)
        ]
        self.norm = [eqx.nn.LayerNorm(hidden_size) for _ in range(layers)]
        self.head = eqx.nn.Linear(hidden_size, vocab_size, use_bias=False, key=next(keys))


def model(hidden_size=12, heads=3, vocab_size=100, layers=2):
    return Decoder(hidden_size, heads, vocab_size, layers, jax.random.key(0))


def tied(hidden_size=12, heads=3, vocab_size=100, layers=2):
    decoder = model(hidden_size, heads, vocab_size, layers)
    return eqx.nn.Shared(decoder, lambda it: it.head.weight, lambda it: it.embedding.weight)


def stacked(hidden_size=12, layers=2):
    make = eqx.filter_vmap(lambda key: eqx.nn.Linear(hidden_size, hidden_size, key=key))
    return make(jax.random.split(jax.random.key(0), layers))


def with_state(hidden_size=12):
    return eqx.nn.make_with_state(eqx.nn.BatchNorm)(hidden_size, "batch", mode="ema")
