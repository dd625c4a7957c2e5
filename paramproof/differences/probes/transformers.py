"""Hugging Face transformers, asked as PyTorch is, on whose modules it stands."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from paramproof.builders.protocol import Array
from paramproof.differences.measure import FAN_IN, FAN_OUT, HEADS, HEADS_FOR_DRAWS, WIDTH, inputs
from paramproof.differences.probes import CountsByKind
from paramproof.differences.probes.torch import (
    entries,
    held,
    module_counts,
    steps,
    trained_like_others,
    value_of,
)
from paramproof.formulas.spec import EncoderSpec

__all__ = ["held", "value_of"]


def norm(x: Array) -> Array:
    """BertModel"""
    layer = _model(x.shape[-1], 1).embeddings.LayerNorm
    return layer(torch.tensor(x)).detach().numpy()


def gelu(x: Array) -> Array:
    """BertConfig(hidden_act="gelu")"""
    intermediate: Any = _layer(hidden_act="gelu").intermediate
    return intermediate.intermediate_act_fn(torch.tensor(x)).numpy()


def encoder_activation(x: Array) -> Array:
    """BertConfig"""
    intermediate: Any = _layer().intermediate
    return intermediate.intermediate_act_fn(torch.tensor(x)).numpy()


def encoder_steps() -> list[str]:
    """BertModel"""
    return steps(_layer(), torch.tensor(inputs()))


def dropout_rate() -> str:
    """BertConfig"""
    config = BertConfig()
    return f"{config.hidden_dropout_prob}; attention weights {config.attention_probs_dropout_prob}"


def dropout(x: Array) -> Array:
    """BertModel"""
    return _model(hidden_dropout_prob=0.5).embeddings.dropout(torch.tensor(x)).numpy()


def dense() -> tuple[Array, Array]:
    """intermediate.dense of BertModel"""
    layer = _model(FAN_IN, HEADS_FOR_DRAWS, FAN_OUT).encoder.layer[0].intermediate.dense
    return layer.weight.detach().numpy(), layer.bias.detach().numpy()


def query_and_key() -> tuple[Array, Array, int]:
    """attention.self of BertModel"""
    layer: Any = _model(FAN_IN, HEADS_FOR_DRAWS).encoder.layer[0]
    projections = layer.attention.self.query, layer.attention.self.key
    kernel, key = (one.weight.detach().numpy() for one in projections)
    return kernel, key, FAN_IN


def table() -> Array:
    """word_embeddings of BertModel"""
    model = _model(FAN_IN, HEADS_FOR_DRAWS, vocab_size=FAN_OUT)
    return model.embeddings.word_embeddings.weight.detach().numpy()


def padding_token() -> str:
    """word_embeddings of BertModel"""
    return trained_like_others(_model().embeddings.word_embeddings)


def query_entries(width: int, heads: int) -> int:
    """BertConfig(hidden_size, num_attention_heads)"""
    layer: Any = _model(width, heads).encoder.layer[0]
    return layer.attention.self.query.weight.numel()


def attention_entries(width: int, heads: int) -> int:
    """BertModel"""
    attention: Any = _model(width, heads).encoder.layer[0].attention
    return entries([*attention.self.parameters(), *attention.output.dense.parameters()])


def attend_batch(x: Array) -> Array:
    """inputs_embeds of BertModel"""
    return _attend(x, torch.ones(x.shape[:2], dtype=torch.bool))


def key_mask(mask: Array) -> Array:
    """attention_mask of BertModel"""
    return mask


def attend(x: Array, mask: Array) -> Array:
    """attention_mask of BertModel"""
    return _attend(x, torch.tensor(key_mask(mask)))


def fresh_entries(fan_in: int, fan_out: int) -> int:
    """intermediate.dense of BertModel"""
    layer = _model(fan_in, 1, fan_out).encoder.layer[0].intermediate.dense
    return entries(layer.parameters())


def dtypes(model: Any) -> dict[str, str]:
    """Type of each parameter by its path."""
    named = model.module.named_parameters(remove_duplicate=False)
    return {path: str(parameter.dtype).removeprefix("torch.") for path, parameter in named}


def counts(model: Any, spec: EncoderSpec) -> CountsByKind:
    """Every way of counting the parameters of ``model``; its pooler ends up frozen."""
    module = model.module
    count = module.num_parameters
    without_tables = count(exclude_embeddings=True)
    found = {
        **module_counts(module),
        "total": ("model.num_parameters()", count()),
        "without_tables": ("num_parameters(exclude_embeddings=True)", without_tables),
    }
    module.base_model.pooler.requires_grad_(False)
    return found | {
        "frozen_total": ("num_parameters(), the pooler frozen", count()),
        "frozen": ("num_parameters(only_trainable=True)", count(only_trainable=True)),
    }


def abstract(features: int) -> Tensor:
    """A weight of a dense layer of that many features."""
    config = BertConfig(hidden_size=features, num_hidden_layers=0, num_attention_heads=1)
    with torch.device("meta"):
        model = BertModel(config)
    return model.pooler.dense.weight


def _model(width: int = WIDTH, heads: int = HEADS, inner: int = 2, **options: Any) -> Any:
    sizes = {"hidden_size": width, "num_attention_heads": heads, "intermediate_size": inner}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return BertModel(BertConfig(num_hidden_layers=1, **{"vocab_size": 5, **sizes, **options}))


def _layer(**options: Any) -> nn.Module:
    return _model(**options).encoder.layer[0]


def _attend(x: Array, mask: Tensor) -> Array:
    """What the first layer's attention gives to its output projection.

    Drawn with a deviation of ½: at the usual 0.02 all keys would be attended to alike anyway.
    """
    model: Any = _model(initializer_range=0.5).eval()
    contexts: list[Tensor] = []
    attention = model.encoder.layer[0].attention.self
    attention.register_forward_hook(lambda module, given, result: contexts.append(result[0]))
    with torch.no_grad():
        model(inputs_embeds=torch.tensor(x), attention_mask=mask)
    return contexts[0].numpy()
