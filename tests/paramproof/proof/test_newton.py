"""Interpolation itself: exact, unique, and on grids of the shape it claims."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas import FAMILIES
from paramproof.proof.interpolation import LAYER_NODES, NODES, Grids
from paramproof.proof.newton import divisors, polynomial, raised, with_border
from tests.weight_lists import Lists

GRIDS = {name: Grids(Lists(), family, {}) for name, family in FAMILIES.items()}


def evaluated(coefficients, point):
    total = Fraction(0)
    for exponents, coefficient in coefficients.items():
        term = Fraction(coefficient)
        for x, power in zip(point, exponents, strict=True):
            term *= Fraction(x) ** power
        total += term
    return total


@given(st.lists(st.integers(-9, 9), min_size=8, max_size=8))
def test_any_polynomial_on_the_grid_is_recovered(coefficients):
    grid = sorted(with_border(divisors([(2, 1)]), corners=True))
    assert len(grid) == 8
    expected = {e: c for e, c in zip(grid, coefficients, strict=True) if c}
    nodes = [[5, 2, 11, 3], [7, 1, 4]]
    values = {e: evaluated(expected, [nodes[i][p] for i, p in enumerate(e)]) for e in grid}
    assert polynomial(values, nodes) == expected


def test_halves_stay_halves():
    nodes = [[0, 1, 2]]
    assert polynomial({(0,): 0, (1,): 0, (2,): 1}, nodes) == {
        (1,): Fraction(-1, 2),
        (2,): Fraction(1, 2),
    }


@pytest.mark.parametrize("family", FAMILIES)
def test_a_grid_has_every_divisor(family):
    grids = GRIDS[family]
    for grid in (grids.grid, *map(grids.smaller, grids.others)):
        assert all(set(raised(exponents, -1)) <= grid for exponents in grid)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_grid_is_the_closed_form_with_a_border(family):
    """One degree more in each direction from each monomial that the closed form has."""
    grids = GRIDS[family]
    own = {grids.exponents(powers) for powers in grids.formulas[grids.fullest].terms}
    assert own <= grids.grid
    assert {higher for exponents in own for higher in raised(exponents, +1)} <= grids.grid
    for case in grids.others:
        less = {grids.exponents(powers) for powers in grids.formulas[case].terms} - own
        assert less <= grids.grid


def test_the_number_of_nodes():
    assert {name: len(grids.grid) for name, grids in GRIDS.items()} == {
        "encoder": 171,
        "encoder-decoder": 264,
        "gpt": 133,
        "llama": 191,
    }
    smaller = {name: sum(map(len, map(g.smaller, g.others))) for name, g in GRIDS.items()}
    assert smaller == {"encoder": 145, "encoder-decoder": 358, "gpt": 14, "llama": 11}


@pytest.mark.parametrize("nodes", [LAYER_NODES, *NODES], ids=str)
def test_nodes_are_distinct_and_lie_in_several_residue_classes(nodes):
    highest = max(exponent for g in GRIDS.values() for e in g.grid for exponent in e)
    assert len(set(nodes)) == len(nodes) >= highest + 1
    for modulus, classes in {2: 2, 3: 3, 8: 3}.items():
        assert len({node % modulus for node in nodes}) >= classes
