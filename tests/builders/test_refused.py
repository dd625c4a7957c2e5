"""The literals list exactly what is refused, and enough is left to test."""

from random import Random

import pytest

from paramproof.formulas.models import named_models
from paramproof.random_specs import fixed_in, random_spec, refusal
from tests.builders.refused import (
    MODELS,
    REFUSED_OF_1000,
    families_built,
    families_left,
    refuses_family,
    refuses_model,
)


def test_families(framework, builder, family):
    assert bool(refusal(builder, family)) == refuses_family(framework.name, family)


def test_every_supported_family_keeps_a_named_model(framework):
    assert families_left(framework.name, named_models()) == families_built(framework.name)


@pytest.mark.parametrize("name", MODELS)
def test_models(framework, builder, name):
    assert (builder.supports(MODELS[name]) is not True) == refuses_model(framework.name, name)


def test_the_number_of_refused_random_specs(framework, builder, family):
    """A builder that refuses too much would have no fault, and no test."""
    random, fixed = Random(0), fixed_in(family, framework.fixed)
    drawn = [random_spec(random, family, **fixed) for _ in range(1000)]
    refused = sum(builder.supports(spec) is not True for spec in drawn)
    assert refused == REFUSED_OF_1000.get(framework.name, {}).get(family, 0)
