"""Specs: the sizes and parts of models, with a spec class and letters for each family.

A spec knows no framework and no formula. Every spec is possible: creating one that cannot be built
raises an error that names field and value. ``spec.letters()`` returns its sizes as the letters of
the formulas. A plug-in's family needs nothing but this package for its spec.
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
