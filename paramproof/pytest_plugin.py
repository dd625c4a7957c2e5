"""Fixtures for your own tests: of a formula, and of a live model.

The plugin comes with the installation. It imports no framework and sets no variable: the
check of a model needs none but the model's own, and the check of a formula loads the one it
is asked about, for which the process must be set up as ``paramproof frameworks`` says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="session")
def assert_parameters() -> Callable[..., None]:
    """``assert_parameters(model, spec)``: a live model has the parameters of ``spec``.

    In place of the spec may stand the path of a config.json or its keys.
    """
    from paramproof.live.report import assert_parameters

    return assert_parameters


@pytest.fixture(scope="session")
def assert_formula() -> Callable[..., Any]:
    """``assert_formula(formula, framework="torch", family="", examples=25, seed=0)``.

    A function of a spec, or of letters or fields by name, gives the count of the models that
    the framework really builds; ``family`` decides where several fit.
    """
    from paramproof.user_formulas.verdict import assert_formula

    return assert_formula
