"""Hugging Face's BERT, edited as soon as it is built."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from torch import nn

from paramproof.builders.frameworks.transformers.models import Bert
from tests.faults.everywhere.patches import followed


def without_bias(linear: nn.Linear) -> nn.Linear:
    return nn.Linear(linear.in_features, linear.out_features, bias=False)


def layers_of(model: Any) -> Iterator[Any]:
    yield from model.base_model.encoder.layer


def query_bias_dropped(model: Any, *_: Any) -> None:
    for layer in layers_of(model):
        layer.attention.self.query = without_bias(layer.attention.self.query)


def attention_biases_lost(model: Any, *_: Any) -> None:
    for layer in layers_of(model):
        inner, outer = layer.attention.self, layer.attention.output
        for name in ("query", "key", "value"):
            setattr(inner, name, without_bias(getattr(inner, name)))
        outer.dense = without_bias(outer.dense)


def intermediate_bias_dropped(model: Any, *_: Any) -> None:
    for layer in layers_of(model):
        layer.intermediate.dense = without_bias(layer.intermediate.dense)


def pooler_bias_dropped(model: Any, *_: Any) -> None:
    model.base_model.pooler.dense = without_bias(model.base_model.pooler.dense)


def norms_without_parameters(model: Any, spec: Any, *_: Any) -> None:
    norm = nn.LayerNorm(spec.hidden_size, elementwise_affine=False)
    model.base_model.embeddings.LayerNorm = norm


def final_norm_added(model: Any, spec: Any, *_: Any) -> None:
    model.base_model.encoder.final_norm = nn.LayerNorm(spec.hidden_size)


def token_table_frozen(model: Any, *_: Any) -> None:
    model.base_model.embeddings.word_embeddings.weight.requires_grad_(False)


def decoder_untied(model: Any, *_: Any) -> None:
    decoder = model.cls.predictions.decoder
    decoder.weight = nn.Linear(decoder.in_features, decoder.out_features).weight


PLANTS = {
    edit.__name__.replace("_", " "): partial(followed, Bert, "made", edit)
    for edit in (
        query_bias_dropped,
        attention_biases_lost,
        intermediate_bias_dropped,
        pooler_bias_dropped,
        norms_without_parameters,
        final_norm_added,
        token_table_frozen,
        decoder_untied,
    )
}
