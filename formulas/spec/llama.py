"""The spec of LLaMA's decoder: its sizes, named as in its ``config.json``."""

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
    """The letters of LLaMA's formulas. The last is an indicator, 0 or 1."""

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
        """Width of one attention head, K, which is a letter of this family."""
        return self.K


@dataclass(frozen=True, kw_only=True, slots=True)
class LlamaSpec:
    """A LLaMA: rotary positions, RMSNorm first, gated feed-forward, grouped queries, no bias.

    Sizes are ints from 1 up, ``num_hidden_layers`` from 0 up. ``num_key_value_heads`` defaults
    to ``num_attention_heads``: each query head has its own keys and values. ``head_dim`` defaults
    to ``hidden_size // num_attention_heads``, which must divide exactly. Rotary positions rotate
    pairs of features, so ``head_dim`` is even. They have no table, so the number of positions
    occurs in no count. The language head's matrix is untied, or tied to the token table
    (``tie_word_embeddings``).

    Raises ``ValueError``, naming field and value, for a spec that no framework can build.

    Source: Touvron et al. 2023, arXiv:2302.13971, section 2.2; grouped queries: Ainslie et
    al. 2023, arXiv:2305.13245; rotary positions: Su et al. 2021, arXiv:2104.09864.
    """

    family: ClassVar[str] = "llama"
    original_numerics: ClassVar[Numerics] = Numerics(layer_norm_eps=1e-6, hidden_act="silu")
    """Source: meta-llama/llama, branch llama_v1, llama/model.py. The default epsilon is 1e-5 in
    ModelArgs and 1e-6 in RMSNorm. Hugging Face's configuration_llama.py has 1e-6, and so do, in
    copies by others, the params.json of the first release except for the largest model."""
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
        even = "even: rotary positions rotate pairs of features"
        require(self.head_dim % 2 == 0, "head_dim", self.head_dim, even)

    @classmethod
    def drawn(cls, choices: Choices) -> Self:
        """Return a random spec: query heads are a multiple of key heads, head sizes are even."""
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
        """Return the letters of the formulas with the values of this spec."""
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
