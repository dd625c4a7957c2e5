"""Every size at once: what a framework builds is, as algebra, what the formula says."""

import sympy

from builders import algebra, interpolation, symbolic
from builders.residual import reading_terms
from formulas import closed_form


def test_symbolic_reading_is_the_formula(framework, builder):
    """Tensor by tensor and in total, for each combination of heads that there is."""
    known = algebra.known_sizes(framework.fixed)
    first = dict(symbolic.POINTS[0]) | known
    for heads in algebra.supported_heads(builder, first):
        readings = symbolic.read(builder, heads, known)
        letters = algebra.letters(heads, known)
        assert reading_terms(readings, letters) == []
        assert sympy.expand(symbolic.total(readings) - closed_form(letters)) == 0


def test_interpolation_is_the_closed_form(framework, builder):
    found = interpolation.interpolate(builder, framework.fixed)
    assert algebra.text(found.residual) == "0"
    assert found.alarms == ()
    # The layers, as the literature writes them, recovered from totals alone.
    assert algebra.text(found.recovered).startswith("4·L·H² + 2·L·H·F + 9·L·H + L·F + V·H + ")


def test_heads_are_those_that_are_supported(framework, builder):
    """A combination that is no longer proved is a visible change here."""
    known = algebra.known_sizes(framework.fixed)
    heads = algebra.supported_heads(builder, dict(symbolic.POINTS[0]) | known)
    assert len(heads) == {"keras-bert": 6, "transformers": 5}.get(framework.name, 9)
