"""Paddle, asked for its defaults, its ways of counting and its way not to allocate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import paddle
from paddle import Tensor, nn
from paddle.nn import functional

from paramproof.builders.protocol import Array
from paramproof.differences.measure import FAN_IN, FAN_OUT, HEADS, HEADS_FOR_DRAWS, WIDTH, inputs
from paramproof.differences.probes import CountsByKind
from paramproof.formulas.spec import EncoderSpec


def norm(x: Array) -> Array:
    """nn.LayerNorm"""
    return nn.LayerNorm(x.shape[-1])(paddle.to_tensor(x)).numpy()


def gelu(x: Array) -> Array:
    """functional.gelu"""
    return functional.gelu(paddle.to_tensor(x)).numpy()


def encoder_activation(x: Array) -> Array:
    """nn.TransformerEncoderLayer"""
    return _encoder_layer().activation(paddle.to_tensor(x)).numpy()


def encoder_steps() -> list[str]:
    """nn.TransformerEncoderLayer"""
    order: list[str] = []
    layer = _encoder_layer()
    for name, sublayer in layer.named_sublayers():
        if not name.startswith("self_attn."):
            sublayer.register_forward_post_hook(lambda *_, name=name: order.append(name))
    layer(paddle.to_tensor(inputs()))
    return order


def dropout_rate() -> str:
    """nn.TransformerEncoderLayer"""
    layer = _encoder_layer()
    return f"{layer.dropout.p}; attention weights {layer.self_attn.dropout}"


def dropout(x: Array) -> Array:
    """nn.Dropout"""
    return nn.Dropout()(paddle.to_tensor(x)).numpy()


def dense() -> tuple[Array, Array]:
    """nn.Linear"""
    layer = nn.Linear(FAN_IN, FAN_OUT)
    return layer.weight.numpy(), layer.bias.numpy()


def query_and_key() -> tuple[Array, Array, int]:
    """nn.MultiHeadAttention"""
    attention = nn.MultiHeadAttention(FAN_IN, HEADS_FOR_DRAWS)
    return attention.q_proj.weight.numpy(), attention.k_proj.weight.numpy(), FAN_IN


def table() -> Array:
    """nn.Embedding"""
    return nn.Embedding(FAN_OUT, FAN_IN).weight.numpy()


def padding_token() -> str:
    """nn.Embedding"""
    embedding = nn.Embedding(5, WIDTH)
    embedding(paddle.to_tensor([0, 1])).sum().backward()
    trained = embedding.weight.grad.numpy()[0].any()
    return "as any other" if trained else "a row that is never trained"


def query_entries(width: int, heads: int) -> int:
    """nn.MultiHeadAttention(embed_dim, num_heads)"""
    return int(nn.MultiHeadAttention(width, heads).q_proj.weight.size)


def attention_entries(width: int, heads: int) -> int:
    """nn.MultiHeadAttention"""
    return entries(nn.MultiHeadAttention(width, heads).parameters())


def stack_entries(layers: int) -> int:
    """nn.TransformerEncoder"""
    return entries(nn.TransformerEncoder(_encoder_layer(), layers).parameters())


def attend_batch(x: Array) -> Array:
    """nn.MultiHeadAttention"""
    return _attention()(paddle.to_tensor(x)).numpy()


def key_mask(mask: Array) -> Array:
    """attn_mask of nn.MultiHeadAttention"""
    return mask[:, None, None, :]


def attend(x: Array, mask: Array) -> Array:
    """attn_mask of nn.MultiHeadAttention"""
    visible = paddle.to_tensor(key_mask(mask))
    return _attention()(paddle.to_tensor(x), attn_mask=visible).numpy()


def fresh_entries(fan_in: int, fan_out: int) -> int:
    """nn.Linear"""
    return entries(nn.Linear(fan_in, fan_out).parameters())


def dtypes(model: Any) -> dict[str, str]:
    """Type of each parameter by its path."""
    named = model.module.named_parameters(remove_duplicate=False)
    return {path: str(parameter.dtype).removeprefix("paddle.") for path, parameter in named}


def counts(model: Any, spec: EncoderSpec) -> CountsByKind:
    """Every way of counting the parameters of ``model``; its pooler ends up frozen."""
    module = model.module
    found = {
        "total": ("layer.parameters()", entries(module.parameters())),
        "state": ("layer.state_dict()", entries(module.state_dict().values())),
        "buffers": ("layer.buffers()", entries(module.buffers())),
        "dropout": ("state_dict() of one nn.Dropout", entries(nn.Dropout().state_dict().values())),
    }
    for parameter in module.pooler.parameters():
        parameter.stop_gradient = True
    trained = (p for p in module.parameters() if not p.stop_gradient)
    return found | {
        "frozen": ("those without stop_gradient, the pooler frozen", entries(trained)),
        "frozen_total": ("parameters(), the pooler frozen", entries(module.parameters())),
    }


def entries(tensors: Iterable[Tensor]) -> int:
    """Their number, in all of ``tensors``, allocated or not."""
    return sum(int(np.prod(tensor.shape)) for tensor in tensors)


def abstract(features: int) -> Tensor:
    """A weight of a dense layer of that many features."""
    with paddle.LazyGuard():
        layer = nn.Linear(features, features)
    return layer.weight


def held(weight: Tensor) -> str:
    """What there is in place of an array."""
    return f"{type(weight).__name__}, not initialised"


def value_of(weight: Tensor) -> Any:
    """Its value, for whoever asks for it."""
    return weight.numpy()


def _encoder_layer() -> nn.TransformerEncoderLayer:
    return nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH)


def _attention() -> nn.MultiHeadAttention:
    """An attention with the same values at every call."""
    state = paddle.get_rng_state()
    paddle.seed(0)
    attention = nn.MultiHeadAttention(WIDTH, HEADS)
    paddle.set_rng_state(state)
    return attention
