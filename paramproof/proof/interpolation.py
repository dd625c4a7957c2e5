"""The polynomial behind a builder's counts, recovered from nothing but trainable totals.

No name, shape or derivation goes in. A count is taken to be a polynomial in the free sizes of a
case (L, A, K = H/A, F, V, P and T of an encoder; of a LLaMA the keys' heads, the queries to each
and the pairs of a head), a combination of the monomials of a grid, different for each case.
Polynomials in those monomials are determined by their values on a grid of as many nodes,
exactly, in fractions. The grid is the divisors of the closed form's own monomials with a border:
the smallest products that are none of these. A term that the closed form cannot have is seen by its
name where it lies in the border, and anywhere else as other coefficients.

The fullest case is recovered on all of that. For each other one only what it has less than a case
with more parts is recovered, on a smaller grid: that of what the closed form says it has less.

What would fool it, and what catches that (tests/paramproof/proof/test_blind_spots.py):

- A term that is 0 on every node, such as (V − 13)·(V − 42)·(V − 128). The derivation.
- A part's term in letters that the smaller grid has not, 0 on its nodes. The derivation.
- A branch on size beyond the nodes (V > 25000). The derivation, and models of real size.
- Two errors that cancel in the total. The derivation, and every comparison by tensor.
- A buffer: what is not trainable is not counted here. If the builder lists it, the derivation and
  the comparison by tensor; what a builder does not list at all, nothing catches.

A term in letters and a number of layers at once, in a part, is seen at one node of its smaller
grid: of as many layers as the second node has. All others have the fewest that can be built.

Floors and padding are no polynomials. Nodes lie in several residue classes, so that they come
out with coefficients that are no integers, which is an alarm of its own.

This says nothing of which tensors there are, nor of the model's outputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from paramproof.algebra.symbols import in_order
from paramproof.builders.protocol import Builder
from paramproof.formulas import Family, Spec, Weight, closed_form
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.formulas.products import Powers
from paramproof.proof.cases import Case, Sizes, case_of, known_sizes, of_free, supported_cases
from paramproof.proof.indicator_basis import polynomial_in_indicators
from paramproof.proof.newton import Exponents, divisors, polynomial, with_border

LAYER_NODES = (0, 1, 2, 3)
"""Numbers of layers, one to spare for a builder that cannot do without any.

The first is most used, and a model takes as long as it has layers.
"""

NODES = (
    (2, 3, 5, 4),
    (3, 2, 4, 7),
    (7, 12, 26, 9),
    (13, 42, 128, 3),
    (9, 14, 28, 4),
    (2, 3, 7, 16),
)
"""Values of the other free sizes, in the order of the degrees that need them.

In every residue class modulo 2 and 3, and in several modulo 8 and 64. The first is most used.
"""


@dataclass(frozen=True, slots=True)
class Interpolation:
    """What was recovered, from ``builds`` builds, and the closed form in the same terms.

    Both are polynomials in the indicators too, as far as the builder can vary them, with the
    sizes in ``known`` as numbers. ``alarms`` are coefficients that are no integers.
    """

    recovered: Expression
    formula: Expression
    known: dict[str, int]
    cases: tuple[Case, ...]
    builds: int
    alarms: tuple[str, ...]

    @property
    def residual(self) -> Expression:
        """recovered − formula, 0 where they are identical."""
        return self.recovered - self.formula


class Grids:
    """Where the cases of one family are counted: the nodes, the grid, the smaller ones.

    ``builder`` cannot vary the fields in ``fixed``. Of a ``spec`` there is its own case only.

    Raises ``ValueError`` where the builder refuses every case.
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
        """Return for each case but the fullest a fuller one, which differs in the fewest parts.

        Of several it is the one from which it differs in least.
        """
        known, found = [self.fullest], {}
        for case in self.others:

            def apart(one: Case, case: Case = case) -> tuple[int, int]:
                parts = sum(case.parts[name] != there for name, there in one.parts.items())
                return parts, len(self.bordered(self.less(case, one)))

            alike = [one for one in known if set(one.free) >= set(case.free)]
            found[case] = min(alike, key=apart)
            known.append(case)
        return found

    def less(self, case: Case, richer: Case) -> Expression:
        """Return what the closed form of ``case`` has less than that of a richer one."""
        whole = self.formulas[richer].substitute(as_in(case, richer, self.known))
        return whole - self.formulas[case]

    def smaller(self, case: Case) -> frozenset[Exponents]:
        """Return the grid for what ``case`` has less than the richer one."""
        return self.bordered(self.less(case, self.richer[case]))

    def bordered(self, one: Expression) -> frozenset[Exponents]:
        """Return the divisors of the monomials of ``one``, 1 at least, with a border."""
        return with_border(divisors(map(self.exponents, [(), *one.terms])))

    def exponents(self, powers: Powers) -> Exponents:
        """Return the powers of the letters in a product."""
        own: dict[object, int] = dict(powers)
        return tuple(own.get(name, 0) for name in self.letters)

    @property
    def due(self) -> int:
        """How many builds it takes."""
        return len(self.grid) + sum(len(self.smaller(case)) for case in self.others)

    def nodes(self, cases: Iterable[Case], grid: frozenset[Exponents]) -> list[list[int]]:
        """Return the values of each letter with which the builder can express ``cases``.

        Raises ``ValueError`` where they are too few.
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
        """Return the spec of ``case`` with the fullest case's free sizes, as far as it has them."""
        return case.spec({**of_free(case, sizes), **of_free(case, self.known)})


OnModel: TypeAlias = Callable[[Case, Spec, Sequence[Weight]], None]
"""Takes each model that is built, for who looks at more than its total."""


class _Counts:
    """A builder's trainable totals, each built once."""

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
        """How much less ``case`` has than the richer one, at sizes that both can have."""
        grids, richer = self.grids, self.grids.richer[case]
        own = grids.spec(case, sizes)
        alike = {name: int(getattr(own, name, size)) for name, size in sizes.items()}
        return self(case, own) - self(richer, grids.spec(richer, alike))


def interpolate(
    grids: Grids, on_model: OnModel = lambda case, spec, weights: None
) -> Interpolation:
    """Recover the polynomial of the grids' builder, in every case that they have.

    Raises ``ValueError`` where the builder refuses too many sizes.
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
    """Return the closed form of ``case`` in its free sizes, with ``known`` ones as numbers."""
    form: Expression = closed_form(case.letters)
    return form.substitute(dict(of_free(case, known)))


def as_in(case: Case, fullest: Case, known: Sizes) -> dict[str, Expression | int]:
    """Return the fullest case's free sizes as ``case`` has them, which may have fewer."""
    own = case.generic
    made = {name: getattr(own, name) for name in fullest.free if name not in case.free}
    found = {name: letter(str(size.expression)) for name, size in made.items()}
    return {name: one for name, one in found.items() if name not in known}


def in_own(case: Case, one: Expression) -> Expression:
    """Return what is in free sizes in the family's letters, and in K where H is A·K.

    A free size that is no letter is what is left of one: queries to a key are A / G.
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
    """The polynomial with the monomials of ``grid`` whose values ``value`` gives."""
    nodes = grids.nodes(cases, grid)
    values = {}
    for exponents in sorted(grid):
        at = zip(grids.letters, nodes, exponents, strict=True)
        values[exponents] = value({name: column[power] for name, column, power in at})
    terms = polynomial(values, nodes).items()
    letters = list(map(letter, grids.letters))
    return sum((number * _monomial(letters, powers) for powers, number in terms), Expression())


def _monomial(letters: list[Expression], powers: Exponents) -> Expression:
    return math.prod(map(pow, letters, powers), start=expression(1))


def _alarms(recovered: Mapping[Case, Expression]) -> Iterable[str]:
    for case, found in recovered.items():
        if not found.is_whole:
            yield f"{case}: a coefficient is no integer, as of a floor, padding or a high degree"
