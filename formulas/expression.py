"""Symbolic counts: sums of products of letters, with floors and ceilings of quotients.

An expression is immutable and canonical: two expressions that expand to the same sum are equal and
have the same hash. Letters are positive ints. Expressions support plain arithmetic, so the code of
a formula works with ints, NumPy arrays and expressions. They have no order, so a formula that
branches on a size raises ``TypeError``.

Coefficients are ints. Only an inexact division leaves a ``Fraction``, which no count contains. A
term is a product of powers: of letters, and of ``Computed`` numbers. Division is exact, or rounded
down to a sum with a quotient for the rest, which is such a number.

Expressions are printed as papers write them: ``L·(4·H² + 9·H) + H·(V + P)``. Terms are grouped:
those of each layer in a bracket after the number of layers, those that depend on an indicator in a
bracket after the indicator, and the rest in a bracket after their common factor. LaTeX has the same
groups. Letters are in the order of ``LETTERS``; unknown letters follow, sorted by name. Printing
loads no plug-in: a plug-in's family adds its letters when it is loaded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias

from paramproof.formulas.computed import INFIX, QUOTIENT, WHOLE, WHOLE_OF_WHOLE, result_of
from paramproof.formulas.path import merged
from paramproof.formulas.printing import MINUS
from paramproof.formulas.spec import INDICATOR, LAYERS, ROWS, WIDTH

Number: TypeAlias = int | Fraction

Operators: TypeAlias = "tuple[Callable[[Expression, Any], Expression], ...]"

Atom: TypeAlias = "str | Computed"  # The name of a letter, or a number that Python computes.

Operand: TypeAlias = "Expression | float | Computed"
"""An operand of an operation: a size, a float in the code, or the float that another one gives."""

Powers: TypeAlias = tuple[tuple[Atom, int], ...]
"""A product: atoms with nonzero powers; letters sorted by name, then other atoms."""


def multiplied(left: Powers, right: Powers) -> Powers:
    if not (left and right):
        return left or right
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(((a, p) for a, p in powers.items() if p), key=lambda one: atom_key(one[0])))


def order(products: Iterable[Powers]) -> Callable[[Powers], tuple[int, list[int]]]:
    """Return a sort key for products: by degree, then by the powers of their first atoms.

    Multiplication preserves this order (it is a monomial order), as polynomial division requires.
    """
    atoms = sorted({atom for powers in products for atom, _ in powers}, key=atom_key)

    def key(powers: Powers) -> tuple[int, list[int]]:
        own = dict(powers)
        return sum(own.values()), [own.get(atom, 0) for atom in atoms]

    return key


def atom_key(atom: Atom) -> tuple[bool, str]:
    """Return a key that sorts letters by name, and other atoms after them."""
    return (False, atom) if isinstance(atom, str) else (True, atom.key)


def _operators(operation: Callable[[Expression, Expression], Expression]) -> Operators:
    """Return the two methods of an operator: for an expression on its left, and on its right."""

    def on_left(self: Expression, other: Any) -> Expression:
        right = _operand(other)
        return NotImplemented if right is None else operation(self, right)

    def on_right(self: Expression, other: Any) -> Expression:
        left = _operand(other)
        return NotImplemented if left is None else operation(left, self)

    return on_left, on_right


class Expression:
    __array_ufunc__ = None  # NumPy then leaves arithmetic with arrays of objects to this class.

    def __init__(self, terms: Mapping[Powers, Number] | None = None) -> None:
        self.terms: Mapping[Powers, Number] = {
            powers: number.numerator if number.denominator == 1 else number
            for powers, number in (terms or {}).items()
            if number
        }

    @cached_property
    def letters(self) -> frozenset[str]:
        """The letters that occur, also in numerators and denominators."""
        own = ({atom} if isinstance(atom, str) else atom.letters for atom in self._atoms())
        return frozenset[str]().union(*own)

    @property
    def has_quotients(self) -> bool:
        """Whether a rounded quotient or a ``Computed`` number occurs."""
        return any(not isinstance(atom, str) for atom in self._atoms())

    @property
    def constant(self) -> Number | None:
        """The value of an expression without letters, else None."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    def evaluate(self, sizes: Mapping[str, int]) -> int:
        """Return the exact value at these sizes, as an int."""
        if (value := self.value(sizes)) != int(value):
            raise ValueError(f"{value} is not a whole number")
        return int(value)

    def value(self, sizes: Mapping[str, int]) -> Number:
        """Return the exact value at these sizes, as an int or a ``Fraction``."""
        value: Number = 0
        for powers, number in self.terms.items():
            for atom, power in powers:
                base: Number = sizes[atom] if isinstance(atom, str) else atom.evaluate(sizes)
                if power != 1:
                    base = base**power if power > 0 else Fraction(base) ** power
                number = number * base
            value = value + number
        return value

    def substitute(self, values: Mapping[str, Expression | Number]) -> Expression:
        return sum_of(_substituted(*term, values) for term in self.terms.items())

    @property
    def is_polynomial(self) -> bool:
        return all(power > 0 for powers in self.terms for _, power in powers)

    @property
    def is_whole(self) -> bool:
        """Whether this is a polynomial with whole coefficients, in letters and whole atoms."""
        atoms = all(isinstance(atom, str) or atom.is_whole for atom in self._atoms())
        return self.is_polynomial and atoms and all(isinstance(n, int) for n in self.terms.values())

    def _atoms(self) -> Iterator[Atom]:
        return (atom for powers in self.terms for atom, _ in powers)

    __add__, __radd__ = _operators(lambda left, right: sum_of((left, right)))
    __sub__, __rsub__ = _operators(lambda left, right: sum_of((left, -right)))
    __mul__, __rmul__ = _operators(lambda left, right: product(left, right))
    __truediv__, __rtruediv__ = _operators(lambda left, right: quotient(left, right))
    __floordiv__, __rfloordiv__ = _operators(lambda left, right: computed(QUOTIENT, left, right))
    __mod__, __rmod__ = _operators(lambda left, right: left - left // right * right)

    def __pow__(self, power: Any) -> Expression:
        if not isinstance(power, int):
            return NotImplemented
        if power < 0:
            return expression(1) / self**-power
        return math.prod([self] * power, start=expression(1))

    def __neg__(self) -> Expression:
        return Expression({powers: -number for powers, number in self.terms.items()})

    def __reduce__(self) -> tuple[type[Expression], tuple[Mapping[Powers, Number]]]:
        # Another process hashes text differently, so a remembered hash must not be pickled.
        return Expression, (self.terms,)

    def __eq__(self, other: object) -> bool:
        right = _operand(other)
        return NotImplemented if right is None else self.terms == right.terms

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        constant = self.constant
        return hash(frozenset(self.terms.items()) if constant is None else constant)

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __index__(self) -> int:
        if not isinstance(self.constant, int):
            raise TypeError(f"{self} is not an int")
        return self.constant

    def __str__(self) -> str:
        return text(self)

    def __repr__(self) -> str:
        return f"<{self}>"


def letter(name: Atom) -> Expression:
    return Expression({((name, 1),): 1})


def sum_of(expressions: Iterable[Expression]) -> Expression:
    """Return the sum of ``expressions``, without an expression for each step on the way to it."""
    terms: dict[Powers, Number] = {}
    for one in expressions:
        for powers, number in one.terms.items():
            terms[powers] = terms.get(powers, 0) + number
    return Expression(terms)


def product(left: Expression, right: Expression) -> Expression:
    terms: dict[Powers, Number] = {}
    for powers, number in left.terms.items():
        for others, factor in right.terms.items():
            both = multiplied(powers, others)
            terms[both] = terms.get(both, 0) + number * factor
    return Expression(terms)


def expression(value: Expression | float | Fraction) -> Expression:
    """Return ``value`` as an expression; a float becomes the fraction that equals it exactly."""
    if isinstance(value, Expression):
        return value
    return Expression({(): value if isinstance(value, int) else Fraction(value)})


def _substituted(
    powers: Powers, number: Number, values: Mapping[str, Expression | Number]
) -> Expression:
    kept = tuple((atom, n) for atom, n in powers if isinstance(atom, str) and atom not in values)
    product = Expression({kept: number})
    for atom, power in powers:
        if not isinstance(atom, str) or atom in values:
            value = expression(values[atom]) if isinstance(atom, str) else atom.substitute(values)
            product = product * value**power
    return product


def _operand(value: object) -> Expression | None:
    if isinstance(value, Expression):
        return value
    if isinstance(value, int | float | Fraction):
        return expression(value)
    return expression(int(value)) if isinstance(value, Integral) else None  # One of NumPy.


@dataclass(frozen=True)
class Computed:
    """A number as Python computes it from sizes: a function of ``computed``, and its operands.

    A rounded quotient, ⌊a / b⌋, is one in the canonical form of ``floor``.
    """

    function: str
    operands: tuple[Operand, ...]

    @property
    def is_whole(self) -> bool:
        """Whether this is a whole number at all sizes."""
        if self.function not in WHOLE_OF_WHOLE:
            return self.function in WHOLE
        return all(isinstance(one, Expression) and one.is_whole for one in self.operands)

    @property
    def is_float(self) -> bool:
        of_ints = self.function == "power" and all(isinstance(x, Expression) for x in self.operands)
        return not (self.is_whole or of_ints)

    def compute(self, sizes: Mapping[str, int]) -> Any:
        return result_of(self.function, [_number(one, sizes) for one in self.operands])

    def evaluate(self, sizes: Mapping[str, int]) -> Number:
        """Return the value at these sizes; a float becomes the fraction that equals it exactly."""
        value = self.compute(sizes)
        if isinstance(value, int):
            return int(value)
        if not isinstance(value, float) or not math.isfinite(value):
            raise ArithmeticError(f"{value} is not a finite number")
        return Fraction(value)

    def substitute(self, values: Mapping[str, Expression | Number]) -> Expression:
        return computed(self.function, *(_operand_with(one, values) for one in self.operands))

    @cached_property
    def letters(self) -> frozenset[str]:
        known = (one for one in self.operands if isinstance(one, Expression | Computed))
        return frozenset[str]().union(*(one.letters for one in known))

    @cached_property
    def key(self) -> str:
        """A text that is unique to this number; that of a quotient has the terms of both sides."""
        pair = sides(self)
        return repr([*map(_ordered, pair)] if pair else self)

    def __repr__(self) -> str:
        return f"{self.function}{tuple(map(str, self.operands))}"

    def __str__(self) -> str:
        return str(letter(self))


def sides(atom: Atom) -> tuple[Expression, Expression] | None:
    """Return numerator and denominator of a rounded quotient, None for any other atom."""
    match atom:
        case Computed(function, (Expression() as top, Expression() as bottom)):
            return (top, bottom) if function == QUOTIENT else None
    return None


def computed(function: str, *operands: Operand) -> Expression:
    if function == QUOTIENT:
        return floor(*operands)
    result = Computed(function, tuple(map(as_operand, operands)))
    return letter(result) if result.letters else expression(result.evaluate({}))


def as_operand(one: Operand) -> Operand:
    """Return an operand in canonical form: ``Computed`` for a float, an expression for an int."""
    if isinstance(one, Computed):
        return letter(one) if one.is_whole else one
    if isinstance(one, Expression):
        match [*one.terms.items()]:
            case [(((Computed() as atom, 1),), 1)] if not atom.is_whole:
                return atom
    return expression(one) if isinstance(one, int) else one


def _number(one: Operand, sizes: Mapping[str, int]) -> Any:
    if isinstance(one, Computed):
        return one.compute(sizes)
    if not isinstance(one, Expression):
        return one
    value = one.value(sizes)
    return int(value) if isinstance(value, Integral) else float(value)


def _operand_with(one: Operand, values: Mapping[str, Expression | Number]) -> Operand:
    if isinstance(one, Expression):
        return one.substitute(values)
    if not isinstance(one, Computed):
        return one
    parts = [as_operand(_operand_with(part, values)) for part in one.operands]
    result = Computed(one.function, tuple(parts))
    # A float stays a float: with a fraction, the next operation would give another result.
    return result if result.letters else result.compute({})


def quotient(top: Expression, bottom: Expression) -> Expression:
    if not bottom:
        raise ZeroDivisionError(f"{top} divided by zero")
    if len(bottom.terms) == 1:
        ((powers, number),) = bottom.terms.items()
        return top * Expression({tuple((atom, -p) for atom, p in powers): 1 / Fraction(number)})
    found, rest = divided(top, bottom)
    if rest:
        raise ArithmeticError(f"{top} is not a multiple of {bottom}")
    return found


@lru_cache(maxsize=4096)
def floor(numerator: Expression | int, denominator: Expression | int) -> Expression:
    """Return ⌊numerator / denominator⌋ as a sum in which terms that divide exactly have no floor.

    Equal floors get the same form, however they are written: ⌊−x / d⌋ becomes −⌊(x + d − 1) / d⌋
    for a positive d, so the first letter in a numerator has a positive coefficient, and none
    exceeds d / 2 if d is a number. The form is not unique if the denominator has negative terms.
    """
    top, bottom = expression(numerator), expression(denominator)
    if not bottom:
        raise ZeroDivisionError(f"{top} divided by zero")
    if not (top.is_whole and bottom.is_whole):
        raise ArithmeticError(f"{top} divided by {bottom} is not a quotient of whole expressions")
    if bottom.terms[_leading(bottom)] < 0:
        top, bottom = -top, -bottom
    factor = common_factor([*top.terms.items(), *bottom.terms.items()])
    top, bottom = top / factor, bottom / factor
    return _floor_by_number(top, int(bottom)) if bottom.constant else _floor_by_letters(top, bottom)


def ceiling(numerator: Expression | int, denominator: Expression | int) -> Expression:
    return -floor(-expression(numerator), denominator)


def _floor_by_number(top: Expression, number: int) -> Expression:
    """Return ⌊top / number⌋, with coefficients reduced by multiples of ``number``."""
    nearest = {p: -((number - 2 * int(c)) // (2 * number)) for p, c in top.terms.items()}
    whole = Expression(nearest | {(): int(top.terms.get((), 0)) // number})
    rest = top - number * whole
    constant = rest.terms.get((), 0)
    letters = rest - constant
    if not letters:
        return whole
    # ⌊(f·x + c) / (f·n)⌋ is ⌊(x + ⌊c / f⌋) / n⌋ for a common factor f of the coefficients.
    factor = math.gcd(number, *map(int, letters.terms.values()))
    if factor > 1:
        return whole + floor(letters / factor + int(constant) // factor, number // factor)
    if number == 2 and constant:
        return whole + letters - floor(letters, 2)
    decisive = [c for _, c in _ordered(letters) if 2 * c != number]
    if decisive and decisive[0] < 0:
        return whole - floor(-rest + number - 1, number)
    return whole + letter(Computed(QUOTIENT, (rest, expression(number))))


def _floor_by_letters(top: Expression, bottom: Expression) -> Expression:
    whole, rest = divided(top, bottom, whole=True)
    if not rest:
        return whole
    # A divisor that may be negative, as L − 2, would change the value.
    if rest.terms[_leading(rest)] < 0 and _is_natural(bottom):
        return whole - floor(-rest + bottom - 1, bottom)
    return whole + letter(Computed(QUOTIENT, (rest, bottom)))


def _is_natural(one: Expression) -> bool:
    """Return True if no term subtracts anything, nor one of the sides of its quotients."""
    pairs = [sides(atom) for atom in one._atoms() if not isinstance(atom, str)]
    natural = (pair is not None and all(map(_is_natural, pair)) for pair in pairs)
    return all(number > 0 for number in one.terms.values()) and all(natural)


def common_factor(terms: Iterable[tuple[Powers, Number]]) -> Expression:
    """Return the largest product that divides each of ``terms``, with an int as coefficient."""
    products, numbers = zip(*terms, strict=True)
    whole = all(isinstance(number, int) for number in numbers)
    first, *others = map(dict, products)
    lowest = (
        (atom, min([p, *(other.get(atom, 0) for other in others)])) for atom, p in first.items()
    )
    shared = tuple((atom, power) for atom, power in lowest if power > 0)
    return Expression({shared: math.gcd(*numbers) if whole else 1})


def divided(
    top: Expression, bottom: Expression, whole: bool = False
) -> tuple[Expression, Expression]:
    """Divide polynomials by the leading term of the divisor; return quotient and rest.

    If ``whole``, coefficients are rounded down to ints, and no letter becomes a divisor.
    """
    by = order([*top.terms, *bottom.terms])
    leading = max(bottom.terms, key=by)
    inverse = tuple((atom, -power) for atom, power in leading)
    quotient, rest, left = Expression(), Expression(), top
    while left:
        powers = max(left.terms, key=by)
        ratio = multiplied(powers, inverse)
        share = Fraction(left.terms[powers]) / bottom.terms[leading]
        number: Number = math.floor(share) if whole else share
        divides = all(power > 0 for _, power in ratio)
        step = Expression({ratio: number}) if divides else Expression()
        quotient, left = quotient + step, left - step * bottom
        term = Expression({powers: left.terms.get(powers, 0)})
        rest, left = rest + term, left - term
    return quotient, rest


def _leading(one: Expression) -> Powers:
    return max(one.terms, key=order(one.terms))


def _ordered(one: Expression) -> list[tuple[Powers, Number]]:
    by = order(one.terms)
    return sorted(one.terms.items(), key=lambda term: by(term[0]), reverse=True)


SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

LETTERS = {
    INDICATOR: ["shared", "learned", "bias", "pooler", "mlm", "untied", "nsp"],
    LAYERS: ["N", "M", "L"],
    ROWS: ["V", "U", "P", "T"],
    WIDTH: ["H", "A", "G", "K", "F"],
}
"""The letters of each kind in the order of a product, as in V·H: those of the families in this
package, and of the plug-ins that are loaded."""

SUMMANDS = (INDICATOR, LAYERS, WIDTH, ROWS)
"""The order of kinds that sorts terms of the same degree, as in 3·H + V."""

BUILT_IN = frozenset(chain(*LETTERS.values()))
"""The letters of the families in this package. They mean the same everywhere."""


def add_letters(kinds: Mapping[str, str]) -> None:
    """Add the letters of a family, each with its kind; a new one follows its predecessor in it."""
    for kind, known in LETTERS.items():
        known[:] = merged([known, [name for name, own in kinds.items() if own == kind]])
    text.cache_clear()


class _Group(NamedTuple):
    outer: Powers
    inside: Expression
    times: int = 1


class Notation(NamedTuple):
    """A notation: its signs, as format strings, and how it writes an expression with them."""

    times: str
    minus: str
    bracket: str
    power: str
    fraction: str
    floor: str
    ceiling: str
    function: str
    infix: Mapping[str, str]

    def write(self, one: Expression | Number) -> str:
        return self.sum(self.groups(expression(one)))

    def groups(self, one: Expression) -> list[_Group]:
        """Return the groups of a sum: layers first, then unconditional terms, then indicators."""
        inside: dict[Powers, dict[Powers, Number]] = {}
        for powers, number in one.terms.items():
            outer = tuple(pair for pair in powers if self.is_outer(*pair))
            inner = tuple(pair for pair in powers if not self.is_outer(*pair))
            inside.setdefault(outer, {})[inner] = number
        always = Expression(inside.pop((), {}))
        groups = [_Group(outer, Expression(terms)) for outer, terms in inside.items()]
        return sorted([*groups, *_always(always)], key=self.group_order)

    def group_order(self, group: _Group) -> tuple[object, ...]:
        names = [str(atom) for atom, _ in group.outer]
        indicators, layers = (
            [known.index(name) for name in names if name in known]
            for known in (LETTERS[INDICATOR], LETTERS[LAYERS])
        )
        return len(indicators), not layers, layers, indicators, self.term_order(group.outer)

    def is_outer(self, atom: Atom, power: int) -> bool:
        return power > 0 and (atom in LETTERS[LAYERS] or atom in LETTERS[INDICATOR])

    def sum(self, groups: list[_Group]) -> str:
        signed = [term for group in groups for term in self.terms(group)]
        if not signed:
            return "0"
        (negative, first), *rest = signed
        tail = (f" {self.minus if minus else '+'} {term}" for minus, term in rest)
        return "".join([self.minus if negative else "", first, *tail])

    def terms(self, group: _Group) -> Iterator[tuple[bool, str]]:
        inner = group.inside.terms
        terms = [(powers, inner[powers]) for powers in sorted(inner, key=self.term_order)]
        if not group.outer or len(terms) == 1:
            for powers, number in terms:
                size = -number if number < 0 else number
                yield number < 0, self.product(size, (*group.outer, *powers))
            return
        negative = all(number < 0 for _, number in terms)
        inside = -group.inside if negative else group.inside
        bracket = self.bracket.format(self.sum([_Group((), inside)]))
        yield negative, self.times.join([self.product(group.times, group.outer), bracket])

    def term_order(self, powers: Powers) -> tuple[object, ...]:
        ranked = sorted((_rank(atom, SUMMANDS), -power) for atom, power in powers)
        return -sum(power for _, power in powers), ranked

    def product(self, number: Number, powers: Powers) -> str:
        ordered = sorted(powers, key=lambda pair: _rank(pair[0], LETTERS))
        above = [self.factor(atom, power) for atom, power in ordered if power > 0]
        below = [self.factor(atom, -power) for atom, power in ordered if power < 0]
        number = Fraction(number)
        if number.numerator != 1 or not above:
            above.insert(0, str(number.numerator))
        if number.denominator != 1:
            below.insert(0, str(number.denominator))
        if not below:
            return self.times.join(above)
        divisor = self.times.join(below)
        divisor = self.bracket.format(divisor) if len(below) > 1 and self is PLAIN else divisor
        return self.fraction.format(self.times.join(above), divisor)

    def factor(self, atom: Atom, power: int) -> str:
        written = self.atom(atom)
        if power == 1:
            return written
        raised = str(power).translate(SUPERSCRIPTS) if self is PLAIN else str(power)
        return written + self.power.format(raised)

    def atom(self, atom: Atom) -> str:
        if isinstance(atom, str):
            return atom if self is PLAIN else _latex_name(atom)
        if pair := sides(atom):
            top, bottom = pair
            # ⌊(x + d − 1) / d⌋ is usually written ⌈x / d⌉, for a positive d.
            up = top - (bottom - 1)
            shorter = len(up.terms) < len(top.terms) and ceiling(up, bottom) == letter(atom)
            shape = self.ceiling if shorter else self.floor
            below = self.side(bottom, is_right=True, in_fraction=True)
            return shape.format(self.side(up if shorter else top, in_fraction=True), below)
        written = self.steps(atom)
        return self.bracket.format(written) if atom.function in INFIX else written

    def steps(self, one: Computed) -> str:
        is_infix = one.function in INFIX
        parts = enumerate(one.operands)
        operands = [self.side(part, is_right=is_infix and place > 0) for place, part in parts]
        if is_infix:
            return f" {self.infix[one.function]} ".join(operands)
        # A single operand of a function needs no brackets of its own.
        if len(operands) == 1 and isinstance(one.operands[0], Computed):
            operands = [self.steps(one.operands[0])]
        return self.function.format(one.function, ", ".join(operands))

    def side(self, side: Operand, *, is_right: bool = False, in_fraction: bool = False) -> str:
        """Return one side of a sign, in brackets if it is a sum, or a product right of the sign."""
        if isinstance(side, Computed):
            return self.atom(side)
        if not isinstance(side, Expression):
            return repr(side).replace("-", self.minus)
        written = self.sum([_Group((), side)])
        factors = sum(len(powers) + (abs(number) != 1) for powers, number in side.terms.items())
        bracketed = len(side.terms) > 1 or (is_right and (factors > 1 or not side.is_whole))
        bracketed &= self is PLAIN or not in_fraction
        return self.bracket.format(written) if bracketed else written


PLAIN = Notation("·", MINUS, "({})", "{}", "{}/{}", "⌊{}/{}⌋", "⌈{}/{}⌉", "{}({})", INFIX)
LATEX = Notation(
    " ",
    "-",
    r"\left({}\right)",
    "^{{{}}}",
    r"\frac{{{}}}{{{}}}",
    r"\left\lfloor\frac{{{}}}{{{}}}\right\rfloor",
    r"\left\lceil\frac{{{}}}{{{}}}\right\rceil",
    r"\operatorname{{{}}}\left({}\right)",
    {"times": r"\times", "over": r"\div"},
)


# A model's tensors have few different sizes, and pages print each of them many times.
text = lru_cache(maxsize=8192)(PLAIN.write)

latex = LATEX.write
"""Returns an expression as LaTeX without delimiters, with words upright."""


def _always(sum_: Expression) -> list[_Group]:
    """Group terms without layers and indicators: H·(V + P) for V·H + P·H, but H² + H."""
    if len(sum_.terms) < 2 or any(number < 0 for number in sum_.terms.values()):
        return [_Group((), sum_)] if sum_ else []
    factor = common_factor(sum_.terms.items())
    ((shared, times),) = factor.terms.items()
    letters = {atom for atom, _ in shared}
    rest = sum_ / factor
    apart = all(letters.isdisjoint(atom for atom, _ in powers) for powers in rest.terms)
    return [_Group(shared, rest, int(times)) if letters and apart else _Group((), sum_)]


def _rank(atom: Atom, kinds: Iterable[str]) -> tuple[int, int, tuple[bool, str]]:
    # A primed letter, V', has the rank of the plain one.
    name = atom.rstrip("'") if isinstance(atom, str) else ""
    for place, letters in enumerate(LETTERS[kind] for kind in kinds):
        if name in letters:
            return place, letters.index(name), atom_key(atom)
    return len(LETTERS), 0, atom_key(atom)


def _latex_name(name: str) -> str:
    bare = name.rstrip("'")
    word, _, index = bare.partition("_")
    written = rf"\mathrm{{{word}}}" if len(word) > 1 else word
    if index:
        escaped = index.replace("_", r"\_")
        written += rf"_{{\text{{{escaped}}}}}"
    return written + name[len(bare) :]
