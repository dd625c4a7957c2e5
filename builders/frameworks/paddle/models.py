"""Paddle's own layers: ``nn.TransformerEncoderLayer`` and ``…DecoderLayer``, ``nn.Linear``.

Not ``nn.TransformerEncoder``, which makes further layers from the arguments of the first one, and
these do not include every activation; nor ``nn.Transformer``, which puts a norm at the end of
either stack. ``nn.MultiHeadAttention`` has neither rotary positions nor grouped queries. Paddle has
no layer for RMSNorm, and its function ``rms_norm`` does not run on a CPU.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import paddle
from paddle import Tensor, nn
from paddle.nn import functional

from paramproof.builders import composition
from paramproof.builders.names import ModuleNames

NAMES = ModuleNames(
    projections=("q_proj", "k_proj", "v_proj", "out_proj"),
    parts=("self_attn", "norm1", "linear1", "linear2", "norm2"),
    decoder_attention="self_attn",
    cross_attention="cross_attn",
    decoder_norms=("norm2", "norm3"),
).families()


ACTIVATIONS = {
    "gelu": functional.gelu,
    "gelu_new": partial(functional.gelu, approximate=True),
    "relu": functional.relu,
    "silu": functional.silu,
}


class Module(composition.Operations, nn.Layer):
    """The base of composed models in Paddle: how they run, with its operations and masks."""

    arange = staticmethod(paddle.arange)
    tanh = staticmethod(paddle.tanh)
    softmax = staticmethod(functional.softmax)

    def forward(self, *inputs: Any) -> Any:
        return self.run(*inputs)

    def attend(self, words: nn.Embedding, x: Tensor) -> Tensor:
        """Return ``x`` (…, H) times the transposed token table: a score for each of V tokens."""
        return paddle.matmul(x, words.weight, transpose_y=True)

    def so_far(self, x: Tensor) -> Tensor:
        """Return a mask, (S, S), that is True where a key is not later than the query."""
        length = x.shape[1]
        return paddle.ones([length, length], dtype="bool").tril()


class Parts(composition.Parts):
    """Makes Paddle's layers."""

    module = Module
    nn = nn
    activations = ACTIVATIONS

    def stack(self, layers: int, make: Callable[[], nn.Layer]) -> nn.LayerList:
        return nn.LayerList(make() for _ in range(layers))

    def positions(self) -> nn.Embedding:
        """Return learned positions, or sinusoids in a table that is frozen."""
        shape, attr = (self.spec.max_position_embeddings, self.spec.hidden_size), None
        if not self.spec.learned_positions:
            attr = paddle.ParamAttr(trainable=False, initializer=Sinusoids())
        return nn.Embedding(*shape, weight_attr=attr)

    def rms_norm(self) -> RMSNorm:
        return RMSNorm(self.spec.hidden_size, self.eps)

    def linear(self, inputs: int, outputs: int, bias: bool = True) -> nn.Linear:
        return nn.Linear(inputs, outputs, bias_attr=None if bias else False)

    def bias(self, layer: nn.Layer, size: int) -> Tensor:
        return layer.create_parameter([size], is_bias=True)

    def layer(self, kind: type[nn.Layer], attentions: int = 1, **options: Any) -> Any:
        """Return a layer with that many attentions, whose biases are the spec's to decide."""
        bias = None if self.attention_bias else False
        made: Any = kind(
            self.spec.hidden_size,
            self.spec.num_attention_heads,
            self.spec.intermediate_size,
            dropout=0.0,
            bias_attr=[*[bias] * attentions, None],
            layer_norm_eps=self.eps,
            **options,
        )
        # The constructor takes the name of a function, and so no GELU by tanh.
        made.activation = self.activation
        return made

    def encoder_layer(self) -> nn.TransformerEncoderLayer:
        return self.layer(nn.TransformerEncoderLayer)

    def gpt_layer(self) -> nn.TransformerEncoderLayer:
        return self.layer(nn.TransformerEncoderLayer, normalize_before=True)

    def decoder_layer(self) -> nn.TransformerDecoderLayer:
        return self.layer(nn.TransformerDecoderLayer, 2)

    def grouped_attention(self) -> GroupedQueryAttention:
        return GroupedQueryAttention(self)


class Sinusoids(nn.initializer.Initializer):
    """Fill a table (positions, H) with sinusoids. Paddle does not call it under ``LazyGuard``."""

    def forward(self, var: Tensor, block: object = None) -> None:
        nn.initializer.Assign(composition.sinusoids(*var.shape))(var, block)


class RMSNorm(nn.Layer):
    """``x / sqrt(mean(x²) + eps)``, times a weight (H,).

    Source: Zhang and Sennrich 2019, arXiv:1910.07467, section 4.
    """

    def __init__(self, hidden_size: int, eps: float) -> None:
        super().__init__()
        self.eps = eps
        ones = nn.initializer.Constant(1.0)
        self.weight = self.create_parameter([hidden_size], default_initializer=ones)

    def forward(self, x: Tensor) -> Tensor:
        return x * paddle.rsqrt((x * x).mean(-1, keepdim=True) + self.eps) * self.weight


class GroupedQueryAttention(nn.Layer):
    """Causal attention of A query heads to G heads of keys and values, turned by position.

    Query head i attends to key head i // (A / G).
    """

    def __init__(self, own: Parts) -> None:
        super().__init__()
        spec = own.spec
        self.head_dim = spec.head_dim
        self.rope_theta = own.theta
        queries = spec.num_attention_heads * spec.head_dim
        keys = spec.num_key_value_heads * spec.head_dim
        self.q_proj = own.linear(spec.hidden_size, queries, bias=False)
        self.k_proj = own.linear(spec.hidden_size, keys, bias=False)
        self.v_proj = own.linear(spec.hidden_size, keys, bias=False)
        self.out_proj = own.linear(queries, spec.hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        # (B, S, heads · K) to (B, S, heads, K).
        query, key, value = (
            projection(x).reshape([0, 0, -1, self.head_dim])
            for projection in (self.q_proj, self.k_proj, self.v_proj)
        )
        query, key = self.rotated(query), self.rotated(key)
        attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.out_proj(attended.flatten(2))

    def rotated(self, x: Tensor) -> Tensor:
        """Turn features i and i + K/2 as a pair, in Hugging Face's order."""
        angles = composition.rotary_angles(x.shape[1], self.head_dim, self.rope_theta)
        angles = paddle.to_tensor(angles[:, None, :], dtype=x.dtype)
        first, second = paddle.chunk(x, 2, axis=-1)
        cos, sin = angles.cos(), angles.sin()
        return paddle.concat((first * cos - second * sin, second * cos + first * sin), axis=-1)


MODULES = composition.families(Parts, NAMES)
