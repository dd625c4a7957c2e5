"""Interpolation itself: exact, unique, and on grids of the shape it claims."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.proof.interpolation import GRID, NODES, PARTS_GRID
from paramproof.proof.newton import divisors, polynomial, raised, with_border


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
    grid = sorted(with_border(divisors("xy", "xxy"), corners=True))
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


@pytest.mark.parametrize("grid", [GRID, PARTS_GRID])
def test_a_grid_has_every_divisor(grid):
    assert all(set(raised(exponents, -1)) <= grid for exponents in grid)


def test_the_number_of_nodes():
    core = divisors("LAKFVPT", "LAAKK", "LAKF", "VAK", "PAK", "TAK")
    assert (len(core), len(GRID), len(PARTS_GRID)) == (38, 171, 22)
    # One degree more in each direction from each monomial.
    assert {higher for exponents in core for higher in raised(exponents, +1)} <= GRID


def test_nodes_are_distinct_and_lie_in_several_residue_classes():
    for letter, nodes in NODES.items():
        degree = max(exponents[list(NODES).index(letter)] for exponents in GRID)
        assert len(set(nodes)) == len(nodes) >= degree + 1
        for modulus, classes in {2: 2, 3: 3, 8: 3}.items():
            assert len({node % modulus for node in nodes}) >= classes, (letter, modulus)
