"""GPT: norms before the sublayers, learned positions, and a mask that hides what follows."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from paramproof.builders.frameworks.equinox.layers import (
    Drawing,
    Parts,
    Sublayers,
    each,
    so_far,
)
from paramproof.builders.frameworks.equinox.names import names
from paramproof.formulas.spec import GPTSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.table("position_embeddings", "embeddings.position_embeddings"),
    **names.layer("layers.*", "layers.*"),
    **names.norm("final_norm", "final_layer_norm"),
    **names.decoder("lm_head", "lm_head"),
}


class GPTLayer(Sublayers):
    """Each sublayer is of the normalised input, and its output is added to the input."""

    def __call__(self, x: jax.Array) -> jax.Array:
        normalised = each(self.attention_norm)(x)
        x = x + self.attention(normalised, normalised, normalised, so_far(x))
        return x + each(self.feed_forward)(each(self.feed_forward_norm)(x))


class GPT(eqx.Module):
    """Radford et al. 2019, section 2.3."""

    names = NAMES

    word_embeddings: eqx.nn.Embedding
    position_embeddings: eqx.nn.Embedding
    layers: list[GPTLayer]
    final_norm: eqx.nn.LayerNorm
    lm_head: eqx.nn.Linear

    def __init__(self, spec: GPTSpec, numerics: Numerics, drawing: Drawing) -> None:
        own = Parts(spec, numerics, drawing)
        self.word_embeddings = own.table(spec.vocab_size)
        self.position_embeddings = own.table(spec.max_position_embeddings)
        self.layers = [GPTLayer(own) for _ in range(spec.num_hidden_layers)]
        self.final_norm = own.norm()
        self.lm_head = own.linear(spec.hidden_size, spec.vocab_size, use_bias=False)

    @staticmethod
    def ties(spec: GPTSpec) -> dict[str, str]:
        return {"lm_head.weight": "word_embeddings.weight"} if spec.tie_word_embeddings else {}

    def __call__(self, ids: jax.Array) -> dict[str, jax.Array]:
        x = each(self.word_embeddings)(ids) + each(self.position_embeddings)(jnp.arange(len(ids)))
        for layer in self.layers:
            x = layer(x)
        x = each(self.final_norm)(x)
        return {"sequence": x, "lm": jax.nn.softmax(each(self.lm_head)(x))}
