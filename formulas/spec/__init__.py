"""What a model is: its sizes and its parts, a spec and its letters for each family.

A spec knows no framework and no formula. A spec that exists is possible: whatever cannot be
built is refused when the spec is made, by field and value. ``spec.letters()`` are its sizes
in the symbols of the formulas.
"""

from typing import TypeAlias

from paramproof.formulas.spec.encoder import EncoderLetters, EncoderSpec
from paramproof.formulas.spec.encoder_decoder import EncoderDecoderLetters, EncoderDecoderSpec
from paramproof.formulas.spec.gpt import GPTLetters, GPTSpec
from paramproof.formulas.spec.llama import LlamaLetters, LlamaSpec
from paramproof.formulas.spec.numerics import Activation, Numerics, original_numerics
from paramproof.formulas.spec.quantity import Quantity

Spec: TypeAlias = EncoderSpec | EncoderDecoderSpec | GPTSpec | LlamaSpec
"""A model of any family."""

FamilyLetters: TypeAlias = EncoderLetters | EncoderDecoderLetters | GPTLetters | LlamaLetters
"""The symbols of any family. Each has a ``head_size``, the width of one attention head."""

__all__ = [
    "Activation",
    "EncoderDecoderLetters",
    "EncoderDecoderSpec",
    "EncoderLetters",
    "EncoderSpec",
    "FamilyLetters",
    "GPTLetters",
    "GPTSpec",
    "LlamaLetters",
    "LlamaSpec",
    "Numerics",
    "Quantity",
    "Spec",
    "original_numerics",
]
