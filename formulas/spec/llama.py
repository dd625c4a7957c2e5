"""The decoder of LLaMA: its sizes, under the names of its ``config.json``."""

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
    require_size,
)


class LlamaLetters(NamedTuple):
    """The symbols of LLaMA's formulas. The last is an indicator, 0 or 1."""

    L: Layers
    """num_hidden_layers"""
    H: Width
    """hidden_size"""
    A: Width
    """num_attention_heads"""
    G: Width
    """num_key_value_heads"""
    K: Width
    """head_dim"""
    F: Width
    """intermediate_size"""
    V: Rows
    """vocab_size"""
    untied: Indicator = 1

    @property
    def head_size(self) -> Quantity:
        """Width of one attention head, K: a letter of its own here."""
        return self.K


@dataclass(frozen=True, kw_only=True, slots=True)
class LlamaSpec:
    """A LLaMA: rotary positions, RMSNorm first, gated feed-forward, grouped queries, no bias.

    Sizes are ints from 1 up, ``num_hidden_layers`` from 0 up. Without
    ``num_key_value_heads`` every query head has its own keys and values; without
    ``head_dim`` the heads divide the hidden size. Rotary positions turn pairs of features,
    so ``head_dim`` is even; they have no table, and no largest position occurs in a count.
    The language head's matrix is one of its own, or the token table
    (``tie_word_embeddings``).

    Raises ``ValueError``, naming field and value, for a spec no framework can build.

    Source: Touvron et al. 2023, arXiv:2302.13971, section 2.2; grouped queries: Ainslie et
    al. 2023, arXiv:2305.13245; rotary positions: Su et al. 2021, arXiv:2104.09864.
    """

    family: ClassVar[str] = "llama"
    original_numerics: ClassVar[Numerics] = Numerics(layer_norm_eps=1e-6, hidden_act="silu")
    """meta-llama/llama, branch llama_v1, llama/model.py: ModelArgs has an epsilon of 1e-5, and
    RMSNorm, without it, one of 1e-6. That is what Hugging Face's configuration_llama.py has, and by
    others' copies the params.json of all but the largest of the first release."""
    ranges: ClassVar[Ranges] = {
        "num_key_value_heads": (1, 4),
        "queries_per_key": (1, 3),
        "pairs_per_head": (1, 6),
        "hidden_size": (1, 96),
    }

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int = DERIVED
    head_dim: int = DERIVED
    intermediate_size: int
    tie_word_embeddings: bool = False

    def __post_init__(self) -> None:
        heads, hidden = self.num_attention_heads, self.hidden_size
        if self.head_dim is None:
            require_size("hidden_size", hidden)
            require_size("num_attention_heads", heads)
            require_heads(hidden, heads, " where head_dim is not given")
            fill_default(self, "head_dim", hidden // heads)
        fill_default(self, "num_key_value_heads", heads)
        require_fields(self, from_zero=("num_hidden_layers",))
        require(
            heads % self.num_key_value_heads == 0,
            "num_key_value_heads",
            self.num_key_value_heads,
            f"a divisor of num_attention_heads={heads}",
        )
        even = "even: rotary positions turn pairs of features"
        require(self.head_dim % 2 == 0, "head_dim", self.head_dim, even)

    @classmethod
    def drawn(cls, choices: Choices) -> Self:
        """Return one at random: query heads by key heads, head sizes by pairs of features."""
        sizes = choices.sizes(
            "num_hidden_layers", "num_key_value_heads", "intermediate_size", "vocab_size"
        )
        heads = sizes["num_key_value_heads"] * choices.size("queries_per_key")
        head_dim = 2 * choices.size("pairs_per_head")
        of_its_own = choices.flag("a head size of its own")
        return cls(
            hidden_size=choices.size("hidden_size") if of_its_own else heads * head_dim,
            num_attention_heads=heads,
            head_dim=head_dim,
            tie_word_embeddings=choices.tied(),
            **sizes,
        )

    @property
    def head_size(self) -> int:
        """Width of one attention head, K."""
        return self.head_dim

    def letters(self) -> LlamaLetters:
        """This spec in the symbols of the formulas."""
        return LlamaLetters(
            L=self.num_hidden_layers,
            H=self.hidden_size,
            A=self.num_attention_heads,
            G=self.num_key_value_heads,
            K=self.head_dim,
            F=self.intermediate_size,
            V=self.vocab_size,
            untied=int(not self.tie_word_embeddings),
        )
