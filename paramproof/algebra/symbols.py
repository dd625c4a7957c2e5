"""The formulas' letters as SymPy symbols, and polynomials in them as text.

H is no symbol of its own but the product A·K, since a builder is given heads and can be given
no other H. Only printing folds A·K into H again, which every monomial allows in one way. A
family whose head size is a letter of its own (LLaMA) has all three, and nothing is folded.

SymPy takes a third of a second to import: this module is imported where algebra is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import sympy

from paramproof.builders.protocol import Builder
from paramproof.formulas import EncoderLetters, EncoderSpec, FamilyLetters, Spec

Expression: TypeAlias = Any
"""A SymPy polynomial in the symbols below, or an int."""

FIELDS = {
    "L": "num_hidden_layers",
    "A": "num_attention_heads",
    "K": "head_size",
    "F": "intermediate_size",
    "V": "vocab_size",
    "P": "max_position_embeddings",
    "T": "type_vocab_size",
}
"""The letters an encoder's builder can be given, with the names by which ``fixed`` holds them."""

SIZES = {letter: sympy.Symbol(letter, integer=True, positive=True) for letter in FIELDS}
INDICATORS = {name: sympy.Symbol(name, integer=True) for name in ("pooler", "mlm", "untied", "nsp")}
SYMBOLS = SIZES | {
    letter: sympy.Symbol(letter, integer=True, positive=True)
    for letter in ("N", "M", "U", "H", "G")
}
"""The sizes of every family."""

PRINTED = (*INDICATORS, "L", "N", "M", "V", "U", "P", "T", "H", "A", "G", "K", "F")
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Heads(NamedTuple):
    """Values, 0 or 1, of the indicators."""

    pooler: int = 0
    mlm: int = 0
    untied: int = 0
    nsp: int = 0

    def __str__(self) -> str:
        return " + ".join(name for name, there in self._asdict().items() if there) or "bare"


ALL_HEADS = [
    heads
    for heads in map(Heads._make, product((1, 0), repeat=4))
    if heads.untied <= heads.mlm and heads.nsp <= heads.pooler
]
"""Every combination that a spec can have, the fullest first."""


def known_sizes(fixed: Mapping[str, object]) -> dict[str, int]:
    """The letters that ``fixed`` holds, which are numbers and no symbols."""
    return {letter: int(fixed[name]) for letter, name in FIELDS.items() if name in fixed}


def letters(heads: Heads | None = None, known: Mapping[str, int] | None = None) -> EncoderLetters:
    """The formulas' letters as symbols, with H = A·K, and ``known`` ones as numbers.

    The indicators are the ints of ``heads``, or symbols as well.
    """
    sizes = SIZES | dict(known or {})
    product_ = sizes["A"] * sizes["K"]
    own = {name: value for name, value in sizes.items() if name != "K"}
    return EncoderLetters(**own, H=product_, **(heads._asdict() if heads else INDICATORS))


def letters_of(spec: Spec) -> FamilyLetters:
    """The letters of any family: its sizes as symbols, its indicators as they are in ``spec``."""
    letters = spec.letters()
    own = {name: symbol for name, symbol in SYMBOLS.items() if name in letters._fields}
    return letters._replace(**(own if "K" in own else own | {"H": SYMBOLS["A"] * SYMBOLS["K"]}))


def sizes_of(spec: Spec) -> dict[str, int]:
    """What the symbols of ``letters_of`` are in ``spec``."""
    sizes = {**spec.letters()._asdict(), "K": spec.head_size}
    symbols = {str(symbol) for letter in letters_of(spec) for symbol in _symbols(letter)}
    return {name: sizes[name] for name in SYMBOLS if name in symbols}


def _symbols(letter: Expression) -> Iterator[Expression]:
    yield from getattr(letter, "free_symbols", ())


def spec_of(sizes: Mapping[str, int], heads: Heads) -> EncoderSpec:
    """The spec with these letters."""
    fields = {name: sizes[letter] for letter, name in FIELDS.items()}
    return EncoderSpec(
        hidden_size=sizes["A"] * fields.pop("head_size"),
        pooler=bool(heads.pooler),
        mlm_head=bool(heads.mlm),
        tie_word_embeddings=not heads.untied,
        nsp_head=bool(heads.nsp),
        **fields,
    )


def supported_heads(builder: Builder, sizes: Mapping[str, int]) -> list[Heads]:
    """The combinations that ``builder`` can express, the fullest first.

    Raises ``ValueError`` where there is none.
    """
    refusals = {heads: builder.supports(spec_of(sizes, heads)) for heads in ALL_HEADS}
    found = [heads for heads, supported in refusals.items() if supported is True]
    if not found:
        raise ValueError(f"no encoder can be expressed: {refusals[ALL_HEADS[-1]]}")
    return found


def over_heads(terms: Mapping[Heads, Expression]) -> Expression:
    """One polynomial in the indicators too, from those of the combinations there are.

    As many monomials as combinations, the simplest that tell them apart: where every
    combination exists this is the only polynomial that is linear in each indicator.
    """
    monomials: list[Heads] = []
    rows: list[list[int]] = []
    for monomial in sorted(ALL_HEADS, key=sum):
        row = [int(all(h >= m for h, m in zip(heads, monomial, strict=True))) for heads in terms]
        # untied says mlm, and nsp says pooler: their products are no monomials of their own.
        if sympy.Matrix([*rows, row]).rank() > len(rows):
            rows.append(row)
            monomials.append(monomial)
    weights = sympy.Matrix(rows).T.inv() * sympy.Matrix(list(terms.values()))
    return sympy.expand(sum(w * _indicators(m) for w, m in zip(weights, monomials, strict=True)))


def _indicators(heads: Heads) -> Expression:
    named = heads._asdict()
    implied = {"mlm": heads.untied, "pooler": heads.nsp}
    return sympy.prod(
        INDICATORS[name] for name, there in named.items() if there and not implied.get(name)
    )


def text(expression: Expression, folded: bool = True) -> str:
    """A polynomial as the field writes it: ``4·L·H² + 2·L·H·F``, ``−`` for minus.

    H is written for A·K, unless ``folded`` is off: H is then a symbol of its own.
    """
    monomials = sorted(_monomials(expression, folded), key=_order)
    if not monomials:
        return "0"
    signed = [(coefficient < 0, _monomial(abs(coefficient), p)) for coefficient, p in monomials]
    (negative, first), *rest = signed
    return (
        ("−" if negative else "")
        + first
        + "".join(f" {'−' if negative else '+'} {monomial}" for negative, monomial in rest)
    )


def _monomials(expression: Expression, folded: bool) -> Iterator[tuple[Any, dict[str, int]]]:
    symbols = [*INDICATORS.values(), *SYMBOLS.values()]
    for exponents, coefficient in sympy.Poly(sympy.expand(expression), *symbols).terms():
        if not coefficient:
            continue
        powers = {str(s): power for s, power in zip(symbols, exponents, strict=True)}
        hidden = min(powers["A"], powers["K"]) if folded else 0
        powers["H"] += hidden
        powers["A"] -= hidden
        powers["K"] -= hidden
        yield coefficient, powers


def _order(monomial: tuple[Any, dict[str, int]]) -> tuple[Any, ...]:
    """Without indicators first; layers first; then the higher degree."""
    _, powers = monomial
    indicators = [powers[name] for name in reversed(INDICATORS)]
    sizes = [powers[name] for name in PRINTED if name in SYMBOLS]
    layers = powers["L"] + powers["N"] + powers["M"]
    return (indicators, -layers, -sum(sizes), [-power for power in sizes])


def _monomial(coefficient: Any, powers: Mapping[str, int]) -> str:
    factors = [_power(name, powers[name]) for name in PRINTED if powers[name]]
    number = [] if coefficient == 1 and factors else [str(coefficient)]
    return "·".join([*number, *factors])


def _power(name: str, power: int) -> str:
    return name if power == 1 else name + str(power).translate(SUPERSCRIPTS)


def value(expression: Expression, sizes: Mapping[str, int]) -> Expression:
    """``expression`` with numbers for the letters in ``sizes``."""
    return sympy.sympify(expression).subs({SYMBOLS[name]: size for name, size in sizes.items()})


def total(terms: Iterable[Expression]) -> Expression:
    """The sum of ``terms``, expanded."""
    return sympy.expand(sum(terms))
