"""PyTorch's own layers: ``nn.TransformerEncoderLayer`` and ``…DecoderLayer``, ``nn.RMSNorm``.

Not ``nn.TransformerEncoder``, whose forward raises without layers, nor ``nn.Transformer``, which
puts a norm at the end of either stack. ``nn.MultiheadAttention`` has neither rotary positions nor
grouped queries, so LLaMA's is composed. As in its ``in_proj``, what reads the same input is one
projection there: q, k and v, and gate and up.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from paramproof.builders import composition
from paramproof.builders.names import ModuleNames, NameTable, Storage
from paramproof.formulas.spec import EncoderDecoderSpec, EncoderSpec


class TorchNames(ModuleNames):
    """Names in PyTorch, with one tensor for what reads the same input."""

    def attention(self, native: str, canonical: str) -> NameTable:
        # Parameters of the module itself, so a bar stands where there is a dot.
        return {
            **fused(f"{native}.in_proj_", canonical, "query", "key", "value"),
            **self.dense(f"{native}.out_proj", f"{canonical}.output"),
        }

    def grouped_attention(self, native: str, canonical: str) -> NameTable:
        return {
            **fused(f"{native}.query_key_value.", canonical, "query", "key", "value"),
            **self.dense(f"{native}.output", f"{canonical}.output"),
        }

    def gated_feed_forward(self, native: str, canonical: str) -> NameTable:
        return {
            **fused(f"{native}.gate_up.", canonical, "gate", "up"),
            **self.dense(f"{native}.down", f"{canonical}.down"),
        }


def fused(native: str, canonical: str, *parts: str) -> NameTable:
    """Return the names of a weight and a bias that hold several dense layers of the same input."""
    kernels, biases = ([f"{canonical}.{part}.{x}" for part in parts] for x in ("kernel", "bias"))
    return {
        f"{native}weight": Storage(tuple(kernels), ("transposed",)),
        f"{native}bias": Storage(tuple(biases)),
    }


NAMES = TorchNames(
    transposed=True,
    parts=("self_attn", "norm1", "linear1", "linear2", "norm2"),
    decoder_attention="self_attn",
    cross_attention="multihead_attn",
    decoder_norms=("norm2", "norm3"),
    mlm_head="mlm_",
).families()


ACTIVATIONS = {
    "gelu": functional.gelu,
    "gelu_new": partial(functional.gelu, approximate="tanh"),
    "relu": functional.relu,
    "silu": functional.silu,
}


class Module(composition.Operations, nn.Module):
    """The base of composed models in PyTorch: how they run, with its operations and masks."""

    arange = staticmethod(torch.arange)
    tanh = staticmethod(torch.tanh)
    softmax = staticmethod(partial(torch.softmax, dim=-1))

    def forward(self, *inputs: Tensor) -> Any:
        return self.run(*inputs)

    def run_encoder(self, layers: nn.ModuleList, x: Tensor, mask: Tensor) -> Tensor:
        # PyTorch's mask is True where a key is to be ignored.
        return self.run_layers(layers, x, src_key_padding_mask=~mask)

    def run_causal(self, layers: nn.ModuleList, x: Tensor) -> Tensor:
        return self.run_layers(layers, x, src_mask=later(x.shape[1]), is_causal=True)

    def run_decoder(self, layers: nn.ModuleList, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        masks = {"tgt_mask": later(x.shape[1]), "memory_key_padding_mask": ~mask}
        return self.run_layers(layers, x, memory=memory, **masks)


def later(tokens: int) -> Tensor:
    """Return a mask, (S, S), that is True where a key comes later and must be ignored."""
    return torch.ones(tokens, tokens, dtype=torch.bool).triu(1)


class Parts(composition.Parts):
    """Makes PyTorch's layers."""

    module = Module
    nn = nn
    activations = ACTIVATIONS

    def stack(self, layers: int, make: Callable[[], nn.Module]) -> nn.ModuleList:
        return nn.ModuleList(make() for _ in range(layers))

    def positions(self) -> nn.Embedding:
        """Return learned positions, or sinusoids in a table that is frozen."""
        shape = self.spec.max_position_embeddings, self.spec.hidden_size
        if self.spec.learned_positions:
            return nn.Embedding(*shape)
        # Computing no values would take PyTorch seconds.
        table = torch.empty(*shape)
        known = table if table.is_meta else torch.as_tensor(composition.sinusoids(*shape))
        return nn.Embedding.from_pretrained(known)

    def lm_head(self, words: nn.Embedding, vocab_size: int) -> nn.Linear:
        head = self.linear(self.spec.hidden_size, vocab_size, bias=False)
        if self.spec.tie_word_embeddings:
            head.weight = words.weight
        return head

    def layer(self, kind: type[nn.Module], **options: Any) -> Any:
        return kind(
            self.spec.hidden_size,
            self.spec.num_attention_heads,
            self.spec.intermediate_size,
            dropout=0.0,
            activation=self.activation,
            layer_norm_eps=self.eps,
            batch_first=True,
            **options,
        )

    def encoder_layer(self) -> nn.TransformerEncoderLayer:
        made = self.layer(nn.TransformerEncoderLayer)
        if isinstance(self.spec, EncoderDecoderSpec):
            made.self_attn = self.attention()
        return made

    def gpt_layer(self) -> nn.TransformerEncoderLayer:
        return self.layer(nn.TransformerEncoderLayer, norm_first=True)

    def decoder_layer(self) -> nn.TransformerDecoderLayer:
        made = self.layer(nn.TransformerDecoderLayer)
        made.self_attn, made.multihead_attn = self.attention(), self.attention()
        return made

    def attention(self) -> nn.MultiheadAttention:
        """Return attention with biases or without, which a layer has everywhere or nowhere."""
        width, heads = self.spec.hidden_size, self.spec.num_attention_heads
        return nn.MultiheadAttention(width, heads, bias=self.attention_bias, batch_first=True)

    def grouped_attention(self) -> GroupedQueryAttention:
        return GroupedQueryAttention(self)

    def gated_feed_forward(self) -> GatedFeedForward:
        return GatedFeedForward(self)


class GroupedQueryAttention(nn.Module):
    """Causal attention of A query heads to G heads of keys and values, turned by position.

    Query head i attends to key head i // (A / G).
    """

    def __init__(self, own: Parts) -> None:
        super().__init__()
        heads, groups = own.spec.num_attention_heads, own.spec.num_key_value_heads
        self.heads = [heads, groups, groups]
        self.head_dim = own.spec.head_dim
        self.rope_theta = own.theta
        width = sum(self.heads) * self.head_dim
        self.query_key_value = own.linear(own.spec.hidden_size, width, bias=False)
        self.output = own.linear(heads * self.head_dim, own.spec.hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        # (B, S, heads · K) to (B, heads, S, K).
        heads = self.query_key_value(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
        query, key, value = heads.split(self.heads, dim=1)
        query, key = self.rotated(query), self.rotated(key)
        attended = functional.scaled_dot_product_attention(
            query, key, value, is_causal=True, enable_gqa=True
        )
        return self.output(attended.transpose(1, 2).flatten(2))

    def rotated(self, x: Tensor) -> Tensor:
        """Turn features i and i + K/2 as a pair.

        That is Hugging Face's order; Meta's code pairs neighbours, under weights permuted to match.
        """
        angles = composition.rotary_angles(x.shape[-2], self.head_dim, self.rope_theta)
        angles = torch.as_tensor(angles, dtype=x.dtype)
        first, second = x.chunk(2, dim=-1)
        cos, sin = angles.cos(), angles.sin()
        return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)


class GatedFeedForward(nn.Module):
    """SwiGLU: ``down(silu(gate(x)) · up(x))``."""

    def __init__(self, own: Parts) -> None:
        super().__init__()
        hidden, inner = own.spec.hidden_size, own.spec.intermediate_size
        self.activation = own.activation
        self.gate_up = own.linear(hidden, 2 * inner, bias=False)
        self.down = own.linear(inner, hidden, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down(self.activation(gate) * up)


class Encoder(composition.Encoder, Module):
    """BERT, whose head for masked tokens holds the token table itself if it is tied."""

    parts = Parts
    names = NAMES[EncoderSpec]

    def add_mlm_head(self, own: Parts) -> None:
        if self.has_mlm_head:
            hidden, vocab_size = own.spec.hidden_size, own.spec.vocab_size
            self.activation = own.activation
            self.mlm_dense = own.linear(hidden, hidden)
            self.mlm_norm = own.norm()
            self.mlm_decoder = own.linear(hidden, vocab_size)
            if own.spec.tie_word_embeddings:
                self.mlm_decoder.weight = self.word_embeddings.weight

    def mlm_scores(self, x: Tensor) -> Tensor:
        return self.mlm_decoder(self.mlm_norm(self.activation(self.mlm_dense(x))))


MODULES = composition.families(Parts, NAMES) | {EncoderSpec: Encoder}
