"""The encoder of BERT: its sizes and its parts, under the names of its ``config.json``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from paramproof.formulas.spec.quantity import Quantity
from paramproof.formulas.spec.validation import require, require_fields, require_heads


class EncoderLetters(NamedTuple):
    """The symbols of the formulas.

    The last four are indicators, 0 or 1. ``untied`` is 1 only where ``mlm`` is.
    """

    L: Quantity
    """num_hidden_layers"""
    H: Quantity
    """hidden_size"""
    A: Quantity
    """num_attention_heads"""
    F: Quantity
    """intermediate_size"""
    V: Quantity
    """vocab_size"""
    P: Quantity
    """max_position_embeddings"""
    T: Quantity
    """type_vocab_size"""
    pooler: Quantity = 1
    mlm: Quantity = 0
    untied: Quantity = 0
    nsp: Quantity = 0

    @property
    def head_size(self) -> Quantity:
        """Width of one attention head, K = H / A."""
        return self.H // self.A


@dataclass(frozen=True, kw_only=True, slots=True)
class EncoderSpec:
    """A BERT encoder: embeddings, layers, and the heads that are asked for.

    Sizes are ints from 1 up, ``num_hidden_layers`` from 0 up. The MLM head is a dense
    layer, a norm and a decoder with one bias per token; the decoder's matrix is the
    token table itself (``tie_word_embeddings``) or one of its own. The NSP head reads
    the pooled output, so it needs the pooler.

    Raises ``ValueError``, naming field and value, for a spec no framework can build.

    Source: Devlin et al. 2018, arXiv:1810.04805, section 3; field names as in the
    ``config.json`` of the released models.
    """

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

    @property
    def head_size(self) -> int:
        """Width of one attention head, K = H / A."""
        return self.hidden_size // self.num_attention_heads

    def letters(self) -> EncoderLetters:
        """This spec in the symbols of the formulas."""
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
