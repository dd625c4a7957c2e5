"""Paddle's layers, edited once the encoder has them."""

from functools import partial
from typing import Any

from paddle import nn

from paramproof.builders.frameworks.paddle.models import Encoder
from tests.faults.everywhere.patches import followed

PROJECTIONS = ("q_proj", "k_proj", "v_proj", "out_proj")


def query_bias_dropped(encoder: Any, *_: Any) -> None:
    for layer in encoder.layers:
        layer.self_attn.q_proj.bias = None


def attention_biases_lost(encoder: Any, *_: Any) -> None:
    for layer in encoder.layers:
        for name in PROJECTIONS:
            getattr(layer.self_attn, name).bias = None


def intermediate_bias_dropped(encoder: Any, *_: Any) -> None:
    for layer in encoder.layers:
        layer.linear1.bias = None


def pooler_bias_dropped(encoder: Any, *_: Any) -> None:
    encoder.pooler.bias = None


def norms_without_parameters(encoder: Any, *_: Any) -> None:
    encoder.embeddings_norm.weight = encoder.embeddings_norm.bias = None


def final_norm_added(encoder: Any, spec: Any, *_: Any) -> None:
    encoder.final_norm = nn.LayerNorm(spec.hidden_size)


def token_table_frozen(encoder: Any, *_: Any) -> None:
    encoder.word_embeddings.weight.stop_gradient = True


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
