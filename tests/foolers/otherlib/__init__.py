"""A library of layers, as one is installed: no package of this project's."""

from .layers import Gate, Stack, Tower
from .sizes import TABLE, is_wide, multiple, narrow

__all__ = ["TABLE", "Gate", "Stack", "Tower", "is_wide", "multiple", "narrow"]
