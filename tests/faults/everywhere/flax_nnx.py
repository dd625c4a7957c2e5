"""Nnx's modules, edited once the encoder has them; its layers form one stack."""

from functools import partial
from typing import Any

from flax import nnx

from paramproof.builders.frameworks.flax_nnx.models import Encoder
from tests.faults.everywhere.patches import followed

PROJECTIONS = ("query", "key", "value", "out")


def query_bias_dropped(encoder: Any, *_: Any) -> None:
    encoder.layers.attention.query.bias = None


def attention_biases_lost(encoder: Any, *_: Any) -> None:
    for name in PROJECTIONS:
        getattr(encoder.layers.attention, name).bias = None


def intermediate_bias_dropped(encoder: Any, *_: Any) -> None:
    encoder.layers.intermediate.bias = None


def pooler_bias_dropped(encoder: Any, *_: Any) -> None:
    encoder.pooler.bias = None


def norms_without_parameters(encoder: Any, *_: Any) -> None:
    encoder.embeddings_norm.scale = encoder.embeddings_norm.bias = None


def final_norm_added(encoder: Any, spec: Any, *_: Any) -> None:
    encoder.final_norm = nnx.LayerNorm(spec.hidden_size, rngs=nnx.Rngs(0))


def token_table_frozen(encoder: Any, *_: Any) -> None:
    """No gradient is taken of a variable that is not an ``nnx.Param``."""
    table = encoder.word_embeddings
    table.embedding = nnx.Variable(table.embedding.get_value())


PLANTS = {
    edit.__name__.replace("_", " "): partial(followed, Encoder, "__init__", edit)
    for edit in (
        query_bias_dropped,
        attention_biases_lost,
        intermediate_bias_dropped,
        pooler_bias_dropped,
        norms_without_parameters,
        final_norm_added,
        token_table_frozen,
    )
}
