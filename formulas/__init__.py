"""Closed-form parameter counts of transformers, in plain Python.

This package knows no framework and needs nothing but the standard library.
"""

from paramproof.formulas.comparison import Report, Row, compare
from paramproof.formulas.families import FAMILIES, Family, closed_form, inventory
from paramproof.formulas.layout import Weight
from paramproof.formulas.spec import (
    EncoderDecoderLetters,
    EncoderDecoderSpec,
    EncoderLetters,
    EncoderSpec,
    FamilyLetters,
    GPTLetters,
    GPTSpec,
    LlamaLetters,
    LlamaSpec,
    Numerics,
    Spec,
)
from paramproof.formulas.tensors import Inventory, Tensor

__all__ = [
    "FAMILIES",
    "EncoderDecoderLetters",
    "EncoderDecoderSpec",
    "EncoderLetters",
    "EncoderSpec",
    "Family",
    "FamilyLetters",
    "GPTLetters",
    "GPTSpec",
    "Inventory",
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
