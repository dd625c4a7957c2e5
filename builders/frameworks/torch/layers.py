"""What several models are made of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "gelu_new": partial(functional.gelu, approximate="tanh"),
    "relu": functional.relu,
    "silu": functional.silu,
}


class LanguageHead(nn.Linear):
    """Probabilities of every token: a table (V, H) without a bias, tied or its own."""

    def __init__(self, tokens: nn.Embedding, tied: bool) -> None:
        super().__init__(tokens.embedding_dim, tokens.num_embeddings, bias=False)
        if tied:
            self.weight = tokens.weight

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x).softmax(-1)


def later(tokens: int) -> Tensor:
    """Return a mask, (S, S), that is True where a key comes later and must be ignored."""
    return torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
