"""LLaMA from ``nn.RMSNorm``, ``nn.Linear``, ``nn.RoPE`` and MLX's fast attention.

``nn.MultiHeadAttention`` has neither rotary positions nor grouped queries.
"""

from __future__ import annotations

from functools import partial

import mlx.core as mx
from mlx import nn

from paramproof.builders.frameworks.mlx.layers import ACTIVATIONS, CAUSAL, LanguageHead
from paramproof.builders.frameworks.mlx.names import names
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
    **names.decoder("lm_head.own", "lm_head"),
}

dense = partial(nn.Linear, bias=False)


class Llama(nn.Module):
    """LLaMA, pre-norm, without a bias anywhere."""

    names = NAMES

    def __init__(self, spec: LlamaSpec, numerics: Numerics, *, drawn: bool) -> None:
        super().__init__()
        hidden = spec.hidden_size
        self.word_embeddings = nn.Embedding(spec.vocab_size, hidden)
        self.layers = [Layer(spec, numerics) for _ in range(spec.num_hidden_layers)]
        self.final_norm = nn.RMSNorm(hidden, numerics.layer_norm_eps)
        self.lm_head = LanguageHead(hidden, spec.vocab_size, spec.tie_word_embeddings)

    def __call__(self, ids: mx.array) -> dict[str, mx.array]:
        x = self.word_embeddings(ids)
        for layer in self.layers:
            x = layer(x)
        x = self.final_norm(x)
        return {"sequence": x, "lm": self.lm_head(x, self.word_embeddings)}


class Layer(nn.Module):
    """Attention and feed-forward network, each of the norm of its input, and added to it."""

    def __init__(self, spec: LlamaSpec, numerics: Numerics) -> None:
        super().__init__()
        hidden, eps = spec.hidden_size, numerics.layer_norm_eps
        self.attention_norm = nn.RMSNorm(hidden, eps)
        self.attention = GroupedQueryAttention(spec, numerics.rope_theta)
        self.feed_forward_norm = nn.RMSNorm(hidden, eps)
        self.feed_forward = GatedFeedForward(spec, numerics)

    def __call__(self, x: mx.array) -> mx.array:
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class GroupedQueryAttention(nn.Module):
    """Causal attention of A query heads to G heads of keys and values, turned by position.

    Query head i attends to key head i // (A / G). ``nn.RoPE`` turns features i and i + K/2 as a
    pair, which is Hugging Face's order, by theta^(−2i/K) from one position to the next.

    Source: Su et al. 2021, arXiv:2104.09864, section 3.4.2.
    """

    def __init__(self, spec: LlamaSpec, rope_theta: float) -> None:
        super().__init__()
        heads, groups, width = spec.num_attention_heads, spec.num_key_value_heads, spec.head_dim
        self.query_proj = dense(spec.hidden_size, heads * width)
        self.key_proj = dense(spec.hidden_size, groups * width)
        self.value_proj = dense(spec.hidden_size, groups * width)
        self.out_proj = dense(heads * width, spec.hidden_size)
        self.rope = nn.RoPE(width, base=rope_theta)
        self.head_dim = width

    def __call__(self, x: mx.array) -> mx.array:
        query, key = (self.rope(self.heads(part(x))) for part in (self.query_proj, self.key_proj))
        attended = mx.fast.scaled_dot_product_attention(
            query, key, self.heads(self.value_proj(x)), scale=self.head_dim**-0.5, mask=CAUSAL
        )
        return self.out_proj(attended.transpose(0, 2, 1, 3).flatten(-2, -1))

    def heads(self, x: mx.array) -> mx.array:
        """Return (B, S, heads · K) as (B, heads, S, K)."""
        return mx.unflatten(x, -1, (-1, self.head_dim)).transpose(0, 2, 1, 3)


class GatedFeedForward(nn.Module):
    """SwiGLU: ``down(silu(gate(x)) · up(x))``."""

    def __init__(self, spec: LlamaSpec, numerics: Numerics) -> None:
        super().__init__()
        hidden, inner = spec.hidden_size, spec.intermediate_size
        self.activation = ACTIVATIONS[numerics.hidden_act]
        self.gate, self.up = dense(hidden, inner), dense(hidden, inner)
        self.down = dense(inner, hidden)

    def __call__(self, x: mx.array) -> mx.array:
        return self.down(self.activation(self.gate(x)) * self.up(x))
