"""Layers and readings that faults put in place of the right ones; they import PyTorch."""

from dataclasses import replace
from functools import partial

import torch
from torch import nn
from torch.nn import functional

from paramproof.builders.frameworks.torch import TorchModel
from paramproof.formulas import Weight

gelu_by_tanh = partial(functional.gelu, approximate="tanh")


class Transposed(nn.Linear):
    def forward(self, x):
        return functional.linear(x, self.weight.T, self.bias)


class WithoutResidual(nn.TransformerEncoderLayer):
    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        attended = self._sa_block(src, src_mask, src_key_padding_mask)
        return self.norm2(self._ff_block(self.norm1(src + attended)))


class Attention(nn.MultiheadAttention):
    """Self-attention step by step, with the mistakes that the options say."""

    def __init__(self, spec, scale=None, order=(0, 1, 2), interleaved=False):
        super().__init__(spec.hidden_size, spec.num_attention_heads, batch_first=True)
        self.scale, self.order, self.interleaved = scale, order, interleaved
        # nn.TransformerEncoderLayer checks this before it takes its fast path.
        self._qkv_same_embed_dim = False

    def forward(self, x, *_, key_padding_mask, **__):
        projected = functional.linear(x, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)
        query, key, value = (self.heads(projected[part]) for part in self.order)
        mask = key_padding_mask[:, None, None, :]
        attended = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, scale=self.scale
        )
        return self.out_proj(attended.transpose(1, 2).flatten(2)), None

    def heads(self, x):
        """Reshape (B, S, A·K) to (B, A, S, K); interleaved, the columns are taken for (K, A)."""
        if self.interleaved:
            return x.unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2)
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)


def attend(encoder, spec, **mistake):
    for layer in encoder.layers:
        layer.self_attn = Attention(spec, **mistake)


def project(encoder, spec, rows, biases):
    for attention in (layer.self_attn for layer in encoder.layers):
        old = attention.in_proj_weight
        attention.in_proj_weight = nn.Parameter(old.new_zeros(rows, spec.hidden_size))
        attention.in_proj_bias = nn.Parameter(old.new_zeros(biases))


def resize_tokens(encoder, spec, rows):
    encoder.word_embeddings = nn.Embedding(rows, spec.hidden_size)
    if spec.mlm_head:
        encoder.mlm_decoder = nn.Linear(spec.hidden_size, rows)
        if spec.tie_word_embeddings:
            encoder.mlm_decoder.weight = encoder.word_embeddings.weight


def shifted(module, inputs):
    return tuple(torch.roll(positions, 1) for positions in inputs)


def zeroed(module, inputs):
    return tuple(torch.zeros_like(types) for types in inputs)


def inverted(module, inputs, keywords):
    return inputs, {"src_key_padding_mask": ~keywords["src_key_padding_mask"]}


class ByName(TorchModel):
    def stored(self):
        named = self.module.named_parameters(remove_duplicate=False)
        return [Weight(path, tuple(own.shape), own.requires_grad) for path, own in named]


class WithBuffers(TorchModel):
    def weights(self):
        buffers = self.module.named_buffers()
        return [
            *super().weights(),
            *(Weight(path, tuple(buffer.shape), True, ()) for path, buffer in buffers),
        ]


class AllTrainable(TorchModel):
    def weights(self):
        return [replace(weight, trainable=True) for weight in super().weights()]
