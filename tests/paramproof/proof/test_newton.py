"""Interpolation itself: exact, unique, and on grids of the stated shape."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas import FAMILIES
from paramproof.proof.interpolation import LAYER_NODES, NODES, Grids
from paramproof.proof.newton import divisors, polynomial, raised, with_border
from tests.weight_lists import Lists

GRIDS = {name: Grids(Lists(), family, {}) for name, family in FAMILIES.items()}


def evaluate(coefficients, point):
    total = Fraction(0)
    for exponents, coefficient in coefficients.items():
        term = Fraction(coefficient)
        for x, power in zip(point, exponents, strict=True):
            term *= Fraction(x) ** power
        total += term
    return total


@given(st.lists(st.integers(-9, 9), min_size=8, max_size=8))
def test_any_polynomial_on_the_grid_is_recovered(coefficients):
    grid = sorted(with_border(divisors([(2, 1)])))
    assert len(grid) == 8
    expected = {e: c for e, c in zip(grid, coefficients, strict=True) if c}
    nodes = [[5, 2, 11, 3], [7, 1, 4]]
    values = {e: evaluate(expected, [nodes[i][p] for i, p in enumerate(e)]) for e in grid}
    assert polynomial(values, nodes) == expected


def test_fractions_are_exact():
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
def test_a_grid_has_the_closed_forms_products_and_the_smallest_others(family):
    grids = GRIDS[family]
    own = {grids.exponents(powers) for powers in grids.formulas[grids.fullest].terms}
    within = divisors(own)
    assert within <= grids.grid
    letters = range(len(grids.letters))
    degrees = {max(exponents[letter] for exponents in own) for letter in letters}
    for exponents in product(range(max(degrees) + 2), repeat=len(grids.letters)):
        outside = exponents not in within
        smallest = outside and within.issuperset(raised(exponents, -1))
        assert (exponents in grids.grid) is (not outside or smallest)


@pytest.mark.parametrize("family", FAMILIES)
@given(st.data())
def test_any_product_missing_from_the_closed_form_is_noticed(family, data):
    """By name if the product is in the border, and if not, as other coefficients.

    L·F² shows up as multiples of L and L·F: it is 0 where F² alone would show up, at L = 0.
    """
    grids = GRIDS[family]
    own = divisors(grids.exponents(p) for p in grids.formulas[grids.fullest].terms)
    powers = st.tuples(*(st.integers(0, 4) for _ in grids.letters))
    strange = data.draw(powers.filter(lambda exponents: exponents not in own))
    nodes = grids.nodes([grids.fullest], grids.grid)
    points = {e: [nodes[i][power] for i, power in enumerate(e)] for e in grids.grid}
    values = {e: evaluate({strange: 1}, point) for e, point in points.items()}
    found = polynomial(values, nodes)
    assert found
    assert strange not in grids.grid or found == {strange: 1}


def test_the_number_of_nodes():
    assert {name: len(grids.grid) for name, grids in GRIDS.items()} == {
        "encoder": 62,
        "encoder-decoder": 80,
        "gpt": 51,
        "llama": 53,
    }
    smaller = {name: sum(map(len, map(g.smaller, g.others))) for name, g in GRIDS.items()}
    assert smaller == {"encoder": 114, "encoder-decoder": 245, "gpt": 14, "llama": 11}


@pytest.mark.parametrize("nodes", [LAYER_NODES, *NODES], ids=str)
def test_nodes_are_distinct_and_in_several_residue_classes(nodes):
    highest = max(exponent for g in GRIDS.values() for e in g.grid for exponent in e)
    assert len(set(nodes)) == len(nodes) >= highest + 1
    for modulus, classes in {2: 2, 3: 3, 8: 3}.items():
        assert len({node % modulus for node in nodes}) >= classes
