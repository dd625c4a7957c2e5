"""Paddle, asked for its defaults, its ways of counting and its way not to allocate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import paddle
from paddle import Tensor, nn
from paddle.nn import functional

from paramproof.differences.measure import HEADS, WIDTH

ATTENTION = "nn.MultiHeadAttention"
MASK = f"attn_mask of {ATTENTION}"
LAYER = "nn.TransformerEncoderLayer"

tensor, array = paddle.to_tensor, Tensor.numpy
encoder_layer = partial(nn.TransformerEncoderLayer, WIDTH, HEADS, 4 * WIDTH)


@contextmanager
def same_draws() -> Iterator[None]:
    state = paddle.get_rng_state()
    paddle.seed(0)
    yield
    paddle.set_rng_state(state)


def attention(features: int, heads: int, width: int) -> list[Any]:
    layer = nn.MultiHeadAttention(features, heads)
    return [layer.q_proj.weight, layer.k_proj.weight, layer.parameters()]


def attend(x: Tensor, mask: Tensor | None = None) -> Tensor:
    return nn.MultiHeadAttention(WIDTH, HEADS)(x, attn_mask=mask)


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
    "dense": ("nn.Linear", lambda *sizes: nn.Linear(*sizes).parameters()),
    "stack": (
        "nn.TransformerEncoder",
        lambda layers: nn.TransformerEncoder(encoder_layer(), layers).parameters(),
    ),
    "initialiser.table": ("nn.Embedding", lambda *sizes: nn.Embedding(*sizes).weight),
    "attention": (ATTENTION, attention),
    "attention.width": (f"{ATTENTION}(embed_dim, num_heads)", attention),
    "attention.batch_axis": (ATTENTION, attend),
    "attend": (MASK, attend),
    "mask.shape": (MASK, lambda mask: mask[:, None, None, :]),
}

COUNTS = {
    "total": ("layer.parameters()", lambda model: model.module.parameters()),
    "buffers": ("layer.buffers()", lambda model: model.module.buffers()),
    "state": ("layer.state_dict()", lambda model: model.module.state_dict()),
    "dropout": ("state_dict() of one nn.Dropout", lambda model: nn.Dropout().state_dict()),
}
