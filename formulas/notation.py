"""Expressions as text and as LaTeX, as the field writes them: ``L·(4·H² + 9·H) + H·(V + P)``.

A sum is grouped: what is in each layer stands in a bracket behind the number of layers, what
depends on an indicator behind that, and what is left behind the letters that all of it shares.
Which letters are which, and their order, the families say; letters of none follow by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from paramproof.formulas.division import Quotient, common_factor
from paramproof.formulas.expression import Expression, Number, expression
from paramproof.formulas.families import alphabet
from paramproof.formulas.printing import MINUS
from paramproof.formulas.products import Atom, Powers, atom_key

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Style(NamedTuple):
    """The signs of a notation; ``{}`` stands for what they are put around."""

    times: str
    minus: str
    bracket: str
    power: str
    word: str
    fraction: str
    floor: str
    ceiling: str


PLAIN = Style("·", MINUS, "({})", "{}", "{}", "{}/{}", "⌊{}/{}⌋", "⌈{}/{}⌉")
LATEX = Style(
    " ",
    "-",
    r"\left({}\right)",
    "^{{{}}}",
    r"\mathrm{{{}}}",
    r"\frac{{{}}}{{{}}}",
    r"\left\lfloor\frac{{{}}}{{{}}}\right\rfloor",
    r"\left\lceil\frac{{{}}}{{{}}}\right\rceil",
)


def text(one: Expression | Number) -> str:
    """Return ``one`` as text, with ``·`` for times, ``−`` for minus and ``²`` for a square."""
    return _sum(_groups(expression(one)), PLAIN)


def latex(one: Expression | Number) -> str:
    """Return ``one`` as LaTeX without delimiters, its words upright."""
    return _sum(_groups(expression(one)), LATEX)


class _Group(NamedTuple):
    """A product before a bracket; of one term there is no bracket."""

    outer: Powers
    inside: Expression
    times: int = 1

    @property
    def order(self) -> tuple[object, ...]:
        """Layers first, what is always there, then what an indicator decides."""
        names = [str(atom) for atom, _ in self.outer]
        known = alphabet()
        indicators = [known.indicators.index(name) for name in names if name in known.indicators]
        layers = [known.layers.index(name) for name in names if name in known.layers]
        return len(indicators), not layers, layers, indicators, _term_order(self.outer)


def _groups(one: Expression) -> list[_Group]:
    inside: dict[Powers, dict[Powers, Number]] = {}
    for powers, number in one.terms.items():
        outer = tuple(pair for pair in powers if _is_outer(*pair))
        inner = tuple(pair for pair in powers if not _is_outer(*pair))
        inside.setdefault(outer, {})[inner] = number
    always = Expression(inside.pop((), {}))
    groups = [_Group(outer, Expression(terms)) for outer, terms in inside.items()]
    return sorted([*groups, *_always(always)], key=lambda group: group.order)


def _always(sum_: Expression) -> list[_Group]:
    """What depends on no layer and no indicator: H·(V + P) for V·H + P·H, but H² + H.

    A difference, where something is negative, stays as it is.
    """
    if len(sum_.terms) < 2 or any(number < 0 for number in sum_.terms.values()):
        return [_Group((), sum_)] if sum_ else []
    factor = common_factor(sum_.terms.items())
    ((shared, times),) = factor.terms.items()
    letters = {atom for atom, _ in shared}
    rest = sum_ / factor
    apart = all(letters.isdisjoint(atom for atom, _ in powers) for powers in rest.terms)
    return [_Group(shared, rest, int(times)) if letters and apart else _Group((), sum_)]


def _is_outer(atom: Atom, power: int) -> bool:
    return power > 0 and (atom in alphabet().layers or atom in alphabet().indicators)


def _sum(groups: list[_Group], style: Style) -> str:
    signed = [term for group in groups for term in _terms(group, style)]
    if not signed:
        return "0"
    (negative, first), *rest = signed
    tail = (f" {style.minus if minus else '+'} {term}" for minus, term in rest)
    return "".join([style.minus if negative else "", first, *tail])


def _terms(group: _Group, style: Style) -> Iterator[tuple[bool, str]]:
    """Whether a term is negative, and its text without the sign."""
    inner = group.inside.terms
    terms = [(powers, inner[powers]) for powers in sorted(inner, key=_term_order)]
    if not group.outer or len(terms) == 1:
        for powers, number in terms:
            size = -number if number < 0 else number
            yield number < 0, _product(size, (*group.outer, *powers), style)
        return
    negative = all(number < 0 for _, number in terms)
    inside = -group.inside if negative else group.inside
    bracket = style.bracket.format(_sum([_Group((), inside)], style))
    yield negative, style.times.join([_product(group.times, group.outer, style), bracket])


def _term_order(powers: Powers) -> tuple[object, ...]:
    """The higher degree first, then the letters in the field's order."""
    ranked = sorted((_rank(atom, alphabet().summands), -power) for atom, power in powers)
    return -sum(power for _, power in powers), ranked


def _rank(atom: Atom, letters: tuple[str, ...]) -> tuple[int, tuple[bool, str]]:
    # Another value of a size, V', stands where the size does.
    name = atom.rstrip("'") if isinstance(atom, str) else ""
    return letters.index(name) if name in letters else len(letters), atom_key(atom)


def _product(number: Number, powers: Powers, style: Style) -> str:
    ordered = sorted(powers, key=lambda pair: _rank(pair[0], alphabet().factors))
    above = [_factor(atom, power, style) for atom, power in ordered if power > 0]
    below = [_factor(atom, -power, style) for atom, power in ordered if power < 0]
    number = Fraction(number)
    if number.numerator != 1 or not above:
        above.insert(0, str(number.numerator))
    if number.denominator != 1:
        below.insert(0, str(number.denominator))
    if not below:
        return style.times.join(above)
    divisor = style.times.join(below)
    divisor = style.bracket.format(divisor) if len(below) > 1 and style is PLAIN else divisor
    return style.fraction.format(style.times.join(above), divisor)


def _factor(atom: Atom, power: int, style: Style) -> str:
    written = _atom(atom, style)
    if power == 1:
        return written
    raised = str(power).translate(SUPERSCRIPTS) if style is PLAIN else str(power)
    return written + style.power.format(raised)


def _atom(atom: Atom, style: Style) -> str:
    if isinstance(atom, Quotient):
        # ⌊(x + d − 1) / d⌋ is what people write as ⌈x / d⌉.
        up = atom.numerator - (atom.denominator - 1)
        shorter = len(up.terms) < len(atom.numerator.terms)
        top, shape = (up, style.ceiling) if shorter else (atom.numerator, style.floor)
        return shape.format(*(_side(side, style) for side in (top, atom.denominator)))
    return str(atom) if style is PLAIN else _latex_name(str(atom))


def _latex_name(name: str) -> str:
    """A letter: a word upright, what is behind a ``_`` as its index, a prime as it is."""
    bare = name.rstrip("'")
    word, _, index = bare.partition("_")
    written = LATEX.word.format(word) if len(word) > 1 else word
    if index:
        escaped = index.replace("_", r"\_")
        written += rf"_{{\text{{{escaped}}}}}"
    return written + name[len(bare) :]


def _side(side: Expression, style: Style) -> str:
    written = _sum([_Group((), side)], style)
    return style.bracket.format(written) if len(side.terms) > 1 and style is PLAIN else written
