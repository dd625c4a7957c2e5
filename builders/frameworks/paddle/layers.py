"""Layers that several models share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import paddle
from paddle import Tensor, nn
from paddle.nn import functional

from paramproof.formulas.spec import EncoderDecoderSpec, EncoderSpec, GPTSpec, Numerics

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "gelu_new": partial(functional.gelu, approximate=True),
    "relu": functional.relu,
    "silu": functional.silu,
}


def layer(
    kind: type[nn.Layer],
    spec: EncoderSpec | EncoderDecoderSpec | GPTSpec,
    numerics: Numerics,
    bias_attr: Sequence[bool | None] | None = None,
    normalize_before: bool = False,
) -> Any:
    """Return one of Paddle's Transformer layers, of the sizes of ``spec`` and without dropout.

    ``bias_attr`` has False for each part, in Paddle's order, whose Linear layers have no biases.
    """
    made: Any = kind(
        spec.hidden_size,
        spec.num_attention_heads,
        spec.intermediate_size,
        dropout=0.0,
        normalize_before=normalize_before,
        bias_attr=bias_attr,
        layer_norm_eps=numerics.layer_norm_eps,
    )
    # The constructor takes the name of a function, and so no GELU by tanh.
    made.activation = ACTIVATIONS[numerics.hidden_act]
    return made


class LanguageHead(nn.Layer):
    """Probabilities of every token, without a bias.

    Tied, it multiplies by the token table (V, H), which a ``nn.Linear`` of (H, V) cannot share.
    """

    def __init__(self, vocab_size: int, hidden_size: int, tied: bool) -> None:
        super().__init__()
        self.projection = None if tied else nn.Linear(hidden_size, vocab_size, bias_attr=False)

    def forward(self, x: Tensor, tokens: nn.Embedding) -> Tensor:
        scores = attend(tokens, x) if self.projection is None else self.projection(x)
        return functional.softmax(scores)


def attend(tokens: nn.Embedding, x: Tensor) -> Tensor:
    """Return ``x`` (…, H) times the transposed token table: a score for each of V tokens."""
    return paddle.matmul(x, tokens.weight, transpose_y=True)


def causal(length: int) -> Tensor:
    """Return the mask (S, S) that is True where a key is not later than the query."""
    return paddle.ones([length, length], dtype="bool").tril()
