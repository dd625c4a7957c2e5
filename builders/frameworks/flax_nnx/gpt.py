"""GPT: norms before the sublayers, learned positions, and a mask that hides what follows."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from flax import nnx

from paramproof.builders.frameworks.flax_nnx.layers import (
    Sublayers,
    parts,
    so_far,
    stacked,
    through,
)
from paramproof.builders.frameworks.flax_nnx.names import names
from paramproof.builders.jax_tracing import Values
from paramproof.formulas.spec import GPTSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.table("position_embeddings", "embeddings.position_embeddings"),
    **names.layer("layers", "layers.*"),
    **names.norm("final_norm", "final_layer_norm"),
    **names.decoder("lm_head", "lm_head"),
}


class GPT(nnx.Module):
    """Radford et al. 2019, section 2.3. Tied, the head is the token table (``attend``)."""

    names = NAMES

    def __init__(self, spec: GPTSpec, numerics: Numerics, values: Values, rngs: nnx.Rngs) -> None:
        own, tied = parts(spec, numerics, values), spec.tie_word_embeddings
        head = partial(own.dense, spec.hidden_size, spec.vocab_size, use_bias=False)
        self.word_embeddings = own.table(spec.vocab_size, rngs=rngs)
        self.position_embeddings = own.table(spec.max_position_embeddings, rngs=rngs)
        self.layers = stacked(spec.num_hidden_layers, partial(GPTLayer, own), rngs)
        self.final_norm = own.norm(rngs=rngs)
        self.lm_head = None if tied else head(rngs=rngs)

    def __call__(self, ids: jax.Array) -> dict[str, jax.Array]:
        x = self.word_embeddings(ids) + self.position_embeddings(jnp.arange(ids.shape[1]))
        x = self.final_norm(through(self.layers, x))
        logits = self.lm_head(x) if self.lm_head is not None else self.word_embeddings.attend(x)
        return {"sequence": x, "lm": nnx.softmax(logits)}


class GPTLayer(Sublayers):
    """Each sublayer is of the normalised input, and its output is added to the input."""

    def __call__(self, x: jax.Array) -> jax.Array:
        x = x + self.attention(self.attention_norm(x), mask=so_far(x))
        return x + self.feed_forward(self.feed_forward_norm(x))
