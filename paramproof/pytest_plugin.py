"""Pytest fixtures that check a live model or a formula of yours.

The plugin is installed with paramproof. It imports no framework and sets no environment variable.
Checking a model needs only the model's framework. Checking a formula loads the framework that you
name, whose environment variables must already be set (``paramproof frameworks``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="session")
def assert_parameters() -> Callable[..., None]:
    """``assert_parameters(model, spec)`` asserts that a live model has the parameters of ``spec``.

    Instead of a spec, pass the path of a config.json or its keys.
    """
    from paramproof.matching.model_comparison import assert_parameters

    return assert_parameters


@pytest.fixture(scope="session")
def assert_formula() -> Callable[..., Any]:
    """``assert_formula(formula, framework="torch", family="", examples=25, seed=0)``.

    It asserts that ``formula``, a function of a spec, or of letters or fields by name, gives the
    counts of the models that the framework builds. ``family`` decides if several families fit.
    """
    from paramproof.verify.results import assert_formula

    return assert_formula
