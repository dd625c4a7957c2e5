"""The spec of BERT's encoder: its sizes and parts, named as in its ``config.json``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

from paramproof.formulas.spec.drawing import Choices, Ranges
from paramproof.formulas.spec.numerics import Numerics
from paramproof.formulas.spec.quantity import Indicator, Layers, Quantity, Rows, Width
from paramproof.formulas.spec.validation import require, require_fields, require_heads


class EncoderLetters(NamedTuple):
    """The letters of BERT's formulas.

    The last four are indicators, 0 or 1. ``untied`` is 1 only if ``mlm`` is.
    """

    L: Layers
    """num_hidden_layers"""
    H: Width
    """hidden_size"""
    A: Width
    """num_attention_heads"""
    F: Width
    """intermediate_size"""
    V: Rows
    """vocab_size"""
    P: Rows
    """max_position_embeddings"""
    T: Rows
    """type_vocab_size"""
    pooler: Indicator = 1
    mlm: Indicator = 0
    untied: Indicator = 0
    nsp: Indicator = 0

    @property
    def head_size(self) -> Quantity:
        """Width of one attention head, K = H / A."""
        return self.H // self.A


@dataclass(frozen=True, kw_only=True, slots=True)
class EncoderSpec:
    """A BERT encoder: embeddings, layers, and optionally a pooler and heads.

    Sizes are ints from 1 up, ``num_hidden_layers`` from 0 up. The MLM head is a dense
    layer, a norm and a decoder with one bias per token; the decoder's matrix is tied to
    the token table (``tie_word_embeddings``) or untied. The NSP head reads the pooled
    output, so it needs the pooler.

    Raises ``ValueError``, naming field and value, for a spec that no framework can build.

    Source: Devlin et al. 2018, arXiv:1810.04805, section 3; field names as in the
    ``config.json`` of the released models.
    """

    family: ClassVar[str] = "encoder"
    original_numerics: ClassVar[Numerics] = Numerics()
    """Source: google-research/bert, modeling.py, of 2018. In 2019 the tanh approximation replaced
    the error function. The epsilon is that of tf.contrib.layers.layer_norm."""
    ranges: ClassVar[Ranges] = {"type_vocab_size": (1, 5)}

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    type_vocab_size: int
    pooler: bool = True
    mlm_head: bool = False
    tie_word_embeddings: bool = True
    nsp_head: bool = False

    def __post_init__(self) -> None:
        require_fields(self, from_zero=("num_hidden_layers",))
        require_heads(self.hidden_size, self.num_attention_heads)
        require(
            self.tie_word_embeddings or self.mlm_head,
            "tie_word_embeddings",
            self.tie_word_embeddings,
            "True where mlm_head is False: without that head there is nothing to untie",
        )
        require(
            self.pooler or not self.nsp_head,
            "nsp_head",
            self.nsp_head,
            "False where pooler is False: that head reads the pooled output",
        )

    @classmethod
    def drawn(cls, choices: Choices) -> Self:
        """Return a random spec: an NSP head only with a pooler, untied only with an MLM head."""
        sizes = choices.sizes(
            "num_hidden_layers",
            "num_attention_heads",
            "head_size",
            "intermediate_size",
            "vocab_size",
            "max_position_embeddings",
            "type_vocab_size",
        )
        pooler, mlm_head = choices.flag("pooler"), choices.flag("mlm_head")
        return cls(
            hidden_size=sizes["num_attention_heads"] * sizes.pop("head_size"),
            pooler=pooler,
            mlm_head=mlm_head,
            tie_word_embeddings=not mlm_head or choices.tied(),
            nsp_head=choices.flag("nsp_head", pooler),
            **sizes,
        )

    @property
    def head_size(self) -> int:
        """Width of one attention head, K = H / A."""
        return self.hidden_size // self.num_attention_heads

    def letters(self) -> EncoderLetters:
        """Return the letters of the formulas with the values of this spec."""
        return EncoderLetters(
            L=self.num_hidden_layers,
            H=self.hidden_size,
            A=self.num_attention_heads,
            F=self.intermediate_size,
            V=self.vocab_size,
            P=self.max_position_embeddings,
            T=self.type_vocab_size,
            pooler=int(self.pooler),
            mlm=int(self.mlm_head),
            untied=int(not self.tie_word_embeddings),
            nsp=int(self.nsp_head),
        )
