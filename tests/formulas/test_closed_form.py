"""The two derivations are one polynomial: as symbols, as ints of any size, in sweeps."""

import numpy as np
import sympy
from hypothesis import given
from hypothesis import strategies as st

from builders.strategies import encoder_specs
from formulas import Letters, closed_form, inventory

SYMBOLS = Letters(*sympy.symbols(" ".join(Letters._fields), integer=True))


def test_equal_as_symbols():
    difference = sympy.expand(inventory(SYMBOLS).total() - closed_form(SYMBOLS))
    assert difference == 0


def test_the_algebra_is_that_of_the_field():
    """N as the literature writes it, for an encoder with pooler and nothing else."""
    L, H, F, V, P, T = sympy.symbols("L H F V P T", integer=True)
    encoder = closed_form(Letters(L=L, H=H, A=0, F=F, V=V, P=P, T=T))
    expected = (V + P + T) * H + 2 * H + L * (4 * H**2 + 9 * H + 2 * H * F + F) + H**2 + H
    assert sympy.expand(encoder - expected) == 0
    layer = inventory(SYMBOLS).total("layers.*").subs(SYMBOLS.F, 4 * SYMBOLS.H)
    assert sympy.expand(layer - (12 * SYMBOLS.H**2 + 13 * SYMBOLS.H)) == 0


def test_every_component_is_a_polynomial_in_its_own_letters():
    named = inventory(SYMBOLS)
    assert SYMBOLS.A not in named.total().free_symbols
    assert named.total("layers.*.attention").free_symbols == {SYMBOLS.H}
    assert named.total("pooler").free_symbols == {SYMBOLS.H, SYMBOLS.pooler}


@given(encoder_specs())
def test_equal_as_ints(spec):
    letters = spec.letters()
    assert inventory(letters).total() == closed_form(letters)
    assert type(closed_form(letters)) is int


@given(st.lists(st.integers(1, 10**30), min_size=7, max_size=7))
def test_exact_at_any_size(sizes):
    letters = Letters(*sizes, pooler=1, mlm=1, untied=1, nsp=1)
    exact = closed_form(Letters(*map(sympy.Integer, letters)))
    assert closed_form(letters) == inventory(letters).total() == int(exact)


@given(st.lists(encoder_specs(), min_size=1, max_size=20))
def test_a_sweep_is_the_same_count(specs):
    columns = zip(*(spec.letters() for spec in specs), strict=True)
    sweep = Letters(*(np.array(column, dtype="int64") for column in columns))
    expected = [closed_form(spec.letters()) for spec in specs]
    assert closed_form(sweep).tolist() == inventory(sweep).total().tolist() == expected
    assert closed_form(sweep).dtype == "int64"


def test_a_sweep_overflows_where_it_says():
    """int64 ends at 9.2e18: documented in formulas.spec.Quantity."""
    large = Letters(*(np.array([10**7], dtype="int64") for _ in range(7)))
    small = Letters(*(np.array([10**5], dtype="int64") for _ in range(7)))
    assert closed_form(large)[0] != closed_form(Letters(*[10**7] * 7))
    assert closed_form(small)[0] == closed_form(Letters(*[10**5] * 7))
