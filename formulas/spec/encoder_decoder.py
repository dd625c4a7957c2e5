"""The spec of the Transformer of 2017, encoder and decoder: its sizes and what is tied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

from paramproof.formulas.spec.drawing import Choices, Ranges
from paramproof.formulas.spec.numerics import Numerics
from paramproof.formulas.spec.quantity import Indicator, Layers, Quantity, Rows, Width
from paramproof.formulas.spec.validation import (
    DERIVED,
    fill_default,
    require,
    require_fields,
    require_heads,
)


class EncoderDecoderLetters(NamedTuple):
    """The letters of the encoder-decoder's formulas. The last four are indicators, 0 or 1."""

    N: Layers
    """num_encoder_layers"""
    M: Layers
    """num_decoder_layers"""
    H: Width
    """hidden_size"""
    A: Width
    """num_attention_heads"""
    F: Width
    """intermediate_size"""
    V: Rows
    """vocab_size, of the source"""
    U: Rows
    """target_vocab_size"""
    P: Rows
    """max_position_embeddings"""
    shared: Indicator = 1
    learned: Indicator = 0
    bias: Indicator = 1
    untied: Indicator = 0

    @property
    def head_size(self) -> Quantity:
        """Width of one attention head, K = H / A."""
        return self.H // self.A


@dataclass(frozen=True, kw_only=True, slots=True)
class EncoderDecoderSpec:
    """A Transformer of 2017: norms after the residual sums, and no final norms.

    Sizes are ints from 1 up, the numbers of layers from 0 up. ``target_vocab_size`` defaults to
    ``vocab_size``. ``share_embeddings`` ties the decoder's token table to the encoder's, and
    ``tie_word_embeddings`` the output projection, which has no bias, to the decoder's token table.
    ``learned_positions`` gives each side a trained table; otherwise positions are fixed sinusoids
    in tables of the same shape, which are never counted as trainable. ``attention_bias`` gives a
    bias to each projection of the attention.

    Raises ``ValueError``, naming field and value, for a spec that no framework can build.

    Source: Vaswani et al. 2017, arXiv:1706.03762, section 3. The paper and its code
    (tensorflow/tensor2tensor) have ``attention_bias=False``; many later implementations have
    biases.
    """

    family: ClassVar[str] = "encoder-decoder"
    original_numerics: ClassVar[Numerics] = Numerics(layer_norm_eps=1e-6, hidden_act="relu")
    """Source: tensorflow/tensor2tensor, layers/common_layers.py, layer_norm, dense_relu_dense."""
    ranges: ClassVar[Ranges] = {
        "num_encoder_layers": (0, 3),
        "num_decoder_layers": (0, 3),
        "target_vocab_size": (1, 600),
    }

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

    @classmethod
    def drawn(cls, choices: Choices) -> Self:
        """Return a random spec. Two tables with equally many rows are a case of their own."""
        sizes = choices.sizes(
            "num_encoder_layers",
            "num_decoder_layers",
            "num_attention_heads",
            "head_size",
            "intermediate_size",
            "vocab_size",
            "max_position_embeddings",
        )
        vocabularies = choices.choose("one table, two, two of one size", 0, 2)
        own = choices.size("target_vocab_size") if vocabularies == 1 else sizes["vocab_size"]
        return cls(
            hidden_size=sizes["num_attention_heads"] * sizes.pop("head_size"),
            target_vocab_size=own,
            share_embeddings=not vocabularies,
            tie_word_embeddings=choices.tied(),
            learned_positions=choices.flag("learned_positions"),
            attention_bias=choices.flag("attention_bias"),
            **sizes,
        )

    @property
    def head_size(self) -> int:
        """Width of one attention head, K = H / A."""
        return self.hidden_size // self.num_attention_heads

    def letters(self) -> EncoderDecoderLetters:
        """Return the letters of the formulas with the values of this spec."""
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
            learned=int(self.learned_positions),
            bias=int(self.attention_bias),
            untied=int(not self.tie_word_embeddings),
        )
