"""What several models are made of."""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx
from mlx import nn

from paramproof.formulas.spec import EncoderDecoderSpec, EncoderSpec, GPTSpec, Numerics

ACTIVATIONS: dict[str, Callable[[mx.array], mx.array]] = {
    "gelu": nn.gelu,
    "gelu_new": nn.gelu_approx,
    "relu": nn.relu,
    "silu": nn.silu,
}

CAUSAL = "causal"
"""The mask under which each position sees none after it, as MLX's attention calls it."""


class EncoderLayer(nn.TransformerEncoderLayer):
    """MLX's, which takes neither biases for its attention nor an epsilon for its norms."""

    def __init__(
        self,
        spec: EncoderSpec | EncoderDecoderSpec | GPTSpec,
        numerics: Numerics,
        *,
        norm_first: bool = False,
        attention_bias: bool = True,
    ) -> None:
        hidden, eps = spec.hidden_size, numerics.layer_norm_eps
        super().__init__(
            hidden,
            spec.num_attention_heads,
            spec.intermediate_size,
            activation=ACTIVATIONS[numerics.hidden_act],
            norm_first=norm_first,
        )
        self.attention = nn.MultiHeadAttention(
            hidden, spec.num_attention_heads, bias=attention_bias
        )
        self.ln1, self.ln2 = nn.LayerNorm(hidden, eps), nn.LayerNorm(hidden, eps)


class LanguageHead(nn.Module):
    """Probabilities of every token: the token table itself if it is tied, or a kernel of its own.

    MLX ties by ``Embedding.as_linear``. An array that two modules hold stays tied only until one
    of them is updated.
    """

    def __init__(self, hidden: int, tokens: int, tied: bool) -> None:
        super().__init__()
        if not tied:
            self.own = nn.Linear(hidden, tokens, bias=False)

    def __call__(self, x: mx.array, words: nn.Embedding) -> mx.array:
        logits = self.own(x) if "own" in self else words.as_linear(x)
        return mx.softmax(logits, axis=-1)


def at_keys(mask: mx.array) -> mx.array:
    """Return the mask of an attention, (B, 1, 1, S), for one of tokens, (B, S): True attends."""
    return mask[:, None, None, :]
