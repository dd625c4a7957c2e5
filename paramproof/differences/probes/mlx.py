"""MLX, whose modules are dicts of arrays, and whose arrays are computed when they are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np
from mlx import nn, optimizers
from mlx.utils import tree_flatten

from paramproof.builders.protocol import Array
from paramproof.differences.measure import FAN_IN, FAN_OUT, HEADS, HEADS_FOR_DRAWS, WIDTH, inputs
from paramproof.differences.probes import CountsByKind
from paramproof.formulas.spec import EncoderSpec


def norm(x: Array) -> Array:
    """nn.LayerNorm"""
    return np.array(nn.LayerNorm(x.shape[-1])(mx.array(x)))


def gelu(x: Array) -> Array:
    """nn.gelu"""
    return _uncompiled(nn.gelu, x)


def encoder_activation(x: Array) -> Array:
    """nn.TransformerEncoderLayer"""
    return _uncompiled(_encoder_layer().activation, x)


def encoder_steps() -> list[str]:
    """nn.TransformerEncoderLayer"""
    layer, order = _encoder_layer(), []
    for name, module in layer.children().items():
        layer[name] = _Noted(module, lambda name=name: order.append(name))
    layer(mx.array(inputs()), None)
    return order


def dropout_rate() -> str:
    """nn.TransformerEncoderLayer"""
    layer = _encoder_layer()
    return f"{1 - layer.dropout1._p_1}"


def dropout(x: Array) -> Array:
    """nn.Dropout"""
    return np.array(nn.Dropout()(mx.array(x)))


def dense() -> tuple[Array, Array]:
    """nn.Linear"""
    layer = _seeded(nn.Linear, FAN_IN, FAN_OUT)
    return np.array(layer.weight), np.array(layer.bias)


def query_and_key() -> tuple[Array, Array, int]:
    """nn.MultiHeadAttention"""
    attention = _seeded(nn.MultiHeadAttention, FAN_IN, HEADS_FOR_DRAWS)
    kernels = attention.query_proj.weight, attention.key_proj.weight
    return np.array(kernels[0]), np.array(kernels[1]), FAN_IN


def table() -> Array:
    """nn.Embedding"""
    return np.array(_seeded(nn.Embedding, FAN_OUT, FAN_IN).weight)


def padding_token() -> str:
    """nn.Embedding"""
    layer = nn.Embedding(5, WIDTH)
    _, gradients = nn.value_and_grad(layer, lambda ids: layer(ids).sum())(mx.array([0, 1]))
    row = np.array(gradients["weight"])[0]
    return "as any other" if row.any() else "a row that is never trained"


def query_entries(width: int, heads: int) -> int:
    """nn.MultiHeadAttention(dims, num_heads)"""
    return nn.MultiHeadAttention(width, heads).query_proj.weight.size


def attention_entries(width: int, heads: int) -> int:
    """nn.MultiHeadAttention"""
    return entries(nn.MultiHeadAttention(width, heads).parameters())


def stack_entries(layers: int) -> int:
    """nn.TransformerEncoder"""
    return entries(nn.TransformerEncoder(layers, WIDTH, HEADS).parameters())


def attend_batch(x: Array) -> Array:
    """nn.MultiHeadAttention"""
    given = mx.array(x)
    return np.array(_seeded(nn.MultiHeadAttention, WIDTH, HEADS)(given, given, given))


def key_mask(mask: Array) -> Array:
    """mask of nn.MultiHeadAttention"""
    return mask[:, None, None, :]


def attend(x: Array, mask: Array) -> Array:
    """mask of nn.MultiHeadAttention"""
    given, seen = mx.array(x), mx.array(key_mask(mask))
    return np.array(_seeded(nn.MultiHeadAttention, WIDTH, HEADS)(given, given, given, seen))


def fresh_entries(fan_in: int, fan_out: int) -> int:
    """nn.Linear"""
    return entries(nn.Linear(fan_in, fan_out).parameters())


def dtypes(model: Any) -> dict[str, str]:
    """Type of each parameter by its path."""
    named = tree_flatten(model.module.parameters())
    return {path: str(array.dtype).removeprefix("mlx.core.") for path, array in named}


def counts(model: Any, spec: EncoderSpec) -> CountsByKind:
    """Every way of counting the parameters of ``model``; its pooler ends up frozen."""
    module, adam = model.module, optimizers.Adam(1e-3)
    adam.init(module.trainable_parameters())
    found = {
        "total": ("module.parameters()", entries(module.parameters())),
        "trainable": ("module.trainable_parameters()", entries(module.trainable_parameters())),
        "dropout": ("nn.Dropout().parameters()", entries(nn.Dropout().parameters())),
        "optimizer": ("the state of optimizers.Adam", entries(adam.state)),
    }
    module.pooler.freeze()
    return found | {
        "frozen": (
            "trainable_parameters(), the pooler frozen",
            entries(module.trainable_parameters()),
        ),
        "frozen_total": ("parameters(), the pooler frozen", entries(module.parameters())),
    }


def entries(tree: Any) -> int:
    """The number of entries of all arrays in ``tree``."""
    return sum(leaf.size for _, leaf in tree_flatten(tree) if isinstance(leaf, mx.array))


def abstract(features: int) -> mx.array:
    """A weight of a dense layer of that many features."""
    layer = nn.Linear(features, features)
    return layer.weight


def held(weight: mx.array) -> str:
    """What there is in place of an array."""
    return "an mlx.core.array that nobody has computed"


def value_of(weight: mx.array) -> Array:
    """Its value, for whoever asks for it."""
    return np.array(weight)


class _Noted(nn.Module):
    """A module that reports each of its calls."""

    def __init__(self, module: nn.Module, note: Callable[[], None]) -> None:
        super().__init__()
        self.module, self.note = module, note

    def __call__(self, *given: Any) -> Any:
        self.note()
        return self.module(*given)


def _encoder_layer() -> nn.TransformerEncoderLayer:
    return nn.TransformerEncoderLayer(WIDTH, HEADS)


def _uncompiled(function: Callable[[mx.array], mx.array], x: Array) -> Array:
    """MLX compiles its activations, which takes a C++ compiler on a CPU."""
    mx.disable_compile()
    try:
        return np.array(function(mx.array(x)))
    finally:
        mx.enable_compile()


def _seeded(make: Callable[..., Any], *sizes: int) -> Any:
    mx.random.seed(0)
    return make(*sizes)
