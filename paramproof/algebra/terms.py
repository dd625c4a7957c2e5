"""A family's count as a sum of terms in letters, each with its component, as text and LaTeX.

The terms are read off the inventory: the tables, norms and layers of dense units that a model
is made of, a whole attention or feed-forward network inside a layer.

SymPy takes a third of a second to import: this module is imported where algebra is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import sympy

from paramproof.algebra.symbols import PRINTED, SUPERSCRIPTS, SYMBOLS
from paramproof.formulas import FamilyLetters, Inventory, Spec, Tensor, inventory
from paramproof.formulas.path import LAYER, lies_in

Expression: TypeAlias = Any
"""A SymPy polynomial, or an int."""

REPEATED = ("L", "N", "M")
"""The letters that count layers."""


@dataclass(frozen=True, slots=True)
class Term:
    """What one component has, ``times`` over; nothing where it is tied or not trainable."""

    path: str
    tensors: tuple[Tensor, ...]
    each: Expression
    times: Expression

    @property
    def sources(self) -> tuple[str, ...]:
        """The clauses that ask for its tensors, each once."""
        return tuple(dict.fromkeys(tensor.source for tensor in self.tensors))


def symbols(letters: type[FamilyLetters]) -> FamilyLetters:
    """A family's letters as symbols, its indicators too."""
    return letters(**{name: SYMBOLS.get(name, sympy.Symbol(name)) for name in letters._fields})


def sizes_as_symbols(spec: Spec) -> FamilyLetters:
    """The letters of ``spec``: its sizes as symbols, its indicators as the numbers they are."""
    letters = spec.letters()
    return letters._replace(**{name: SYMBOLS[name] for name in letters._fields if name in SYMBOLS})


def terms(letters: FamilyLetters) -> list[Term]:
    """The terms of the count, in the order of the forward pass.

    The times ``letters`` says that their layer is there, they add up to ``inventory.total()``.
    """
    named = inventory(letters)
    return [_term(named, path) for path in _term_paths(named, "")]


def _term_paths(named: Inventory, component: str) -> Iterator[str]:
    """Components that hold tensors themselves, or are what a layer consists of."""
    paths = {tensor.path for tensor in named if tensor.present != 0}
    for path in named.components(component):
        if not any(lies_in(tensor, path) for tensor in paths):
            continue
        direct = any(below in paths for below in named.components(path))
        if direct or component.endswith(LAYER):
            yield path
        else:
            yield from _term_paths(named, path)


def _term(named: Inventory, path: str) -> Term:
    inside = tuple(t for t in named if lies_in(t.path, path) and t.present != 0)
    return Term(path, inside, sympy.expand(named.total(path)), inside[0].repeat)


def collected(expression: Expression, letters: FamilyLetters) -> Expression:
    """``expression`` with each number of layers, and each indicator, before a bracket."""
    outer = [letter for name, letter in letters._asdict().items() if _is_outer(name, letter)]
    if not outer:
        return sympy.expand(expression)
    parts = sympy.Poly(sympy.expand(expression), *outer).terms()
    factors = [sympy.prod(x**power for x, power in zip(outer, powers)) for powers, _ in parts]  # noqa: B905
    return sum(factor * rest for factor, (_, rest) in zip(factors, parts, strict=True))


def _is_outer(name: str, letter: Expression) -> bool:
    return isinstance(letter, sympy.Symbol) and (name in REPEATED or name not in SYMBOLS)


def written(expression: Expression) -> str:
    """An expression as the field writes it, brackets kept: ``L·(4·H² + 9·H) + V·H``."""
    expression = sympy.sympify(expression)
    if expression.is_Add:
        first, *rest = [_signed(term) for term in sorted(expression.args, key=_order)]
        tail = "".join(f" {sign or '+'} {text}" for sign, text in rest)
        return f"{first[0]}{first[1]}{tail}"
    return "".join(_signed(expression))


def _signed(term: Expression) -> tuple[str, str]:
    """The sign, "" or "−", and the product without it."""
    coefficient, rest = term.as_coeff_Mul()
    factors = sorted(sympy.Mul.make_args(rest), key=_factor_order) if rest != 1 else []
    texts = [_factor(factor) for factor in factors]
    number = [str(abs(coefficient))] if abs(coefficient) != 1 or not texts else []
    return "−" if coefficient < 0 else "", "·".join([*number, *texts])


def _factor(factor: Expression) -> str:
    base, power = factor.as_base_exp()
    text = f"({written(base)})" if base.is_Add else str(base)
    return text if power == 1 else text + str(power).translate(SUPERSCRIPTS)


def _order(term: Expression) -> tuple[Any, ...]:
    """Without indicators first, layers first, then the higher degree."""
    names = {str(symbol) for symbol in term.free_symbols}
    indicators = sorted(names - SYMBOLS.keys())
    # A number is a term of its own, and the last; a bracket counts as what stands before it.
    degrees = sympy.Poly(term, *(SYMBOLS[name] for name in PRINTED if name in SYMBOLS))
    powers = [-power for power in max(degrees.monoms(), key=sum)]
    return (len(indicators), names.isdisjoint(REPEATED), sum(powers), indicators, powers)


def _factor_order(factor: Expression) -> tuple[bool, bool, int]:
    name = str(factor.as_base_exp()[0])
    return (factor.is_Add, name in SYMBOLS, PRINTED.index(name) if name in PRINTED else 0)


def latex(expression: Expression) -> str:
    """``expression`` as LaTeX, the indicators upright."""
    expression = sympy.sympify(expression)
    upright = {
        symbol: rf"\mathrm{{{symbol}}}"
        for symbol in expression.free_symbols
        if str(symbol) not in SYMBOLS
    }
    return str(sympy.latex(expression, symbol_names=upright))


def latex_sum(parts: Sequence[Term], result: Expression) -> str:
    """The terms and what they add up to, as an ``align*`` environment of amsmath."""
    lines = [
        rf"{latex(term.times * term.each)} && \text{{{_upright(term.path)}}} \\"
        for term in parts
        if term.each != 0
    ]
    first, *rest = lines
    return "\n".join(
        [
            r"\begin{align*}",
            rf"\text{{parameters}} ={{}}& {first}",
            *(f"& + {line}" for line in rest),
            rf"={{}}& {latex(result)}",
            r"\end{align*}",
        ]
    )


def _upright(path: str) -> str:
    return path.replace("_", r"\_")
