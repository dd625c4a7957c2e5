"""The Transformer of 2017, encoder and decoder: its sizes and what is shared in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from paramproof.formulas.spec.quantity import Quantity
from paramproof.formulas.spec.validation import (
    DERIVED,
    fill_default,
    require,
    require_fields,
    require_heads,
)


class EncoderDecoderLetters(NamedTuple):
    """The symbols of the encoder-decoder's formulas. The last four are indicators, 0 or 1."""

    N: Quantity
    """num_encoder_layers"""
    M: Quantity
    """num_decoder_layers"""
    H: Quantity
    """hidden_size"""
    A: Quantity
    """num_attention_heads"""
    F: Quantity
    """intermediate_size"""
    V: Quantity
    """vocab_size, of the source"""
    U: Quantity
    """target_vocab_size"""
    P: Quantity
    """max_position_embeddings"""
    shared: Quantity = 1
    untied: Quantity = 0
    learned: Quantity = 0
    bias: Quantity = 1

    @property
    def head_size(self) -> Quantity:
        """Width of one attention head, K = H / A."""
        return self.H // self.A


@dataclass(frozen=True, kw_only=True, slots=True)
class EncoderDecoderSpec:
    """A Transformer of 2017: norms after the residual sums, and none at the end of a stack.

    Sizes are ints from 1 up, the numbers of layers from 0 up. Without ``target_vocab_size``
    both sides have as many tokens. ``share_embeddings``: the decoder's token table is the
    encoder's. ``tie_word_embeddings``: the output projection is the decoder's token table;
    it has no bias. ``learned_positions`` are two trained tables; otherwise the positions are
    fixed sinusoids, of as many entries and never counted as trainable. ``attention_bias``
    gives a bias to each of the attention's projections.

    Raises ``ValueError``, naming field and value, for a spec no framework can build.

    Source: Vaswani et al. 2017, arXiv:1706.03762, section 3. The paper and its code
    (tensorflow/tensor2tensor) have ``attention_bias=False``; many an implementation since
    has biases.
    """

    vocab_size: int
    target_vocab_size: int = DERIVED
    hidden_size: int
    num_encoder_layers: int
    num_decoder_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    share_embeddings: bool = True
    tie_word_embeddings: bool = True
    learned_positions: bool = False
    attention_bias: bool = True

    def __post_init__(self) -> None:
        fill_default(self, "target_vocab_size", self.vocab_size)
        require_fields(self, from_zero=("num_encoder_layers", "num_decoder_layers"))
        require_heads(self.hidden_size, self.num_attention_heads)
        require(
            not self.share_embeddings or self.vocab_size == self.target_vocab_size,
            "share_embeddings",
            self.share_embeddings,
            f"False where vocab_size={self.vocab_size} and "
            f"target_vocab_size={self.target_vocab_size} differ",
        )

    @property
    def head_size(self) -> int:
        """Width of one attention head, K = H / A."""
        return self.hidden_size // self.num_attention_heads

    def letters(self) -> EncoderDecoderLetters:
        """This spec in the symbols of the formulas."""
        return EncoderDecoderLetters(
            N=self.num_encoder_layers,
            M=self.num_decoder_layers,
            H=self.hidden_size,
            A=self.num_attention_heads,
            F=self.intermediate_size,
            V=self.vocab_size,
            U=self.target_vocab_size,
            P=self.max_position_embeddings,
            shared=int(self.share_embeddings),
            untied=int(not self.tie_word_embeddings),
            learned=int(self.learned_positions),
            bias=int(self.attention_bias),
        )
