"""MLX's modules, edited once the encoder has them: a module is a dict of its arrays."""

from functools import partial
from typing import Any

from mlx import nn

from paramproof.builders.frameworks.mlx.models import Encoder
from tests.faults.everywhere.patches import followed

PROJECTIONS = ("query_proj", "key_proj", "value_proj", "out_proj")


def query_bias_dropped(encoder: Any, *_: Any, **__: Any) -> None:
    for layer in encoder.layers:
        del layer.attention.query_proj["bias"]


def attention_biases_lost(encoder: Any, *_: Any, **__: Any) -> None:
    """What ``nn.MultiHeadAttention`` has by default."""
    for layer in encoder.layers:
        for name in PROJECTIONS:
            del layer.attention[name]["bias"]


def intermediate_bias_dropped(encoder: Any, *_: Any, **__: Any) -> None:
    for layer in encoder.layers:
        del layer.linear1["bias"]


def pooler_bias_dropped(encoder: Any, *_: Any, **__: Any) -> None:
    if "pooler" in encoder:
        del encoder.pooler["bias"]


def norms_without_parameters(encoder: Any, *_: Any, **__: Any) -> None:
    del encoder.embeddings_norm["weight"], encoder.embeddings_norm["bias"]


def final_norm_added(encoder: Any, spec: Any, *_: Any, **__: Any) -> None:
    """What ``nn.TransformerEncoder`` has."""
    encoder.ln = nn.LayerNorm(spec.hidden_size)


def token_table_frozen(encoder: Any, *_: Any, **__: Any) -> None:
    encoder.word_embeddings.freeze()


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
