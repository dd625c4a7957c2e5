"""BERT, post-norm, with its heads."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from flax import linen as nn

from paramproof.builders.frameworks.flax_linen.layers import Layer, Parts, parts
from paramproof.builders.frameworks.flax_linen.names import names
from paramproof.builders.jax_tracing import Values
from paramproof.builders.names import Storage
from paramproof.formulas.spec import EncoderSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.table("position_embeddings", "embeddings.position_embeddings"),
    **names.table("token_type_embeddings", "embeddings.token_type_embeddings"),
    **names.norm("embeddings_norm", "embeddings.layer_norm"),
    **names.layer("layers_*", "layers.*"),
    **names.dense("pooler", "pooler"),
    **names.dense("mlm_head/dense", "mlm_head.dense"),
    **names.norm("mlm_head/norm", "mlm_head.layer_norm"),
    **names.decoder("mlm_head/decoder", "mlm_head.decoder"),
    "mlm_head/bias": Storage(("mlm_head.decoder.bias",)),
    **names.dense("nsp", "nsp_head.classifier"),
}


class Encoder(nn.Module):
    """Devlin et al. 2018, section 3, from linen's own layers."""

    spec: EncoderSpec
    numerics: Numerics
    values: Values

    names = NAMES
    inputs = (jnp.int32, jnp.int32, jnp.bool_)

    @nn.compact
    def __call__(
        self, ids: jax.Array, types: jax.Array, mask: jax.Array
    ) -> dict[str, jax.Array | None]:
        spec, own = self.spec, parts(self.spec, self.numerics, self.values)
        words = own.table(spec.vocab_size, name="word_embeddings")
        positions = own.table(spec.max_position_embeddings, name="position_embeddings")
        x = words(ids) + positions(jnp.arange(ids.shape[1]))
        x = x + own.table(spec.type_vocab_size, name="token_type_embeddings")(types)
        x = own.norm(name="embeddings_norm")(x)
        for index in range(spec.num_hidden_layers):
            x = Layer(own, name=f"layers_{index}")(x, mask[:, None, None, :])
        pooled = mlm = nsp = None
        if spec.pooler:
            pooled = nn.tanh(own.dense(spec.hidden_size, name="pooler")(x[:, 0]))
        if spec.mlm_head:
            mlm = nn.softmax(MlmHead(spec, own, name="mlm_head")(x, words))
        if spec.nsp_head:
            nsp = nn.softmax(own.dense(2, name="nsp")(pooled))
        return {"sequence": x, "pooled": pooled, "mlm": mlm, "nsp": nsp}


class MlmHead(nn.Module):
    """Scores for every token; tied, it multiplies by the token table itself (``attend``)."""

    spec: EncoderSpec
    parts: Parts

    @nn.compact
    def __call__(self, x: jax.Array, words: nn.Embed) -> jax.Array:
        spec, parts = self.spec, self.parts
        x = parts.activation(parts.dense(spec.hidden_size, name="dense")(x))
        x = parts.norm(name="norm")(x)
        if not spec.tie_word_embeddings:
            return parts.dense(spec.vocab_size, name="decoder")(x)
        return words.attend(x) + self.param(
            "bias", nn.initializers.zeros, (spec.vocab_size,), words.param_dtype
        )
