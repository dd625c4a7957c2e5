"""MLX's own layers: ``nn.TransformerEncoderLayer``, ``…DecoderLayer``, ``nn.RMSNorm``, ``nn.RoPE``.

Not ``nn.TransformerEncoder`` or ``nn.Transformer``, whose stacks end in a norm. The layers take
neither biases for their attention nor an epsilon for their norms, so these are made anew.
``nn.MultiHeadAttention`` has neither rotary positions nor grouped queries.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import mlx.core as mx
from mlx import nn

from paramproof.builders import composition
from paramproof.builders.names import ModuleNames
from paramproof.formulas.spec import Numerics

NAMES = ModuleNames(
    transposed=True,
    projections=("query_proj", "key_proj", "value_proj", "out_proj"),
    parts=("attention", "ln1", "linear1", "linear2", "ln2"),
    decoder_attention="self_attention",
    decoder_norms=("ln2", "ln3"),
).families()

CAUSAL = "causal"
"""The mask under which each position sees none after it, as MLX's attention calls it."""


ACTIVATIONS = {
    "gelu": nn.gelu,
    "gelu_new": nn.gelu_approx,
    "relu": nn.relu,
    "silu": nn.silu,
}


class Module(composition.Operations, nn.Module):
    """The base of composed models in MLX: how they run, with its operations and masks."""

    arange = staticmethod(mx.arange)
    tanh = staticmethod(mx.tanh)
    softmax = staticmethod(partial(mx.softmax, axis=-1))

    def __call__(self, *inputs: mx.array) -> Any:
        return self.run(*inputs)

    def attend(self, words: nn.Embedding, x: mx.array) -> mx.array:
        return words.as_linear(x)

    def so_far(self, x: mx.array) -> str:
        return CAUSAL


class Parts(composition.Parts):
    """Makes MLX's layers."""

    module = Module
    nn = nn
    activations = ACTIVATIONS

    def __init__(self, spec: Any, numerics: Numerics, *, drawn: bool) -> None:
        super().__init__(spec, numerics)
        self.drawn = drawn

    def positions(self) -> nn.Embedding:
        """Return learned positions, or sinusoids in a frozen table."""
        table = self.table(self.spec.max_position_embeddings)
        if not self.spec.learned_positions:
            if self.drawn:
                # NumPy's, since MLX's own sines are those of float32.
                sinusoids = composition.sinusoids(*table.weight.shape)
                table.weight = mx.array(sinusoids, dtype=mx.float64)
            table.freeze()
        return table

    def share(self, model: nn.Module, name: str, layer: nn.Module) -> None:
        # Not as a submodule: an array of two modules stays tied only until one of them is updated.
        object.__setattr__(model, name, layer)

    def bias(self, module: nn.Module, size: int) -> mx.array:
        return mx.zeros((size,))

    def layer(self, kind: type[nn.Module], norm_first: bool = False) -> Any:
        return kind(
            self.spec.hidden_size,
            self.spec.num_attention_heads,
            self.spec.intermediate_size,
            activation=self.activation,
            norm_first=norm_first,
        )

    def encoder_layer(self, norm_first: bool = False) -> nn.TransformerEncoderLayer:
        made = self.layer(nn.TransformerEncoderLayer, norm_first)
        made.attention = self.attention()
        made.ln1, made.ln2 = self.norm(), self.norm()
        return made

    def gpt_layer(self) -> nn.TransformerEncoderLayer:
        return self.encoder_layer(norm_first=True)

    def decoder_layer(self) -> nn.TransformerDecoderLayer:
        made = self.layer(nn.TransformerDecoderLayer)
        made.self_attention, made.cross_attention = self.attention(), self.attention()
        made.ln1, made.ln2, made.ln3 = self.norm(), self.norm(), self.norm()
        return made

    def attention(self) -> nn.MultiHeadAttention:
        width, heads = self.spec.hidden_size, self.spec.num_attention_heads
        return nn.MultiHeadAttention(width, heads, bias=self.attention_bias)

    def grouped_attention(self) -> GroupedQueryAttention:
        return GroupedQueryAttention(self)


class GroupedQueryAttention(nn.Module):
    """Causal attention of A query heads to G heads of keys and values, turned by position.

    Query head i attends to key head i // (A / G). ``nn.RoPE`` turns features i and i + K/2 as a
    pair, which is Hugging Face's order, by theta^(−2i/K) from one position to the next.

    Source: Su et al. 2021, arXiv:2104.09864, section 3.4.2.
    """

    def __init__(self, own: Parts) -> None:
        super().__init__()
        spec = own.spec
        heads, groups, width = spec.num_attention_heads, spec.num_key_value_heads, spec.head_dim
        self.query_proj = own.linear(spec.hidden_size, heads * width, bias=False)
        self.key_proj = own.linear(spec.hidden_size, groups * width, bias=False)
        self.value_proj = own.linear(spec.hidden_size, groups * width, bias=False)
        self.out_proj = own.linear(heads * width, spec.hidden_size, bias=False)
        self.rope = nn.RoPE(width, base=own.theta)
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


MODULES = composition.families(Parts, NAMES)
