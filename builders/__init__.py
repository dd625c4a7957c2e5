"""Real models in real frameworks: the contract, the registry, and a file for each framework."""

from paramproof.builders.protocol import Builder, BuiltModel, FrameworkUnavailable, UnsupportedSpec
from paramproof.builders.registry import load

__all__ = ["Builder", "BuiltModel", "FrameworkUnavailable", "UnsupportedSpec", "load"]
