"""What a model is: its sizes and its parts, a spec and its letters for each family.

A spec knows no framework and no formula. A spec that exists is possible: whatever cannot be
built is refused when the spec is made, by field and value. ``spec.letters()`` are its sizes
in the symbols of the formulas. What is here is all that a family from outside needs for its own.
"""

from paramproof.formulas.spec.drawing import Choices, Ranges
from paramproof.formulas.spec.encoder import EncoderLetters, EncoderSpec
from paramproof.formulas.spec.encoder_decoder import EncoderDecoderLetters, EncoderDecoderSpec
from paramproof.formulas.spec.gpt import GPTLetters, GPTSpec
from paramproof.formulas.spec.llama import LlamaLetters, LlamaSpec
from paramproof.formulas.spec.numerics import Activation, Numerics
from paramproof.formulas.spec.protocols import FamilyLetters, Spec
from paramproof.formulas.spec.quantity import Indicator, Layers, Quantity, Rows, Width
from paramproof.formulas.spec.validation import require, require_fields, require_heads

__all__ = [
    "Activation",
    "Choices",
    "EncoderDecoderLetters",
    "EncoderDecoderSpec",
    "EncoderLetters",
    "EncoderSpec",
    "FamilyLetters",
    "GPTLetters",
    "GPTSpec",
    "Indicator",
    "Layers",
    "LlamaLetters",
    "LlamaSpec",
    "Numerics",
    "Quantity",
    "Ranges",
    "Rows",
    "Spec",
    "Width",
    "require",
    "require_fields",
    "require_heads",
]
