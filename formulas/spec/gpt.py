"""The spec of GPT's decoder: its sizes, named as in the other specs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from paramproof.formulas.spec.numerics import Numerics
from paramproof.formulas.spec.quantity import Indicator, Layers, Quantity, Rows, Width
from paramproof.formulas.spec.validation import require_fields, require_heads


class GPTLetters(NamedTuple):
    """The letters of GPT's formulas. The last is an indicator, 0 or 1."""

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
    untied: Indicator = 0

    @property
    def head_size(self) -> Quantity:
        """Width of one attention head, K = H / A."""
        return self.H // self.A


@dataclass(frozen=True, kw_only=True, slots=True)
class GPTSpec:
    """A GPT: learned positions, layers with the norm first, a final norm, a language head.

    Sizes are ints from 1 up, ``num_hidden_layers`` from 0 up. The head's matrix is
    tied to the token table (``tie_word_embeddings``) or untied; it has no bias.

    Raises ``ValueError``, naming field and value, for a spec that no framework can build.

    Source: Radford et al. 2019, Language Models are Unsupervised Multitask Learners, section
    2.3, and openai/gpt-2, src/model.py; GPT-3: Brown et al. 2020, arXiv:2005.14165, table 2.1.
    """

    family: ClassVar[str] = "gpt"
    original_numerics: ClassVar[Numerics] = Numerics(layer_norm_eps=1e-5, hidden_act="gelu_new")
    """Source: openai/gpt-2, src/model.py."""

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    tie_word_embeddings: bool = True

    def __post_init__(self) -> None:
        require_fields(self, from_zero=("num_hidden_layers",))
        require_heads(self.hidden_size, self.num_attention_heads)

    @property
    def head_size(self) -> int:
        """Width of one attention head, K = H / A."""
        return self.hidden_size // self.num_attention_heads

    def letters(self) -> GPTLetters:
        """Return the letters of the formulas with the values of this spec."""
        return GPTLetters(
            L=self.num_hidden_layers,
            H=self.hidden_size,
            A=self.num_attention_heads,
            F=self.intermediate_size,
            V=self.vocab_size,
            P=self.max_position_embeddings,
            untied=int(not self.tie_word_embeddings),
        )
