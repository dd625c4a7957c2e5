"""Fit a formula to models that are built from plain ints, where nobody follows the code.

The constructor's own model says which groups of tensors there are, and models with one other size
say which sizes are numbers of layers. Formulas for lengths and counts are then fitted to models at
random sizes.

What the constructor compares is unknown. If models at free sizes are refused or have other groups,
each relation of two sizes that holds at the own sizes is assumed to matter: ``A divides H``,
``A ≤ H``. Later each is violated alone, and only those are stated that have a consequence. So a
formula is fitted and never proved: the code may decide something at sizes that no model had. The
lines that can do so are caveats, which ``unfollowed`` lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, permutations, starmap

from paramproof.derivation.fitting import fit_count, fit_length
from paramproof.derivation.general_tensors import GeneralTensors
from paramproof.derivation.guard_probing import GuardProber
from paramproof.derivation.guard_set import GuardSet
from paramproof.derivation.runner import (
    DerivationError,
    Effort,
    Point,
    Progress,
    Runner,
    Sizes,
)
from paramproof.derivation.sampling import moving_together
from paramproof.derivation.unfollowed import executed_code, unfollowed_lines
from paramproof.derivation.validation import DIVISORS, Naming, validated
from paramproof.formulas.condition import Condition, Outcome, Relation
from paramproof.formulas.derivation import Derivation, DerivedTensor
from paramproof.formulas.expression import Expression, expression, letter

MORE_POINTS = 2
"""Models with which a first fit is compared."""

MAX_FREE = 2
"""Models at free sizes that may be refused, or have other groups, before relations are assumed."""

MAX_REJECTED = 20
"""Models inside the relations that may be so."""

FREE_MODELS = 3
"""Models that violate many relations at once, and as many that violate all but divisibility of
sizes: if one matches, none of the relations that it violates needs a probe."""


def fit(
    runner: Runner, note: Progress, effort: Effort, naming: Naming, caveats: Iterable[str] = ()
) -> Derivation:
    """Return a formula that is fitted to models of a constructor.

    Raises ``DerivationError`` with one line if no formula was found, or if validation failed.
    """
    sample = Sample(runner, effort.fitted, note)
    said = dict.fromkeys((*caveats, *unfollowed_lines(sample.code, runner.constructor)))
    while True:
        prober = probed(sample)
        fixed = {*runner.fixed}
        found = validated(prober, said, effort, naming, note)
        if runner.fixed == fixed:
            return found
        # Relations were probed with sizes that do not fit: fit and probe without these.
        said = dict.fromkeys(found.caveats)


def probed(sample: Sample) -> GuardProber:
    """Return tensors that fit a sample, with the relations that have a consequence."""
    runner, tensors = sample.runner, sample.fitted()
    conditions = GuardSet({})
    for tensor in tensors.parameters:
        # What was fitted is at least 1.
        need = Condition(Relation.LESS, tensor.times, expression(1), False)
        conditions.add(need, Outcome.OTHER_COUNT)
    assumed = [one for one in sample.assumed if one not in conditions.guards]
    conditions.guards |= {one: set() for one in assumed}
    conditions.ask_of_lengths(tensors.lengths)
    prober = GuardProber(runner, conditions, tensors, frozenset(assumed))
    prober.alike += [point.sizes for point in sample.points]
    of_sizes = [one for one in assumed if one.relation is Relation.DIVIDES and one.left.letters]
    for inside in ([], of_sizes) * FREE_MODELS:
        if sizes := runner.draw([*conditions.consequences, *inside]):
            prober.trial(sizes)
    for one in filter(prober.is_refuted, assumed):
        conditions.release(one)
    prober.sort(sample.note)
    return prober


class Sample:
    """Models with the same groups of parameters, the one at the own sizes first.

    ``code`` is the code that made the first one, and ``assumed`` are the relations that may matter.
    """

    def __init__(self, runner: Runner, number: int, note: Progress) -> None:
        self.runner, self.number, self.note = runner, number, note
        self.assumed = relations(runner.sizes)
        with executed_code(runner.constructor) as self.code:
            self.first = runner.first()
        runner.loops = {letter(name): None for name in self._sizes_of_layers()}

    def fitted(self) -> GeneralTensors:
        """Return the tensors in symbols, fitted to models at sizes that are as free as possible.

        Some sizes are fixed if no relations explain which models are refused or have other groups.
        """
        tensors = None
        for inside in ([], self.assumed, [*equalities(self.runner.sizes), *self.assumed]):
            if found := self._fitted_inside(inside):
                self.assumed, tensors = inside or self.assumed, found
            if tensors and not tensors.unexplained:
                return tensors
        for fixed in (self._not_moving_together, lambda: self.runner.repeated):
            if tensors is None:
                self.runner.fixed |= fixed()
                tensors = self._fitted_inside(self.assumed)
        if tensors and not tensors.unexplained:
            return tensors
        why = "at other sizes other tensors were made, and it was not found why"
        if tensors:
            why = f"not explained: {'; '.join(tensors.unexplained)}"
        raise DerivationError(f"{self.runner.name}: {why}")

    def _fitted_inside(self, inside: list[Condition]) -> GeneralTensors | None:
        """Return tensors that fit models inside these relations, None if too few were built.

        A model that contradicts a first fit is fitted, too.
        """
        sizes, fixed, loops = self.runner.sizes, self.runner.fixed, list(self.runner.loops)
        apart = [other_than(name, sizes[name]) for name in sorted(self.runner.repeated - fixed)]
        self.points, tensors, number = [self.first], None, self.number
        rejected = MAX_REJECTED if inside else MAX_FREE
        while rejected:
            point = self._point(self.runner.draw([*inside, *apart], inside))
            if point is None or point.parameters != self.first.parameters:
                rejected -= 1
                continue
            self.points.append(point)
            self.note(f"fitted to {len(self.points)} models")
            if len(self.points) == number:
                more = [(one.counts, one.sizes) for one in self.points[-MORE_POINTS:]]
                if tensors and (tensors.unexplained or not any(starmap(tensors.differences, more))):
                    return tensors
                tensors, number = fit_tensors(self.points, loops), number + MORE_POINTS
        return fit_tensors(self.points, loops) if tensors else None

    def _sizes_of_layers(self) -> Iterator[str]:
        """Yield the sizes that change how many tensors there are in some group."""
        first, sizes = self.first, self.runner.sizes
        for name, size in sizes.items():
            near = sorted({max(1, size // 2), size + 1, 2 * size})
            points = (self._point({**sizes, name: one}) for one in near)
            other = next((one for one in points if one and one.counts != first.counts), first)
            same = first.groups.keys() & other.groups.keys()
            if any(first.groups[key].count != other.groups[key].count for key in same):
                yield name

    def _not_moving_together(self) -> set[str]:
        """Return the sizes to keep so that all others can move without changing the groups."""
        sizes = self.runner.sizes
        names = [name for name in sizes if name not in self.runner.fixed]

        def makes_the_same(moving: Iterable[str]) -> bool:
            still, inside = frozenset(sizes.keys() - {*moving}), relations(sizes)
            points = [self._point(self.runner.draw(inside, fixed=still)) for _ in range(2)]
            return all(one and one.parameters == self.first.parameters for one in points)

        return {*names}.difference(moving_together(makes_the_same, names))

    def _point(self, sizes: Sizes | None) -> Point | None:
        """Return the model at these sizes, None if they are None or the constructor refuses."""
        point = self.runner.build(sizes) if sizes else None
        return None if isinstance(point, Exception) else point


def relations(sizes: Sizes) -> list[Condition]:
    """Return the relations of sizes that hold at these sizes, in the order in which to try them.

    That a size is not 1 comes before ``a ≤ b``, since a model at 1 often violates that, too.
    Neighbours come first: ``a ≤ c`` cannot be violated alone while ``a ≤ b ≤ c`` holds.
    """
    rank = {size: place for place, size in enumerate(sorted({*sizes.values()}))}
    pairs = [(a, b) for a, b in permutations(sizes, 2) if sizes[a] < sizes[b]]
    pairs.sort(key=lambda pair: rank[sizes[pair[1]]] - rank[sizes[pair[0]]])
    divisors = [(letter(a), letter(b)) for a, b in pairs]
    divisors += [(expression(n), letter(b)) for n in sorted(DIVISORS, reverse=True) for b in sizes]
    possible = [
        *(Condition(Relation.DIVIDES, one, other, True) for one, other in divisors),
        *(other_than(name, 1) for name in sorted(sizes, key=sizes.__getitem__)),
        *(Condition(Relation.LESS, letter(b), letter(a), False) for a, b in pairs),
    ]
    return [one for one in possible if one.is_met(sizes)]


def equalities(sizes: Sizes) -> Iterator[Condition]:
    """Yield that sizes are equal, or that one is the product of two."""
    for a, b in combinations(sizes, 2):
        if sizes[a] == sizes[b]:
            yield Condition(Relation.EQUAL, letter(a), letter(b), True)
        for c in sizes:
            if sizes[a] * sizes[b] == sizes[c] and 1 not in (sizes[a], sizes[b]):
                yield Condition(Relation.EQUAL, letter(c), letter(a) * letter(b), True)


def other_than(name: str, size: int) -> Condition:
    return Condition(Relation.EQUAL, letter(name), expression(size), False)


def fit_tensors(points: Sequence[Point], layers: Sequence[Expression]) -> GeneralTensors:
    """Return the tensors of these models in symbols; ``layers`` are their numbers of layers."""
    tensors, sizes = GeneralTensors(), [point.sizes for point in points]
    # Many groups of tensors share their lengths or their counts.
    length_of = cache(lambda *lengths: fit_length(lengths, sizes))
    number_of = cache(lambda *counts: fit_count(counts, sizes, layers))
    for key, first in points[0].groups.items():
        kind, of = key.kind, ", ".join(map(str, first.shape))
        groups = [point.groups[key] for point in points if key in point.groups]
        if len(groups) < len(points):
            tensors.leave_out(kind)
            continue
        lengths = zip(*(one.shape for one in groups), strict=True)
        shape = [length for some in lengths if (length := length_of(*some)) is not None]
        number = number_of(*(one.count for one in groups))
        if number is not None and len(shape) == kind.rank:
            known = kind.path, tuple(shape), number, kind.role, kind.aliases
            tensors.found.append(DerivedTensor(*known, False, number.constant is not None))
        elif kind.role == "buffer":
            tensors.leave_out(kind, of)
        else:
            tensors.unexplained.append(f"{kind.path} of ({of})")
    return tensors
