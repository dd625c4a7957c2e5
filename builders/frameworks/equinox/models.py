"""Equinox's own layers, which take one token, or one sequence, and here every token.

LLaMA has its own attention, since Equinox's has as many key heads as query heads, and its own
rotation: ``eqx.nn.RotaryPositionalEmbedding`` caches its angles by size and dtype, but not by
theta, so a second model with another theta would get the angles of the first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import count
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from paramproof.builders import composition
from paramproof.builders.jax_shell import ACTIVATIONS, Activation, JaxModule, rotated
from paramproof.builders.names import ModuleNames
from paramproof.formulas.spec import EncoderDecoderSpec, EncoderSpec, GPTSpec, LlamaSpec, Numerics

NAMES = ModuleNames(
    transposed=True, projections=("query_proj", "key_proj", "value_proj", "output_proj")
).families()


class Drawing:
    """The ``dtype`` of initial values, and the random keys from which Equinox draws them.

    The layers have no option for another initialiser, so an abstract model traces the drawing. It
    uses one key for all layers, since each new key would be one more traced operation.
    """

    def __init__(self, dtype: Any, drawn: bool) -> None:
        self.dtype = dtype
        self.drawn = drawn
        self._first = jax.random.key(0)
        self._numbers = count()

    def options(self) -> dict[str, Any]:
        """Return the dtype and a new key, the arguments of a layer with random values."""
        new = self.drawn
        key = jax.random.fold_in(self._first, next(self._numbers)) if new else self._first
        return {"dtype": self.dtype, "key": key}


class Linear(eqx.nn.Linear):
    def __call__(self, x: jax.Array) -> jax.Array:
        return each(super().__call__, x)


class LayerNorm(eqx.nn.LayerNorm):
    def __call__(self, x: jax.Array) -> jax.Array:
        return each(super().__call__, x)


class RMSNorm(eqx.nn.RMSNorm):
    def __call__(self, x: jax.Array) -> jax.Array:
        return each(super().__call__, x)


class Embedding(eqx.nn.Embedding):
    def __call__(self, ids: jax.Array) -> jax.Array:
        return jax.vmap(super().__call__)(ids)


class Attention(eqx.nn.MultiheadAttention):
    def __call__(self, query: jax.Array, key: jax.Array, *, mask: jax.Array) -> jax.Array:
        return super().__call__(query, key, key, mask)


def each(layer: Callable[[jax.Array], jax.Array], x: jax.Array) -> jax.Array:
    """Run a layer that takes one token on every token of a sequence, or on one that is alone."""
    return layer(x) if x.ndim == 1 else jax.vmap(layer)(x)


class Parts(composition.Parts):
    """Makes Equinox's layers."""

    activations = ACTIVATIONS

    def __init__(self, spec: Any, numerics: Numerics, *, drawing: Drawing) -> None:
        super().__init__(spec, numerics)
        self.drawing = drawing

    def stack(self, layers: int, make: Callable[[], eqx.Module]) -> list[eqx.Module]:
        return [make() for _ in range(layers)]

    def table(self, rows: int) -> Embedding:
        return Embedding(rows, self.spec.hidden_size, **self.drawing.options())

    def norm(self) -> LayerNorm:
        return LayerNorm(self.spec.hidden_size, self.eps, dtype=self.drawing.dtype)

    def rms_norm(self) -> RMSNorm:
        # Equinox's has a bias by default.
        width = self.spec.hidden_size
        return RMSNorm(width, self.eps, use_bias=False, dtype=self.drawing.dtype)

    def linear(self, inputs: int, outputs: int, bias: bool = True) -> Linear:
        return Linear(inputs, outputs, bias, **self.drawing.options())

    def lm_head(self, words: Embedding, vocab_size: int, tied: bool) -> Linear:
        return self.linear(self.spec.hidden_size, vocab_size, bias=False)

    def mlm_head(self) -> MlmHead:
        return MlmHead(self)

    def attention(self) -> Attention:
        # Its four biases are off by default.
        names = ("query", "key", "value", "output")
        biases = {f"use_{name}_bias": self.attention_bias for name in names}
        heads, width = self.spec.num_attention_heads, self.spec.hidden_size
        return Attention(heads, width, **biases, **self.drawing.options())

    def encoder_layer(self) -> EncoderLayer:
        return EncoderLayer(self)

    def gpt_layer(self) -> GPTLayer:
        return GPTLayer(self)

    def decoder_layer(self) -> DecoderLayer:
        return DecoderLayer(self)

    def llama_layer(self) -> LlamaLayer:
        return LlamaLayer(self)

    def grouped_attention(self) -> GroupedQueryAttention:
        return GroupedQueryAttention(self)

    def gated_feed_forward(self) -> GatedFeedForward:
        return GatedFeedForward(self)


class Module(JaxModule, eqx.Module):
    """What a composed model needs of Equinox; it runs one sequence."""

    parts = Parts

    def run_layers(self, layers: list[Any], x: jax.Array, *seen_by_all: Any) -> jax.Array:
        for layer in layers:
            x = layer(x, *seen_by_all)
        return x

    def run_encoder(self, layers: list[Any], x: jax.Array, mask: jax.Array) -> jax.Array:
        return self.run_layers(layers, x, visible(mask, len(x)))

    def run_causal(self, layers: list[Any], x: jax.Array) -> jax.Array:
        return self.run_layers(layers, x, so_far(x))

    def run_decoder(
        self, layers: list[Any], x: jax.Array, memory: jax.Array, mask: jax.Array
    ) -> jax.Array:
        return self.run_layers(layers, x, memory, so_far(x), visible(mask, len(x)))


def so_far(x: jax.Array) -> jax.Array:
    """Return a mask, (S, S), that hides from each position of ``x`` (S, H) those after it."""
    return jnp.tril(jnp.ones((len(x), len(x)), bool))


def visible(mask: jax.Array, queries: int) -> jax.Array:
    """Return a mask, (queries, S), that shows every query the tokens, where ``mask`` is True."""
    return jnp.broadcast_to(mask, (queries, len(mask)))


def fields(*composed: type[composition.Composed]) -> dict[str, Any]:
    """Return the fields of these classes: Equinox's modules have no others."""
    return {name: of for one in composed for name, of in one.__annotations__.items()}


class Encoder(composition.Encoder, Module):
    __annotations__ = fields(composition.Encoder)
    names = NAMES[EncoderSpec]

    @staticmethod
    def ties(spec: EncoderSpec) -> dict[str, str]:
        """Return what ``eqx.nn.Shared`` ties: places of the tree, with the place of the array."""
        tied = spec.mlm_head and spec.tie_word_embeddings
        return {"mlm_head.decoder.weight": "word_embeddings.weight"} if tied else {}


class MlmHead(Module):
    """Scores for every token, by a decoder that ``Shared`` may tie to the token table."""

    dense: Linear
    norm: LayerNorm
    decoder: Linear
    activation: Activation

    def __init__(self, own: Parts) -> None:
        hidden = own.spec.hidden_size
        self.dense = own.linear(hidden, hidden)
        self.norm = own.norm()
        self.decoder = own.linear(hidden, own.spec.vocab_size)
        self.activation = own.activation

    def run(self, x: jax.Array, words: Embedding) -> jax.Array:
        return self.decoder(self.norm(self.activation(self.dense(x))))


class EncoderDecoder(composition.EncoderDecoder, Module):
    __annotations__ = fields(composition.EncoderDecoder)
    names = NAMES[EncoderDecoderSpec]

    def share_words(self, own: Parts) -> None:
        self.target_words = own.table(own.spec.vocab_size)

    @staticmethod
    def ties(spec: EncoderDecoderSpec) -> dict[str, str]:
        target = "source_words.weight" if spec.share_embeddings else "target_words.weight"
        ties = {"target_words.weight": target} if spec.share_embeddings else {}
        return ties | ({"lm_head.weight": target} if spec.tie_word_embeddings else {})


class GPT(composition.GPT, Module):
    __annotations__ = fields(composition.GPT)
    names = NAMES[GPTSpec]

    @staticmethod
    def ties(spec: GPTSpec | LlamaSpec) -> dict[str, str]:
        return {"lm_head.weight": "word_embeddings.weight"} if spec.tie_word_embeddings else {}


class Llama(composition.Llama, Module):
    __annotations__ = fields(composition.Llama)
    names = NAMES[LlamaSpec]
    ties = GPT.ties


class EncoderLayer(composition.EncoderLayer, Module):
    __annotations__ = fields(composition.EncoderLayer)


class GPTLayer(composition.GPTLayer, Module):
    __annotations__ = fields(composition.EncoderLayer)


class DecoderLayer(composition.DecoderLayer, Module):
    __annotations__ = fields(composition.EncoderLayer, composition.DecoderLayer)


class LlamaLayer(composition.LlamaLayer, Module):
    __annotations__ = fields(composition.LlamaLayer)


class GatedFeedForward(composition.GatedFeedForward, Module):
    __annotations__ = fields(composition.GatedFeedForward)


class GroupedQueryAttention(eqx.Module):
    """Causal attention in which A / G query heads share the key and the value of one head.

    Source: Ainslie et al. 2023, arXiv:2305.13245, section 2.2.
    """

    query_proj: Linear
    key_proj: Linear
    value_proj: Linear
    output_proj: Linear
    head_dim: int = eqx.field(static=True)
    rope_theta: float = eqx.field(static=True)

    def __init__(self, own: Parts) -> None:
        spec = own.spec
        hidden, queries = spec.hidden_size, spec.num_attention_heads * spec.head_dim
        keys = spec.num_key_value_heads * spec.head_dim
        self.query_proj = own.linear(hidden, queries, bias=False)
        self.key_proj = own.linear(hidden, keys, bias=False)
        self.value_proj = own.linear(hidden, keys, bias=False)
        self.output_proj = own.linear(queries, hidden, bias=False)
        self.head_dim = spec.head_dim
        self.rope_theta = own.theta

    def __call__(self, x: jax.Array) -> jax.Array:
        projections = (self.query_proj, self.key_proj, self.value_proj)
        query, key, value = (
            project(x).reshape(len(x), -1, self.head_dim) for project in projections
        )
        query, key = rotated(query, self.rope_theta), rotated(key, self.rope_theta)
        # Not jax.nn.dot_product_attention, which takes the softmax in float32, in float64 too.
        query = query.reshape(*key.shape[:2], -1, self.head_dim)
        scores = jnp.einsum("sgnk,tgk->gnst", query, key) / math.sqrt(self.head_dim)
        shares = jax.nn.softmax(jnp.where(so_far(x), scores, -jnp.inf))
        attended = jnp.einsum("gnst,tgk->sgnk", shares, value)
        return self.output_proj(attended.reshape(len(x), -1))
