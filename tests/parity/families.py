"""Cases for the families after BERT: a few specs that cover every option."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from paramproof.formulas import EncoderDecoderSpec, GPTSpec, LlamaSpec, Spec
from tests.parity.cases import SEQUENCES, Case

Array = Any

GPT = {
    "vocab_size": 11,
    "hidden_size": 6,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 5,
    "max_position_embeddings": 7,
}
LLAMA = {
    "vocab_size": 11,
    "hidden_size": 6,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "head_dim": 4,
    "intermediate_size": 5,
}
TRANSFORMER = {
    "vocab_size": 11,
    "hidden_size": 6,
    "num_encoder_layers": 2,
    "num_decoder_layers": 1,
    "num_attention_heads": 3,
    "intermediate_size": 5,
    "max_position_embeddings": 7,
}
GROUPED = "llama, grouped queries"
"""The LLaMA for all frameworks: in Hugging Face's configuration heads must divide the width."""

SPECS: dict[str, Spec] = {
    "gpt": GPTSpec(**GPT),
    "gpt, untied": GPTSpec(**GPT, tie_word_embeddings=False),
    "llama": LlamaSpec(**LLAMA),
    "llama, tied": LlamaSpec(**LLAMA, num_key_value_heads=1, tie_word_embeddings=True),
    GROUPED: LlamaSpec(**LLAMA | {"hidden_size": 8}, num_key_value_heads=2),
    "transformer": EncoderDecoderSpec(**TRANSFORMER),
    "transformer, two vocabularies": EncoderDecoderSpec(
        **TRANSFORMER, target_vocab_size=9, share_embeddings=False, attention_bias=False
    ),
    "transformer, three tables": EncoderDecoderSpec(
        **TRANSFORMER, share_embeddings=False, tie_word_embeddings=False, learned_positions=True
    ),
}


@dataclass(frozen=True)
class DecoderCase(Case):
    """One comparison for a model that predicts the next token. Only the source is padded."""

    spec: Any

    @cached_property
    def inputs(self) -> tuple[Array, ...]:
        """Return ids; for a Transformer, source ids, their mask, and target ids."""
        random = np.random.default_rng([self.seed, 2])
        ids = random.integers(1, self.spec.vocab_size, (SEQUENCES, self.tokens), dtype="int32")
        if not isinstance(self.spec, EncoderDecoderSpec):
            return (ids,)
        ids[1, 1] = ids[0, -1] = 0
        shape = SEQUENCES, self.tokens - 1
        return ids, ids != 0, random.integers(0, self.spec.target_vocab_size, shape, dtype="int32")

    @property
    def mask(self) -> Array:
        """Return (B, S), True everywhere."""
        return np.ones(self.inputs[-1].shape, dtype=bool)

    @cached_property
    def cotangents(self) -> dict[str, Array]:
        """Return standard normal cotangents by kind of output."""
        random = np.random.default_rng([self.seed, 3])
        vocab = getattr(self.spec, "target_vocab_size", self.spec.vocab_size)
        sizes = {"sequence": self.spec.hidden_size, "lm": vocab}
        shape = self.inputs[-1].shape
        return {k: random.standard_normal((*shape, n), self.dtype) for k, n in sizes.items()}
