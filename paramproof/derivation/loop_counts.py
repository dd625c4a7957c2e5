"""Count tensors by the loops in which they were created and the guards on their indices.

``for i in range(L)`` creates L tensors of what every iteration creates, D of what is created if i <
D, and L − D of the rest. Nothing is fitted here: the loop's length and its guards come from the
code, and all traces have to agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations, product
from math import prod
from operator import and_
from typing import NamedTuple

from paramproof.derivation.index_subsets import IndexSubset, at_least, index_subsets_of
from paramproof.formulas.condition import Condition
from paramproof.formulas.division import floor
from paramproof.formulas.expression import Expression, expression, sum_of
from paramproof.tracing.iterations import IterationStack
from paramproof.tracing.recorder import Recorder, has_loop_index

MAX_SUMS = 64
"""Sums to try for tensors that several loops create."""


class GuardedCount(NamedTuple):
    """A number of tensors, valid if ``needs`` are met."""

    number: Expression
    needs: tuple[Condition, ...] = ()


def count_in_loops(
    traces: Sequence[tuple[Sequence[IterationStack], Recorder, Mapping[str, int]]],
) -> GuardedCount | None:
    """Return how many tensors of one group the loops create, None if they do not tell.

    ``traces`` has, for each trace, the iterations that created the tensors, the recorder and the
    sizes.
    """
    found = [dict.fromkeys(_candidates(*trace)) for trace in traces]
    return next((one for one in found[0] if all(one in others for others in found[1:])), None)


def _candidates(
    made: Sequence[IterationStack], recorder: Recorder, sizes: Mapping[str, int]
) -> Iterator[GuardedCount]:
    """Yield the counts that agree with one trace.

    Several loops, or several times in one iteration, may create tensors of one group: a sum.
    """
    loops: dict[tuple[Expression, ...], Counter[tuple[int, ...]]] = {}
    for one in made:
        lengths = tuple(iteration.length for iteration in one)
        if any(has_loop_index(length.letters) for length in lengths):
            return
        loops.setdefault(lengths, Counter())[tuple(iteration.number for iteration in one)] += 1
    parts = []
    for lengths, numbers in loops.items():
        for often in sorted(set(numbers.values())):
            alike = [where for where, times in numbers.items() if times == often]
            parts.append(
                [
                    GuardedCount(often * one.number, one.needs)
                    for one in _in_one_loop(lengths, alike, recorder, sizes)
                ]
            )
    if prod(map(len, parts)) > MAX_SUMS:
        parts = [part[:2] for part in parts]
    if prod(map(len, parts)) > MAX_SUMS:
        return
    for chosen in product(*parts):
        needs = dict.fromkeys(need for one in chosen for need in one.needs)
        yield GuardedCount(sum_of(one.number for one in chosen), tuple(needs))


def _in_one_loop(
    lengths: tuple[Expression, ...],
    numbers: Sequence[tuple[int, ...]],
    recorder: Recorder,
    sizes: Mapping[str, int],
) -> Iterator[GuardedCount]:
    """Yield counts for the iterations with these numbers, in nested loops of these lengths."""
    reached = [frozenset(axis) for axis in zip(*numbers, strict=True)]
    if prod(map(len, reached)) != len(numbers):
        return
    totals = [int(length.value(sizes)) for length in lengths]
    # A range that ends below 0 is empty.
    long_enough = _needed(at_least(length, expression(0)) for length in lengths)
    if long_enough is None:
        return
    partial = [axis for axis, total in enumerate(totals) if len(reached[axis]) != total]
    if not partial:
        yield GuardedCount(prod(lengths, start=expression(1)), long_enough)
    # If this trace reached every iteration, another trace may not.
    for axis in partial or range(len(lengths)):
        if len(partial) > 1:
            return
        rest = prod((one for n, one in enumerate(lengths) if n != axis), start=expression(1))
        given = list(index_subsets_of(recorder, lengths[axis], totals[axis], sizes))
        found = list(_counted(given, lengths[axis], reached[axis]))
        # An else branch: all iterations but those with several answers.
        others = frozenset(range(totals[axis])) - reached[axis]
        found += (
            GuardedCount(lengths[axis] - one.number, one.needs)
            for one in _counted(given, lengths[axis], others, fewest=2)
        )
        for one in found:
            times = GuardedCount(
                one.number * rest, tuple(dict.fromkeys((*long_enough, *one.needs)))
            )
            # Only what is true in this trace.
            met = all(need.is_met(sizes) for need in times.needs)
            if met and times.number.value(sizes) == len(numbers):
                yield times


def _counted(
    answers: Sequence[IndexSubset], length: Expression, reached: frozenset[int], fewest: int = 1
) -> Iterator[GuardedCount]:
    """Yield counts of the iterations in the intersection of one to three index subsets."""
    useful = [one for one in answers if reached <= one.reached]
    for many in range(fewest, 4):
        for some in combinations(useful, many):
            if reduce(and_, (one.reached for one in some)) != reached:
                continue
            if (number := _number(some, length)) is not None:
                yield number


def _number(answers: Sequence[IndexSubset], length: Expression) -> GuardedCount | None:
    """Return the number of indices from 0 to ``length`` − 1 in all these subsets."""
    lows = [one.low for one in answers if one.low is not None]
    highs = [one.high for one in answers if one.high is not None]
    steps = [one for one in answers if one.every is not None]
    left_out = [one.without for one in answers if one.without is not None]
    if max(len(lows), len(highs), len(steps)) > 1 or len(left_out) > (not steps):
        return None
    low, high = (lows or [expression(0)])[0], (highs or [length])[0]
    needs = [need for one in answers for need in one.needs]
    needs += [at_least(low, expression(0)), at_least(high, low), at_least(length, high)]
    number = high - low
    for one in steps:
        some = _multiples(high, one) - (_multiples(low, one) if lows else one.before)
        number = number - some if one.rest else some
    for index in left_out:
        number = number - 1
        needs += [at_least(index, low), at_least(high, index + 1)]
    needed = _needed(needs)
    return None if needed is None else GuardedCount(number, needed)


def _needed(needs: Iterable[Condition]) -> tuple[Condition, ...] | None:
    """Return the guards that some sizes violate; None if one is violated by all sizes."""
    found = []
    for need in dict.fromkeys(needs):
        difference = need.left - need.right
        if difference.constant is not None and not need.is_met(dict.fromkeys(need.letters, 1)):
            return None
        if not need.is_settled:
            found.append(need)
    return tuple(found)


def _multiples(end: Expression, step: IndexSubset) -> Expression:
    """Return the number of selected indices below ``end``, up to a constant."""
    assert step.every is not None
    return floor(end + step.offset - 1, step.every)
