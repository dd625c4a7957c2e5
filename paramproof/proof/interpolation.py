"""Recover the polynomial of a builder's counts from its trainable totals alone.

The interpolation uses no names, shapes or derivation. It assumes that a count is a polynomial in
the free sizes of a case: L, A, K = H/A, F, V, P and T of an encoder; for a LLaMA, the key heads,
the queries per key head, and the pairs in a head. Each case has a grid of monomials, and its
polynomial is determined exactly, in fractions, by the values at as many nodes. The grid contains
the divisors of the closed form's monomials and a border: the smallest products that are not among
them. If a count has a term that the closed form cannot have, a term in the border shows as itself,
and any other changes coefficients.

The fullest case is recovered on the whole grid. For every other case, only its difference from a
case with more parts is recovered, on the smaller grid of that difference in the closed form.

Interpolation alone misses these errors; other checks catch them, as
tests/paramproof/proof/test_blind_spots.py shows:

- A term that is 0 at every node, such as (V − 13)·(V − 42)·(V − 128): the derivation.
- A term of a part in letters that the smaller grid lacks, 0 at its nodes: the derivation.
- A branch on size beyond the nodes (V > 25000): the derivation, and models of real size.
- Two errors that cancel in the total: the derivation, and every comparison by tensor.
- A buffer, since only trainable tensors are counted here: if the builder lists it, the derivation
  and the comparison by tensor. Nothing catches a buffer that the builder does not list.

A part's term in both a letter and a number of layers shows at one node of the smaller grid, with
as many layers as the second node has. All other nodes have the fewest layers that can be built.

Floors and padding are not polynomials. The nodes lie in several residue classes, so that floors
and padding give coefficients that are not integers, which raises an alarm.

Totals do not show which tensors a model has, nor what it computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from paramproof.algebra.symbols import in_order
from paramproof.builders.protocol import Builder
from paramproof.formulas import Family, Spec, Weight, closed_form
from paramproof.formulas.expression import Expression, Powers, expression, letter, sum_of
from paramproof.proof.cases import Case, Sizes, case_of, known_sizes, of_free, supported_cases
from paramproof.proof.indicator_basis import polynomial_in_indicators
from paramproof.proof.newton import Exponents, divisors, polynomial, with_border

LAYER_NODES = (0, 1, 2, 3)
"""Numbers of layers, one more than needed for builders that need at least one layer.

The first is used most, and build times grow with the number of layers.
"""

NODES = (
    (2, 3, 5, 4),
    (3, 2, 4, 7),
    (7, 12, 26, 9),
    (13, 42, 128, 3),
    (9, 14, 28, 4),
    (2, 3, 7, 16),
)
"""Values of the other free sizes; a higher degree needs more of them, from the left.

They cover every residue class modulo 2 and 3, and several modulo 8 and 64. The first is used most.
"""


@dataclass(frozen=True, slots=True)
class Interpolation:
    """The polynomial recovered from ``builds`` builds, and the closed form in the same letters.

    Both are polynomials in the sizes, and in the indicators that the builder can vary; sizes in
    ``known`` are numbers. ``alarms`` report coefficients that are not integers.
    """

    recovered: Expression
    formula: Expression
    known: dict[str, int]
    cases: tuple[Case, ...]
    builds: int
    alarms: tuple[str, ...]

    @property
    def residual(self) -> Expression:
        """The recovered polynomial minus the formula, 0 if they are identical."""
        return self.recovered - self.formula


class Grids:
    """The nodes and grids on which the cases of one family are counted.

    ``builder`` cannot vary the fields in ``fixed``. If a ``spec`` is given, only its own case is
    counted.

    Raises ``ValueError`` if the builder refuses every case.
    """

    def __init__(
        self,
        builder: Builder,
        family: Family,
        fixed: Mapping[str, object],
        spec: Spec | None = None,
    ) -> None:
        self.builder = builder
        self.known = known_sizes(fixed, family)
        self.cases = supported_cases(builder, family, self.known)
        if spec is not None:
            self.cases = [case_of(spec, self.cases)]
        self.fullest, *self.others = self.cases
        self.letters = [name for name in self.fullest.free if name not in self.known]
        self.formulas = {case: in_free(case, self.known) for case in self.cases}
        self.grid = self.bordered(self.formulas[self.fullest])
        self.richer = self._richer()

    def _richer(self) -> dict[Case, Case]:
        """Return, for each case but the fullest, the closest richer case.

        The closest case differs in the fewest parts and then has the smallest grid of differences.
        """
        done, richer = [self.fullest], {}
        for case in self.others:

            def distance(other: Case, case: Case = case) -> tuple[int, int]:
                parts = sum(case.parts[name] != present for name, present in other.parts.items())
                return parts, len(self.bordered(self.less(case, other)))

            candidates = [other for other in done if set(other.free) >= set(case.free)]
            richer[case] = min(candidates, key=distance)
            done.append(case)
        return richer

    def less(self, case: Case, richer: Case) -> Expression:
        """Return the closed form of a richer case minus that of ``case``."""
        whole = self.formulas[richer].substitute(as_in(case, richer, self.known))
        return whole - self.formulas[case]

    def smaller(self, case: Case) -> frozenset[Exponents]:
        """Return the grid for the difference between ``case`` and its richer case."""
        return self.bordered(self.less(case, self.richer[case]))

    def bordered(self, one: Expression) -> frozenset[Exponents]:
        """Return the divisors of the monomials of ``one`` and of 1, with a border."""
        return with_border(divisors(map(self.exponents, [(), *one.terms])))

    def exponents(self, powers: Powers) -> Exponents:
        """Return the powers of the letters in a product."""
        own: dict[object, int] = dict(powers)
        return tuple(own.get(name, 0) for name in self.letters)

    @property
    def due(self) -> int:
        """The number of builds that all grids take."""
        return len(self.grid) + sum(len(self.smaller(case)) for case in self.others)

    def nodes(self, cases: Iterable[Case], grid: frozenset[Exponents]) -> list[list[int]]:
        """Return the values of each letter at which the builder can express ``cases``.

        Raises ``ValueError`` if there are too few for the grid.
        """
        columns = {name: _values(self.fullest, name) for name in self.letters}
        cases, layers = tuple(cases), self.fullest.layers
        first = {name: column[0] for name, column in columns.items()} | self.known

        def expressible(sizes: Sizes) -> bool:
            specs = (self.spec(case, sizes) for case in cases)
            return all(self.builder.supports(spec) is True for spec in specs)

        fewest = (first | dict.fromkeys(layers, number) for number in LAYER_NODES)
        first = next(filter(expressible, fewest), first)
        nodes = []
        for index, (name, column) in enumerate(columns.items()):
            found = [value for value in column if expressible({**first, name: value})]
            if len(found) <= max(exponents[index] for exponents in grid):
                raise ValueError(f"too few sizes can be expressed to vary {name}: {found}")
            nodes.append(found)
        return nodes

    def spec(self, case: Case, sizes: Sizes) -> Spec:
        """Return the spec of ``case`` with those sizes of the fullest case that are free in it."""
        return case.spec({**of_free(case, sizes), **of_free(case, self.known)})


OnModel: TypeAlias = Callable[[Case, Spec, Sequence[Weight]], None]
"""A callback that takes each model that is built, to inspect more than its total."""


class _Counts:
    """The trainable totals of a builder's models; each model is built once."""

    def __init__(self, grids: Grids, on_model: OnModel) -> None:
        self.grids = grids
        self.on_model = on_model
        self.known: dict[Spec, int] = {}

    def __call__(self, case: Case, spec: Spec) -> int:
        if spec not in self.known:
            weights = self.grids.builder.build(spec).weights()
            self.known[spec] = sum(weight.size for weight in weights if weight.trainable)
            self.on_model(case, spec, weights)
        return self.known[spec]

    def less(self, case: Case, sizes: Sizes) -> int:
        """Return the count of ``case`` minus that of its richer case, at equal sizes."""
        grids, richer = self.grids, self.grids.richer[case]
        own = grids.spec(case, sizes)
        alike = {name: int(getattr(own, name, size)) for name, size in sizes.items()}
        return self(case, own) - self(richer, grids.spec(richer, alike))


def interpolate(
    grids: Grids, on_model: OnModel = lambda case, spec, weights: None
) -> Interpolation:
    """Recover the polynomial of the grids' builder, in each of their cases.

    Raises ``ValueError`` if the builder refuses too many sizes.
    """
    counts, fullest = _Counts(grids, on_model), grids.fullest

    def whole(sizes: Sizes) -> int:
        return counts(fullest, grids.spec(fullest, sizes))

    recovered = {fullest: _recovered(grids, grids.grid, [fullest], whole)}
    for case in grids.others:

        def less(sizes: Sizes, case: Case = case) -> int:
            return counts.less(case, sizes)

        richer = grids.richer[case]
        difference = _recovered(grids, grids.smaller(case), [case, richer], less)
        alike = as_in(case, richer, grids.known)
        recovered[case] = recovered[richer].substitute(alike) + difference
    return Interpolation(
        polynomial_in_indicators({case: in_own(case, one) for case, one in recovered.items()}),
        polynomial_in_indicators({case: in_own(case, one) for case, one in grids.formulas.items()}),
        grids.known,
        tuple(recovered),
        len(counts.known),
        tuple(_alarms(recovered)),
    )


def in_free(case: Case, known: Sizes) -> Expression:
    """Return the closed form of ``case`` in its free sizes, with ``known`` sizes as numbers."""
    form: Expression = closed_form(case.letters)
    return form.substitute(dict(of_free(case, known)))


def as_in(case: Case, fullest: Case, known: Sizes) -> dict[str, Expression | int]:
    """Return the free sizes of the fullest case that ``case`` lacks, in the sizes of ``case``."""
    own = case.generic
    made = {name: getattr(own, name) for name in fullest.free if name not in case.free}
    found = {name: letter(str(size.expression)) for name, size in made.items()}
    return {name: one for name, one in found.items() if name not in known}


def in_own(case: Case, one: Expression) -> Expression:
    """Rewrite an expression in free sizes in the family's letters, and in K if H is A·K.

    A free size that is not a letter is a quotient of letters: the queries per key head are A / G.
    """
    letters = {name: e for name, e in case.letters._asdict().items() if isinstance(e, Expression)}
    names = {str(made): letter(name) for name, made in reversed(letters.items())}
    found = {name: names[name] for name in case.free if name in names}
    found |= {"head_size": letter("K")} if "K" not in letters else {}
    for name, made in letters.items():
        left = [free for free in made.letters if free not in found]
        if len(made.terms) == 1 and len(left) == 1:
            rest = made / letter(left[0])
            found[left[0]] = letter(name) / rest.substitute(found)
    return in_order(one.substitute(found), case.family.letters)


def _values(case: Case, name: str) -> tuple[int, ...]:
    others = [free for free in case.free if free not in case.layers]
    return LAYER_NODES if name in case.layers else NODES[others.index(name) % len(NODES)]


def _recovered(
    grids: Grids,
    grid: frozenset[Exponents],
    cases: list[Case],
    value: Callable[[Sizes], int],
) -> Expression:
    """Return the polynomial with the monomials of ``grid`` through the values of ``value``."""
    nodes = grids.nodes(cases, grid)
    values = {}
    for exponents in sorted(grid):
        at = zip(grids.letters, nodes, exponents, strict=True)
        values[exponents] = value({name: column[power] for name, column, power in at})
    terms = polynomial(values, nodes).items()
    letters = list(map(letter, grids.letters))
    return sum_of(number * _monomial(letters, powers) for powers, number in terms)


def _monomial(letters: list[Expression], powers: Exponents) -> Expression:
    return math.prod(map(pow, letters, powers), start=expression(1))


def _alarms(recovered: Mapping[Case, Expression]) -> Iterable[str]:
    for case, found in recovered.items():
        if not found.is_whole:
            yield (
                f"{case}: a coefficient is not an integer, which suggests a floor, padding or "
                "a higher degree"
            )
