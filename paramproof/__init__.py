"""Exact parameter counts of transformers, checked against the models that frameworks build.

``paramproof.formulas`` states which tensors a model should have, ``paramproof.builders`` builds the
model in each framework, and the rest compares the two and answers questions. The names below are
imported on first use, so importing this package costs almost nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paramproof.api import count, derive, diff, explain
    from paramproof.builders.registry import load
    from paramproof.formulas.errors import ConfigWarning, InvalidInput, NotInCatalogue, UnknownName
    from paramproof.formulas.families import closed_form, inventory
    from paramproof.formulas.spec import (
        EncoderDecoderSpec,
        EncoderSpec,
        GPTSpec,
        LlamaSpec,
        Numerics,
    )
    from paramproof.matching.model_comparison import assert_parameters, compare
    from paramproof.verify.agreement import check

__version__: str
"""The version of the installed distribution."""

__all__ = [
    "ConfigWarning",
    "EncoderDecoderSpec",
    "EncoderSpec",
    "GPTSpec",
    "InvalidInput",
    "LlamaSpec",
    "NotInCatalogue",
    "Numerics",
    "UnknownName",
    "assert_parameters",
    "check",
    "closed_form",
    "compare",
    "count",
    "derive",
    "diff",
    "explain",
    "inventory",
    "load",
]

_FROM = {
    "ConfigWarning": "formulas.errors",
    "InvalidInput": "formulas.errors",
    "NotInCatalogue": "formulas.errors",
    "UnknownName": "formulas.errors",
    "assert_parameters": "matching.model_comparison",
    "check": "verify.agreement",
    "count": "api",
    "derive": "api",
    "diff": "api",
    "explain": "api",
    "closed_form": "formulas.families",
    "compare": "matching.model_comparison",
    "inventory": "formulas.families",
    "load": "builders.registry",
}
"""The module of each name that is not in ``formulas.spec``."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version(__name__)
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_FROM.get(name, 'formulas.spec')}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
