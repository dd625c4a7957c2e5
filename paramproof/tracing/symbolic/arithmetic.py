"""Python's operators for symbolic ints and floats, on either side."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, gcd, isfinite, log2
from typing import Any

from paramproof.formulas.condition import Relation
from paramproof.formulas.expression import Expression, computed, expression
from paramproof.tracing.internal_errors import calls_constructor
from paramproof.tracing.recorder import (
    CACHE_SIZE,
    LOOP_INDEX,
    comparison_guard,
    divisibility_guard,
    is_running,
    record_caveat,
    record_guard,
)
from paramproof.tracing.run_length import repeat_list
from paramproof.tracing.symbolic.symfloat import (
    NativeSymFloat,
    SymFloat,
    computed_symfloat,
    exact_expression,
    exact_symfloat,
    fits_in_a_float,
    has_a_bound,
    is_exact,
    operand_of,
    plain_float,
    quotient_symfloat,
    rounded_down,
    rounded_to_nearest,
    rounded_up,
    scale_of,
    symbolic_float,
)
from paramproof.tracing.symbolic.symint import (
    NativeSymInt,
    SymInt,
    is_asked_by_trusted_code,
    plain_int,
    symint_or_int,
    unknown_symint,
)

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
"""The function of a ``Computed`` expression for each operator."""


DIVIDING = (operator.truediv, operator.floordiv, operator.mod)
SHIFTING = (operator.lshift, operator.rshift)


def expression_of(value: Any) -> Expression | None:
    if isinstance(value, SymInt | SymFloat):
        return value.expression
    if isinstance(value, int):
        return expression(int(value))
    if isinstance(value, float) and isfinite(value):
        return expression(Fraction(value))
    return None


def is_unknown(value: Any) -> bool:
    """Return whether a number depends on sizes in a way that could not be followed."""
    return isinstance(value, SymInt | SymFloat) and value.expression is None


def plain_number(value: Any) -> Any:
    return plain_int(value) if isinstance(value, int) else plain_float(value)


def apply_operator(compute: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Return the result of an operator, given that at least one operand is symbolic."""
    if not (isinstance(left, int | float) and isinstance(right, int | float)):
        return _other_result(compute, left, right)
    _record_error_guards(compute, left, right)
    value = _computed(compute, left, right)
    if isinstance(value, complex):
        record_caveat(expression_of(left), " became a complex number")
        return value
    if is_unknown(left) or is_unknown(right):
        return unknown_number(value)
    if _are_of_two_iterations(left, right):
        return unknown_number(value)
    if _has_no_size(left) and _has_no_size(right):
        return symbolic_float(value) if isinstance(value, float) else value
    if isinstance(left, int) and isinstance(right, int):
        return _int_result(compute, left, right, value)
    return _float_result(compute, left, right, value)


@calls_constructor
def _computed(compute: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Return the plain result, or raise the error that the constructor's own operator raises."""
    return compute(plain_number(left), plain_number(right))


def _record_error_guards(compute: Callable[[Any, Any], Any], left: Any, right: Any) -> None:
    """Record the guards that decide whether Python raises an error."""
    if compute in DIVIDING and isinstance(right, SymInt | SymFloat):
        # Python checks the divisor, and raises an error.
        record_comparison(Relation.EQUAL, right, 0, bool(plain_number(right) == 0))
    if compute in SHIFTING and isinstance(right, SymInt):
        record_comparison(Relation.LESS, right, 0, plain_number(right) < 0)
    if compute is operator.pow and isinstance(left, SymInt | SymFloat) and plain_number(right) < 0:
        record_comparison(Relation.EQUAL, left, 0, bool(plain_number(left) == 0))
    if compute is operator.pow and isinstance(right, SymInt) and isinstance(left, float):
        _record_overflow_guard(plain_number(left), right)


def _are_of_two_iterations(left: Any, right: Any) -> bool:
    """Return whether both numbers depend on the index of one loop that has ended.

    Then the symbol may mean different iterations in the two.
    """
    if not (isinstance(left, SymInt | SymFloat) and isinstance(right, SymInt | SymFloat)):
        return False
    one, other = left.expression, right.expression
    if one is None or other is None:
        return False
    both = one.letters & other.letters
    return any(name.startswith(LOOP_INDEX) and not is_running(name) for name in both)


def _record_overflow_guard(base: float, power: SymInt) -> None:
    """Record whether a float to this power overflows, which is an error in Python."""
    if abs(base) > 1:
        record_comparison(Relation.LESS, power, int(1023 / log2(abs(base))), True)


def unknown_number(value: Any) -> Any:
    if isinstance(value, float):
        return SymFloat(value, None)
    return (
        unknown_symint(value) if isinstance(value, int) and not isinstance(value, bool) else value
    )


def _has_no_size(value: Any) -> bool:
    return not isinstance(value, SymInt) and (not isinstance(value, SymFloat) or value.is_constant)


def _int_result(compute: Callable[[Any, Any], Any], left: Any, right: Any, value: Any) -> Any:
    name, one, other = compute.__name__, expression_of(left), expression_of(right)
    assert one is not None
    assert other is not None
    if name == "truediv":
        _record_huge(one, other)
        return quotient_symfloat(value, one, other)
    made: Expression | None = None
    if name in ("add", "sub", "mul", "floordiv", "mod"):
        made = _exact_result(compute, one, other)
    elif name == "pow" and type(right) is int and right >= 0:
        made = one**right
    elif name == "lshift" and type(right) is int:
        made = one * 2**right
    elif name == "rshift" and type(right) is int:
        made = _exact_result(operator.floordiv, one, expression(2**right))
    if made is None:
        return (
            computed_symfloat(value, STEPS[name], left, right)
            if name in STEPS
            else unknown_symint(value)
        )
    found = symint_or_int(value, made)
    if name == "mod" and isinstance(found, SymInt):
        found.divided = (one, other)
    return found


@lru_cache(CACHE_SIZE)
def _exact_result(
    compute: Callable[[Any, Any], Any], one: Expression, other: Expression
) -> Expression | None:
    """Return the expression of a result, None if it is not a sum of products."""
    try:
        made: Expression = compute(one, other)
    except ArithmeticError:
        return None
    return made


def _float_result(compute: Callable[[Any, Any], Any], left: Any, right: Any, value: Any) -> Any:
    name = compute.__name__
    _record_huge(*(one.expression for one in (left, right) if isinstance(one, SymInt)))
    if is_exact(left) and is_exact(right):
        if name in ("add", "sub", "mul"):
            made = _exact_result(compute, exact_expression(left), exact_expression(right))
            if made is not None and fits_in_a_float(made):
                # 0.0·H is 0.0 at every size.
                return exact_symfloat(value, made) if made.letters else symbolic_float(value)
        if name == "truediv":
            (top, down), (under, over) = _whole_over(left), _whole_over(right)
            return quotient_symfloat(value, top * over, down * under)
    return computed_symfloat(value, STEPS[name], left, right)


def _record_huge(*numbers: Expression | None) -> None:
    """Record that a number may be too large for a float, which is an error in Python."""
    for made in numbers:
        if made is not None and not has_a_bound(made):
            record_caveat(made, " became a float, which it may be too large for")


def _whole_over(value: Any) -> tuple[Expression, Expression]:
    """Return an exact number as a quotient of whole expressions."""
    if isinstance(value, SymFloat) and value.over:
        return value.over
    if isinstance(value, float):
        top, bottom = plain_float(value).as_integer_ratio()
        return expression(top), expression(bottom)
    return exact_expression(value), expression(1)


def _other_result(compute: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Return the result of an operator for a symbolic number and something that is not a number."""
    number, other = (right, left) if _is_symbolic(right) else (left, right)
    if compute is operator.mul and isinstance(other, list) and isinstance(number, SymInt):
        # Python repeats a list not at all for a negative number.
        record_comparison(Relation.LESS, number, 0, plain_number(number) < 0)
        return repeat_list(other, number)
    if isinstance(other, complex):
        record_caveat(expression_of(number), " became a complex number")
        return compute(*(plain_number(one) if _is_symbolic(one) else one for one in (left, right)))
    if hasattr(type(other), "__torch_function__"):
        # The values of a tensor decide no shape while they stay in it.
        return compute(*(plain_number(one) if _is_symbolic(one) else one for one in (left, right)))
    return NotImplemented


def _is_symbolic(value: Any) -> bool:
    return isinstance(value, SymInt | SymFloat)


def record_comparison(relation: Relation, left: Any, right: Any, answer: bool) -> None:
    """Record the guard of a comparison with this answer.

    Infinity and NaN have no expression, and compare alike with all sizes.
    """
    for one in (left, right):
        if isinstance(one, float) and not isfinite(plain_number(one)):
            if isinstance(one, SymFloat):
                record_caveat(one.expression, " was no number when it was compared")
            return
    if (isinstance(left, SymFloat) or isinstance(right, SymFloat)) and is_asked_by_trusted_code():
        # Trusted code compares a rate with its bounds, and may refuse it.
        return
    if isinstance(left, SymFloat) and left.sign is not None and _is_zero(right):
        record_guard(comparison_guard(relation, left.sign, expression(0), answer))
        return
    if isinstance(right, SymFloat) and right.sign is not None and _is_zero(left):
        record_guard(comparison_guard(relation, expression(0), right.sign, answer))
        return
    if not _is_settled_by_scale(left, right):
        _record_order(relation, left, right, answer)


def _record_order(relation: Relation, left: Any, right: Any, answer: bool) -> None:
    """Record how two numbers compare, as a caveat if one of them is unknown."""
    if _are_of_two_iterations(left, right):
        record_caveat(expression_of(left), " was compared with itself in another iteration")
        return
    if is_unknown(left) or is_unknown(right):
        made = (one.expression for one in (left, right) if isinstance(one, SymInt | SymFloat))
        known = next((one for one in made if one is not None), None)
        record_caveat(
            None, *((" was compared",) if known is None else (" was compared with ", known))
        )
        return
    if relation is Relation.EQUAL and (guard := _remainder_guard(left, right, answer)):
        record_guard(guard)
        return
    _record_followed_order(relation, left, right, answer)


def _record_followed_order(relation: Relation, left: Any, right: Any, answer: bool) -> None:
    if found := _with_constant(left, right):
        _compare_with_constant(relation, *found, answer)
        return
    if found := _with_constant(right, left):
        _compare_with_constant(FLIPPED[relation], *found, answer)
        return
    one, other = _comparable(left, right), _comparable(right, left)
    if one is None or other is None:
        # Both are floats, or one is not exact: the sign of their difference decides.
        first, second = operand_of(left), operand_of(right)
        assert first is not None
        assert second is not None
        one, other = computed("minus", first, second), expression(0)
    record_guard(comparison_guard(relation, one, other, answer))


def _is_settled_by_scale(left: Any, right: Any) -> bool:
    """Return whether both are multiples of one size, in the same order at every size.

    Rounding is far smaller than the difference of the two factors.
    """
    if not (isinstance(left, SymFloat) or isinstance(right, SymFloat)):
        return False
    one, other = scale_of(left), scale_of(right)
    if one is None or other is None or one[0] != other[0] or not _is_letter(one[0]):
        return False
    return abs(one[1] - other[1]) > 1e-9 * max(abs(one[1]), abs(other[1]))


def _is_letter(made: Expression) -> bool:
    """Return whether an expression is one of the constructor's sizes, which are at least 1."""
    ((powers, number),) = made.terms.items() if len(made.terms) == 1 else (((), 0),)
    return (
        number == 1
        and len(powers) == 1
        and isinstance(powers[0][0], str)
        and not (powers[0][0].startswith(LOOP_INDEX))
    )


def _is_zero(value: Any) -> bool:
    return not is_unknown(value) and _has_no_size(value) and bool(plain_number(value) == 0)


def _compare_with_constant(
    relation: Relation, made: Expression, number: Fraction, answer: bool
) -> None:
    """Record how a whole number compares with a constant: 2·H > 5.2 becomes H > 2."""
    if not made.terms.get(()):
        common = gcd(*(int(factor) for factor in made.terms.values()))
        made, number = made / common, number / common
    if relation is Relation.EQUAL and number.denominator != 1:
        return
    limit = floor(number) if relation is Relation.MORE else ceil(number)
    record_guard(comparison_guard(relation, made, expression(limit), answer))


FLIPPED = {
    Relation.EQUAL: Relation.EQUAL,
    Relation.LESS: Relation.MORE,
    Relation.MORE: Relation.LESS,
}
"""The relation of two numbers in the opposite order."""


def _with_constant(left: Any, right: Any) -> tuple[Expression, Fraction] | None:
    """Return (expression, constant) that compare as the two numbers do.

    2.5·H compares with 100 as 5·H does with 200. None if no such pair is known.
    """
    if not _has_no_size(right) or _has_no_size(left):
        return None
    number = Fraction(plain_number(right))
    if isinstance(left, SymInt):
        made = left.expression
        whole = made is not None and made.is_whole
        return (made, number) if whole and isinstance(right, float) else None  # type: ignore[return-value]
    if not (left.exact and left.over) or (bottom := left.over[1].constant) is None:
        return None
    return (left.over[0], number * bottom) if left.over[0].is_whole else None


def _comparable(value: Any, other: Any) -> Expression | None:
    """Return an expression that compares with ``other`` as the number does, if there is one."""
    if isinstance(value, SymFloat) and not value.is_constant:
        alone = value.over is not None and not isinstance(other, SymFloat) and is_exact(other)
        rounded = value.over is None
        return value.expression if alone or value.exact or rounded else None
    if isinstance(value, float):
        return (
            exact_expression(value)
            if plain_float(value).is_integer()
            or (not isinstance(other, SymInt) and is_exact(value))
            else None
        )
    return expression_of(value)


def _remainder_guard(left: Any, right: Any, answer: bool) -> Any:
    for one, other in ((left, right), (right, left)):
        if getattr(one, "divided", None) and type(other) is int:
            top, bottom = one.divided
            # Only for a possible remainder: i mod 3 is 2 if 3 divides i − 2.
            if other == 0 or 0 <= other < (bottom.constant or 0):
                return divisibility_guard(top, bottom, other, answer)
    return None


def _operator(compute: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    return (
        lambda self, other: apply_operator(compute, self, other),
        lambda self, other: apply_operator(compute, other, self),
    )


def _comparison(name: str, relation: Relation, flipped: bool = False) -> Any:
    compute: Callable[[Any, Any], bool] = getattr(operator, name)

    def method(self: Any, other: Any) -> Any:
        if not isinstance(other, int | float):
            return NotImplemented
        answer = compute(plain_number(self), plain_number(other))
        record_comparison(relation, self, other, answer is not flipped)
        return answer

    return method


def _power(self: Any, power: Any, modulus: Any = None) -> Any:
    if modulus is None:
        return apply_operator(operator.pow, self, power)
    record_caveat(expression_of(self), " was raised to a power modulo a number")
    return pow(plain_number(self), plain_number(power), plain_number(modulus))


def _divmod(self: Any, other: Any) -> Any:
    return self // other, self % other


def _truth(self: Any) -> bool:
    answer = bool(plain_number(self))
    record_comparison(Relation.EQUAL, self, 0, not answer)
    return answer


def _truncated(self: SymFloat) -> Any:
    if self.over is None and not self.is_constant:
        return computed_symfloat(int(plain_float(self)), "int", self)
    return rounded_down(self) if self >= 0 else rounded_up(self)


def _rounded(self: SymFloat, digits: Any = None) -> Any:
    if digits is None:
        return rounded_to_nearest(self)
    return computed_symfloat(round(plain_float(self), digits), "rounded", self, digits)


def _is_integer(self: SymFloat) -> bool:
    """Return whether a float is an integer; the guard is that the divisor divides."""
    answer = plain_float(self).is_integer()
    if self.expression is None or (self.over is None and not self.is_constant):
        record_caveat(self.expression, " was asked whether it is whole")
    elif self.over and (bottom := self.over[1]) != 1:
        record_guard(divisibility_guard(self.over[0], bottom, 0, answer))
    return answer


def _negated(self: Any) -> Any:
    return (
        apply_operator(operator.sub, 0, self)
        if isinstance(self, SymInt)
        else apply_operator(operator.mul, -1, self)
    )


def _absolute(self: Any) -> Any:
    return self if self >= 0 else -self


def _inverted(self: SymInt) -> Any:
    return -self - 1


def _give_operators() -> None:
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        left, right = _operator(getattr(operator, name))
        for kind in (SymInt, SymFloat, NativeSymFloat):
            setattr(kind, f"__{name}__", left)
            setattr(kind, f"__r{name}__", right)
    for name in ("lshift", "rshift", "and_", "or_", "xor"):
        left, right = _operator(getattr(operator, name))
        setattr(SymInt, f"__{name.rstrip('_')}__", left)
        setattr(SymInt, f"__r{name.rstrip('_')}__", right)
    for name, relation, flipped in (
        ("eq", Relation.EQUAL, False),
        ("ne", Relation.EQUAL, True),
        ("lt", Relation.LESS, False),
        ("ge", Relation.LESS, True),
        ("gt", Relation.MORE, False),
        ("le", Relation.MORE, True),
    ):
        for kind in (SymInt, SymFloat, NativeSymFloat, NativeSymInt):
            setattr(kind, f"__{name}__", _comparison(name, relation, flipped))
    for name, method in (
        ("__pow__", _power),
        ("__divmod__", _divmod),
        ("__rdivmod__", lambda self, other: (other // self, other % self)),
        ("__bool__", _truth),
        ("__neg__", _negated),
        ("__abs__", _absolute),
    ):
        for kind in (SymInt, SymFloat):
            setattr(kind, name, method)
    for name, own in (
        ("__trunc__", _truncated),
        ("__floor__", rounded_down),
        ("__ceil__", rounded_up),
        ("__round__", _rounded),
        ("is_integer", _is_integer),
    ):
        setattr(SymFloat, name, own)
    setattr(SymInt, "__invert__", _inverted)  # noqa: B010


_give_operators()
