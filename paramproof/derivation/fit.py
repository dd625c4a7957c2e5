"""Fit a formula to models that are built from plain ints, where nobody follows the code.

The constructor's own model says which groups of tensors there are, and models with one other size
say which sizes are numbers of layers. Formulas for lengths and counts are then fitted to models at
random sizes.

The constructor's comparisons are unknown. If models at free sizes are refused or have other groups,
each relation of two sizes that holds at the constructor's own sizes is assumed to matter: ``A
divides H``, ``A ≤ H``. Later each is violated alone, and those with a consequence are stated. So a
formula is fitted and never proved: the code may decide something at sizes that no model had. The
lines that can do so are caveats, which ``unfollowed`` lists.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import Any

from paramproof.derivation.runner import DerivationError, GeneralTensors, Point, Runner
from paramproof.derivation.sampling import Sizes
from paramproof.derivation.unfollowed import executed_code, unfollowed_lines
from paramproof.derivation.validation import Validator
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.derivation import Derivation, DerivedTensor
from paramproof.formulas.expression import Expression, ceiling, expression, floor, letter

MORE_POINTS = 2
"""Models with which a first fit is compared."""

MAX_FREE = 2
"""Models at free sizes that may be refused, or have other groups, before relations are assumed."""

MAX_REJECTED = 20
"""Models inside the relations that may be so."""

DIVISORS = (2, 3, 4, 6, 8, 16)
"""The numbers that are tried as divisors of a size if models of some sizes cannot be built."""

DIVIDED_BY = (2, 3, 4, 8, 16, 32, 64, 128, 256)
"""The numbers by which a length may divide a size, and round the quotient down or up."""

MAX_FACTOR = 4
"""The largest factor of a term in a sum of two."""

MAX_STEP = 12
"""The largest n for every n-th layer, if n is a constant."""

FREE_MODELS = 3
"""Models that violate many relations at once, and as many that violate all but divisibility of
sizes: if one matches, none of the relations that it violates needs a probe."""


def fit(runner: Runner, caveats: Iterable[str] = ()) -> Derivation:
    """Return a formula that is fitted to models of a constructor.

    Raises ``DerivationError`` with one line if no formula was found, or if validation failed.
    """
    with executed_code(runner.constructor) as code:
        first = runner.first()
    runner.repeated = [*sizes_of_layers(runner, first)]
    assumed = relations(runner.sizes)
    caveats = [*caveats, *unfollowed_lines(code, runner.constructor)]
    while True:
        validator = fitted(runner, first, assumed)
        fixed = {*runner.fixed}
        found = validator.validated(caveats)
        if runner.fixed == fixed:
            return found
        # Relations were probed with sizes that do not fit: fit and probe without these.
        assumed, caveats = [*validator.assumed], [*found.caveats]


def sizes_of_layers(runner: Runner, first: Point) -> Iterator[str]:
    """Yield the sizes that change how many tensors there are in some group."""
    for name, size in runner.sizes.items():
        near = sorted({max(1, size // 2), size + 1, 2 * size})
        built = (runner.build({**runner.sizes, name: one}) for one in near)
        points = (one for one in built if isinstance(one, Point))
        other = next((one for one in points if one.counts != first.counts), first)
        same = first.groups.keys() & other.groups.keys()
        if any(first.groups[key].count != other.groups[key].count for key in same):
            yield name


def fitted(runner: Runner, first: Point, assumed: Sequence[Condition]) -> Validator:
    """Return the tensors that fit models at sizes as free as possible, ready for validation.

    The ``first`` model is at the own sizes, and ``assumed`` are the relations that may matter.
    """
    why = "at other sizes other tensors were made, and it was not found why"
    for inside in ([], assumed, [*equalities(runner.sizes), *assumed]):
        tensors, points = fitted_inside(runner, first, inside)
        if tensors is None:
            continue
        if not tensors.unexplained:
            break
        why = f"not explained: {'; '.join(tensors.unexplained)}"
    else:
        raise DerivationError(f"{runner.name}: {why}")
    assumed = inside or assumed
    validator = Validator(runner, tensors, assumed=assumed)
    validator.alike += [point.sizes for point in points]
    of_sizes = [one for one in assumed if one.relation is Relation.DIVIDES and one.left.letters]
    for violated in ([], of_sizes) * FREE_MODELS:
        if sizes := runner.draw([*validator.consequences, *violated]):
            validator.trial(sizes)
    for one in filter(validator.is_refuted, assumed):
        validator.release(one)
    return validator


def fitted_inside(
    runner: Runner, first: Point, inside: Sequence[Condition]
) -> tuple[GeneralTensors | None, list[Point]]:
    """Return tensors that fit models inside these relations, None if too few were built.

    The last models are not fitted at first, but compared.
    """
    own, number, repeated = runner.sizes, runner.effort.fitted, runner.repeated
    apart = [other_than(name, own[name]) for name in sorted(repeated) if name not in runner.fixed]
    points, rejected = [first], MAX_REJECTED if inside else MAX_FREE
    while rejected:
        there = runner.draw([*inside, *apart], inside)
        point = runner.build(there) if there else None
        if not isinstance(point, Point) or point.parameters != first.parameters:
            rejected -= 1
            continue
        points.append(point)
        runner.note(f"fitted to {len(points)} models")
        earlier, compared = points[:-MORE_POINTS], points[-MORE_POINTS:]
        if len(earlier) >= number:
            tensors = fit_tensors(earlier, repeated)
            wrong = (tensors.differences(one.counts, one.sizes) for one in compared)
            if tensors.unexplained or not any(wrong):
                return tensors, points
    return fit_tensors(points, repeated) if len(points) >= number else None, points


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


def fit_tensors(points: Sequence[Point], repeated: Iterable[str]) -> GeneralTensors:
    """Return the tensors of these models in symbols; ``repeated`` are their numbers of layers."""
    tensors, sizes = GeneralTensors(), [point.sizes for point in points]
    # Many groups of tensors share their lengths or their counts.
    length_of = cache(lambda *some: first_fitting(possible_lengths(some[0], sizes), some, sizes))
    number_of = cache(
        lambda *some: first_fitting(possible_counts(some[0], sizes[0], repeated), some, sizes)
    )
    for key, first in points[0].groups.items():
        kind = key.kind
        groups = [point.groups[key] for point in points if key in point.groups]
        counts, *lengths = zip(*((one.count, *one.shape) for one in groups), strict=True)
        number = number_of(*counts) if len(counts) == len(points) else None
        shape = [one for some in lengths if number and (one := length_of(*some)) is not None]
        if number and len(shape) == kind.rank:
            known = kind.path, tuple(shape), number, kind.role, kind.aliases
            tensors.found.append(DerivedTensor(*known, False, number.constant is not None))
        elif kind.role == "buffer":
            tensors.left_out[kind] = None
        else:
            tensors.unexplained.append(f"{kind.path} of ({', '.join(map(str, first.shape))})")
    return tensors


def first_fitting(
    candidates: Iterable[Expression], values: Sequence[int], points: Sequence[Sizes]
) -> Expression | None:
    """Return the first candidate with these values at ``points``, None if there is none."""
    for one in candidates:
        if all(one.value(point) == value for point, value in zip(points, values, strict=True)):
            return one
    return None


def possible_lengths(first: int, points: Sequence[Sizes]) -> Iterator[Expression]:
    """Yield expressions in sizes that may be ``first`` at the first point, simple ones first.

    Candidates are constants, sizes, multiples of one, one plus a constant, and products and sums of
    two; then also with quotients of two sizes, then with products of two and quotients by a number;
    then sums of multiples.
    """
    yield expression(first)
    letters = [letter(name) for name in sorted(points[0])]
    found = (floor(*pair) for pair in permutations(letters, 2))
    # One that is 0 at some point would fit too easily.
    quotients = [one for one in found if all(one.value(point) for point in points)]
    products = [one * other for one, other in combinations_with_replacement(letters, 2)]
    parts = [divide(one, n) for one in letters for n in DIVIDED_BY for divide in (floor, ceiling)]
    for more in ([], quotients, [*products, *parts]):
        simple = [*letters, *more]
        simple.sort(key=lambda one: (len(one.terms), len(one.letters), str(one)))
        values = {one: one.value(points[0]) for one in simple}
        yield from _of_one(first, values)
        yield from _of_two(first, values)
    # As the heads of queries, keys and values in one tensor: A·⌊H/A⌋ + 2·G·⌊H/A⌋.
    heads = [one * quotient for quotient in quotients for one in letters]
    made = [*letters, *products, *quotients, *heads]
    yield from _of_two(first, {one: one.value(points[0]) for one in made}, MAX_FACTOR)


def possible_counts(first: int, own: Sizes, repeated: Iterable[str]) -> Iterator[Expression]:
    """Yield expressions in sizes that may be ``first`` at these sizes, simple ones first.

    Candidates of the ``repeated`` sizes, those in lengths of loops, come first.
    """
    values = {letter(name): own[name] for name in (*repeated, *sorted(own))}
    yield expression(first)
    yield from _of_one(first, values)
    for a, b in permutations(values, 2):
        yield from (a - b, a * b, a - b + 1, a - b - 1)
    steps: list[tuple[Expression, Any, Iterable[Any]]] = [
        *((a, step, range(step)) for a in values for step in range(2, MAX_STEP + 1)),
        *((a, b, (0, -1, b - 1)) for a, b in permutations(values, 2)),
    ]
    for a, step, offsets in steps:
        for part in (floor(a + offset, step) for offset in offsets):
            yield from (part, a - part)
    for a, b in combinations(values, 2):
        for c in values:
            yield from (a * b * c, (a - b) * c, (b - a) * c, a + b - c, a * b - c, a * b + c)


def _of_one(first: int, values: dict[Expression, Any]) -> Iterator[Expression]:
    """Yield expressions and multiples of them that are ``first``, then sums with a constant."""
    yield from (first // n * one for one, n in values.items() if n and first % n == 0)
    yield from (one + (first - value) for one, value in values.items())


def _of_two(first: int, values: dict[Expression, Any], max_factor: int = 1) -> Iterator[Expression]:
    """Yield products of two expressions, and sums of small multiples of two."""
    with_value = defaultdict(list)
    for one, value in values.items():
        with_value[value].append(one)
    factors = [*product(range(1, max_factor + 1), repeat=2)]
    for one, value in values.items():
        if value and first % value == 0:
            yield from (one * other for other in with_value.get(first // value, ()))
        for factor, other_factor in factors:
            rest, more = divmod(first - factor * value, other_factor)
            for other in with_value.get(rest, ()) if not more else ():
                yield factor * one + other_factor * other
