"""What tests of single frameworks share, so that they are collected where these are absent.

``torch``, ``nn``, ``transformers`` and what imports them are imported when a test uses them.
``for_each`` runs a test for each framework of which there are cases.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from tests.selection import registry


class _WhenUsed:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # pytest asks every name of a test module whether it is a test.
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


nn, torch, transformers = map(_WhenUsed, ("torch.nn", "torch", "transformers"))
live = _WhenUsed("paramproof.tracing.configuration.live")
model_class = _WhenUsed("paramproof.derivation.model_class")


def for_each(*cases: Callable[..., Any]) -> pytest.MarkDecorator:
    """Run a test with the name of each framework, and the function with the name of its file."""
    of_file = {one.__name__: one for one in cases}
    rows = [
        pytest.param(name, of_file[file], id=name, marks=pytest.mark.framework(name))
        for name, one in registry().items()
        if (file := one.module.rpartition(".")[2]) in of_file
    ]
    return pytest.mark.parametrize(("name", "cases_of"), rows)
