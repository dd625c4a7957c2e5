"""Torchvision's operators are declared before a test module imports transformers, and it that."""

import sweep  # noqa: F401
