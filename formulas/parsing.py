"""Parse expressions and conditions from their printed form: ``4·H² − ⌊H/A⌋·A``.

Parsing the output of ``notation.text`` or of a condition's ``str`` returns an equal object. The
grammar covers the printed form, which people can write and review too. It also covers the form that
older files have, in which all of ``a·b`` in ``⌊x/a·b⌋`` is the divisor, without its brackets::

    sum     =  [−] term {(+ | −) term}
    term    =  factor {· factor} [/ factor]     (a bracket is the last factor)
    factor  =  number | letter [power] | rounded [power] | computed [power] | "(" sum ")"
    rounded =  ⌊ side / side ⌋ | ⌈ side / side ⌉
    side    =  [−] factor {· factor}
    computed = function "(" step {, step} ")" | "(" operand (× | ÷) operand ")"
    step    =  operand [(× | ÷) operand]
    operand =  [−] decimal | sum
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TypeVar

from paramproof.formulas.computed import FUNCTIONS, INFIX
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.expression import (
    Computed,
    Expression,
    Operand,
    as_operand,
    ceiling,
    computed,
    expression,
    floor,
    letter,
)
from paramproof.formulas.notation import SUPERSCRIPTS
from paramproof.formulas.printing import MINUS, shown

LONGEST = 20_000  # The maximum number of characters of an expression.
DEEPEST = 40  # The maximum nesting of brackets and quotients.

TOKEN = re.compile(
    r"\s*(?:(?P<decimal>[0-9]+(?:\.[0-9]+)?e[+-−]?[0-9]+|[0-9]+\.[0-9]+)"
    r"|(?P<number>[0-9]{1,40})|(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})"
    # A name in Python, which may have letters of any alphabet, but no superscript.
    r"|(?P<letter>[^\W\d⁰¹²³⁴⁵⁶⁷⁸⁹][^\W⁰¹²³⁴⁵⁶⁷⁸⁹]*'*)"
    rf"|(?P<sign>[+·×÷,/()⌊⌋⌈⌉{MINUS}]))"
)

END = ("end", "")  # The token after the last one.
DIGITS = {sup: digit for digit, sup in SUPERSCRIPTS.items()}

RELATIONS = {
    sign: (relation, holds)
    for relation in Relation
    for sign, holds in zip(relation.value, (True, False), strict=True)
}

RELATION = re.compile(f" ({'|'.join(RELATIONS)}) ")


# A file of the catalogue has the same few texts at hundreds of tensors.
@lru_cache(maxsize=4096)
def expression_in(text: str) -> Expression:
    try:
        return _Reader(text).whole()
    except (ArithmeticError, _ParseError):
        raise ValueError(f"{shown(text)} is not an expression") from None


def condition_in(text: str) -> Condition:
    """Return the condition that is printed as ``text``: ``A divides H``, ``V ≤ 25000``.

    The condition is normalized, as conditions are printed. Raises ``ValueError``, in one line that
    quotes the text, for anything else.
    """
    parts = RELATION.split(text)
    if len(parts) != 3:
        raise ValueError(f"{shown(text)} is not a condition")
    left, sign, right = parts
    relation, holds = RELATIONS[sign]
    return Condition(relation, expression_in(left), expression_in(right), holds).normalized()


Part = TypeVar("Part")


class _ParseError(Exception):
    """A token is unexpected or missing."""


class _Reader:
    """A recursive descent parser, with a method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.tokens = [*_tokens(text), END]
        self.at = 0
        self.depth = 0
        self.bracketed = False

    def whole(self) -> Expression:
        found = self.sum()
        if self.next() != END:
            raise _ParseError
        return found

    def next(self) -> tuple[str, str]:
        return self.tokens[self.at]

    def take(self, sign: str) -> bool:
        is_next = self.next() == ("sign", sign)
        self.at += is_next
        return is_next

    def must(self, sign: str) -> None:
        if not self.take(sign):
            raise _ParseError

    def sum(self) -> Expression:
        total = -self.term() if self.take(MINUS) else self.term()
        while True:
            if self.take("+"):
                total = total + self.term()
            elif self.take(MINUS):
                total = total - self.term()
            else:
                return total

    def term(self) -> Expression:
        found = self.product()
        return found / self.factor() if self.take("/") else found

    def side(self) -> Expression:
        return -self.product() if self.take(MINUS) else self.product()

    def product(self) -> Expression:
        found = self.factor()
        while not self.bracketed and self.take("·"):
            found = found * self.factor()
        return found

    def factor(self) -> Expression:
        self.bracketed = False
        if self.take("("):
            inside = self.inside(self.step)
            self.must(")")
            if isinstance(inside, Computed):
                return self.raised(computed(inside.function, *inside.operands))
            if isinstance(inside, float):
                raise _ParseError
            self.bracketed = True
            return inside
        for opening, closing, rounded in (("⌊", "⌋", floor), ("⌈", "⌉", ceiling)):
            if self.take(opening):
                top = self.inside(self.side)
                self.must("/")
                found = rounded(top, self.inside(self.side))
                self.must(closing)
                return self.raised(found)
        kind, written = self.next()
        self.at += 1
        if kind == "number":
            return expression(int(written))
        if kind == "letter" and self.take("("):
            return self.raised(self.inside(lambda: self.function(written)))
        if kind == "letter":
            return self.raised(letter(written))
        raise _ParseError

    def function(self, name: str) -> Expression:
        if name not in FUNCTIONS:
            raise _ParseError
        operands = [self.step()]
        while self.take(","):
            operands.append(self.step())
        self.must(")")
        return computed(name, *operands)

    def step(self) -> Operand:
        first = self.operand()
        for name, sign in INFIX.items():
            if self.take(sign):
                return Computed(name, (as_operand(first), as_operand(self.operand())))
        return first

    def operand(self) -> Expression | float:
        minus = self.take(MINUS)
        kind, written = self.next()
        if kind == "decimal":
            self.at += 1
            value = float(written.replace(MINUS, "-"))
            return -value if minus else value
        self.at -= minus
        return self.sum()

    def inside(self, part: Callable[[], Part]) -> Part:
        self.depth += 1
        if self.depth > DEEPEST:
            raise _ParseError
        found = part()
        self.depth -= 1
        return found

    def raised(self, base: Expression) -> Expression:
        """Parse the power of an atom. A bracket inside the atom does not end the term around it."""
        self.bracketed = False
        kind, written = self.next()
        if kind != "power":
            return base
        self.at += 1
        return base ** int(written.translate(DIGITS))


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    if len(text) > LONGEST:
        raise _ParseError
    at, end = 0, len(text.rstrip())
    while at < end:
        match = TOKEN.match(text, at)
        if not match or not match.lastgroup:
            raise _ParseError
        yield match.lastgroup, match[match.lastgroup]
        at = match.end()
