"""BERT, post-norm, with its heads."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from flax import nnx

from paramproof.builders.frameworks.flax_nnx.layers import Layer, Parts, parts, stacked, through
from paramproof.builders.frameworks.flax_nnx.names import names
from paramproof.builders.jax_tracing import Values
from paramproof.builders.names import Storage
from paramproof.formulas.spec import EncoderSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.table("position_embeddings", "embeddings.position_embeddings"),
    **names.table("token_type_embeddings", "embeddings.token_type_embeddings"),
    **names.norm("embeddings_norm", "embeddings.layer_norm"),
    **names.layer("layers", "layers.*"),
    **names.dense("pooler", "pooler"),
    **names.dense("mlm_head.dense", "mlm_head.dense"),
    **names.norm("mlm_head.norm", "mlm_head.layer_norm"),
    **names.decoder("mlm_head.decoder", "mlm_head.decoder"),
    "mlm_head.bias": Storage(("mlm_head.decoder.bias",)),
    **names.dense("nsp", "nsp_head.classifier"),
}


class Encoder(nnx.Module):
    """Devlin et al. 2018, section 3, from nnx's own layers."""

    names = NAMES

    def __init__(
        self, spec: EncoderSpec, numerics: Numerics, values: Values, rngs: nnx.Rngs
    ) -> None:
        own, hidden = parts(spec, numerics, values), spec.hidden_size
        self.word_embeddings = own.table(spec.vocab_size, rngs=rngs)
        self.position_embeddings = own.table(spec.max_position_embeddings, rngs=rngs)
        self.token_type_embeddings = own.table(spec.type_vocab_size, rngs=rngs)
        self.embeddings_norm = own.norm(rngs=rngs)
        self.layers = stacked(spec.num_hidden_layers, partial(Layer, own), rngs)
        self.pooler = own.dense(hidden, hidden, rngs=rngs) if spec.pooler else None
        self.mlm_head = MlmHead(spec, own, values, rngs) if spec.mlm_head else None
        self.nsp = own.dense(hidden, 2, rngs=rngs) if spec.nsp_head else None

    def __call__(
        self, ids: jax.Array, types: jax.Array, mask: jax.Array
    ) -> dict[str, jax.Array | None]:
        x = self.word_embeddings(ids) + self.position_embeddings(jnp.arange(ids.shape[1]))
        x = self.embeddings_norm(x + self.token_type_embeddings(types))
        x = through(self.layers, x, mask[:, None, None, :])
        pooled = mlm = nsp = None
        if self.pooler is not None:
            pooled = nnx.tanh(self.pooler(x[:, 0]))
        if self.mlm_head is not None:
            mlm = nnx.softmax(self.mlm_head(x, self.word_embeddings))
        if self.nsp is not None:
            nsp = nnx.softmax(self.nsp(pooled))
        return {"sequence": x, "pooled": pooled, "mlm": mlm, "nsp": nsp}


class MlmHead(nnx.Module):
    """Scores for every token; tied, it multiplies by the token table itself (``attend``)."""

    def __init__(self, spec: EncoderSpec, parts: Parts, values: Values, rngs: nnx.Rngs) -> None:
        hidden, vocab_size = spec.hidden_size, spec.vocab_size
        self.activation = parts.activation
        self.dense = parts.dense(hidden, hidden, rngs=rngs)
        self.norm = parts.norm(rngs=rngs)
        self.tied = spec.tie_word_embeddings
        if self.tied:
            self.bias = nnx.Param(jnp.zeros((vocab_size,), values.dtype))
        else:
            self.decoder = parts.dense(hidden, vocab_size, rngs=rngs)

    def __call__(self, x: jax.Array, words: nnx.Embed) -> jax.Array:
        x = self.norm(self.activation(self.dense(x)))
        return words.attend(x) + self.bias if self.tied else self.decoder(x)
