"""What a model is: its sizes and its parts, under the names of a BERT ``config.json``.

A spec knows no framework and no formula. A spec that exists is possible: whatever
cannot be built is refused when the spec is made, by field and value.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, TypeAlias

Quantity: TypeAlias = Any
"""An int (exact), a NumPy int64 array (a sweep) or a SymPy expression (the algebra).

The formulas use nothing but ``+``, ``-`` and ``*`` on it, so one code serves all three.
NumPy's int64 wraps silently beyond 2**63 - 1 (9.2e18 parameters): no model is near,
but a product of several large arrays can be. Ints have no limit.
"""


class Letters(NamedTuple):
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
        for spec_field in fields(self):
            name, value = spec_field.name, getattr(self, spec_field.name)
            if spec_field.type == "bool":
                _require(type(value) is bool, name, value, "True or False")
            else:
                lowest = 0 if name == "num_hidden_layers" else 1
                _require(type(value) is int, name, value, "an int")
                _require(value >= lowest, name, value, f"{lowest} or more")
        _require(
            self.hidden_size % self.num_attention_heads == 0,
            "num_attention_heads",
            self.num_attention_heads,
            f"a divisor of hidden_size={self.hidden_size}",
        )
        _require(
            self.tie_word_embeddings or self.mlm_head,
            "tie_word_embeddings",
            self.tie_word_embeddings,
            "True where mlm_head is False: without that head there is nothing to untie",
        )
        _require(
            self.pooler or not self.nsp_head,
            "nsp_head",
            self.nsp_head,
            "False where pooler is False: that head reads the pooled output",
        )

    @property
    def head_size(self) -> int:
        """Width of one attention head, K = H / A."""
        return self.hidden_size // self.num_attention_heads

    def letters(self) -> Letters:
        """This spec in the symbols of the formulas."""
        return Letters(
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


Activation: TypeAlias = Literal["gelu", "gelu_new", "relu"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Numerics:
    """What changes a model's outputs and never its count.

    ``layer_norm_eps`` is added to the variance. ``hidden_act`` is, in the words of
    ``config.json``: ``gelu`` by the error function, ``gelu_new`` by its tanh
    approximation, or ``relu``. Dropout is always off. The defaults are BERT's.

    Raises ``ValueError`` for a negative or non-numeric epsilon and an unknown name.
    """

    layer_norm_eps: float = 1e-12
    hidden_act: Activation = field(default="gelu")

    def __post_init__(self) -> None:
        eps = self.layer_norm_eps
        _require(type(eps) is float and 0 <= eps < 1, "layer_norm_eps", eps, "a float in [0, 1)")
        known = ("gelu", "gelu_new", "relu")
        _require(self.hidden_act in known, "hidden_act", self.hidden_act, " or ".join(known))


def _require(condition: bool, name: str, value: object, wanted: str) -> None:
    if not condition:
        raise ValueError(f"{name}={value!r} is not possible: it must be {wanted}")
