"""What follows from loops over sizes: counts of tensors, and guards.

``for i in range(L)`` creates L tensors of what every iteration creates, D of what is created if i <
D, and L − D of the rest. The guards of a loop say where to cut its turns, so that between two cuts
a tensor is made in every turn, in none, or in each multiple. Nothing is fitted here: the loop's
length and its guards come from the code, and all traces have to agree. A comparison with an index
becomes a guard on sizes under which all iterations answer as in the trace: ``i > 50`` was false for
0 to L − 1, so L is at most 51.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, islice, pairwise, product
from math import prod
from typing import Any, NamedTuple

from paramproof.derivation.sampling import Sizes
from paramproof.derivation.sizes import LOOP_INDEX, IterationStack, Recorder, has_loop_index
from paramproof.formulas.condition import Condition, Relation, is_never_negative
from paramproof.formulas.expression import Expression, expression, floor, letter, sum_of

INDEX = letter(LOOP_INDEX)
"""The index of any loop, which counts iterations from 0."""


def questions_of(
    guards: Iterable[Condition], loops: Mapping[str, Expression], length: Expression
) -> dict[Condition, set[bool]]:
    """Return the guards about the index of one loop of a length, with their answers."""
    found: dict[Condition, set[bool]] = {}
    for guard in guards:
        own = [name for name in guard.letters if name.startswith(LOOP_INDEX)]
        if len(own) == 1 and loops.get(own[0]) == length:
            question = replace(guard.substitute({own[0]: INDEX}), holds=True)
            found.setdefault(question, set()).add(guard.holds)
    return found


def at_least(one: Expression, other: Expression) -> Condition:
    return Condition(Relation.LESS, one, other, False)


class GuardedCount(NamedTuple):
    """A number of tensors, or of turns, valid if ``needs`` are met."""

    number: Expression
    needs: tuple[Condition, ...] = ()


def _multiples(question: Condition | None, end: Expression) -> GuardedCount | None:
    """Return how many indices below ``end`` meet a guard of divisibility; all if it is None."""
    if question is None:
        return GuardedCount(end)
    offset, step = question.right - INDEX, question.left
    if question.relation is not Relation.DIVIDES or LOOP_INDEX in offset.letters | step.letters:
        return None
    before, needs = floor(offset - 1, step), tuple[Condition, ...]()
    if step.constant is None and is_never_negative(-offset):
        # The first multiple is −offset, if that is less than the step.
        before, needs = expression(-1), (at_least(step, 1 - offset),)
    return GuardedCount(floor(offset + end - 1, step) - before if end else end, needs)


def implied_guards(recorder: Recorder, sizes: Sizes) -> Iterator[Condition]:
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
        for question, answers in questions_of(own, recorder.indices, length).items():
            answer, *others = answers
            if not others:
                found = [*_one_answer_guards(question, answer, longest, sizes)]
                recorder.lost |= {} if found else {length: None}
                yield from found
            elif outer:
                recorder.lost[length] = None
            elif cuts := _cuts(question):
                # The indices at which answers change lie in the loop; multiples always do.
                is_less = question.relation is Relation.LESS
                end = Condition(Relation.MORE, cuts[-1], length, False)
                yield end if is_less else at_least(length, cuts[-1])
                yield at_least(cuts[0], expression(0))


def _one_answer_guards(
    question: Condition, answer: bool, length: Expression, sizes: Sizes
) -> Iterator[Condition]:
    """Yield guards under which each index of a loop gives this answer."""
    if question.relation is Relation.DIVIDES:
        multiples = _multiples(question, length)
        if multiples is None or (question.right - INDEX).constant is None:
            return
        limit = length if answer else expression(1)
        found = [*multiples.needs, Condition(Relation.LESS, multiples.number, limit, not answer)]
    else:
        # A linear expression has one sign if it has that sign at both ends.
        end, difference = replace(question, holds=answer), question.left - question.right
        if LOOP_INDEX in (difference.substitute({LOOP_INDEX: INDEX + 1}) - difference).letters:
            return
        if question.relation is Relation.EQUAL and not answer:
            first = difference.value({**sizes, LOOP_INDEX: 0})
            relation = Relation.MORE if first > 0 else Relation.LESS
            end = Condition(relation, question.left, question.right, True)
        found = [end.substitute({LOOP_INDEX: index}) for index in (expression(0), length - 1)]
    if all(condition.is_met(sizes) for condition in found):
        yield from found


def _cuts(question: Condition) -> tuple[Expression, ...]:
    """Return the indices from which on a guard has another answer than before."""
    relation, difference = question.relation, question.right - question.left
    on_the_left, on_the_right = difference + INDEX, INDEX - difference
    for limit, below in ((on_the_left, Relation.LESS), (on_the_right, Relation.MORE)):
        if limit.is_whole and LOOP_INDEX not in limit.letters:
            changes = {below: (limit,), Relation.DIVIDES: (), Relation.EQUAL: (limit, limit + 1)}
            return changes.get(relation, (limit + 1,))
    return ()


MAX_SUMS = 64
"""Sums to try for tensors that several loops create."""

MAX_QUESTIONS = 2
"""Guards to try whose answers divide the turns of a loop."""


def counts_in_loops(
    made: Sequence[IterationStack], recorder: Recorder, sizes: Sizes
) -> Iterator[GuardedCount]:
    """Yield how many tensors of one group loops may create, by the iterations of one trace.

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
            found = dict.fromkeys(_in_one_loop(lengths, alike, recorder, sizes))
            parts.append([GuardedCount(often * one.number, one.needs) for one in found])
    for chosen in islice(product(*parts), MAX_SUMS):
        needs = dict.fromkeys(need for one in chosen for need in one.needs)
        yield GuardedCount(sum_of(one.number for one in chosen), tuple(needs))


def _in_one_loop(
    lengths: Sequence[Expression], numbers: list[tuple[int, ...]], recorder: Recorder, sizes: Sizes
) -> Iterator[GuardedCount]:
    """Yield counts for the iterations with these numbers, in nested loops of these lengths."""
    reached = [frozenset(axis) for axis in zip(*numbers, strict=True)]
    totals = [int(length.value(sizes)) for length in lengths]
    partial = [axis for axis, total in enumerate(totals) if len(reached[axis]) != total]
    if prod(map(len, reached)) != len(numbers) or len(partial) > 1:
        return
    # If this trace reached every iteration, another trace may not.
    found = [] if partial else [GuardedCount(prod(lengths, start=expression(1)))]
    for axis in partial or range(len(lengths)):
        rest = prod((one for n, one in enumerate(lengths) if n != axis), start=expression(1))
        turns = [number in reached[axis] for number in range(totals[axis])]
        for number, needs in _of_turns(turns, lengths[axis], recorder, sizes):
            found.append(GuardedCount(number * rest, needs))
    # A range that ends below 0 is empty.
    long_enough = [at_least(length, expression(0)) for length in lengths]
    for number, own in found:
        needed = dict.fromkeys((*long_enough, *own))
        # Only what is true in this trace.
        if all(need.is_met(sizes) for need in needed):
            yield GuardedCount(number, tuple(need for need in needed if not need.is_settled))


def _of_kinds(
    turns: Sequence[bool], length: Expression, kinds: Mapping[str, Sequence[str]]
) -> Iterator[GuardedCount]:
    """Yield how many layers have the kinds of these turns in a list of kinds."""
    for path, texts in kinds.items():
        own = {text for text, is_made in zip(texts, turns, strict=False) if is_made}
        if [text in own for text in texts] == turns and not all(turns):
            *others, last = sorted({*texts})
            some = [one for one in others if (one in own) is not (last in own)]
            number = sum_of(letter(f"{path}[{one}]") for one in some)
            yield GuardedCount(length - number if last in own else number)


def _of_turns(
    turns: list[bool], length: Expression, recorder: Recorder, sizes: Sizes
) -> Iterator[GuardedCount]:
    """Yield how many turns of one loop are these, by kinds of layers and from its guards."""
    yield from _of_kinds(turns, length, recorder.kinds)
    questions, patterns = list[dict[Expression, int]](), list[Condition]()
    places = dict[int, Expression]()
    for question in questions_of(recorder.guards, recorder.indices, length):
        with suppress(ArithmeticError, KeyError):
            cuts = {cut: int(cut.value(sizes)) for cut in _cuts(question)}
            questions += [cuts] if cuts else []
            places |= {place: cut for cut, place in [*cuts.items()][:-1]}
            patterns += [question] if _multiples(question, length) else []
    for is_made, number in ((True, expression(0)), (False, length)):
        # The index was compared with each of these turns, as if it were looked for in a list.
        alike = [turn for turn, made in enumerate(turns) if made is is_made]
        if alike and {*alike} <= places.keys():
            ends = [*(places[turn] for turn in alike), length]
            needs = [at_least(ends[0], expression(0))]
            needs += [at_least(end, start + 1) for start, end in pairwise(ends)]
            # A place after the last turn may not become one.
            needs += [at_least(one, length) for turn, one in places.items() if turn >= len(turns)]
            yield GuardedCount(number + (1 if is_made else -1) * len(alike), (*needs,))
    for many, pattern in product(range(MAX_QUESTIONS + 1), (None, *patterns)):
        for some in combinations(questions, many):
            cuts = {cut: place for one in some for cut, place in one.items()}
            with suppress(ArithmeticError, KeyError):
                yield from _divided(turns, pattern, length, cuts, sizes)


def _divided(
    turns: list[bool], pattern: Any, length: Expression, cuts: dict[Expression, int], sizes: Sizes
) -> Iterator[GuardedCount]:
    """Yield how many turns are these if cuts divide them into stretches of one sort each."""
    # In a stretch is every turn or none, or every one of the pattern or all others.
    sorts = dict[Any, list[bool]]()
    for question in dict.fromkeys((None, pattern)):
        indices = ({**sizes, LOOP_INDEX: turn} for turn in range(len(turns)))
        own = [*map(question.is_met, indices)] if question else [True for _ in turns]
        sorts |= {(question, False): [not one for one in own], (question, True): own}
    found: list[tuple[GuardedCount, Any]] = [(GuardedCount(expression(0)), None)]
    start, begin = 0, expression(0)
    for end, place in [*sorted(cuts.items(), key=lambda cut: cut[1]), (length, len(turns))]:
        if not start <= place <= len(turns):
            return
        stretch, before, found = slice(start, place), found, []
        for sort in (one for one, there in sorts.items() if there[stretch] == turns[stretch]):
            counts: Any = [_multiples(sort[0], limit) for limit in (begin, end)]
            number = counts[1].number - counts[0].number
            number = number if sort[1] else end - begin - number
            needs = (*counts[1].needs, at_least(end, begin))
            found += [
                (GuardedCount(one.number + number, (*one.needs, *needs)), sort)
                for one, last in before
                if sort != last
            ]
        start, begin = place, end
    yield from (one for one, _ in found)
