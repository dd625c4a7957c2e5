"""Closed-form parameter counts of transformer encoders, in plain Python.

Nothing in this package knows a framework, and nothing in it needs more than the
standard library.
"""

from formulas.comparison import compare
from formulas.encoder import closed_form, inventory
from formulas.inventory import Inventory, Tensor
from formulas.report import Report, Row
from formulas.spec import EncoderSpec, Letters, Numerics
from formulas.weight import Weight

__all__ = [
    "EncoderSpec",
    "Inventory",
    "Letters",
    "Numerics",
    "Report",
    "Row",
    "Tensor",
    "Weight",
    "closed_form",
    "compare",
    "inventory",
]
