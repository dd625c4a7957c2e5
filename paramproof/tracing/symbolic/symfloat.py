"""Symbolic floats: they have a value, and the expression by which it was computed.

Floats round, and a formula must not ignore that. While a float is exact, like 2.5·H, or was rounded
once at the end, like H / A, its expression is a sum of fractions: rounding once keeps it on the
same side of every integer, because sizes are far below 2⁵³. Any other float keeps the steps by
which Python computes it (``paramproof.formulas.computed``).

A float holds every integer up to 2⁵³ exactly, and not all beyond. Sizes are assumed to be at most
2²⁰, about a million: a product of two sizes is far below 2⁵³, and a product of three may exceed
it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from math import inf, isfinite, lcm, log2
from typing import Any

from paramproof.formulas.expression import (
    Computed,
    Expression,
    Operand,
    computed,
    expression,
    floor,
    sides,
)
from paramproof.tracing.symbolic.symint import (
    SymbolicNumber,
    SymInt,
    symint_or_int,
    unknown_symint,
)

BITS_OF_A_SIZE = 20
BITS_OF_A_FLOAT = 53


@lru_cache(4096)
def fits_in_a_float(made: Expression) -> bool:
    """Return whether a float holds twice this number exactly at all sizes."""
    return _bits(made) < BITS_OF_A_FLOAT - 1


@lru_cache(4096)
def has_a_bound(made: Expression) -> bool:
    """Return whether a bound is known: Python cannot convert arbitrarily large ints to floats."""
    return _bits(made) < inf


def _bits(made: Expression) -> float:
    """Return an upper bound for the binary digits of an expression's values."""
    terms = [
        log2(abs(Fraction(number)))
        + sum(power * _bits_of(atom) for atom, power in powers if power > 0)
        for powers, number in made.terms.items()
    ]
    return max(terms, default=0.0) + log2(max(1, len(terms)))


def _bits_of(atom: Any) -> float:
    if isinstance(atom, str):
        return BITS_OF_A_SIZE
    if pair := sides(atom):
        return _bits(pair[0])
    return _bits_of_step(atom) if isinstance(atom, Computed) else inf


def _bits_of_step(step: Computed) -> float:
    if step.function in ("power", "exp"):
        return inf
    parts = [_bits_of_operand(one) for one in step.operands]
    if step.function == "over":
        return parts[0] + (_bits_of_divisor(step.operands[1]) if len(parts) > 1 else 0)
    return sum(parts) + 1 if step.function == "times" else max(parts) + 1


def _bits_of_operand(one: Any) -> float:
    if isinstance(one, Expression):
        return max(0.0, _bits(one))
    if isinstance(one, Computed):
        return _bits_of_step(one)
    return max(0.0, log2(abs(one))) if one else 0.0


def _bits_of_divisor(one: Any) -> float:
    """Return how many digits a quotient may have more than its numerator."""
    if isinstance(one, Expression):
        return 0.0 if one.is_whole else inf
    return max(0.0, -log2(abs(one))) if isinstance(one, float) and one else inf


MAX_EXACT = 2**20
"""Floats with a numerator and denominator up to this size are multiplied with sizes exactly."""


class SymFloat(SymbolicNumber):
    """A symbolic float: its value in this trace, and the expression by which it was computed.

    ``over`` holds two whole expressions if the float is their quotient, rounded once, and None if
    it was rounded on the way. ``exact`` means that it was not rounded at all. An expression of None
    means that the value depends on sizes in a way that could not be followed. ``sign`` is an
    expression with the same sign, None if none is known.

    Like ``SymInt`` it is not a real float, so that C code cannot read it unobserved.
    ``NativeSymFloat`` is one, for functions that accept nothing else.
    """

    over: tuple[Expression, Expression] | None
    exact: bool
    sign: Expression | None
    _value: float

    __class__ = property(lambda self: float)

    def __new__(
        cls,
        value: float,
        made: Expression | None,
        over: tuple[Expression, Expression] | None = None,
        exact: bool = False,
        sign: Expression | None = None,
    ) -> Any:
        ratio = object.__new__(cls)
        ratio._value = plain_float(value)
        ratio.expression = made
        ratio.over = over
        ratio.exact = exact
        ratio.sign = sign
        return ratio

    def __getattr__(self, name: str) -> Any:
        if name == "real":
            return self
        if name.startswith("__") or not hasattr(float, name):
            raise AttributeError(f"'float' object has no attribute {name!r}")
        if name == "imag":
            return 0.0
        if name == "conjugate":
            return lambda: self
        self.escape(f"was asked for its {name}")
        return getattr(self._value, name)

    def escape(self, became: str) -> None:
        """Record that something read the plain value, unless it does not depend on sizes."""
        if not self.is_constant:
            super().escape(became)

    def __reduce__(self) -> Any:
        return SymFloat, (plain_float(self), self.expression, self.over, self.exact, self.sign)

    @property
    def is_constant(self) -> bool:
        return self.expression is not None and not self.expression.letters


class NativeSymFloat(SymFloat, float):
    """A symbolic float that is a real ``float``: C code reads it unobserved."""

    def __new__(cls, of: SymFloat) -> Any:
        ratio = float.__new__(cls, of._value)
        for name in ("_value", "expression", "over", "exact", "sign"):
            setattr(ratio, name, getattr(of, name))
        return ratio

    def __repr__(self) -> str:
        return repr(self._value)

    def __format__(self, spec: str) -> str:
        return format(self._value, spec)


def plain_float(value: Any) -> float:
    if isinstance(value, SymFloat):
        return value._value
    return float(value) if type(value) is float else float.__add__(value, 0.0)


def symbolic_float(value: float) -> Any:
    """Return ``value`` as a symbolic float, so that results computed with it are symbolic."""
    if not isfinite(value):
        return value
    return exact_symfloat(value, expression(Fraction(value)))


def exact_symfloat(value: float, made: Expression) -> Any:
    return SymFloat(value, made, _over(made), exact=True)


def quotient_symfloat(value: float, top: Expression, bottom: Expression) -> Any:
    """Return a float that is top / bottom, rounded once."""
    if not (fits_in_a_float(top) and fits_in_a_float(bottom)):
        return SymFloat(value, computed("over", top, bottom), sign=top * bottom)
    try:
        made = top / bottom
    except ArithmeticError:
        made = computed("over", top, bottom)
    divisor = bottom.constant
    exact = divisor is not None and _is_power_of_two(divisor) and top.is_whole
    return SymFloat(value, made, (top, bottom), exact)


def computed_symfloat(value: Any, function: str, *operands: Any) -> Any:
    """Return a number that Python computes with this function from ``operands``."""
    nodes = [operand_of(one) for one in operands]
    made = None
    if all(one is not None for one in nodes):
        try:
            made = computed(function, *nodes)  # type: ignore[arg-type]
        except ArithmeticError:
            made = None
        else:
            if not made.letters:
                return value
    if isinstance(value, float):
        return SymFloat(value, made, sign=_sign_of_step(function, operands))
    return _whole(value, made)


def sign_of(value: Any) -> Expression | None:
    """Return an expression with the same sign as a number, None if none is known."""
    if isinstance(value, SymInt):
        return value.expression
    if isinstance(value, SymFloat) and not value.is_constant:
        if value.sign is not None:
            return value.sign
        if value.over:
            return value.over[0] * value.over[1]
        return value.expression if value.exact else None
    number = plain_float(value) if isinstance(value, float) else int(value)
    return expression((number > 0) - (number < 0))


def scale_of(value: Any) -> tuple[Expression, float] | None:
    """Return (a size, a factor) if a number is about that multiple of the size, otherwise None."""
    if isinstance(value, SymInt):
        return None if value.expression is None else (value.expression, 1.0)
    if not isinstance(value, SymFloat) or value.expression is None or value.is_constant:
        return None
    if value.over:
        bottom = value.over[1].constant
        return None if bottom is None else (value.over[0], 1 / float(bottom))
    return _scale_of(_atom(value.expression))


def _scale_of(one: Operand) -> tuple[Expression, float] | None:
    if isinstance(one, Expression):
        return one, 1.0
    if not isinstance(one, Computed) or one.function not in ("times", "over"):
        return None
    left, right = one.operands
    if isinstance(right, float) and right:
        found = _scale_of(left)
        factor = right if one.function == "times" else 1 / right
    elif isinstance(left, float) and one.function == "times":
        found, factor = _scale_of(right), left
    else:
        return None
    return None if found is None else (found[0], found[1] * factor)


def _sign_of_step(function: str, operands: tuple[Any, ...]) -> Expression | None:
    """Return the sign of a step's result, ignoring that floats can underflow to 0."""
    if function in ("sqrt", "float"):
        return sign_of(operands[0])
    if function in ("plus", "minus"):
        return _sign_of_sum(function, *operands)
    if function not in ("times", "over"):
        return None
    one, other = map(sign_of, operands)
    return None if one is None or other is None else one * other


def _sign_of_sum(function: str, left: Any, right: Any) -> Expression | None:
    """Return the sign of H / A − 2: rounding once does not move H / A to the other side of 2."""
    one, other = _on_its_side(left), _on_its_side(right)
    if one is None or other is None or (_is_quotient(left) and _is_quotient(right)):
        return None
    return one + other if function == "plus" else one - other


def _on_its_side(value: Any) -> Expression | None:
    """Return an expression that is on the same side of every integer as a number."""
    if _is_quotient(value):
        return value.expression  # type: ignore[no-any-return]
    if isinstance(value, SymFloat) and not value.is_constant:
        return None
    if isinstance(value, float) and not plain_float(value).is_integer():
        return None
    made = exact_expression(value) if is_exact(value) else None
    return made if made is not None and fits_in_a_float(made) else None


def _is_quotient(value: Any) -> bool:
    return isinstance(value, SymFloat) and value.over is not None and not value.is_constant


def _whole(value: int, made: Expression | None) -> Any:
    return unknown_symint(value) if made is None else symint_or_int(value, made)


def operand_of(value: Any) -> Operand | None:
    """Return a number as the operand of a step, None if its expression is unknown."""
    if isinstance(value, SymInt):
        return value.expression
    if isinstance(value, SymFloat):
        if value.expression is None:
            return None
        if value.is_constant:
            return plain_float(value)
        return Computed("over", value.over) if value.over else _atom(value.expression)
    return expression(int(value)) if isinstance(value, int) else plain_float(value)


def _atom(made: Expression) -> Operand:
    ((powers, _),) = made.terms.items()
    atom = powers[0][0]
    return atom if isinstance(atom, Computed) and not sides(atom) else made


def is_exact(value: Any) -> bool:
    """Return whether sums and products with this number are exact."""
    if isinstance(value, SymInt):
        return value.expression is not None
    if isinstance(value, SymFloat):
        return value.exact and not (value.is_constant and not _is_short(value))
    return isinstance(value, int) or _is_short(value)


def _is_short(value: Any) -> bool:
    if not isfinite(plain_float(value)):
        return False
    top, bottom = plain_float(value).as_integer_ratio()
    return abs(top) <= MAX_EXACT and bottom <= MAX_EXACT


def _is_power_of_two(number: Any) -> bool:
    return number == int(number) and number > 0 and int(number) & (int(number) - 1) == 0


def exact_expression(value: Any) -> Expression:
    if isinstance(value, SymInt | SymFloat):
        assert value.expression is not None
        return value.expression
    return expression(int(value) if isinstance(value, int) else Fraction(plain_float(value)))


def rounded_down(value: SymFloat) -> Any:
    return _rounded(value, "floor", math.floor(value._value), lambda top, down: floor(top, down))


def rounded_up(value: SymFloat) -> Any:
    return _rounded(value, "ceil", math.ceil(value._value), lambda top, down: -floor(-top, down))


def rounded_to_nearest(value: SymFloat) -> Any:
    """Return the nearest integer, ties to even: ⌊(x + ½)/2⌋ + ⌈(x − ½)/2⌉."""
    return _rounded(
        value,
        "round",
        round(value._value),
        lambda top, down: floor(2 * top + down, 4 * down) - floor(down - 2 * top, 4 * down),
    )


def _rounded(value: SymFloat, name: str, number: int, of_quotient: Any) -> Any:
    if value.expression is None:
        return unknown_symint(number)
    if value.is_constant:
        return number
    if value.over:
        try:
            return symint_or_int(number, of_quotient(*value.over))
        except ArithmeticError:
            pass
    return computed_symfloat(number, name, value)


def _over(made: Expression) -> tuple[Expression, Expression]:
    """Return an expression as a numerator and a denominator, both without fractions."""
    bottom = expression(1)
    lowest: dict[Any, int] = {}
    for powers in made.terms:
        for atom, power in powers:
            lowest[atom] = min(lowest.get(atom, 0), power)
    for atom, power in lowest.items():
        bottom = bottom * Expression({((atom, -power),): 1}) if power else bottom
    bottom = bottom * lcm(*(Fraction(number).denominator for number in made.terms.values()))
    return made * bottom, bottom
