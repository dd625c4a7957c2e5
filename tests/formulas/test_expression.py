"""Expressions: arithmetic as in SymPy, floors and ceilings as for ints."""

import copy
import pickle
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from paramproof.formulas.expression import (
    atom_key,
    ceiling,
    common_factor,
    expression,
    floor,
    letter,
    order,
)
from tests.polynomials import NAMES, SYMBOLS, polynomials

A, H, L = map(letter, NAMES)

numbers = st.integers(-6, 6)
sizes = st.fixed_dictionaries({name: st.integers(1, 60) for name in NAMES})


def as_sympy(one):
    return sympy.Add(
        *(
            sympy.Rational(n) * sympy.prod(SYMBOLS[name] ** power for name, power in powers)
            for powers, n in one.terms.items()
        )
    )


@given(left=polynomials(), right=polynomials(), number=numbers)
def test_arithmetic_agrees_with_sympy(left, right, number):
    (a, x), (b, y) = left, right
    assert as_sympy(a + b) == sympy.expand(x + y)
    assert as_sympy(a - b) == sympy.expand(x - y)
    assert as_sympy(a * b) == sympy.expand(x * y)
    assert as_sympy(number - a * number) == sympy.expand(number - x * number)
    assert as_sympy(a**2) == sympy.expand(x**2)
    assert (a == b) == (x == y)
    if b:
        assert a * b / b == a


@given(left=polynomials(), right=polynomials())
def test_exact_division_agrees_with_sympy(left, right):
    (a, x), (b, y) = left, right
    assume(b)
    ratio = sympy.cancel(x / y)
    divides = not sympy.denom(ratio).free_symbols or len(b.terms) == 1
    if divides:
        assert sympy.simplify(as_sympy(a / b) - ratio) == 0
    else:
        with pytest.raises(ArithmeticError, match="is not a multiple of"):
            a / b


@given(top=polynomials(), bottom=polynomials(), at=sizes)
def test_floor_and_ceiling_agree_with_ints(top, bottom, at):
    (a, _), (b, _) = top, bottom
    below = b.evaluate(at)
    assume(below)
    above = a.evaluate(at)
    assert floor(a, b).evaluate(at) == above // below
    assert (a // b).evaluate(at) == above // below
    assert ceiling(a, b).evaluate(at) == -(-above // below)
    assert (a % b).evaluate(at) == above % below


def test_equal_floors_have_one_form():
    assert floor(2 * H + 1, 4) == floor(H, 2)
    assert floor(3 * H + 4, 9) == floor(H + 1, 3)
    # A coefficient of half the divisor decides no sign, so that of H does.
    assert floor(2 * A - H, 4) == -floor(-2 * A + H + 3, 4) == A - ceiling(2 * A + H, 4)


def test_a_negative_divisor():
    """−⌊(x + d − 1) / d⌋ differs from ⌊−x / d⌋ if d is negative."""
    for at, rounded in {1: -1, 3: 1, 4: 1}.items():
        assert ceiling(1, L - 2).evaluate({"L": at}) == rounded
    assert floor(-H, A) == -floor(H + A - 1, A)


@given(top=polynomials(), number=st.integers(1, 12))
def test_equal_quotients_are_equal_however_written(top, number):
    a, _ = top
    assert ceiling(a, number) == -((-a) // number) == floor(a + number - 1, number)
    assert floor(a + number * H, number) == floor(a, number) + H
    assert floor(3 * a, 3 * number) == floor(a, number)
    assert floor(a * H, number * H) == floor(a, number)
    assert floor(floor(a, 2), number) == floor(a, 2 * number) or a.letters


@given(one=polynomials(), at=sizes)
def test_evaluation_agrees_with_substitution(one, at):
    a, x = one
    value = int(x.subs({SYMBOLS[name]: size for name, size in at.items()}))
    assert a.evaluate(at) == a.substitute(at) == value
    swapped = (a + floor(a, 7)).substitute({"A": H, "H": A})
    assert swapped.evaluate(at) == (a + floor(a, 7)).evaluate(at | {"A": at["H"], "H": at["A"]})


def test_canonical():
    assert (H + A) * (H - A) == H * H - A * A
    assert hash((H + A) ** 2) == hash(H * H + 2 * A * H + A * A)
    assert (A * H) // A == H
    assert hash(expression(3)) == hash(3)
    assert expression(3) == 3
    assert not H - H
    assert (H // A).letters == {"A", "H"}
    assert (H // A).has_quotients > (H * A).has_quotients
    assert H != "H"


def test_a_numpy_size_is_an_int():
    assert np.int64(3) * H == 3 * H == H * np.int64(3)
    assert 0.5 * H == H / 2
    assert isinstance(expression(0.5).constant, Fraction)
    assert list(range(expression(2))) == [0, 1]
    with pytest.raises(TypeError):
        H + np.array([1, 2])


@pytest.mark.parametrize("one", [4 * H * H + H // A - 7, H / A, Fraction(1, 3) * H])
def test_copied(one):
    assert pickle.loads(pickle.dumps(one)) == one
    assert copy.deepcopy(one) == one
    assert {one: 1}[copy.copy(one)] == 1


@given(one=polynomials(), number=st.integers(-90, 90), at=sizes)
def test_a_number_divided_by_an_expression(one, number, at):
    a, _ = one
    if below := a.evaluate(at):
        assert (number // a).evaluate(at) == number // below
        assert (number % a).evaluate(at) == number % below
    assert (number / H) * H == number


class Index:
    """An index that is not a number; it implements subtraction itself."""

    def __index__(self):
        return 3

    def __rsub__(self, other):
        return "taken"


def test_other_operands_get_their_turn():
    assert H - Index() == "taken"
    for operation in ("__truediv__", "__floordiv__", "__mod__"):
        for other in ("7", None, [1]):
            assert getattr(H, operation)(other) is NotImplemented
            assert getattr(H, operation.replace("__", "__r", 1))(other) is NotImplemented


def test_letters_before_quotients_and_the_highest_power_first():
    assert atom_key("z") < atom_key(next(iter((H // A).terms))[0][0])
    rising = [(), (("H", 1),), (("A", 1),), (("H", 2),), (("A", 1), ("H", 1)), (("A", 2),)]
    keys = list(map(order(rising), rising))
    assert all(one < other for one, other in pairwise(keys))


def test_fractions_factor_out_letters_but_no_numbers():
    halves = (L * H + H * A) / 2
    assert common_factor(halves.terms.items()) == H


def test_substitution_reaches_both_parts_of_a_quotient():
    assert (H // A).substitute({"A": 3, "H": 7 * A}) == 7 * A // 3
    assert ((H + A) // (L * A)).substitute({"A": 2 * L}) == (H + 2 * L) // (2 * L * L)


@pytest.mark.parametrize(
    ("operation", "error", "message"),
    [
        (lambda: H > 3, TypeError, "not supported between"),
        (lambda: H + Index(), TypeError, "unsupported operand"),
        (lambda: H**H, TypeError, "unsupported operand"),
        (lambda: range(H), TypeError, "^H is not an int$"),
        (lambda: H / (A + 1), ArithmeticError, r"^H is not a multiple of A \+ 1$"),
        (lambda: floor(H / 2, A), ArithmeticError, "is not a quotient of whole expressions$"),
        (lambda: (H + A) / expression(0), ZeroDivisionError, r"^H \+ A divided by zero$"),
        (lambda: H // 0, ZeroDivisionError, "^H divided by zero$"),
        (lambda: (A / (L // A)).evaluate({"A": 2, "L": 1}), ZeroDivisionError, r"^Fraction\(1, 0"),
        (lambda: (H / 2).evaluate({"H": 7}), ValueError, "^7/2 is not a whole number$"),
        (lambda: (H * A).evaluate({"H": 7}), KeyError, "^'A'$"),
    ],
)
def test_what_is_refused(operation, error, message):
    with pytest.raises(error, match=message):
        operation()
