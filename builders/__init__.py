"""Real encoders in real frameworks, held to the formulas."""

from builders.check import check
from builders.protocol import Builder, FrameworkUnavailable, Model, UnsupportedSpec
from builders.registry import load

__all__ = [
    "Builder",
    "FrameworkUnavailable",
    "Model",
    "UnsupportedSpec",
    "check",
    "load",
]
