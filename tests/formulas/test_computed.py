"""Numbers that Python computes from sizes, with floats: their value, form and text."""

import pytest

from paramproof.formulas.computed import LARGEST_POWER
from paramproof.formulas.expression import (
    Computed,
    Expression,
    as_operand,
    computed,
    expression,
    floor,
    letter,
)

A, H = letter("A"), letter("H")
RATIO = Computed("over", (H, A))
WHOLE = Computed("floor", (RATIO,))


def only(atom, number=1, power=1):
    return Expression({((atom, power),): number})


@pytest.mark.parametrize(
    ("one", "sizes", "value"),
    [
        (Computed("int", (Computed("times", (H, 0.7)),)), {"H": 10}, int(10 * 0.7)),
        (RATIO, {"H": 1, "A": 3}, 1 / 3),
        (Computed("power", (H, expression(3))), {"H": 2}, 8),
        (Computed("power", (H, 0.5)), {"H": 9}, 3.0),
        (Computed("power", (2.0, H)), {"H": 4097}, None),
        (Computed("sqrt", (H / 4,)), {"H": 9}, 1.5),
        (Computed("gcd", (H, A)), {"H": 12, "A": 18}, 6),
        (Computed("times", (H / A, expression(3))), {"H": 1, "A": 10}, 0.1 * 3),
    ],
)
def test_python_computes_the_value(one, sizes, value):
    if value is None:
        with pytest.raises(OverflowError):
            one.compute(sizes)
    else:
        found = one.compute(sizes)
        assert (type(found), found) == (type(value), value)
        assert one.evaluate(sizes) == value


@pytest.mark.parametrize("base", [0, 1, 2])
def test_a_power_takes_bounded_memory(base):
    largest = LARGEST_POWER // max(1, base)
    one = Computed("power", (expression(base), H))
    assert one.compute({"H": largest}) == base**largest
    with pytest.raises(ArithmeticError, match=f"^{base} to the power of {largest + 1} is too lar"):
        one.compute({"H": largest + 1})
    assert Computed("times", (H, A)).compute({"H": 10**9, "A": 10**9}) == 10**18


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (Computed("sqrt", (H - 9,)), "^math domain error$|^expected a nonnegative input"),
        (Computed("times", (H, 1e308)), "^inf is not a finite number$"),
        (Computed("power", (H - 9, 0.5)), r" is not a finite number$"),
    ],
)
def test_a_number_without_a_finite_value(one, reason):
    with pytest.raises(ArithmeticError, match=reason):
        one.evaluate({"H": 8})


def test_its_texts():
    assert repr(RATIO) == "over('H', 'A')"
    assert repr(Computed("int", (Computed("times", (H, 0.7)),))) == "int('(H × 0.7)',)"
    assert WHOLE.key == repr(WHOLE)
    assert str(WHOLE) == "floor(H ÷ A)"
    assert str(computed("gcd", H, expression(6))) == "gcd(H, 6)"


def test_an_expression_of_one_number():
    assert computed("floor", RATIO) == only(WHOLE)
    assert computed("floor", RATIO).letters == {"A", "H"}
    assert computed("sqrt", expression(16)) == expression(4)
    assert computed("times", expression(3), 0.5) == expression(1.5)
    with pytest.raises(ArithmeticError):
        computed("log", expression(0))


def test_an_operand_is_a_number_alone_only_if_it_is_a_float():
    """A float is computed on; a whole number is a term like any other."""
    assert as_operand(only(RATIO)) == RATIO
    assert as_operand(RATIO) == RATIO
    assert as_operand(WHOLE) == as_operand(only(WHOLE)) == only(WHOLE)
    for one in (only(RATIO, 2), only(RATIO, 1, 2), only(RATIO) * H, only(RATIO) + 1, H, 2 * H, 0.5):
        assert as_operand(one) is one
    assert as_operand(expression(1)) == expression(1)
    assert as_operand(floor(H, A)) == floor(H, A)


def test_letters_in_operands_are_substituted():
    nested = computed("int", Computed("times", (RATIO, 0.5)), H)
    found = nested.substitute({"A": expression(3)})
    (((atom, _),),) = found.terms
    assert atom == Computed(
        "int", (Computed("times", (Computed("over", (H, expression(3))), 0.5)), H)
    )
    assert computed("floor", Computed("times", (RATIO, 0.7))).substitute({"H": 10, "A": 4}) == 1
    assert computed("floor", RATIO).substitute({"H": 2 * H}) == computed(
        "floor", Computed("over", (2 * H, A))
    )
    # 1 / 10 · 3 is 0.30000000000000004 in floats, and 3 / 10 is exact.
    tenth = Computed("over", (A, expression(10)))
    partly = Computed("times", (H, tenth)).substitute({"A": 1})
    (((atom, _),),) = partly.terms
    assert atom == Computed("times", (H, 0.1))
    exact = Computed("times", (tenth, 3.0)).substitute({"A": 1})
    assert exact.constant == 0.1 * 3


def test_a_number_is_whole_if_python_computes_it_from_whole_ones():
    whole = [Computed(name, (H, A)) for name in ("times", "plus", "minus", "div", "mod", "gcd")]
    assert all(one.is_whole for one in (*whole, WHOLE))
    floats = (RATIO, Computed("times", (H, 0.5)), Computed("plus", (H / 2, A)))
    assert not any(one.is_whole for one in floats)
