"""PyTorch, asked for its defaults, its ways of counting and its way not to allocate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from paramproof.differences.measure import HEADS, WIDTH

ATTENTION = "nn.MultiheadAttention"
MASK = f"key_padding_mask of {ATTENTION}"
LAYER = "nn.TransformerEncoderLayer"

tensor = torch.tensor
encoder_layer = partial(nn.TransformerEncoderLayer, WIDTH, HEADS)


def array(found: Tensor) -> Any:
    return found.detach().numpy()


@contextmanager
def same_draws() -> Iterator[None]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def gradient(embedding: nn.Embedding) -> Tensor | None:
    embedding(torch.tensor([0, 1])).sum().backward()
    return embedding.weight.grad


def attention(features: int, heads: int, width: int) -> list[Any]:
    layer = nn.MultiheadAttention(features, heads)
    query, key, _ = layer.in_proj_weight.chunk(3)
    return [query, key, [*layer.parameters()]]


def attend(x: Tensor, mask: Tensor | None = None) -> Tensor:
    layer = nn.MultiheadAttention(WIDTH, HEADS, batch_first=mask is not None)
    return layer(x, x, x, key_padding_mask=mask)[0]


def stack(layers: int) -> list[Tensor]:
    found = nn.TransformerEncoder(encoder_layer(), layers, enable_nested_tensor=False)
    return [*found.parameters()]


ASKED = {
    "layer_norm_eps": ("nn.LayerNorm", lambda x: nn.LayerNorm(x.shape[-1])(x)),
    "gelu": ("functional.gelu", functional.gelu),
    "activation": (LAYER, lambda x: encoder_layer().activation(x)),
    "norm.place": (LAYER, lambda x: encoder_layer()(x)),
    "dropout.rate": (
        LAYER,
        lambda: [encoder_layer().dropout.p, encoder_layer().self_attn.dropout],
    ),
    "dropout.unasked": ("nn.Dropout", lambda x: nn.Dropout()(x)),
    "dense": ("nn.Linear", lambda *sizes: [*nn.Linear(*sizes).parameters()]),
    "stack": ("nn.TransformerEncoder", stack),
    "initialiser.table": ("nn.Embedding", lambda *sizes: nn.Embedding(*sizes).weight),
    "padding_token": ("nn.Embedding", lambda *sizes: gradient(nn.Embedding(*sizes))),
    "attention": (ATTENTION, attention),
    "attention.width": (f"{ATTENTION}(embed_dim, num_heads)", attention),
    "attention.batch_axis": (ATTENTION, attend),
    "attend": (MASK, attend),
    "mask.shape": (MASK, lambda mask: mask),
}

COUNTS = {
    "total": ("module.parameters()", lambda model: model.module.parameters()),
    "buffers": ("module.buffers()", lambda model: model.module.buffers()),
    "state": ("module.state_dict()", lambda model: model.module.state_dict()),
    "tied_each": (
        "named_parameters(remove_duplicate=False)",
        lambda model: dict(model.module.named_parameters(remove_duplicate=False)),
    ),
    "dropout": ("state_dict() of one nn.Dropout", lambda model: nn.Dropout().state_dict()),
}
