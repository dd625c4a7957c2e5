"""LLaMA from ``nn.Linear`` and ``scaled_dot_product_attention``.

``nn.MultiHeadAttention`` has neither rotary positions nor grouped queries. Paddle has no layer for
RMSNorm, and its function ``rms_norm`` does not run on a CPU.
"""

from __future__ import annotations

from functools import partial

import paddle
from paddle import Tensor, nn
from paddle.nn import functional

from paramproof.builders.frameworks.paddle.layers import ACTIVATIONS, LanguageHead
from paramproof.builders.frameworks.paddle.names import names
from paramproof.formulas.spec import LlamaSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.norm("layers.*.attention_norm", "layers.*.attention_norm"),
    **names.attention("layers.*.attention", "layers.*.attention"),
    **names.norm("layers.*.feed_forward_norm", "layers.*.feed_forward_norm"),
    **names.dense("layers.*.feed_forward.gate", "layers.*.feed_forward.gate"),
    **names.dense("layers.*.feed_forward.up", "layers.*.feed_forward.up"),
    **names.dense("layers.*.feed_forward.down", "layers.*.feed_forward.down"),
    **names.norm("final_norm", "final_norm"),
    **names.decoder("lm_head.projection", "lm_head"),
}

dense = partial(nn.Linear, bias_attr=False)


class Llama(nn.Layer):
    """LLaMA, pre-norm, without a bias anywhere."""

    names = NAMES

    def __init__(self, spec: LlamaSpec, numerics: Numerics) -> None:
        super().__init__()
        hidden, vocab_size = spec.hidden_size, spec.vocab_size
        self.word_embeddings = nn.Embedding(vocab_size, hidden)
        layers = range(spec.num_hidden_layers)
        self.layers = nn.LayerList(LlamaLayer(spec, numerics) for _ in layers)
        self.final_norm = RMSNorm(hidden, numerics.layer_norm_eps)
        self.lm_head = LanguageHead(vocab_size, hidden, spec.tie_word_embeddings)

    def forward(self, ids: Tensor) -> dict[str, Tensor]:
        x = self.word_embeddings(ids)
        for layer in self.layers:
            x = layer(x)
        x = self.final_norm(x)
        return {"sequence": x, "lm": self.lm_head(x, self.word_embeddings)}


class LlamaLayer(nn.Layer):
    """Attention and feed-forward network, each of the norm of its input, and added to it."""

    def __init__(self, spec: LlamaSpec, numerics: Numerics) -> None:
        super().__init__()
        hidden, eps = spec.hidden_size, numerics.layer_norm_eps
        self.attention_norm = RMSNorm(hidden, eps)
        self.attention = GroupedQueryAttention(spec, numerics.rope_theta)
        self.feed_forward_norm = RMSNorm(hidden, eps)
        self.feed_forward = GatedFeedForward(spec, numerics)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


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

    def __init__(self, spec: LlamaSpec, rope_theta: float) -> None:
        super().__init__()
        self.head_dim = spec.head_dim
        self.rope_theta = rope_theta
        queries = spec.num_attention_heads * spec.head_dim
        keys = spec.num_key_value_heads * spec.head_dim
        self.q_proj = dense(spec.hidden_size, queries)
        self.k_proj = dense(spec.hidden_size, keys)
        self.v_proj = dense(spec.hidden_size, keys)
        self.out_proj = dense(queries, spec.hidden_size)

    def forward(self, x: Tensor) -> Tensor:
        # (B, S, heads · K) to (B, S, heads, K).
        query, key, value = (
            projection(x).reshape([0, 0, -1, self.head_dim])
            for projection in (self.q_proj, self.k_proj, self.v_proj)
        )
        query, key = (rotated(part, self.rope_theta) for part in (query, key))
        attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.out_proj(attended.flatten(2))


class GatedFeedForward(nn.Layer):
    """SwiGLU: ``down(silu(gate(x)) · up(x))``."""

    def __init__(self, spec: LlamaSpec, numerics: Numerics) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[numerics.hidden_act]
        self.gate = dense(spec.hidden_size, spec.intermediate_size)
        self.up = dense(spec.hidden_size, spec.intermediate_size)
        self.down = dense(spec.intermediate_size, spec.hidden_size)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.activation(self.gate(x)) * self.up(x))


def rotated(x: Tensor, theta: float) -> Tensor:
    """Return ``x`` (B, S, heads, K) turned by its position: feature i and i + K/2 are a pair.

    That is Hugging Face's order; Meta's code pairs neighbours, with weights permuted to match. The
    pair i turns by theta^(−2i/K) from one position to the next.

    Source: Su et al. 2021, arXiv:2104.09864, section 3.4.2.
    """
    first, second = paddle.chunk(x, 2, axis=-1)
    pairs = first.shape[-1]
    speeds = theta ** (-paddle.arange(pairs, dtype=x.dtype) / pairs)
    angles = paddle.outer(paddle.arange(x.shape[1], dtype=x.dtype), speeds)[:, None, :]
    cos, sin = angles.cos(), angles.sin()
    return paddle.concat((first * cos - second * sin, second * cos + first * sin), axis=-1)
