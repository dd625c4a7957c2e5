"""Every size at once: what a framework builds is, as algebra, what the formula says."""

import pytest

from paramproof.formulas import closed_form
from paramproof.proof import interpolation, symbolic
from paramproof.proof.findings import residuals
from paramproof.proof.parts import encoder_letters, known_sizes, supported_parts

pytestmark = pytest.mark.shapes_only


def test_symbolic_reading_is_the_formula(framework, builder):
    """Tensor by tensor and in total, for each combination of parts that there is."""
    known = known_sizes(framework.fixed)
    first = dict(symbolic.POINTS[0]) | known
    for parts in supported_parts(builder, first):
        tensors = symbolic.read(builder, parts, known)
        letters = encoder_letters(parts, known)
        assert residuals(tensors, letters) == []
        assert symbolic.total(tensors) == closed_form(letters)


def test_interpolation_is_the_closed_form(framework, interpolated):
    assert interpolated["residual"] == "0"
    assert interpolated["alarms"] == []
    # The layers, as the literature writes them, recovered from totals alone.
    assert interpolated["recovered"].startswith("L·(4·H² + 2·H·F + 9·H + F) + H·(V + ")


def test_heads_are_the_same_at_every_size(framework, builder):
    """A combination that is refused at the sizes of a proof would silently not be proved."""
    known = known_sizes(framework.fixed)
    sizes = [{k: column[0] for k, column in interpolation.NODES.items()}, *symbolic.POINTS]
    small, *primes = (supported_parts(builder, dict(size) | known) for size in sizes)
    assert primes == [small] * len(primes)
    assert {parts[:1] for parts in small} == {(0,), (1,)}
