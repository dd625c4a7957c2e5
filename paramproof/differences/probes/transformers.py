"""Hugging Face transformers, asked as PyTorch is, on whose modules it stands."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from transformers import BertConfig, BertModel

from paramproof.differences.measure import HEADS, WIDTH
from paramproof.differences.probes import torch as pytorch

ATTENTION = "attention.self of BertModel"
MASK = "attention_mask of BertModel"
DENSE = "intermediate.dense of BertModel"
TABLE = "word_embeddings of BertModel"

tensor, array, same_draws = pytorch.tensor, pytorch.array, pytorch.same_draws


def bert(width: int = WIDTH, heads: int = HEADS, inner: int = 2, **options: Any) -> Any:
    sizes = {"hidden_size": width, "num_attention_heads": heads, "intermediate_size": inner}
    return BertModel(BertConfig(num_hidden_layers=1, **{"vocab_size": 5, **sizes, **options}))


def layer(*sizes: int, **options: Any) -> Any:
    return bert(*sizes, **options).encoder.layer[0]


def dense(fan_in: int, fan_out: int) -> list[Tensor]:
    found = layer(fan_in, 1, fan_out).intermediate.dense
    return [found.weight, found.bias]


def table(tokens: int, width: int) -> Tensor:
    return bert(width, 1, vocab_size=tokens).embeddings.word_embeddings.weight


def attention(features: int, heads: int, width: int) -> list[Any]:
    found = layer(features, heads).attention
    every = [*found.self.parameters(), *found.output.dense.parameters()]
    return [found.self.query.weight, found.self.key.weight, every]


def attend(x: Tensor, mask: Tensor | None = None) -> Tensor:
    """Return what the first layer's attention gives to its output projection.

    Drawn with a deviation of ½: at the usual 0.02 all keys would be attended to alike anyway.
    """
    model = bert(initializer_range=0.5).eval()
    contexts: list[Tensor] = []
    attention = model.encoder.layer[0].attention.self
    attention.register_forward_hook(lambda module, given, result: contexts.append(result[0]))
    with torch.no_grad():
        model(inputs_embeds=x, attention_mask=mask)
    return contexts[0]


ASKED = {
    "layer_norm_eps": ("BertModel", lambda x: bert(x.shape[-1], 1).embeddings.LayerNorm(x)),
    "gelu": (
        'BertConfig(hidden_act="gelu")',
        lambda x: layer(hidden_act="gelu").intermediate.intermediate_act_fn(x),
    ),
    "activation": ("BertConfig", lambda x: layer().intermediate.intermediate_act_fn(x)),
    "norm.place": ("BertModel", lambda x: layer()(x)),
    "dropout.rate": (
        "BertConfig",
        lambda: [BertConfig().hidden_dropout_prob, BertConfig().attention_probs_dropout_prob],
    ),
    "dropout.unasked": ("BertModel", lambda x: bert(hidden_dropout_prob=0.5).embeddings.dropout(x)),
    "dense": (DENSE, dense),
    "initialiser.table": (TABLE, table),
    "padding_token": (
        TABLE,
        lambda *sizes: pytorch.gradient(bert().embeddings.word_embeddings),
    ),
    "attention": ("BertModel", attention),
    "initialiser.query": (ATTENTION, attention),
    "initialiser.key": (ATTENTION, attention),
    "attention.width": ("BertConfig(hidden_size, num_attention_heads)", attention),
    "attention.batch_axis": ("inputs_embeds of BertModel", attend),
    "attend": (MASK, attend),
    "mask.shape": (MASK, lambda mask: mask),
}

COUNTS = pytorch.COUNTS | {
    "total": ("model.num_parameters()", lambda model: model.module.num_parameters()),
    "without_tables": (
        "num_parameters(exclude_embeddings=True)",
        lambda model: model.module.num_parameters(exclude_embeddings=True),
    ),
}
