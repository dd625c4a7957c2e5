"""What is refused is what the literals say, no more and no less; and enough is left to test."""

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


def test_of_every_family_that_is_built_a_named_model_is_left(framework):
    assert families_left(framework.name, named_models()) == families_built(framework.name)


@pytest.mark.parametrize("name", MODELS)
def test_models(framework, builder, name):
    assert (builder.supports(MODELS[name]) is not True) == refuses_model(framework.name, name)


def test_of_random_specs_as_many_as_are_written_down(framework, builder, family):
    """Refusing more than it must leaves a builder without a fault, and without a test."""
    random, fixed = Random(0), fixed_in(family, framework.fixed)
    drawn = [random_spec(random, family, **fixed) for _ in range(1000)]
    refused = sum(builder.supports(spec) is not True for spec in drawn)
    assert refused == REFUSED_OF_1000.get(framework.name, {}).get(family, 0)
