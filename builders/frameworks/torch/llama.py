"""LLaMA from ``nn.RMSNorm``, ``nn.Linear`` and ``scaled_dot_product_attention``.

``nn.MultiheadAttention`` has neither rotary positions nor grouped queries. As in its
``in_proj``, what reads the same input is one projection here: q, k and v, and gate and up.
"""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional

from paramproof.builders.frameworks.torch.layers import ACTIVATIONS, LanguageHead
from paramproof.builders.frameworks.torch.names import fused, names
from paramproof.formulas.spec import LlamaSpec, Numerics

QUERY_KEY_VALUE = [f"layers.*.attention.{name}" for name in ("query", "key", "value")]
GATE_UP = [f"layers.*.feed_forward.{name}" for name in ("gate", "up")]
NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.norm("layers.*.attention_norm", "layers.*.attention_norm"),
    **fused("layers.*.attention.query_key_value.", *QUERY_KEY_VALUE),
    **names.dense("layers.*.attention.output", "layers.*.attention.output"),
    **names.norm("layers.*.feed_forward_norm", "layers.*.feed_forward_norm"),
    **fused("layers.*.feed_forward.gate_up.", *GATE_UP),
    **names.dense("layers.*.feed_forward.down", "layers.*.feed_forward.down"),
    **names.norm("final_norm", "final_norm"),
    **names.table("lm_head", "lm_head"),
}

dense = partial(nn.Linear, bias=False)


class Llama(nn.Module):
    """LLaMA, pre-norm, without a bias anywhere."""

    names = NAMES

    def __init__(self, spec: LlamaSpec, numerics: Numerics) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(spec.vocab_size, spec.hidden_size)
        layers = range(spec.num_hidden_layers)
        self.layers = nn.ModuleList(Layer(spec, numerics) for _ in layers)
        self.final_norm = nn.RMSNorm(spec.hidden_size, numerics.layer_norm_eps)
        self.lm_head = LanguageHead(self.word_embeddings, spec.tie_word_embeddings)

    def forward(self, ids: Tensor) -> dict[str, Tensor]:
        x = self.word_embeddings(ids)
        for layer in self.layers:
            x = layer(x)
        x = self.final_norm(x)
        return {"sequence": x, "lm": self.lm_head(x)}


class Layer(nn.Module):
    """Attention and feed-forward network, each of the norm of its input, and added to it."""

    def __init__(self, spec: LlamaSpec, numerics: Numerics) -> None:
        super().__init__()
        hidden, eps = spec.hidden_size, numerics.layer_norm_eps
        self.attention_norm = nn.RMSNorm(hidden, eps)
        self.attention = GroupedQueryAttention(spec, numerics.rope_theta)
        self.feed_forward_norm = nn.RMSNorm(hidden, eps)
        self.feed_forward = GatedFeedForward(spec, numerics)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class GroupedQueryAttention(nn.Module):
    """Causal attention of A query heads to G heads of keys and values, turned by position.

    Query head i attends to key head i // (A / G).
    """

    def __init__(self, spec: LlamaSpec, rope_theta: float) -> None:
        super().__init__()
        heads, groups = spec.num_attention_heads, spec.num_key_value_heads
        self.heads = [heads, groups, groups]
        self.head_dim = spec.head_dim
        self.rope_theta = rope_theta
        self.query_key_value = dense(spec.hidden_size, sum(self.heads) * self.head_dim)
        self.output = dense(heads * self.head_dim, spec.hidden_size)

    def forward(self, x: Tensor) -> Tensor:
        # (B, S, heads · K) to (B, heads, S, K).
        heads = self.query_key_value(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
        query, key, value = heads.split(self.heads, dim=1)
        query, key = (rotated(part, self.rope_theta) for part in (query, key))
        attended = functional.scaled_dot_product_attention(
            query, key, value, is_causal=True, enable_gqa=True
        )
        return self.output(attended.transpose(1, 2).flatten(2))


class GatedFeedForward(nn.Module):
    """SwiGLU: ``down(silu(gate(x)) · up(x))``."""

    def __init__(self, spec: LlamaSpec, numerics: Numerics) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[numerics.hidden_act]
        self.gate_up = dense(spec.hidden_size, 2 * spec.intermediate_size)
        self.down = dense(spec.intermediate_size, spec.hidden_size)

    def forward(self, x: Tensor) -> Tensor:
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down(self.activation(gate) * up)


def rotated(x: Tensor, theta: float) -> Tensor:
    """Apply rotary positions to (B, heads, S, K): features i and i + K/2 are turned as a pair.

    That is Hugging Face's order; Meta's code pairs neighbours, under weights permuted to
    match. The pair i turns by theta^(−2i/K) from one position to the next.

    Source: Su et al. 2021, arXiv:2104.09864, section 3.4.2.
    """
    first, second = x.chunk(2, dim=-1)
    pairs = first.shape[-1]
    speeds = theta ** (-torch.arange(pairs, dtype=x.dtype) / pairs)
    angles = torch.outer(torch.arange(x.shape[-2], dtype=x.dtype), speeds)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
