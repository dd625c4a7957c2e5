"""Real encoders in real frameworks, held to the formulas."""

from builders.anyone.live import assert_parameters
from builders.check import check
from builders.protocol import Builder, FrameworkUnavailable, Model, UnsupportedSpec
from builders.registry import load

__all__ = [
    "Builder",
    "FrameworkUnavailable",
    "Model",
    "UnsupportedSpec",
    "assert_parameters",
    "check",
    "load",
]
