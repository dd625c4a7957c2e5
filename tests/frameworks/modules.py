"""Modules of PyTorch and transformers, imported when a test uses them.

So a module of tests can be collected where they are absent.
"""

from importlib import import_module
from typing import Any


class _WhenUsed:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # pytest asks every name of a test module whether it is a test.
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


nn, torch, transformers = map(_WhenUsed, ("torch.nn", "torch", "transformers"))
