"""The literals list exactly what is refused, and enough is left to test."""

from paramproof.formulas.models import named_models
from tests.builders.refused import families_built, families_left, found, listed


def test_every_supported_family_keeps_a_named_model(framework):
    assert families_left(framework.name, named_models()) == families_built(framework.name)


def test_the_literals_list_what_is_refused(framework, builder):
    """A builder that refuses too much would have no fault, and no test."""
    again = f"tests/builders/refused.py: run python -m tests.builders.refused {framework.name}"
    assert found(framework, builder) == listed(framework.name), again
