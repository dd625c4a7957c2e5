"""What follows from loops over sizes: counts of tensors, and guards.

``for i in range(L)`` creates L tensors of what every iteration creates, D of what is created if i <
D, and L − D of the rest. Nothing is fitted here: the loop's length and its guards come from the
code, and all traces have to agree. A comparison with an index becomes a guard on sizes under which
all iterations answer as in the trace: ``i > 50`` was false for 0 to L − 1, so L is at most 51.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations, product
from math import prod
from operator import and_
from typing import NamedTuple

from paramproof.derivation.sizes import LOOP_INDEX, IterationStack, Recorder, has_loop_index
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.expression import Expression, expression, floor, letter, sides, sum_of

INDEX = letter(LOOP_INDEX)
"""The index of any loop, which counts iterations from 0."""


class IndexSubset(NamedTuple):
    """The iterations of a loop that gave one answer to a guard.

    Their indices are at least ``low``, less than ``high`` and not ``without``. With ``every``, only
    those count for which index + ``offset`` is a multiple of it, or, with ``rest``, all others.
    ``before`` is ⌊(offset − 1) / every⌋. ``reached`` are the indices in this trace.
    """

    reached: frozenset[int]
    low: Expression | None = None
    high: Expression | None = None
    without: Expression | None = None
    every: Expression | None = None
    offset: Expression = expression(0)
    before: Expression = expression(-1)
    rest: bool = False
    needs: tuple[Condition, ...] = ()


def index_subsets_of(
    recorder: Recorder, length: Expression, total: int, sizes: Mapping[str, int]
) -> Iterator[IndexSubset]:
    """Yield the index subsets of each answer to each guard in loops of this length."""
    everything = frozenset(range(total))
    for question in index_guards(recorder.guards, recorder.indices, length):
        try:
            true = frozenset(k for k in everything if question.is_met({**sizes, LOOP_INDEX: k}))
            found = list(_two_answers(question, true, everything - true))
        except (ArithmeticError, KeyError):
            continue
        yield from found


def index_guards(
    conditions: Iterable[Condition], loops: Mapping[str, Expression], length: Expression
) -> Iterator[Condition]:
    seen = set()
    for condition in conditions:
        own = [name for name in condition.letters if name.startswith(LOOP_INDEX)]
        if len(own) != 1 or loops.get(own[0]) != length:
            continue
        question = with_any_index(condition, own[0])
        if question not in seen:
            seen.add(question)
            yield question


def with_any_index(condition: Condition, index: str) -> Condition:
    return replace(condition.substitute({index: INDEX}), holds=True)


def at_least(one: Expression, other: Expression) -> Condition:
    return Condition(Relation.LESS, one, other, False)


def _two_answers(
    question: Condition, yes: frozenset[int], no: frozenset[int]
) -> Iterator[IndexSubset]:
    """Yield both subsets of a guard that is linear in the index or its remainder."""
    relation, difference = question.relation, question.right - question.left
    if relation is Relation.DIVIDES:
        offset, step = question.right - INDEX, question.left
        if LOOP_INDEX not in offset.letters | step.letters:
            before = floor(offset - 1, step)
            yield IndexSubset(yes, every=step, offset=offset, before=before)
            yield IndexSubset(no, every=step, offset=offset, before=before, rest=True)
        return
    if relation is Relation.EQUAL and (found := _remainder_is(difference)):
        offset, remainder, step = found
        needs = (
            at_least(remainder, expression(0)),
            Condition(Relation.LESS, remainder, step, True),
        )
        before = floor(offset - remainder - 1, step) if offset else expression(-1)
        for reached, rest in ((yes, False), (no, True)):
            yield IndexSubset(
                reached,
                every=step,
                offset=offset - remainder,
                before=before,
                rest=rest,
                needs=needs,
            )
        return
    limit = difference + INDEX
    if LOOP_INDEX in limit.letters:
        # The index is on the right-hand side.
        limit = INDEX - difference
        relation = {Relation.LESS: Relation.MORE, Relation.MORE: Relation.LESS}.get(
            relation, relation
        )
    if LOOP_INDEX in limit.letters or not limit.is_whole:
        return
    if relation is Relation.EQUAL:
        yield IndexSubset(yes, low=limit, high=limit + 1)
        yield IndexSubset(no, without=limit)
    elif relation is Relation.LESS:
        yield from (IndexSubset(yes, high=limit), IndexSubset(no, low=limit))
    else:
        yield from (IndexSubset(yes, low=limit + 1), IndexSubset(no, high=limit + 1))


def _remainder_is(difference: Expression) -> tuple[Expression, Expression, Expression] | None:
    """Return (t, r, s) if ``difference`` is ±((index + t) mod s − r), otherwise None."""
    for powers in difference.terms:
        for atom, _ in powers:
            if not (pair := sides(atom)) or LOOP_INDEX not in pair[0].letters:
                continue
            top, step = pair
            rest = top - step * Expression({((atom, 1),): 1})
            for sign in (1, -1):
                remainder, offset = rest - sign * difference, top - INDEX
                if LOOP_INDEX not in remainder.letters | offset.letters | step.letters:
                    return offset, remainder, step
    return None


def implied_guards(recorder: Recorder, sizes: Mapping[str, int]) -> Iterator[Condition]:
    """Yield guards under which loops answer their own guards as in this trace.

    If all iterations gave one answer, no other may occur: ``i > 50`` was false for 0 to L − 1, so
    there are at most 51 layers. If both answers occurred for ``i < D``, D is at most the number of
    layers. The length of a loop is lost if its answers imply no guards.
    """
    for index, length in recorder.indices.items():
        own = [c for c in recorder.guards if index in c.letters]
        # A loop up to the index of another one is at most as long as that index becomes.
        outer = [name for name in recorder.indices if length == letter(name)]
        longest = recorder.indices[outer[0]] - 1 if outer else length
        if own and has_loop_index(longest.letters.union(*(c.letters - {index} for c in own))):
            recorder.lost[length] = None
            continue
        for question in index_guards(own, recorder.indices, length):
            answers = {c.holds for c in own if with_any_index(c, index) == question}
            if len(answers) > 1 and not outer:
                yield from _both_answers_guards(question, length)
                continue
            found = []
            if len(answers) == 1:
                found = list(_one_answer_guards(question, answers.pop(), longest, sizes))
            if not found:
                recorder.lost[length] = None
            yield from found


def _both_answers_guards(question: Condition, length: Expression) -> Iterator[Condition]:
    """Yield guards under which the number of true answers is the expression that counts them."""
    if question.relation is Relation.EQUAL:
        # The index that answered yes exists.
        if (one := _limit(question)) is not None:
            yield Condition(Relation.LESS, length, one + 1, False)
            yield Condition(Relation.LESS, one, expression(0), False)
        return
    number = _count_true(question, length)
    # The number of multiples always lies between 0 and the length.
    if number is not None and question.relation is not Relation.DIVIDES:
        yield Condition(Relation.MORE, number, length, False)
        yield Condition(Relation.LESS, number, expression(0), False)


def _one_answer_guards(
    question: Condition, answer: bool, length: Expression, sizes: Mapping[str, int]
) -> Iterator[Condition]:
    """Yield guards under which each index of a loop gives this answer."""
    if question.relation is Relation.DIVIDES:
        number = _count_true(question, length)
        if number is not None:
            yield Condition(Relation.LESS, number, length if answer else expression(1), not answer)
        return
    # A linear expression has one sign if it has that sign at both ends.
    ends = [replace(question, holds=answer)] * 2
    difference = question.left - question.right
    if not _is_line(difference):
        return
    if question.relation is Relation.EQUAL and not answer:
        first = difference.value({**sizes, LOOP_INDEX: 0})
        relation = Relation.MORE if first > 0 else Relation.LESS
        ends = [Condition(relation, question.left, question.right, True)] * 2
    at = ({LOOP_INDEX: expression(0)}, {LOOP_INDEX: length - 1})
    found = [end.substitute(where) for end, where in zip(ends, at, strict=True)]
    if all(condition.is_met(sizes) for condition in found):
        yield from found


def _is_line(one: Expression) -> bool:
    others = [[pair for pair in powers if pair != (LOOP_INDEX, 1)] for powers in one.terms]
    return not any(LOOP_INDEX in Expression({tuple(powers): 1}).letters for powers in others)


def _count_true(question: Condition, length: Expression) -> Expression | None:
    """Return how many indices answer yes, if the loop is long enough."""
    if question.relation is Relation.DIVIDES:
        offset = (question.right - INDEX).constant
        if offset is None or LOOP_INDEX in question.left.letters:
            return None
        step, before = question.left, int(offset) - 1
        return floor(length + before, step) - floor(before, step)
    if (limit := _limit(question)) is None:
        return None
    return limit if question.relation is Relation.LESS else length - limit - 1


def _limit(question: Condition) -> Expression | None:
    limit = question.right - question.left + INDEX
    return limit if limit.is_whole and LOOP_INDEX not in limit.letters else None


MAX_SUMS = 64
"""Sums to try for tensors that several loops create."""


class GuardedCount(NamedTuple):
    """A number of tensors, valid if ``needs`` are met."""

    number: Expression
    needs: tuple[Condition, ...] = ()


def counts_in_loops(
    traces: Sequence[tuple[Sequence[IterationStack], Recorder, Mapping[str, int]]],
) -> Iterator[GuardedCount]:
    """Yield how many tensors of one group the loops may create.

    ``traces`` has, for each trace, the iterations that created the tensors, the recorder and the
    sizes.
    """
    found = [dict.fromkeys(_candidates(*trace)) for trace in traces]
    return (one for one in found[0] if all(one in others for others in found[1:]))


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
