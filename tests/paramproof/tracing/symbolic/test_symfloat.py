"""Floats that contain sizes: which results are exact, and which comparisons are guards."""

import math

import pytest

from paramproof.formulas.expression import floor, letter
from paramproof.tracing.caveats import caveat_text
from paramproof.tracing.instrumented.calls import call
from paramproof.tracing.recorder import recording
from paramproof.tracing.symbolic.arithmetic import expression_of
from paramproof.tracing.symbolic.symint import SymInt

A, H = letter("A"), letter("H")


def size(value):
    return SymInt(value, H)


def guards(action):
    with recording() as recorder:
        action()
    return {str(guard) for guard in recorder.guards if not guard.is_settled}


def test_the_sign_of_a_root():
    """A root is positive where its operand is, so it is compared with 0 as the operand."""
    assert guards(lambda: call(math.sqrt, size(9)) > 0) <= {"0 < H"}


def test_multiples_of_a_size_compare_alike_at_every_size():
    assert guards(lambda: size(9) * 0.3 < size(9) * 0.7) == set()
    assert guards(lambda: size(9) * 0.3 < size(9)) == set()
    assert guards(lambda: size(9) < size(9) * 1.3) == set()


def test_multiples_of_what_may_be_0_are_compared():
    half = size(9) // 2
    assert half.expression == floor(H, 2)
    assert guards(lambda: half * 0.3 < half * 0.7) != set()


def test_what_only_a_float_has_is_a_caveat():
    with recording() as recorder:
        assert (size(9) * 0.7).hex() == (9 * 0.7).hex()
        assert (size(9) / 4).as_integer_ratio() == (9, 4)
    told = [caveat_text(one).partition(" (")[0] for one in recorder.caveats]
    assert [text.rpartition(" was ")[2] for text in told] == [
        "asked for its hex",
        "asked for its as_integer_ratio",
    ]


@pytest.mark.parametrize("number", range(1, 25))
@pytest.mark.parametrize("divisor", [2, 4, 8])
def test_rounding_a_quotient(number, divisor):
    """A formula from one size gives the rounded number, with ties to even, at every size."""
    made = expression_of(round(size(9) / divisor))
    assert made.evaluate({"H": number}) == round(number / divisor)
    assert made == floor(2 * H + divisor, 4 * divisor) - floor(divisor - 2 * H, 4 * divisor)
