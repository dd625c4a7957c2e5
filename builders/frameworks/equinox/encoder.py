"""BERT, post-norm, with its heads."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from paramproof.builders.frameworks.equinox.layers import (
    Activation,
    Drawing,
    Layer,
    Parts,
    each,
    visible,
)
from paramproof.builders.frameworks.equinox.names import names
from paramproof.formulas.spec import EncoderSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.table("position_embeddings", "embeddings.position_embeddings"),
    **names.table("token_type_embeddings", "embeddings.token_type_embeddings"),
    **names.norm("embeddings_norm", "embeddings.layer_norm"),
    **names.layer("layers.*", "layers.*"),
    **names.dense("pooler", "pooler"),
    **names.dense("mlm_head.dense", "mlm_head.dense"),
    **names.norm("mlm_head.norm", "mlm_head.layer_norm"),
    **names.decoder("mlm_head.decoder", "mlm_head.decoder"),
    **names.dense("nsp", "nsp_head.classifier"),
}


class MlmHead(eqx.Module):
    """Scores for every token."""

    dense: eqx.nn.Linear
    norm: eqx.nn.LayerNorm
    decoder: eqx.nn.Linear
    activation: Activation = eqx.field(static=True)

    def __init__(self, spec: EncoderSpec, parts: Parts) -> None:
        self.dense = parts.linear(spec.hidden_size, spec.hidden_size)
        self.norm = parts.norm()
        self.decoder = parts.linear(spec.hidden_size, spec.vocab_size)
        self.activation = parts.activation

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.decoder(self.norm(self.activation(self.dense(x))))


class Encoder(eqx.Module):
    """Devlin et al. 2018, section 3, from Equinox's own layers."""

    names = NAMES

    word_embeddings: eqx.nn.Embedding
    position_embeddings: eqx.nn.Embedding
    token_type_embeddings: eqx.nn.Embedding
    embeddings_norm: eqx.nn.LayerNorm
    layers: list[Layer]
    pooler: eqx.nn.Linear | None
    mlm_head: MlmHead | None
    nsp: eqx.nn.Linear | None

    def __init__(self, spec: EncoderSpec, numerics: Numerics, drawing: Drawing) -> None:
        own, hidden = Parts(spec, numerics, drawing), spec.hidden_size
        self.word_embeddings = own.table(spec.vocab_size)
        self.position_embeddings = own.table(spec.max_position_embeddings)
        self.token_type_embeddings = own.table(spec.type_vocab_size)
        self.embeddings_norm = own.norm()
        self.layers = [Layer(own) for _ in range(spec.num_hidden_layers)]
        self.pooler = own.linear(hidden, hidden) if spec.pooler else None
        self.mlm_head = MlmHead(spec, own) if spec.mlm_head else None
        self.nsp = own.linear(hidden, 2) if spec.nsp_head else None

    @staticmethod
    def ties(spec: EncoderSpec) -> dict[str, str]:
        tied = spec.mlm_head and spec.tie_word_embeddings
        return {"mlm_head.decoder.weight": "word_embeddings.weight"} if tied else {}

    def __call__(
        self, ids: jax.Array, types: jax.Array, mask: jax.Array
    ) -> dict[str, jax.Array | None]:
        x = each(self.word_embeddings)(ids) + each(self.position_embeddings)(jnp.arange(len(ids)))
        x = each(self.embeddings_norm)(x + each(self.token_type_embeddings)(types))
        for layer in self.layers:
            x = layer(x, visible(mask, len(ids)))
        pooled = mlm = nsp = None
        if self.pooler is not None:
            pooled = jnp.tanh(self.pooler(x[0]))
        if self.mlm_head is not None:
            mlm = jax.nn.softmax(each(self.mlm_head)(x))
        if self.nsp is not None:
            nsp = jax.nn.softmax(self.nsp(pooled))
        return {"sequence": x, "pooled": pooled, "mlm": mlm, "nsp": nsp}
