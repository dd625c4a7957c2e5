"""MLX, whose modules are dicts of arrays, and whose arrays are computed when they are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import mlx.core as mx
import numpy as np
from mlx import nn
from mlx.utils import tree_flatten

from paramproof.differences.measure import HEADS, WIDTH

ATTENTION = "nn.MultiHeadAttention"
MASK = f"mask of {ATTENTION}"
LAYER = "nn.TransformerEncoderLayer"

tensor, array = mx.array, np.array
encoder_layer = partial(nn.TransformerEncoderLayer, WIDTH, HEADS)


@contextmanager
def same_draws() -> Iterator[None]:
    """Draw from seed 0, uncompiled: MLX compiles its activations, which takes a C++ compiler."""
    mx.random.seed(0)
    mx.disable_compile()
    try:
        yield
    finally:
        mx.enable_compile()


def arrays(module: nn.Module) -> list[mx.array]:
    return [one for _, one in tree_flatten(module.parameters())]


def attention(features: int, heads: int, width: int) -> list[Any]:
    layer = nn.MultiHeadAttention(features, heads)
    return [layer.query_proj.weight, layer.key_proj.weight, arrays(layer)]


def attend(x: mx.array, mask: mx.array | None = None) -> mx.array:
    return nn.MultiHeadAttention(WIDTH, HEADS)(x, x, x, mask)


ASKED = {
    "layer_norm_eps": ("nn.LayerNorm", lambda x: nn.LayerNorm(x.shape[-1])(x)),
    "gelu": ("nn.gelu", nn.gelu),
    "activation": (LAYER, lambda x: encoder_layer().activation(x)),
    "norm.place": (LAYER, lambda x: encoder_layer()(x, None)),
    "dropout.rate": (LAYER, lambda: [1 - encoder_layer().dropout1._p_1]),
    "dropout.unasked": ("nn.Dropout", lambda x: nn.Dropout()(x)),
    "dense": ("nn.Linear", lambda *sizes: arrays(nn.Linear(*sizes))),
    "stack": (
        "nn.TransformerEncoder",
        lambda layers: arrays(nn.TransformerEncoder(layers, WIDTH, HEADS)),
    ),
    "initialiser.table": ("nn.Embedding", lambda *sizes: nn.Embedding(*sizes).weight),
    "attention": (ATTENTION, attention),
    "attention.width": (f"{ATTENTION}(dims, num_heads)", attention),
    "attention.batch_axis": (ATTENTION, attend),
    "attend": (MASK, attend),
    "mask.shape": (MASK, lambda mask: mask[:, None, None, :]),
}

COUNTS = {
    "total": ("module.parameters()", lambda model: model.module.parameters()),
    "dropout": ("nn.Dropout().parameters()", lambda model: nn.Dropout().parameters()),
}
