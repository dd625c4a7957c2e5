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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, islice, permutations
from random import Random
from typing import NamedTuple

from paramproof.algebra.letters import letters_for
from paramproof.derivation.fitting import fit_any_length, fit_count
from paramproof.derivation.general_tensors import GeneralTensors
from paramproof.derivation.guard_probing import GuardProber
from paramproof.derivation.guard_set import GuardSet
from paramproof.derivation.runner import DEFAULT_EFFORT, DerivationError, Effort, Progress, Runner
from paramproof.derivation.sampling import moving_together
from paramproof.derivation.unfollowed import executed_code, unfollowed_lines
from paramproof.derivation.validation import DIVISORS, Naming, validated
from paramproof.formulas.condition import Condition, Outcome, Relation
from paramproof.formulas.derivation import Derivation, DerivedTensor
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.tracing.constructors import Constructor
from paramproof.tracing.internal_errors import raise_if_internal
from paramproof.tracing.tensor_groups import GroupKey, Stored, TensorGroups, group_tensors

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
    constructor: Constructor,
    seed: int = 0,
    note: Progress = lambda _: None,
    *,
    effort: Effort = DEFAULT_EFFORT,
    naming: Naming = letters_for,
    caveats: Iterable[str] = (),
) -> Derivation:
    """Return a formula that is fitted to models of ``constructor``.

    Raises ``DerivationError`` with one line if no formula was found, or if validation failed.
    """
    runner = Runner(constructor, Random(seed), effort.deepest)
    sample = Sample(runner, effort.fitted, note)
    said = dict.fromkeys((*caveats, *unfollowed_lines(sample.code, constructor)))
    while True:
        prober = probed(sample, note)
        fixed = {*runner.fixed}
        found = validated(prober, said, effort, naming, note)
        if runner.fixed == fixed:
            return found
        # Relations were probed with sizes that do not fit: fit and probe without these.
        said = dict.fromkeys(found.caveats)


def probed(sample: Sample, note: Progress) -> GuardProber:
    """Return tensors that fit a sample, with the relations that have a consequence."""
    runner, tensors = sample.runner, sample.fitted()
    conditions = GuardSet({})
    for need in tensors.needs:
        if not need.is_met(runner.sizes):
            raise DerivationError(f"{runner.name}: its own sizes violate {need}")
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
    for one in filter(prober.is_violated_alike, assumed):
        conditions.release(one)
    prober.sort(note)
    return prober


class Point(NamedTuple):
    """The groups of tensors of a model at some sizes."""

    sizes: Mapping[str, int]
    groups: TensorGroups

    @property
    def parameters(self) -> set[GroupKey]:
        return {key for key in self.groups if key.kind.role != "buffer"}

    @property
    def counts(self) -> Mapping[Stored, int]:
        groups = self.groups.items()
        return {Stored(key.kind, one.shape): one.count for key, one in groups if all(one.shape)}


class Sample:
    """Models with the same groups of parameters, the one at the own sizes first.

    ``code`` is the code that made the first one, and ``assumed`` are the relations that may matter.
    """

    def __init__(self, runner: Runner, number: int, note: Progress) -> None:
        self.runner = runner
        self.number = number
        self.note = note
        self.assumed = [*relations(runner.sizes)]
        with executed_code(runner.constructor) as self.code:
            self.first = Point(runner.sizes, group_tensors(runner.first()))
        self.points = [self.first]
        runner.loops = {letter(name): None for name in self._sizes_of_layers()}

    def fitted(self) -> GeneralTensors:
        """Return the tensors in symbols, fitted to models at sizes that are as free as possible.

        Some sizes are fixed if no relations explain which models are refused or have other groups.
        """
        sizes = self.runner.sizes
        tensors, equal = None, [*equalities(sizes)]
        for inside, rejected in (
            ([], MAX_FREE),
            (self.assumed, MAX_REJECTED),
            ([*equal, *self.assumed], MAX_REJECTED),
        ):
            if found := self._fitted_inside(inside, rejected):
                self.assumed, tensors = inside or self.assumed, found
            if tensors and not tensors.unexplained:
                return tensors
        for fixed in (self._not_moving_together, lambda: self.runner.repeated):
            if tensors is None:
                self.runner.fixed = self.runner.fixed | fixed()
                tensors = self._fitted_inside(self.assumed, MAX_REJECTED)
        if tensors is None:
            raise DerivationError(
                f"{self.runner.name}: at other sizes other tensors were made, "
                "and it was not found why"
            )
        if tensors.unexplained:
            shown = "; ".join(tensors.unexplained.values())
            raise DerivationError(f"{self.runner.name}: not explained: {shown}")
        return tensors

    def _fitted_inside(self, inside: list[Condition], rejected: int) -> GeneralTensors | None:
        """Return tensors that fit models inside these relations, None if too few were built.

        A model that contradicts a first fit is fitted, too.
        """
        self.points = [self.first]
        models, lengths = self._models(inside, rejected), list(self.runner.loops)
        if len([*islice(models, self.number - 1)]) < self.number - 1:
            return None
        while True:
            tensors, more = fit_tensors(self.points, lengths), [*islice(models, MORE_POINTS)]
            if tensors.unexplained or not any(
                tensors.differences(one.counts, one.sizes) for one in more
            ):
                return tensors

    def _models(self, inside: list[Condition], rejected: int) -> Iterator[Point]:
        """Add and yield models with the same groups, until so many were rejected."""
        apart = [
            Condition(Relation.EQUAL, letter(name), expression(self.runner.sizes[name]), False)
            for name in sorted(self.runner.repeated - self.runner.fixed)
        ]
        while rejected:
            point = self._point(self.runner.draw([*inside, *apart]) or self.runner.draw(inside))
            if point is None or point.parameters != self.first.parameters:
                rejected -= 1
            else:
                self.points.append(point)
                self.note(f"fitted to {len(self.points)} models")
                yield point

    def _sizes_of_layers(self) -> Iterator[str]:
        """Yield the sizes that change how many tensors there are in some group."""
        own = self.first.groups
        for name, size in self.runner.sizes.items():
            for other in sorted({size + 1, 2 * size, max(1, size // 2)} - {size}):
                point = self._point({**self.runner.sizes, name: other})
                if point is None or point.counts == self.first.counts:
                    continue
                same = own.keys() & point.groups.keys()
                if any(own[key].count != point.groups[key].count for key in same):
                    yield name
                break

    def _not_moving_together(self) -> set[str]:
        """Return the sizes to keep so that all others can move without changing the groups."""
        names = [name for name in self.runner.sizes if name not in self.runner.fixed]
        return {*names}.difference(moving_together(self._makes_the_same, names))

    def _makes_the_same(self, moving: Iterable[str]) -> bool:
        still, inside = self.runner.sizes.keys() - {*moving}, list(relations(self.runner.sizes))
        points = [self._point(self.runner.draw(inside, still)) for _ in range(2)]
        return all(one and one.parameters == self.first.parameters for one in points)

    def _point(self, sizes: Mapping[str, int] | None) -> Point | None:
        """Return the model at these sizes, None if they are None or the constructor refuses."""
        try:
            return Point(sizes, group_tensors(self.runner.observe(sizes))) if sizes else None
        except Exception as error:  # A constructor may raise anything.
            raise_if_internal(error)
            return None


def relations(sizes: Mapping[str, int]) -> Iterator[Condition]:
    """Yield the relations of sizes that hold at these sizes, in the order in which to try them.

    That a size is not 1 comes before ``a ≤ b``, since a model at 1 often violates that, too.
    Neighbours come first: ``a ≤ c`` cannot be violated alone while ``a ≤ b ≤ c`` holds.
    """
    rank = {size: place for place, size in enumerate(sorted({*sizes.values()}))}
    pairs = [(a, b) for a, b in permutations(sizes, 2) if sizes[a] < sizes[b]]
    pairs.sort(key=lambda pair: rank[sizes[pair[1]]] - rank[sizes[pair[0]]])
    for a, b in pairs:
        if sizes[b] % sizes[a] == 0:
            yield Condition(Relation.DIVIDES, letter(a), letter(b), True)
    for number in sorted(DIVISORS, reverse=True):
        for name, size in sizes.items():
            if size % number == 0:
                yield Condition(Relation.DIVIDES, expression(number), letter(name), True)
    for name in sorted(sizes, key=sizes.__getitem__):
        if sizes[name] > 1:
            yield Condition(Relation.EQUAL, letter(name), expression(1), False)
    for a, b in pairs:
        yield Condition(Relation.LESS, letter(b), letter(a), False)


def equalities(sizes: Mapping[str, int]) -> Iterator[Condition]:
    """Yield that sizes are equal, or that one is the product of two."""
    for a, b in combinations(sizes, 2):
        if sizes[a] == sizes[b]:
            yield Condition(Relation.EQUAL, letter(a), letter(b), True)
        for c in sizes:
            if sizes[a] * sizes[b] == sizes[c] and 1 not in (sizes[a], sizes[b]):
                yield Condition(Relation.EQUAL, letter(c), letter(a) * letter(b), True)


def fit_tensors(points: Sequence[Point], layers: Sequence[Expression]) -> GeneralTensors:
    """Return the tensors of these models in symbols; ``layers`` are their numbers of layers."""
    tensors, sizes = GeneralTensors(), [point.sizes for point in points]

    # Many groups of tensors share their lengths or their counts.
    @cache
    def length_of(*lengths: int) -> Expression | None:
        return fit_any_length(lengths, sizes)

    @cache
    def number_of(*counts: int) -> Expression | None:
        return fit_count(counts, sizes, layers)

    for key, first in points[0].groups.items():
        kind, same = key.kind, [point.groups.get(key) for point in points]
        groups = [group for group in same if group is not None]
        if len(groups) < len(points):
            tensors.leave_out(kind)
            continue
        lengths = zip(*(one.shape for one in groups), strict=True)
        shape = [length for some in lengths if (length := length_of(*some)) is not None]
        number, of = number_of(*(one.count for one in groups)), ", ".join(map(str, first.shape))
        if number is not None and len(shape) == kind.rank:
            known = kind.path, tuple(shape), number, kind.role, kind.aliases
            tensors.found.append(DerivedTensor(*known, False, number.constant is not None))
            if kind.role != "buffer":
                # What was fitted is at least 1.
                tensors.needs.append(Condition(Relation.LESS, number, expression(1), False))
        elif kind.role == "buffer":
            tensors.leave_out(kind, of)
        else:
            tensors.unexplained[key] = f"{kind.path} of ({of})"
    return tensors
