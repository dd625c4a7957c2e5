"""GPT: norms before the sublayers, learned positions, and a mask that hides what follows."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from flax import linen as nn

from paramproof.builders.frameworks.flax_linen.layers import Parts, feed_forward, parts
from paramproof.builders.frameworks.flax_linen.names import names
from paramproof.builders.jax_tracing import Values
from paramproof.formulas.spec import GPTSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.table("position_embeddings", "embeddings.position_embeddings"),
    **names.layer("layers_*", "layers.*"),
    **names.norm("final_norm", "final_layer_norm"),
    **names.decoder("lm_head", "lm_head"),
}


class GPT(nn.Module):
    """Radford et al. 2019, section 2.3. Tied, the head is the token table (``attend``)."""

    spec: GPTSpec
    numerics: Numerics
    values: Values

    names = NAMES
    inputs = (jnp.int32,)

    @nn.compact
    def __call__(self, ids: jax.Array) -> dict[str, jax.Array]:
        spec, own = self.spec, parts(self.spec, self.numerics, self.values)
        words = own.table(spec.vocab_size, name="word_embeddings")
        positions = own.table(spec.max_position_embeddings, name="position_embeddings")
        x = words(ids) + positions(jnp.arange(ids.shape[1]))
        mask = nn.make_causal_mask(ids, dtype=bool)
        for index in range(spec.num_hidden_layers):
            x = GPTLayer(own, name=f"layers_{index}")(x, mask)
        x = own.norm(name="final_norm")(x)
        if spec.tie_word_embeddings:
            logits = words.attend(x)
        else:
            logits = own.dense(spec.vocab_size, use_bias=False, name="lm_head")(x)
        return {"sequence": x, "lm": nn.softmax(logits)}


class GPTLayer(nn.Module):
    """Self-attention and feed-forward network, each of the normalised input, and added to it."""

    parts: Parts

    @nn.compact
    def __call__(self, x: jax.Array, mask: jax.Array) -> jax.Array:
        parts = self.parts
        normalised = parts.norm(name="attention_norm")(x)
        x = x + parts.attention(name="attention")(normalised, mask=mask)
        return x + feed_forward(parts, parts.norm(name="feed_forward_norm")(x))
