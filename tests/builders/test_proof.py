"""Every size at once: what a framework builds is, as algebra, what the formula says."""

import pytest
import sympy

from paramproof.algebra import symbols as algebra
from paramproof.algebra.residual import reading_terms
from paramproof.formulas import closed_form
from paramproof.proof import interpolation, symbolic

pytestmark = pytest.mark.shapes_only


def test_symbolic_reading_is_the_formula(framework, builder):
    """Tensor by tensor and in total, for each combination of heads that there is."""
    known = algebra.known_sizes(framework.fixed)
    first = dict(symbolic.POINTS[0]) | known
    for heads in algebra.supported_heads(builder, first):
        readings = symbolic.read(builder, heads, known)
        letters = algebra.letters(heads, known)
        assert reading_terms(readings, letters) == []
        assert sympy.expand(symbolic.total(readings) - closed_form(letters)) == 0


def test_interpolation_is_the_closed_form(framework, interpolated):
    assert interpolated["residual"] == "0"
    assert interpolated["alarms"] == []
    # The layers, as the literature writes them, recovered from totals alone.
    assert interpolated["recovered"].startswith("4·L·H² + 2·L·H·F + 9·L·H + L·F + V·H + ")


def test_heads_are_the_same_at_every_size(framework, builder):
    """A combination that is refused at the sizes of a proof would silently not be proved."""
    known = algebra.known_sizes(framework.fixed)
    sizes = [{k: column[0] for k, column in interpolation.NODES.items()}, *symbolic.POINTS]
    small, *primes = (algebra.supported_heads(builder, dict(size) | known) for size in sizes)
    assert primes == [small] * len(primes)
    assert {heads[:1] for heads in small} == {(0,), (1,)}
