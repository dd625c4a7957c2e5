"""What Python's operators give for symbolic ints and floats, whichever side these are on."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, gcd, isfinite, log2
from typing import Any

from paramproof.derivation.questions import (
    EXPRESSIONS_REMEMBERED,
    LOOP,
    ask,
    compared,
    divisible,
    is_running,
    note_caveat,
)
from paramproof.derivation.runs import repeated
from paramproof.derivation.symbolic.escapes import is_asked_by_trusted_code
from paramproof.derivation.symbolic.magnitude import fits_in_a_float, has_a_bound
from paramproof.derivation.symbolic.ratio import (
    FloatRatio,
    Ratio,
    exact_expression,
    exactly,
    in_steps,
    is_exact,
    node,
    plain_float,
    quotient,
    remembering,
    rounded_down,
    rounded_to_nearest,
    rounded_up,
    scale_of,
)
from paramproof.derivation.symbolic.size import IntSize, Size, plain, size, unknown
from paramproof.formulas.computed import computed
from paramproof.formulas.condition import Relation
from paramproof.formulas.expression import Expression, expression

STEPS = {
    "add": "plus",
    "sub": "minus",
    "mul": "times",
    "truediv": "over",
    "floordiv": "div",
    "mod": "mod",
    "pow": "power",
    "and_": "and",
    "or_": "or",
    "xor": "xor",
}
"""Operators by the name of the step that a formula has for them."""


DIVIDING = (operator.truediv, operator.floordiv, operator.mod)
SHIFTING = (operator.lshift, operator.rshift)


def made_by(value: Any) -> Expression | None:
    """Return the expression of a number; None for anything else, and for what was not followed."""
    if isinstance(value, Size | Ratio):
        return value.expression
    if isinstance(value, int):
        return expression(int(value))
    if isinstance(value, float) and isfinite(value):
        return expression(Fraction(value))
    return None


def is_unknown(value: Any) -> bool:
    """Whether a number depends on sizes in a way that was not followed."""
    return isinstance(value, Size | Ratio) and value.expression is None


def bare(value: Any) -> Any:
    """Return a number as Python's own: what it is in this trace."""
    return plain(value) if isinstance(value, int) else plain_float(value)


def result(compute: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Return what an operator gives for two numbers of which one is symbolic at least."""
    if not (isinstance(left, int | float) and isinstance(right, int | float)):
        return _of_others(compute, left, right)
    _ask_before(compute, left, right)
    value = compute(bare(left), bare(right))
    if isinstance(value, complex):
        note_caveat(made_by(left), " became a complex number")
        return value
    if is_unknown(left) or is_unknown(right):
        return untold(value)
    if _are_of_two_iterations(left, right):
        return untold(value)
    if _has_no_size(left) and _has_no_size(right):
        return remembering(value) if isinstance(value, float) else value
    if isinstance(left, int) and isinstance(right, int):
        return _of_ints(compute, left, right, value)
    return _of_floats(compute, left, right, value)


def _ask_before(compute: Callable[[Any, Any], Any], left: Any, right: Any) -> None:
    """Ask what decides whether Python raises an error."""
    if compute in DIVIDING and isinstance(right, Size | Ratio):
        # Python asks before it divides, and raises an error.
        compare(Relation.EQUAL, right, 0, bool(bare(right) == 0))
    if compute in SHIFTING and isinstance(right, Size):
        compare(Relation.LESS, right, 0, bare(right) < 0)
    if compute is operator.pow and isinstance(left, Size | Ratio) and bare(right) < 0:
        compare(Relation.EQUAL, left, 0, bool(bare(left) == 0))
    if compute is operator.pow and isinstance(right, Size) and isinstance(left, float):
        _ask_of_overflow(bare(left), right)


def _are_of_two_iterations(left: Any, right: Any) -> bool:
    """Whether both numbers are about one loop, whose letter may mean another iteration in each."""
    if not (isinstance(left, Size | Ratio) and isinstance(right, Size | Ratio)):
        return False
    one, other = left.expression, right.expression
    if one is None or other is None:
        return False
    both = one.letters & other.letters
    return any(name.startswith(LOOP) and not is_running(name) for name in both)


def _ask_of_overflow(base: float, power: Size) -> None:
    """Ask whether a float to this power is one: beyond, Python raises an error."""
    if abs(base) > 1:
        compare(Relation.LESS, power, int(1023 / log2(abs(base))), True)


def untold(value: Any) -> Any:
    """Return a number that depends on sizes in a way that was not followed."""
    if isinstance(value, float):
        return Ratio(value, None)
    return unknown(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _has_no_size(value: Any) -> bool:
    return not isinstance(value, Size) and (not isinstance(value, Ratio) or value.is_constant)


def _of_ints(compute: Callable[[Any, Any], Any], left: Any, right: Any, value: Any) -> Any:
    name, one, other = compute.__name__, made_by(left), made_by(right)
    assert one is not None
    assert other is not None
    if name == "truediv":
        _note_huge(one, other)
        return quotient(value, one, other)
    made: Expression | None = None
    if name in ("add", "sub", "mul", "floordiv", "mod"):
        made = _made(compute, one, other)
    elif name == "pow" and type(right) is int and right >= 0:
        made = one**right
    elif name == "lshift" and type(right) is int:
        made = one * 2**right
    elif name == "rshift" and type(right) is int:
        made = _made(operator.floordiv, one, expression(2**right))
    if made is None:
        return in_steps(value, STEPS[name], left, right) if name in STEPS else unknown(value)
    found = size(value, made)
    if name == "mod" and isinstance(found, Size):
        found.divided = (one, other)
    return found


@lru_cache(EXPRESSIONS_REMEMBERED)
def _made(
    compute: Callable[[Any, Any], Any], one: Expression, other: Expression
) -> Expression | None:
    """Every layer computes the same of the same sizes; None where no sum of products says it."""
    try:
        made: Expression = compute(one, other)
    except ArithmeticError:
        return None
    return made


def _of_floats(compute: Callable[[Any, Any], Any], left: Any, right: Any, value: Any) -> Any:
    name = compute.__name__
    _note_huge(*(one.expression for one in (left, right) if isinstance(one, Size)))
    if is_exact(left) and is_exact(right):
        if name in ("add", "sub", "mul"):
            made = _made(compute, exact_expression(left), exact_expression(right))
            if made is not None and fits_in_a_float(made):
                # 0.0 · H is 0.0 at every size.
                return exactly(value, made) if made.letters else remembering(value)
        if name == "truediv":
            (top, down), (under, over) = _whole_over(left), _whole_over(right)
            return quotient(value, top * over, down * under)
    return in_steps(value, STEPS[name], left, right)


def _note_huge(*numbers: Expression | None) -> None:
    """Note what may be larger than any float: Python raises an error there."""
    for made in numbers:
        if made is not None and not has_a_bound(made):
            note_caveat(made, " became a float, which it may be too large for")


def _whole_over(value: Any) -> tuple[Expression, Expression]:
    """Return an exact number as a quotient of whole expressions."""
    if isinstance(value, Ratio) and value.over:
        return value.over
    if isinstance(value, float):
        top, bottom = plain_float(value).as_integer_ratio()
        return expression(top), expression(bottom)
    return exact_expression(value), expression(1)


def _of_others(compute: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Return what an operator gives for a size and what is no number."""
    number, other = (right, left) if _is_symbolic(right) else (left, right)
    if compute is operator.mul and isinstance(other, list) and isinstance(number, Size):
        # Less than no times is not at all.
        compare(Relation.LESS, number, 0, bare(number) < 0)
        return repeated(other, number)
    if isinstance(other, complex):
        note_caveat(made_by(number), " became a complex number")
        return compute(*(bare(one) if _is_symbolic(one) else one for one in (left, right)))
    if hasattr(type(other), "__torch_function__"):
        # A tensor's values, which no shape depends on while they stay in it.
        return compute(*(bare(one) if _is_symbolic(one) else one for one in (left, right)))
    return NotImplemented


def _is_symbolic(value: Any) -> bool:
    return isinstance(value, Size | Ratio)


def compare(relation: Relation, left: Any, right: Any, answer: bool) -> None:
    """Record how two numbers compare, as a question whose answer is ``answer``.

    What is infinite or no number has no expression, and every size gives the same answer.
    """
    for one in (left, right):
        if not isfinite(bare(one)):
            if isinstance(one, Ratio):
                note_caveat(one.expression, " was no number when it was compared")
            return
    if (isinstance(left, Ratio) or isinstance(right, Ratio)) and is_asked_by_trusted_code():
        # A rate is compared with its bounds, and refused.
        return
    if isinstance(left, Ratio) and left.sign is not None and _is_zero(right):
        ask(compared(relation, left.sign, expression(0), answer))
        return
    if isinstance(right, Ratio) and right.sign is not None and _is_zero(left):
        ask(compared(relation, expression(0), right.sign, answer))
        return
    if not _is_settled_by_scale(left, right):
        _compare_followed(relation, left, right, answer)


def _compare_followed(relation: Relation, left: Any, right: Any, answer: bool) -> None:
    """Record how two numbers compare, or that what was compared was not followed."""
    if _are_of_two_iterations(left, right):
        note_caveat(made_by(left), " was compared with itself in another iteration")
        return
    if is_unknown(left) or is_unknown(right):
        made = (one.expression for one in (left, right) if isinstance(one, Size | Ratio))
        told = next((one for one in made if one is not None), None)
        note_caveat(None, *((" was compared",) if told is None else (" was compared with ", told)))
        return
    if relation is Relation.EQUAL and (asked := _of_remainder(left, right, answer)):
        ask(asked)
        return
    _compare_known(relation, left, right, answer)


def _compare_known(relation: Relation, left: Any, right: Any, answer: bool) -> None:
    """Record how two numbers compare whose expressions are known."""
    if found := _with_constant(left, right):
        _compare_with_constant(relation, *found, answer)
        return
    if found := _with_constant(right, left):
        _compare_with_constant(FLIPPED[relation], *found, answer)
        return
    one, other = _comparable(left, right), _comparable(right, left)
    if one is None or other is None:
        # Both are floats, or one is far too long: their difference has the sign that decides.
        first, second = node(left), node(right)
        assert first is not None
        assert second is not None
        one, other = computed("minus", first, second), expression(0)
    ask(compared(relation, one, other, answer))


def _is_settled_by_scale(left: Any, right: Any) -> bool:
    """Whether both are multiples of one size, and which is more is the same at every size.

    What floats round is far less than what tells the two factors apart.
    """
    if not (isinstance(left, Ratio) or isinstance(right, Ratio)):
        return False
    one, other = scale_of(left), scale_of(right)
    if one is None or other is None or one[0] != other[0] or not _is_letter(one[0]):
        return False
    return abs(one[1] - other[1]) > 1e-9 * max(abs(one[1]), abs(other[1]))


def _is_letter(made: Expression) -> bool:
    """Whether an expression is a size of the constructor, which is 1 or more."""
    ((powers, number),) = made.terms.items() if len(made.terms) == 1 else (((), 0),)
    return (
        number == 1
        and len(powers) == 1
        and isinstance(powers[0][0], str)
        and not (powers[0][0].startswith(LOOP))
    )


def _is_zero(value: Any) -> bool:
    return not is_unknown(value) and _has_no_size(value) and bool(bare(value) == 0)


def _compare_with_constant(
    relation: Relation, made: Expression, number: Fraction, answer: bool
) -> None:
    """Record how a whole number compares with a constant: 2·H > 5.2 where H > 2."""
    if not made.terms.get(()):
        common = gcd(*(int(factor) for factor in made.terms.values()))
        made, number = made / common, number / common
    if relation is Relation.EQUAL and number.denominator != 1:
        return
    limit = floor(number) if relation is Relation.MORE else ceil(number)
    ask(compared(relation, made, expression(limit), answer))


FLIPPED = {
    Relation.EQUAL: Relation.EQUAL,
    Relation.LESS: Relation.MORE,
    Relation.MORE: Relation.LESS,
}
"""What is said of two numbers in the other order."""


def _with_constant(left: Any, right: Any) -> tuple[Expression, Fraction] | None:
    """Return what compares with a constant as the left number does with the right one.

    2.5·H is to 100 as 5·H is to 200; None where that is not known.
    """
    if not _has_no_size(right) or _has_no_size(left):
        return None
    number = Fraction(bare(right))
    if isinstance(left, Size):
        made = left.expression
        whole = made is not None and made.is_whole
        return (made, number) if whole and isinstance(right, float) else None  # type: ignore[return-value]
    if not (left.exact and left.over) or (bottom := left.over[1].constant) is None:
        return None
    return (left.over[0], number * bottom) if left.over[0].is_whole else None


def _comparable(value: Any, other: Any) -> Expression | None:
    """Return a number as an expression that compares with ``other`` as the number does."""
    if isinstance(value, Ratio) and not value.is_constant:
        alone = value.over is not None and not isinstance(other, Ratio) and is_exact(other)
        rounded = value.over is None
        return value.expression if alone or value.exact or rounded else None
    if isinstance(value, float):
        return (
            exact_expression(value)
            if plain_float(value).is_integer() or (not isinstance(other, Size) and is_exact(value))
            else None
        )
    return made_by(value)


def _of_remainder(left: Any, right: Any, answer: bool) -> Any:
    for one, other in ((left, right), (right, left)):
        if getattr(one, "divided", None) and type(other) is int:
            top, bottom = one.divided
            # A remainder that there can be: i mod 3 is 2 where 3 divides i − 2.
            if other == 0 or 0 <= other < (bottom.constant or 0):
                return divisible(top, bottom, other, answer)
    return None


def _operator(compute: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    return (
        lambda self, other: result(compute, self, other),
        lambda self, other: result(compute, other, self),
    )


def _comparison(name: str, relation: Relation, flipped: bool = False) -> Any:
    compute: Callable[[Any, Any], bool] = getattr(operator, name)

    def method(self: Any, other: Any) -> Any:
        if not isinstance(other, int | float):
            return NotImplemented
        answer = compute(bare(self), bare(other))
        compare(relation, self, other, answer is not flipped)
        return answer

    return method


def _power(self: Any, power: Any, modulus: Any = None) -> Any:
    if modulus is None:
        return result(operator.pow, self, power)
    note_caveat(made_by(self), " was raised to a power modulo a number")
    return pow(bare(self), bare(power), bare(modulus))


def _divmod(self: Any, other: Any) -> Any:
    return self // other, self % other


def _truth(self: Any) -> bool:
    answer = bool(bare(self))
    compare(Relation.EQUAL, self, 0, not answer)
    return answer


def _truncated(self: Ratio) -> Any:
    if self.over is None and not self.is_constant:
        return in_steps(int(plain_float(self)), "int", self)
    return rounded_down(self) if self >= 0 else rounded_up(self)


def _rounded(self: Ratio, digits: Any = None) -> Any:
    if digits is None:
        return rounded_to_nearest(self)
    return in_steps(round(plain_float(self), digits), "rounded", self, digits)


def _is_integer(self: Ratio) -> bool:
    """Whether nothing is behind the point: a question, whether the divisor divides."""
    answer = plain_float(self).is_integer()
    if self.expression is None or (self.over is None and not self.is_constant):
        note_caveat(self.expression, " was asked whether it is whole")
    elif self.over and (bottom := self.over[1]) != 1:
        ask(divisible(self.over[0], bottom, 0, answer))
    return answer


def _negated(self: Any) -> Any:
    return (
        result(operator.sub, 0, self) if isinstance(self, Size) else result(operator.mul, -1, self)
    )


def _absolute(self: Any) -> Any:
    return self if self >= 0 else -self


def _inverted(self: Size) -> Any:
    return -self - 1


def _give_operators() -> None:
    """Give symbolic numbers Python's operators."""
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        left, right = _operator(getattr(operator, name))
        for kind in (Size, Ratio, FloatRatio):
            setattr(kind, f"__{name}__", left)
            setattr(kind, f"__r{name}__", right)
    for name in ("lshift", "rshift", "and_", "or_", "xor"):
        left, right = _operator(getattr(operator, name))
        setattr(Size, f"__{name.rstrip('_')}__", left)
        setattr(Size, f"__r{name.rstrip('_')}__", right)
    for name, relation, flipped in (
        ("eq", Relation.EQUAL, False),
        ("ne", Relation.EQUAL, True),
        ("lt", Relation.LESS, False),
        ("ge", Relation.LESS, True),
        ("gt", Relation.MORE, False),
        ("le", Relation.MORE, True),
    ):
        for kind in (Size, Ratio, FloatRatio, IntSize):
            setattr(kind, f"__{name}__", _comparison(name, relation, flipped))
    for name, method in (
        ("__pow__", _power),
        ("__divmod__", _divmod),
        ("__rdivmod__", lambda self, other: (other // self, other % self)),
        ("__bool__", _truth),
        ("__neg__", _negated),
        ("__abs__", _absolute),
    ):
        for kind in (Size, Ratio):
            setattr(kind, name, method)
    for name, own in (
        ("__trunc__", _truncated),
        ("__floor__", rounded_down),
        ("__ceil__", rounded_up),
        ("__round__", _rounded),
        ("is_integer", _is_integer),
    ):
        setattr(Ratio, name, own)
    setattr(Size, "__invert__", _inverted)  # noqa: B010


_give_operators()
