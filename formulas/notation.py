"""The printed form of expressions, as papers write them: ``L·(4·H² + 9·H) + H·(V + P)``.

Terms are grouped: those of each layer in a bracket after the number of layers, those that depend
on an indicator in a bracket after the indicator, and the rest in a bracket after their common
factor. LaTeX has the same groups.

Letters are printed in the order of ``LETTERS``; unknown letters follow, sorted by name. Printing
loads no plug-in: a plug-in's family adds its letters when it is loaded.

The text of an expression reads back as an equal one. It is ordinary arithmetic, so its tokens are
translated to those of Python, whose parser returns a syntax tree: ⌊a/b⌋ is a call with two
operands, and × and ÷, which bind less than a sum, are shifts. In ⌊x/a·b⌋, as older files have it,
all of ``a·b`` is the divisor for the same reason. Only the last factor of a product may be a sum,
and only an atom has a power, so that sums are not multiplied. A quotient that comes to a sum may
still be a factor, and many of them take long.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from paramproof.formulas.computed import FUNCTIONS, INFIX
from paramproof.formulas.expression import (
    Atom,
    Computed,
    Expression,
    Number,
    Operand,
    Powers,
    as_operand,
    atom_key,
    ceiling,
    common_factor,
    computed,
    expression,
    floor,
    letter,
    sides,
)
from paramproof.formulas.path import merged
from paramproof.formulas.printing import MINUS, shown
from paramproof.formulas.spec import INDICATOR, LAYERS, ROWS, WIDTH

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
    word: str
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
            # ⌊(x + d − 1) / d⌋ is usually written ⌈x / d⌉.
            up = top - (bottom - 1)
            shorter = len(up.terms) < len(top.terms)
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


PLAIN = Notation("·", MINUS, "({})", "{}", "{}", "{}/{}", "⌊{}/{}⌋", "⌈{}/{}⌉", "{}({})", INFIX)
LATEX = Notation(
    " ",
    "-",
    r"\left({}\right)",
    "^{{{}}}",
    r"\mathrm{{{}}}",
    r"\frac{{{}}}{{{}}}",
    r"\left\lfloor\frac{{{}}}{{{}}}\right\rfloor",
    r"\left\lceil\frac{{{}}}{{{}}}\right\rceil",
    r"\operatorname{{{}}}\left({}\right)",
    {"times": r"\times", "over": r"\div"},
)


def text(one: Expression | Number) -> str:
    return PLAIN.write(one)


def latex(one: Expression | Number) -> str:
    """Return ``one`` as LaTeX without delimiters, with words upright."""
    return LATEX.write(one)


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
    written = LATEX.word.format(word) if len(word) > 1 else word
    if index:
        escaped = index.replace("_", r"\_")
        written += rf"_{{\text{{{escaped}}}}}"
    return written + name[len(bare) :]


LONGEST = 20_000  # The maximum number of characters of an expression.
DEEPEST = 40  # The maximum nesting of brackets and quotients.

TOKEN = re.compile(
    r"(?P<decimal>[0-9]+(?:\.[0-9]+)?e[+-−]?[0-9]+|[0-9]+\.[0-9]+)"
    r"|(?P<number>[0-9]{1,40})|(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})"
    # A name in Python, which may have letters of any alphabet, but no superscript.
    r"|(?P<letter>[^\W\d⁰¹²³⁴⁵⁶⁷⁸⁹][^\W⁰¹²³⁴⁵⁶⁷⁸⁹]*'*)"
    rf"|(?P<sign>[+·×÷,/()⌊⌋⌈⌉{MINUS}])"
)

Binary: TypeAlias = Callable[[Expression, Expression], Expression]

DIGITS = {sup: digit for digit, sup in SUPERSCRIPTS.items()}

ROUNDED: dict[str, Binary] = {"floor": floor, "ceiling": ceiling}
OPENING = {"(": "(", "⌊": "floor(", "⌈": "ceiling("}
CLOSING = {")": "(", "⌋": "⌊", "⌉": "⌈"}
SIGNS = {"·": "*", MINUS: "-", "×": "<<", "÷": ">>"}
SHIFTS = {ast.LShift: "times", ast.RShift: "over"}
OPERATORS: dict[type, Binary] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


# A file of the catalogue has the same few texts at hundreds of tensors.
@lru_cache(maxsize=4096)
def expression_in(written: str) -> Expression:
    names: list[str] = []
    try:
        return _whole(_value(ast.parse(_python(written, names), mode="eval").body, names))
    except (ArithmeticError, LookupError, MemoryError, RecursionError, SyntaxError, TypeError):
        raise ValueError(f"{shown(written)} is not an expression") from None


def _python(text: str, names: list[str]) -> str:
    """Return a text in Python's signs, with x0, x1 … for letters and functions, as in ``names``."""
    if len(text) > LONGEST or TOKEN.sub("", text).strip():
        raise SyntaxError
    written, opened = [], []
    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "letter":
            names.append(token)
            token = f"x{len(names) - 1}"
        elif kind == "power":
            token = f"**{token.translate(DIGITS)}"
        elif token in OPENING:
            opened.append(token)
            token = OPENING[token]
        elif token in CLOSING:
            if opened.pop() != CLOSING[token]:
                raise SyntaxError
            token = ")"
        elif token == "/" and opened and opened[-1] != "(":
            token = ","
        else:
            token = SIGNS.get(token, token.replace(MINUS, "-"))
        written.append(token)
        if len(opened) > DEEPEST:
            raise SyntaxError
    return " ".join(written)


def _value(node: Any, names: list[str]) -> Operand:
    match node:
        case ast.Constant(float(value) | int(value)):
            return value if isinstance(value, float) else expression(value)
        case ast.Name(name):
            return letter(names[int(name[1:])])
        case ast.Call(ast.Name(name), [_, *_] as operands, []):
            values = [_value(one, names) for one in operands]
            if name in ROUNDED:
                return ROUNDED[name](*map(_whole, values))
            return computed(_function(names[int(name[1:])]), *values)
        case ast.UnaryOp(ast.USub(), operand):
            one = _value(operand, names)
            return -one if isinstance(one, float) else -_whole(one)
        case ast.BinOp(
            ast.Name() | ast.Call() | ast.BinOp(_, ast.LShift() | ast.RShift(), _) as atom,
            ast.Pow(),
            ast.Constant(int(power)),
        ):
            return _whole(_value(atom, names)) ** power
        case ast.BinOp(left, sign, right):
            if isinstance(sign, ast.Mult) and _ends_in_sum(left):
                raise SyntaxError
            one, other = _value(left, names), _value(right, names)
            if function := SHIFTS.get(type(sign)):
                return Computed(function, (as_operand(one), as_operand(other)))
            return OPERATORS[type(sign)](_whole(one), _whole(other))
    raise SyntaxError


def _function(name: str) -> str:
    if name not in FUNCTIONS:
        raise SyntaxError
    return name


def _whole(one: Operand) -> Expression:
    if isinstance(one, float):
        raise SyntaxError
    return computed(one.function, *one.operands) if isinstance(one, Computed) else one


def _ends_in_sum(node: Any) -> bool:
    match node:
        case ast.BinOp(_, ast.Add() | ast.Sub(), _):
            return True
        case ast.BinOp(_, ast.Mult(), last) | ast.BinOp(last, ast.Div(), _) | ast.UnaryOp(_, last):
            return _ends_in_sum(last)
    return False
