"""Sizes that remember how they were made.

A constructor is ordinary Python. Given ``Size(768, H)`` in place of 768 it does what it does with
768, and every size that it computes carries the expression it was computed by; a comparison is
answered as an int answers it, and told to whoever traces (``paramproof.derivation.questions``).

What a size does not survive: ``int()``, a string, JSON, NumPy and whatever else asks for a plain
int. See ``paramproof.derivation.instruments`` for the first.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import IntEnum
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

from paramproof.derivation.questions import EXPRESSIONS_REMEMBERED, ask, note_doubt, note_made
from paramproof.derivation.runs import repeated
from paramproof.formulas.condition import Relation
from paramproof.formulas.division import floor
from paramproof.formulas.expression import Expression, expression


class Size(int):
    """An int with the expression by which it was computed."""

    expression: Expression
    divided: tuple[Expression, Expression] | None

    def __new__(cls, value: int, made: Expression) -> Size:
        """An int that is ``value``, made as ``made`` says."""
        size = super().__new__(cls, value)
        size.expression = made
        # Of a remainder: what was divided by what, since "A divides H" is what people say.
        size.divided = None
        return size

    def __repr__(self) -> str:
        return int.__repr__(self)

    def __hash__(self) -> int:
        # A table answers by the number, and compares with what it has only: nothing is asked.
        note_doubt(self.expression, " was looked up")
        return int.__hash__(self)

    def __copy__(self) -> Size:
        return self

    def __deepcopy__(self, memo: object) -> Size:
        return self

    def __reduce__(self) -> Any:
        return Size, (int(self), self.expression)

    def __bool__(self) -> bool:
        return ask(Relation.EQUAL, self, 0, int(self) == 0) is False

    def __neg__(self) -> int:
        return size(-int(self), -self.expression)

    def __pos__(self) -> int:
        return self

    def __abs__(self) -> int:
        return self if self >= 0 else -self

    def __mod__(self, other: Any) -> Any:
        return _remainder(self, other)

    def __rmod__(self, other: Any) -> Any:
        return _remainder(other, self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __pow__(self, power: Any, modulus: Any = None) -> Any:
        value = pow(int(self), power, modulus)
        if modulus is None and type(power) is int and power >= 0:
            return size(value, self.expression**power)
        return value

    def __lshift__(self, bits: Any) -> Any:
        if type(bits) is int and bits >= 0:
            return self * 2**bits
        return int.__lshift__(self, bits)

    def __rshift__(self, bits: Any) -> Any:
        if type(bits) is int and bits >= 0:
            return self // 2**bits
        return int.__rshift__(self, bits)

    def __round__(self, digits: Any = None) -> int:
        return self

    def __trunc__(self) -> int:
        return self

    __floor__ = __ceil__ = __trunc__


class Rounding(IntEnum):
    """How near a float is to the fraction that it stands for.

    What was rounded once at the end, as H / A is, lies on the same side of every whole number as
    the fraction does, sizes being far below 2⁵³. What was rounded before need not.
    """

    NONE = 0
    ONCE = 1
    MORE = 2


class Ratio(float):
    """A float with the expression by which it was computed, as H / A has.

    One of a configuration is such a float too, a constant: ``4.0 * size`` asks the float, and a
    plain one would not tell.
    """

    expression: Expression
    rounding: Rounding

    def __new__(cls, value: float, made: Expression, rounding: Rounding = Rounding.MORE) -> Ratio:
        """A float that is ``value``, made as ``made`` says."""
        ratio = super().__new__(cls, value)
        ratio.expression = made
        ratio.rounding = rounding
        return ratio

    def __repr__(self) -> str:
        return float.__repr__(self)

    def __bool__(self) -> bool:
        return ask(Relation.EQUAL, self, 0, float(self) == 0) is False

    __hash__ = float.__hash__

    def __copy__(self) -> Ratio:
        return self

    def __deepcopy__(self, memo: object) -> Ratio:
        return self

    def __reduce__(self) -> Any:
        return Ratio, (float(self), self.expression, self.rounding)

    def __neg__(self) -> float:
        return Ratio(-float(self), -self.expression, self.rounding)

    def __abs__(self) -> float:
        return self if self >= 0 else -self

    def __trunc__(self) -> int:
        return self.__floor__() if self >= 0 else self.__ceil__()

    def __floor__(self) -> int:
        _doubt_rounding(self)
        return _rounded(float.__floor__(self), self.expression)

    def __ceil__(self) -> int:
        _doubt_rounding(self)
        return -_rounded(-float.__ceil__(self), -self.expression)

    def __round__(self, digits: Any = None) -> Any:
        if digits is not None:
            return float.__round__(self, digits)
        _doubt_rounding(self)
        return _nearest(float.__round__(self), self.expression)

    def is_integer(self) -> bool:
        """Whether nothing is behind the point: a question, whether the divisor divides."""
        top, bottom = _over(self.expression)
        remainder = _remainder(Size(0, top), bottom) if bottom != 1 else 0
        whole = float.is_integer(self)
        if isinstance(remainder, Size):
            ask(Relation.EQUAL, remainder, 0, whole)
        return whole


def remembering(value: float) -> float:
    """Return ``value`` as a float that remembers what is computed with it, where it is finite."""
    made = made_by(value)
    return value if made is None else Ratio(value, made, _rounding(value))


def size(value: int, made: Expression | None) -> int:
    """Return ``value`` with how it was made, a plain int where that is a number or not known."""
    if made is None or made.constant is not None:
        return value
    note_made(made)
    return Size(value, made)


def plain(value: int) -> int:
    """Return ``value`` as an int that remembers nothing."""
    return int.__add__(value, 0)


def made_by(value: Any) -> Expression | None:
    """Return the expression of a size or ratio, or of a number; None for anything else."""
    if isinstance(value, Size | Ratio):
        return value.expression
    if isinstance(value, bool | int):
        return expression(int(value))
    if isinstance(value, float) and value == value and abs(value) < 1e15:
        # As it is written: 0.1 is a tenth. Where floats compute otherwise, values tell.
        return expression(Fraction(repr(float(value))))
    return None


def _rounding(value: Any) -> Rounding:
    if isinstance(value, Ratio):
        return value.rounding
    exact = isinstance(value, int) or Fraction(value) == Fraction(repr(float(value)))
    return Rounding.NONE if exact else Rounding.ONCE


def _rounding_of(name: str, left: Any, right: Any) -> Rounding:
    """How near the result of an operation is; products of fractions of two are exact."""
    if _rounding(left) or _rounding(right):
        return Rounding.MORE
    return Rounding.ONCE if name == "truediv" else Rounding.NONE


def _doubt_rounding(value: Any) -> None:
    if not isinstance(value, Ratio) or value.expression.constant is not None:
        return
    if value.rounding is Rounding.MORE:
        note_doubt(value.expression, " was computed in floats")


def _rounded(value: int, made: Expression) -> int:
    try:
        rounded = floor(*_over(made))
    except ArithmeticError:
        return value
    return size(value, rounded)


def _nearest(value: int, made: Expression) -> int:
    """Of a half Python takes the even side: ⌊(x + ½)/2⌋ + ⌈(x − ½)/2⌉."""
    half = Fraction(1, 2)
    try:
        nearest = floor(*_over((made + half) / 2)) - floor(*_over((half - made) / 2))
    except ArithmeticError:
        return value
    return size(value, nearest)


def _over(made: Expression) -> tuple[Expression, Expression]:
    """Return an expression as a numerator and a denominator without fractions."""
    bottom = expression(1)
    lowest: dict[Any, int] = {}
    for powers in made.terms:
        for atom, power in powers:
            lowest[atom] = min(lowest.get(atom, 0), power)
    for atom, power in lowest.items():
        bottom = bottom * Expression({((atom, -power),): 1}) if power else bottom
    numbers = (Fraction(number).denominator for number in made.terms.values())
    bottom = bottom * lcm(*numbers)
    return made * bottom, bottom


def _remainder(left: Any, right: Any) -> Any:
    if not (isinstance(left, int) and isinstance(right, int | Expression)):
        return NotImplemented
    top, bottom = made_by(left), right if isinstance(right, Expression) else made_by(right)
    value = 0 if isinstance(right, Expression) else plain(left) % plain(right)
    try:
        made = top % bottom  # type: ignore[operator]
    except ArithmeticError:
        return value
    found = size(value, made)
    if isinstance(found, Size):
        found.divided = (top, bottom)  # type: ignore[assignment]
    return found


def _arithmetic(compute: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """Return what two numbers give as a method of the left and of the right one."""

    def result(left: Any, right: Any) -> Any:
        one, other = made_by(left), made_by(right)
        if one is None or other is None:
            return _repeated(left, right) if compute is operator.mul else NotImplemented
        value = compute(_bare(left), _bare(right))
        try:
            made = _made(compute, one, other)
        except ArithmeticError:
            return value
        if isinstance(value, int):
            return size(value, made)
        # A number stays one that remembers: what is multiplied by it later is a size.
        return Ratio(value, made, _rounding_of(compute.__name__, left, right))

    return (lambda self, other: result(self, other)), (lambda self, other: result(other, self))


def _repeated(left: Any, right: Any) -> Any:
    for values, times in ((left, right), (right, left)):
        if isinstance(values, list) and isinstance(times, Size):
            return repeated(values, times)
    return NotImplemented


@lru_cache(EXPRESSIONS_REMEMBERED)
def _made(compute: Callable[[Any, Any], Any], one: Expression, other: Expression) -> Any:
    """Every layer computes the same of the same sizes."""
    return compute(one, other)


def _bare(value: Any) -> Any:
    return plain(value) if isinstance(value, int) else float.__add__(value, 0.0)


def _comparison(name: str, relation: Relation, flipped: bool = False) -> Any:
    compare: Callable[[Any, Any], bool] = getattr(operator, name)

    def method(self: Any, other: Any) -> Any:
        if not isinstance(other, int | float):
            return NotImplemented
        answer = compare(_bare(self), _bare(other))
        _doubt_rounding(self)
        _doubt_rounding(other)
        ask(relation, self, other, answer is not flipped)
        return answer

    return method


for _kind in (Size, Ratio):
    for _name in ("add", "sub", "mul", "truediv", "floordiv"):
        _left, _right = _arithmetic(getattr(operator, _name))
        setattr(_kind, f"__{_name}__", _left)
        setattr(_kind, f"__r{_name}__", _right)
    for _name, _relation, _flipped in (
        ("eq", Relation.EQUAL, False),
        ("ne", Relation.EQUAL, True),
        ("lt", Relation.LESS, False),
        ("ge", Relation.LESS, True),
        ("gt", Relation.MORE, False),
        ("le", Relation.MORE, True),
    ):
        setattr(_kind, f"__{_name}__", _comparison(_name, _relation, _flipped))
