"""Build specs with sizes that ``EncoderSpec`` refuses, to see what a framework does by itself.

It usually raises an error, of any class, but sometimes it silently builds another model with a
plausible count. The framework's file builds each one, from a spec whose checks were skipped.
"""

from dataclasses import asdict

import pytest

from paramproof.formulas import EncoderSpec, closed_form
from tests.specs import SMALL_ENCODER as SPEC

AS_THE_FORMULA = 0
"""It builds a model with the polynomial's value: nothing warns about the impossible size."""


def spec_without_checks(**changes):
    """Return ``SPEC`` with values that the constructor would refuse."""
    spec = object.__new__(EncoderSpec)
    for name, value in {**asdict(SPEC), **changes}.items():
        object.__setattr__(spec, name, value)
    return spec


def assert_outcome(builder, spec, outcome):
    """Require an error, as (class, pattern), or a difference to the closed form."""
    if isinstance(outcome, tuple):
        error, message = outcome
        with pytest.raises(error, match=message):
            builder.build(spec)
    else:
        actual = sum(weight.size for weight in builder.build(spec).weights())
        assert actual - closed_form(spec.letters()) == outcome
