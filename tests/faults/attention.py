"""Self-attention with adjustable mistakes, in place of ``nn.MultiheadAttention``."""

from __future__ import annotations

from collections.abc import Collection

import torch
from torch import Tensor, nn
from torch.nn import functional

from paramproof.formulas import EncoderSpec


class Attention(nn.Module):
    """Multi-head self-attention with the names that ``nn.MultiheadAttention`` uses.

    ``widths`` are those of query, keys and values: each H unless the mistake changes them;
    ``biases`` are the projections that have one. With a width of 0 for the values, the keys serve
    as values. ``scale`` multiplies the scores in place of 1/√K.
    """

    def __init__(
        self,
        spec: EncoderSpec,
        *,
        widths: tuple[int, int, int] | None = None,
        biases: Collection[str] = ("query", "key", "value"),
        scale: float | None = None,
    ) -> None:
        super().__init__()
        hidden, self.heads = spec.hidden_size, spec.num_attention_heads
        self.scale = scale
        self.widths = widths or (hidden, hidden, hidden)
        self.biased = [name in biases for name in ("query", "key", "value")]
        biased = sum(width for width, has in zip(self.widths, self.biased, strict=True) if has)
        self.head_size = self.widths[0] // self.heads
        self.in_proj_weight = nn.Parameter(torch.empty(sum(self.widths), hidden))
        self.in_proj_bias = nn.Parameter(torch.empty(biased)) if biased else None
        self.out_proj = nn.Linear(self.widths[0], hidden)
        nn.init.xavier_uniform_(self.in_proj_weight)
        # nn.TransformerEncoderLayer checks this before it takes its fast path.
        self.batch_first, self._qkv_same_embed_dim = True, False
        self.num_heads = self.heads

    def forward(self, x: Tensor, *_: Tensor, key_padding_mask: Tensor, **__) -> tuple[Tensor, None]:
        projected = functional.linear(x, self.in_proj_weight, self._bias())
        query, key, value = self._parts(projected)
        value = value if self.widths[2] else key
        mask = key_padding_mask[:, None, None, :]
        query, key, value = self._split(query), self._split(key), self._split(value)
        heads = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, scale=self.scale
        )
        return self.out_proj(heads.transpose(1, 2).flatten(2)), None

    def _parts(self, projected: Tensor) -> tuple[Tensor, ...]:
        """Return query, key and value, side by side."""
        return projected.split(self.widths, dim=-1)

    def _split(self, x: Tensor) -> Tensor:
        """Reshape (B, S, n·K) to (B, A, S, K); a single head is shared by all."""
        heads = x.unflatten(-1, (-1, self.head_size)).transpose(1, 2)
        return heads.expand(-1, self.heads, -1, -1)

    def _bias(self) -> Tensor | None:
        if self.in_proj_bias is None:
            return None
        projections = list(zip(self.widths, self.biased, strict=True))
        there = iter(self.in_proj_bias.split([width for width, has in projections if has]))
        parts = [
            next(there) if has else self.in_proj_bias.new_zeros(width) for width, has in projections
        ]
        return torch.cat(parts)


class Swapped(Attention):
    """Take the first part for the key and the second for the query."""

    def _parts(self, projected: Tensor) -> tuple[Tensor, ...]:
        key, query, value = super()._parts(projected)
        return query, key, value


class Interleaved(Attention):
    """Split as (K, A) although the columns are (A, K)."""

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.head_size, self.heads)).permute(0, 3, 1, 2)
