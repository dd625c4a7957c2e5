"""What an account comes to, in the letters of the model's family.

SymPy takes a third of a second to import: this module is imported where algebra is printed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import sympy

from builders.explain.account import Account, Part, plain, spec_of
from formulas import inventory
from formulas.conventions import counted
from formulas.inventory import lies_in
from formulas.spec import FamilyLetters, Spec

Expression: TypeAlias = Any
"""A SymPy polynomial, or an int."""

LAYERS = ("L", "N", "M")
ORDER = ("V'", "V", "U'", "U", "P'", "P", "T'", "T", "H", "A", "G", "K", "F")
MINUS = "\N{MINUS SIGN}"
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def in_letters(account: Account, spec: Spec) -> Expression:
    """The number of ``account`` as a polynomial."""
    letters = symbols(spec, account)
    named = inventory(letters)
    total = sympy.Integer(0)
    for part in account.parts:
        times = part.times * ((letters.A - 1) if part.heads else 1)
        for tensor in counted(named, *part.conventions):
            if lies_in(tensor.path, part.component):
                total += times * tensor.present * tensor.size * (1 if part.one else tensor.repeat)
    return sympy.expand(total)


def beyond(account: Account, spec: Spec) -> Expression:
    """What ``account`` has beyond the component that it begins with, as the model has it."""
    return sympy.expand(in_letters(account, spec) - in_letters(reference(account), spec))


def reference(account: Account) -> Account:
    """The component that ``account`` begins with, as the model has it."""
    first = account.parts[0]
    return Account((Part(first.component, first.one),), 1)


def symbols(spec: Spec, account: Account | None = None) -> FamilyLetters:
    """The letters of ``spec``: a symbol for each size, numbers for the indicators.

    Sizes that follow from others in ``spec`` are written by them (K = H/A, and where the
    keys or the target's tokens are as many as the queries or the source's, G = A, U = V).
    A size that ``account`` changes has a prime.
    """
    if account and account.plain:
        own = symbols(plain(spec))
        return own._replace(F=4 * own.H)
    numbers = spec.letters()
    other = spec_of(account, spec).letters() if account else numbers
    named = {
        name: _symbol(name if value == changed else f"{name}'") if name.isupper() else value
        for name, value, changed in zip(numbers._fields, numbers, other, strict=True)
    }
    given = numbers._asdict()
    if given.get("U") == given.get("V"):
        named["U"] = named["V"]
    if given.get("G") == given["A"]:
        named["G"] = named["A"]
    if "K" in given and given["A"] * given["K"] == given["H"]:
        named["K"] = named["H"] / named["A"]
    return type(numbers)(**{name: named[name] for name in numbers._fields})


def _symbol(name: str) -> Expression:
    return sympy.Symbol(name, integer=True, positive=True)


def expanded(expression: Expression) -> Expression:
    """Multiplied out, and 0 where it is nothing."""
    return sympy.expand(expression)


def text(expression: Expression) -> str:
    """A polynomial as the field writes it: ``L·(9·H + F) + 2·H``."""
    expression = sympy.expand(expression)
    names = sorted((str(symbol) for symbol in expression.free_symbols), key=_rank)
    layers = [_symbol(name) for name in names if name in LAYERS]
    terms = []
    for powers, inner in sympy.Poly(expression, *layers).terms() if layers else [((), expression)]:
        factor = "·".join(str(layer) for layer, power in zip(layers, powers, strict=True) if power)
        sizes = [_symbol(name) for name in names if name not in LAYERS]
        terms += _times(factor, _terms(inner, sizes))
    return _sum(terms) if terms else "0"


Term: TypeAlias = tuple[bool, str]
"""Whether it is negative, and without its sign."""


def _rank(name: str) -> int:
    return ORDER.index(name) if name in ORDER else -1


def _terms(expression: Expression, sizes: list[Expression]) -> list[Term]:
    found = []
    for term in sympy.Add.make_args(sympy.expand(expression)):
        coefficient, rest = term.as_coeff_Mul()
        powers = rest.as_powers_dict()
        factors = [_power(size, powers[size]) for size in sizes if powers[size] > 0]
        below = [_power(size, -powers[size]) for size in sizes if powers[size] < 0]
        number = [] if abs(coefficient) == 1 and factors else [str(abs(coefficient))]
        written = "·".join([*number, *factors]) + "".join(f"/{factor}" for factor in below)
        degree = [-powers[size] for size in sizes]
        if coefficient:
            found.append((sum(degree), degree, (bool(coefficient < 0), written)))
    return [term for *_, term in sorted(found)]


def _times(factor: str, terms: list[Term]) -> list[Term]:
    """``factor`` times the sum of ``terms``, with a minus that they share before it."""
    if not factor:
        return terms
    negative = all(minus for minus, _ in terms)
    if len(terms) > 1:
        return [(negative, f"{factor}·({_sum([(m and not negative, t) for m, t in terms])})")]
    number, dot, rest = terms[0][1].partition("·")
    if terms[0][1] == "1":
        return [(negative, factor)]
    if number.isdigit() and dot:
        return [(negative, f"{number}·{factor}·{rest}")]
    return [(negative, f"{factor}·{terms[0][1]}" if not number.isdigit() else f"{number}·{factor}")]


def _sum(terms: Iterable[Term]) -> str:
    (minus, first), *rest = terms
    signed = [f" {MINUS if negative else '+'} {term}" for negative, term in rest]
    return "".join([MINUS if minus else "", first, *signed])


def _power(symbol: Expression, power: int) -> str:
    return str(symbol) if power == 1 else str(symbol) + str(power).translate(SUPERSCRIPTS)


def in_powers(residual: int, spec: Spec) -> str:
    """A difference that no account fits, by its size: ``−3·H² + 12·H − 5``."""
    hidden = int(spec.hidden_size)
    square, rest = _nearest(residual, hidden * hidden)
    linear, units = _nearest(rest, hidden)
    symbol = _symbol("H")
    return text(square * symbol**2 + linear * symbol + sympy.Integer(units))


def _nearest(number: int, step: int) -> tuple[int, int]:
    times = (2 * number + step) // (2 * step)
    return times, number - times * step
