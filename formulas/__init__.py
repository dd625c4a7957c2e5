"""Closed-form parameter counts of transformers, in plain Python.

Nothing in this package knows a framework, and nothing in it needs more than the
standard library.
"""

from formulas.comparison import compare
from formulas.families import FAMILIES, Family, closed_form, inventory
from formulas.inventory import Inventory, Tensor
from formulas.report import Report, Row
from formulas.spec import (
    EncoderDecoderLetters,
    EncoderDecoderSpec,
    EncoderSpec,
    FamilyLetters,
    GPTLetters,
    GPTSpec,
    Letters,
    LlamaLetters,
    LlamaSpec,
    Numerics,
    Spec,
)
from formulas.weight import Weight

__all__ = [
    "FAMILIES",
    "EncoderDecoderLetters",
    "EncoderDecoderSpec",
    "EncoderSpec",
    "Family",
    "FamilyLetters",
    "GPTLetters",
    "GPTSpec",
    "Inventory",
    "Letters",
    "LlamaLetters",
    "LlamaSpec",
    "Numerics",
    "Report",
    "Row",
    "Spec",
    "Tensor",
    "Weight",
    "closed_form",
    "compare",
    "inventory",
]
