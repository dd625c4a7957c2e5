"""The parts that an encoder may have or not, and one polynomial for all combinations of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple

from paramproof.algebra.symbols import symbols, with_head_size
from paramproof.builders.protocol import Builder
from paramproof.formulas import EncoderLetters, EncoderSpec
from paramproof.formulas.expression import Expression, letter

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


class Parts(NamedTuple):
    """Values, 0 or 1, of the indicators."""

    pooler: int = 0
    mlm: int = 0
    untied: int = 0
    nsp: int = 0

    def __str__(self) -> str:
        return " + ".join(name for name, there in self._asdict().items() if there) or "bare"


ALL_PARTS = [
    parts
    for parts in map(Parts._make, product((1, 0), repeat=4))
    if parts.untied <= parts.mlm and parts.nsp <= parts.pooler
]
"""Every combination that a spec can have, the fullest first."""


def known_sizes(fixed: Mapping[str, object]) -> dict[str, int]:
    """Return the letters that ``fixed`` holds, which are numbers and no symbols."""
    return {name: int(str(fixed[field])) for name, field in FIELDS.items() if field in fixed}


def encoder_letters(
    parts: Parts | None = None, known: Mapping[str, int] | None = None
) -> EncoderLetters:
    """Return the encoder's letters as symbols, with H = A·K, and ``known`` ones as numbers.

    The indicators are the ints of ``parts``, or symbols as well.
    """
    letters = with_head_size(symbols(EncoderLetters))
    numbers = dict(known or {})
    own = {name: numbers[name] for name in letters._fields if name in numbers}
    hidden = letters.H.substitute(numbers)
    return letters._replace(**own, H=hidden, **(parts._asdict() if parts else {}))


def spec_of(sizes: Mapping[str, int], parts: Parts) -> EncoderSpec:
    """Return the spec with these letters."""
    fields = {field: sizes[name] for name, field in FIELDS.items()}
    return EncoderSpec(
        hidden_size=sizes["A"] * fields.pop("head_size"),
        pooler=bool(parts.pooler),
        mlm_head=bool(parts.mlm),
        tie_word_embeddings=not parts.untied,
        nsp_head=bool(parts.nsp),
        **fields,
    )


def supported_parts(builder: Builder, sizes: Mapping[str, int]) -> list[Parts]:
    """Return the combinations that ``builder`` can express, the fullest first.

    Raises ``ValueError`` where there is none.
    """
    refusals = {parts: builder.supports(spec_of(sizes, parts)) for parts in ALL_PARTS}
    found = [parts for parts, supported in refusals.items() if supported is True]
    if not found:
        raise ValueError(f"no encoder can be expressed: {refusals[ALL_PARTS[-1]]}")
    return found


def over_parts(totals: Mapping[Parts, Expression]) -> Expression:
    """Return one polynomial in the indicators too, from those of the combinations there are.

    It has as many monomials as there are combinations, the simplest that tell them apart: where
    every combination exists this is the only polynomial that is linear in each indicator.
    """
    monomials: list[Parts] = []
    columns: list[list[Fraction]] = []
    for monomial in sorted(ALL_PARTS, key=sum):
        column = [
            Fraction(all(p >= m for p, m in zip(parts, monomial, strict=True))) for parts in totals
        ]
        if any(_reduced(column, columns)):
            columns.append(column)
            monomials.append(monomial)
    weights = _solved(columns, list(totals.values()))
    pairs = zip(weights, monomials, strict=True)
    return sum((weight * _indicators(monomial) for weight, monomial in pairs), Expression())


def _indicators(monomial: Parts) -> Expression:
    """Return the product of indicators; untied says mlm, and nsp says pooler."""
    implied = {"mlm": monomial.untied, "pooler": monomial.nsp}
    named = monomial._asdict().items()
    there = (letter(name) for name, value in named if value and not implied.get(name))
    return prod(there, start=Expression({(): 1}))


def _reduced(column: Sequence[Fraction], others: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Return what of ``column`` is no combination of ``others``, by elimination."""
    rest = list(column)
    basis: list[tuple[int, list[Fraction]]] = []
    for other in [*others, column]:
        rest = list(other)
        for pivot, row in basis:
            factor = rest[pivot]
            rest = [a - factor * b for a, b in zip(rest, row, strict=True)]
        lead = next((i for i, value in enumerate(rest) if value), None)
        if lead is not None:
            basis.append((lead, [value / rest[lead] for value in rest]))
    return rest


def _solved(columns: list[list[Fraction]], totals: list[Expression]) -> list[Expression]:
    """Return the weights with which ``columns`` add up to ``totals``, by Gauss and Jordan."""
    size = len(columns)
    rows = [[column[i] for column in columns] for i in range(size)]
    sums = list(totals)
    for step in range(size):
        pivot = next(i for i in range(step, size) if rows[i][step])
        rows[step], rows[pivot] = rows[pivot], rows[step]
        sums[step], sums[pivot] = sums[pivot], sums[step]
        lead = rows[step][step]
        rows[step], sums[step] = [value / lead for value in rows[step]], sums[step] * (1 / lead)
        for i in range(size):
            if i != step and (factor := rows[i][step]):
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[step], strict=True)]
                sums[i] = sums[i] - factor * sums[step]
    return sums
