"""The polynomial behind a builder's counts, recovered from nothing but trainable totals.

No name, shape or formula goes in. A count is taken to be a polynomial: in the letters L, A,
K = H/A, F, V, P and T a combination of the monomials in ``GRID``, different for each
combination of parts. Polynomials in those monomials are determined by their values on a grid
of as many nodes, exactly, in fractions. The grid is the divisors of L·A²·K², L·A·K·F, V·A·K,
P·A·K and T·A·K (what any encoder of dense layers, norms and tables is made of) with a border:
each of these times one letter more. So a term of one degree too much is seen as such.

The fullest combination of parts is recovered on all of that. For each other one only what it
has less is recovered, on the smaller ``PARTS_GRID``, since no part has layers.

What would fool it, and what catches that (tests/paramproof/proof/test_blind_spots.py):

- A term that is 0 on every node, such as (V − 13)·(V − 42)·(V − 128). Random examples.
- A part's term in F, P, L or T that is 0 on the smaller grid. Random examples.
- A branch on size beyond the nodes (V > 25000). Anchors: models of real size.
- Two errors that cancel in the total. The symbolic reading, and every comparison by tensor.
- A buffer: what is not trainable is not counted here. If the builder lists it, the reading and
  the comparison by tensor; what a builder does not list at all, nothing catches.

Floors and padding are no polynomials. Nodes lie in several residue classes, so that they come
out with coefficients that are no integers, which is an alarm of its own.

This says nothing of which tensors there are, nor of the model's outputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from paramproof.builders.protocol import Builder
from paramproof.formulas import closed_form
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.proof.newton import Exponents, divisors, polynomial, with_border
from paramproof.proof.parts import (
    FIELDS,
    Parts,
    encoder_letters,
    known_sizes,
    over_parts,
    spec_of,
    supported_parts,
)

Sizes = dict[str, int]

NODES = {
    "L": (1, 0, 2, 3),
    "A": (2, 3, 5, 4),
    "K": (3, 2, 4, 7),
    "F": (7, 12, 26),
    "V": (13, 42, 128),
    "P": (9, 14, 28),
    "T": (2, 3, 7),
}
"""Values of each letter in the order of the degrees that need them; the first is most used.

In every residue class modulo 2 and 3, and in several modulo 8 and 64. L has one to spare, for
a builder that cannot do without layers.
"""

LETTERS = "".join(FIELDS)
GRID = with_border(divisors(LETTERS, "LAAKK", "LAKF", "VAK", "PAK", "TAK"), corners=False)
PARTS_GRID = with_border(divisors(LETTERS, "AAKK", "VAK"), corners=True)


@dataclass(frozen=True, slots=True)
class Interpolation:
    """What was recovered, from ``builds`` builds, and the closed form in the same terms.

    Both are polynomials in the indicators too, as far as the builder can vary them, with the
    letters in ``known`` as numbers. ``alarms`` are coefficients that are no integers.
    """

    recovered: Expression
    formula: Expression
    known: Sizes
    parts: tuple[Parts, ...]
    builds: int
    alarms: tuple[str, ...]

    @property
    def residual(self) -> Expression:
        """recovered − formula, 0 where they are identical."""
        return self.recovered - self.formula


class _Counts:
    """A builder's trainable totals, each built once."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.known: dict[tuple[object, ...], int] = {}

    def __call__(self, sizes: Sizes, parts: Parts) -> int:
        key = (*sizes.values(), *parts)
        if key not in self.known:
            weights = self.builder.build(spec_of(sizes, parts)).weights()
            self.known[key] = sum(weight.size for weight in weights if weight.trainable)
        return self.known[key]

    def difference(self, parts: Parts, others: Parts, sizes: Sizes) -> int:
        return self(sizes, parts) - self(sizes, others)


def interpolate(builder: Builder, fixed: Mapping[str, object]) -> Interpolation:
    """Recover the polynomial of ``builder``, which cannot vary the fields in ``fixed``.

    Raises ``ValueError`` where the builder refuses every combination of parts, or too many
    sizes.
    """
    known = known_sizes(fixed)
    first = first_sizes(known)
    counts = _Counts(builder)
    grid, smaller = grids(known)
    fullest, *others = supported_parts(builder, first)
    whole = _recover(builder, grid, known, [fullest], lambda sizes: counts(sizes, fullest))
    recovered = {fullest: whole}
    for parts in others:
        less = partial(counts.difference, parts, fullest)
        difference = _recover(builder, smaller, known, [parts, fullest], less)
        recovered[parts] = whole + difference
    formula = {parts: closed_form(encoder_letters(parts, known)) for parts in recovered}
    return Interpolation(
        over_parts(recovered),
        over_parts(formula),
        known,
        tuple(recovered),
        len(counts.known),
        tuple(_alarms(recovered)),
    )


def first_sizes(known: Mapping[str, int]) -> Sizes:
    """Return the first node of each letter, and those that are ``known``."""
    return {letter: values[0] for letter, values in NODES.items()} | dict(known)


def grids(known: Mapping[str, int]) -> tuple[frozenset[Exponents], frozenset[Exponents]]:
    """Return the grid and the smaller one for parts, without the letters that are ``known``."""
    indices = [index for index, letter in enumerate(FIELDS) if letter in known]
    grid, smaller = (
        frozenset(e for e in grid if not any(e[index] for index in indices))
        for grid in (GRID, PARTS_GRID)
    )
    return grid, smaller


def _recover(
    builder: Builder,
    grid: frozenset[Exponents],
    known: Sizes,
    combinations: list[Parts],
    value: Callable[[Sizes], int],
) -> Expression:
    """The polynomial with the monomials of ``grid`` whose values ``value`` gives."""
    nodes = _nodes(builder, known, combinations)
    values = {}
    for exponents in sorted(grid):
        at = zip(nodes.items(), exponents, strict=True)
        values[exponents] = value({letter: column[power] for (letter, column), power in at})
    terms = polynomial(values, list(nodes.values())).items()
    return sum((coefficient * _monomial(powers) for powers, coefficient in terms), Expression())


def _monomial(powers: Exponents) -> Expression:
    return math.prod(map(pow, map(letter, FIELDS), powers), start=expression(1))


def _nodes(builder: Builder, known: Sizes, combinations: list[Parts]) -> dict[str, list[int]]:
    """The values of each letter that the builder can express with these parts."""
    first = first_sizes(known)

    def expressible(name: str, value: int) -> bool:
        specs = [spec_of(first | {name: value}, parts) for parts in combinations]
        return all(builder.supports(spec) is True for spec in specs)

    nodes = {}
    for index, (name, values) in enumerate(NODES.items()):
        found = [known[name]] if name in known else []
        found = found or [value for value in values if expressible(name, value)]
        if name not in known and len(found) <= max(exponents[index] for exponents in GRID):
            raise ValueError(f"too few sizes can be expressed to vary {name}: {found}")
        nodes[name] = found
    return nodes


def _alarms(recovered: Mapping[Parts, Expression]) -> Iterable[str]:
    for parts, found in recovered.items():
        if not found.is_whole:
            yield f"{parts}: a coefficient is no integer, as of a floor, padding or a high degree"
