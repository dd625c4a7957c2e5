"""PyTorch, asked for its defaults, its ways of counting and its way not to allocate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from paramproof.builders.protocol import Array
from paramproof.differences.measure import FAN_IN, FAN_OUT, HEADS, HEADS_FOR_DRAWS, WIDTH, inputs
from paramproof.differences.probes import CountsByKind
from paramproof.formulas.spec import EncoderSpec


def norm(x: Array) -> Array:
    """nn.LayerNorm"""
    return _array(nn.LayerNorm(x.shape[-1])(torch.tensor(x)))


def gelu(x: Array) -> Array:
    """functional.gelu"""
    return _array(functional.gelu(torch.tensor(x)))


def encoder_activation(x: Array) -> Array:
    """nn.TransformerEncoderLayer"""
    return _array(_encoder_layer().activation(torch.tensor(x)))


def encoder_steps() -> list[str]:
    """nn.TransformerEncoderLayer"""
    return steps(_encoder_layer(), torch.tensor(inputs()))


def dropout_rate() -> str:
    """nn.TransformerEncoderLayer"""
    layer = _encoder_layer()
    return f"{layer.dropout.p}; attention weights {layer.self_attn.dropout}"


def dropout(x: Array) -> Array:
    """nn.Dropout"""
    return _array(nn.Dropout()(torch.tensor(x)))


def dense() -> tuple[Array, Array]:
    """nn.Linear"""
    layer = _seeded(nn.Linear, FAN_IN, FAN_OUT)
    return _array(layer.weight), _array(layer.bias)


def query_and_key() -> tuple[Array, Array, int]:
    """nn.MultiheadAttention"""
    fused = _seeded(nn.MultiheadAttention, FAN_IN, HEADS_FOR_DRAWS).in_proj_weight
    kernel, key, _ = _array(fused).reshape(3, FAN_IN, FAN_IN)
    return kernel, key, FAN_IN


def table() -> Array:
    """nn.Embedding"""
    return _array(_seeded(nn.Embedding, FAN_OUT, FAN_IN).weight)


def padding_token() -> str:
    """nn.Embedding"""
    return trained_like_others(nn.Embedding(5, WIDTH))


def query_entries(width: int, heads: int) -> int:
    """nn.MultiheadAttention(embed_dim, num_heads)"""
    return nn.MultiheadAttention(width, heads).in_proj_weight.numel() // 3


def attention_entries(width: int, heads: int) -> int:
    """nn.MultiheadAttention"""
    return entries(nn.MultiheadAttention(width, heads).parameters())


def stack_entries(layers: int) -> int:
    """nn.TransformerEncoder"""
    stack = nn.TransformerEncoder(_encoder_layer(), layers, enable_nested_tensor=False)
    return entries(stack.parameters())


def attend_batch(x: Array) -> Array:
    """nn.MultiheadAttention"""
    tensor = torch.tensor(x)
    return _array(_seeded(nn.MultiheadAttention, WIDTH, HEADS)(tensor, tensor, tensor)[0])


def key_mask(mask: Array) -> Array:
    """key_padding_mask of nn.MultiheadAttention"""
    return mask


def attend(x: Array, mask: Array) -> Array:
    """key_padding_mask of nn.MultiheadAttention"""
    attention = _seeded(nn.MultiheadAttention, WIDTH, HEADS, batch_first=True)
    tensor, ignored = torch.tensor(x), torch.tensor(key_mask(mask))
    return _array(attention(tensor, tensor, tensor, key_padding_mask=ignored)[0])


def fresh_entries(fan_in: int, fan_out: int) -> int:
    """nn.Linear"""
    return entries(nn.Linear(fan_in, fan_out).parameters())


def dtypes(model: Any) -> dict[str, str]:
    """Type of each parameter by its path."""
    named = model.module.named_parameters(remove_duplicate=False)
    return {path: str(parameter.dtype).removeprefix("torch.") for path, parameter in named}


def counts(model: Any, spec: EncoderSpec) -> CountsByKind:
    """Every way of counting the parameters of ``model``; its pooler ends up frozen."""
    module = model.module
    found = module_counts(module)
    module.pooler.requires_grad_(False)
    trained = (p for p in module.parameters() if p.requires_grad)
    return found | {
        "frozen": ("those with requires_grad, the pooler frozen", entries(trained)),
        "frozen_total": ("parameters(), the pooler frozen", entries(module.parameters())),
    }


def module_counts(module: nn.Module) -> CountsByKind:
    """The ways that every module of PyTorch's has."""
    named = module.named_parameters(remove_duplicate=False)
    return {
        "total": ("module.parameters()", entries(module.parameters())),
        "tied_each": ("named_parameters(remove_duplicate=False)", entries(p for _, p in named)),
        "state": ("module.state_dict()", entries(module.state_dict().values())),
        "buffers": ("module.buffers()", entries(module.buffers())),
        "optimizer": ("the state of optim.Adam after a step", entries(_adam(module))),
        "dropout": ("state_dict() of one nn.Dropout", entries(nn.Dropout().state_dict().values())),
    }


def entries(tensors: Iterable[Tensor]) -> int:
    """Their number, in all of ``tensors``."""
    return sum(tensor.numel() for tensor in tensors)


def _adam(module: nn.Module) -> list[Tensor]:
    """What Adam keeps: on the meta device, as the parameters are."""
    optimizer = torch.optim.Adam(module.parameters(), foreach=False)
    for parameter in module.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    return [tensor for state in optimizer.state.values() for tensor in state.values()]


def abstract(features: int) -> Tensor:
    """A weight of a dense layer of that many features."""
    with torch.device("meta"):
        layer = nn.Linear(features, features)
    return layer.weight


def held(weight: Tensor) -> str:
    """What there is in place of an array."""
    return f"{type(weight).__name__} on device {weight.device}"


def value_of(weight: Tensor) -> Any:
    """Its value, for whoever asks for it."""
    return weight.numpy()


def steps(layer: nn.Module, x: Tensor) -> list[str]:
    """The submodules of ``layer`` that have none of their own, in the order of computing."""
    order: list[str] = []
    own = "self_attn", "attention.self"
    for name, module in layer.named_modules():
        if name in own or not (name.startswith(own) or any(module.children())):
            module.register_forward_hook(lambda *_, name=name: order.append(name))
    layer(x)
    return order


def trained_like_others(embedding: nn.Embedding) -> str:
    """Whether the row of token 0 has a gradient."""
    embedding(torch.tensor([0, 1])).sum().backward()
    gradients = embedding.weight.grad
    assert gradients is not None
    return "as any other" if gradients[0].any() else "a row that is never trained"


def _encoder_layer() -> nn.TransformerEncoderLayer:
    return nn.TransformerEncoderLayer(WIDTH, HEADS)


def _seeded(make: Callable[..., Any], *sizes: int, **options: bool) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return make(*sizes, **options)


def _array(tensor: Tensor) -> Array:
    return tensor.detach().numpy()
