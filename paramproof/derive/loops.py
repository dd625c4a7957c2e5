"""How often there is a tensor, by the loops in which it was made and what they asked.

``for i in range(L)`` makes L of what is made in every iteration; of what is made where i < D it
makes D, and L − D of the rest. Nothing is read from counts here: the loop's length and the
question are those of the code, and the traces only have to agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import NamedTuple, TypeAlias

from paramproof.derive.questions import (
    LOOP,
    Condition,
    Recorder,
    Relation,
    about_a_loop,
    value_at,
)
from paramproof.formulas.division import floor
from paramproof.formulas.expression import Expression, expression, letter


class Iteration(NamedTuple):
    """One iteration of a loop over sizes: its length, the index's letter and its number."""

    length: Expression
    index: str
    number: int


Made: TypeAlias = tuple[Iteration, ...]
"""Where a tensor was made: the iterations that were running, the innermost last."""

INDEX = letter(LOOP)


def times_made(
    traces: Sequence[tuple[Sequence[Made], Recorder, Mapping[str, int]]],
) -> Expression | None:
    """Return how many tensors of one kind the loops make, None where they do not say.

    ``traces`` has for each trace where the tensors were made, what was asked, and the sizes.
    """
    found = [list(dict.fromkeys(_candidates(*trace))) for trace in traces]
    return next((one for one in found[0] if all(one in others for others in found[1:])), None)


def conditions(
    recorder: Recorder, sizes: Mapping[str, int]
) -> Iterator[tuple[Condition, set[tuple[str, int]]]]:
    """What must hold of sizes for loops to be told by their questions what they were told here.

    Where each iteration got one answer, none may get the other: ``i > 50`` is asked of layers
    0 to L − 1, and where it never was so there are no more than 51 layers. Where some got each,
    ``i < D``, D is no more than there are layers. Each has the places that asked.
    """
    for index, length in recorder.indices.items():
        asked = [c for c in recorder.asked if index in c.letters]
        if not asked:
            continue
        if about_a_loop(length.letters) or any(about_a_loop(c.letters - {index}) for c in asked):
            recorder.doubts["a loop asked about the index of another one"] = None
            continue
        for question in _asked(asked, recorder.indices, length):
            same = [c for c in asked if _of_index(c, index) == question]
            answers = {c.holds for c in same}
            if len(answers) == 1:
                found = list(_never_otherwise(question, answers.pop(), length, sizes))
            else:
                number = _number_true(question, length)
                bounds = [(Relation.MORE, length), (Relation.LESS, expression(0))]
                found = [
                    Condition(r, number, end, False) for r, end in bounds if number is not None
                ]
            if not found and len(answers) < 2:
                recorder.doubts[f"a loop asked of its index, {LOOP}, whether {question}"] = None
            places = {place for c in same for place in recorder.asked[c]}
            yield from ((condition, places) for condition in found)


def _never_otherwise(
    question: Condition, answer: bool, length: Expression, sizes: Mapping[str, int]
) -> Iterator[Condition]:
    """What must hold for each index of a loop to get this answer."""
    if question.relation is Relation.DIVIDES:
        number = _number_true(question, length)
        if number is not None:
            yield Condition(Relation.LESS, number, length if answer else expression(1), not answer)
        return
    # A line is on one side of 0 wherever its ends are.
    ends = [replace(question, holds=answer)] * 2
    difference = question.left - question.right
    if not _is_line(difference):
        return
    if question.relation is Relation.EQUAL and not answer:
        first = value_at(difference, {**sizes, LOOP: 0})
        relation = Relation.MORE if first > 0 else Relation.LESS
        ends = [Condition(relation, question.left, question.right, True)] * 2
    at = ({LOOP: expression(0)}, {LOOP: length - 1})
    found = [
        replace(end, left=end.left.substitute(where), right=end.right.substitute(where))
        for end, where in zip(ends, at, strict=True)
    ]
    if all(condition.is_met(sizes) for condition in found):
        yield from found


def _is_line(one: Expression) -> bool:
    """Whether the index stands in ``one`` as a factor only, and once."""
    others = [[pair for pair in powers if pair != (LOOP, 1)] for powers in one.terms]
    return not any(LOOP in Expression({tuple(powers): 1}).letters for powers in others)


def _of_index(condition: Condition, index: str) -> Condition:
    """The question of a condition about ``index``, with the index of any loop."""
    left, right = (side.substitute({index: INDEX}) for side in (condition.left, condition.right))
    return Condition(condition.relation, left, right, True)


def _candidates(
    made: Sequence[Made], recorder: Recorder, sizes: Mapping[str, int]
) -> Iterator[Expression]:
    """What may be the number of tensors, as far as one trace can tell."""
    vectors = {tuple(iteration.length for iteration in one) for one in made}
    numbers = [tuple(iteration.number for iteration in one) for one in made]
    if len(vectors) != 1 or len(set(numbers)) != len(numbers):
        return
    (lengths,) = vectors
    if any(about_a_loop(length.letters) for length in lengths):
        return
    reached = [set(axis) for axis in zip(*numbers, strict=True)]
    if prod(map(len, reached)) != len(made):
        return
    totals = [int(value_at(length, sizes)) for length in lengths]
    partial = [axis for axis, total in enumerate(totals) if reached[axis] != set(range(total))]
    if not partial:
        yield prod(lengths, start=expression(1))
    # Where every iteration was reached, another trace may show that not every one is.
    for axis in partial or range(len(lengths)):
        if len(partial) > 1:
            return
        rest = prod((one for n, one in enumerate(lengths) if n != axis), start=expression(1))
        for condition in _asked(recorder.asked, recorder.indices, lengths[axis]):
            for number in _numbers(condition, lengths[axis], reached[axis], totals[axis], sizes):
                yield number * rest


def _asked(
    asked: Iterable[Condition], loops: Mapping[str, Expression], length: Expression
) -> Iterator[Condition]:
    """What a loop of this length asked about its index, as the question that may be true."""
    seen = set()
    for condition in asked:
        own = [name for name in condition.letters if name.startswith(LOOP)]
        if len(own) != 1 or loops.get(own[0]) != length:
            continue
        question = _of_index(condition, own[0])
        if question not in seen:
            seen.add(question)
            yield question


def _numbers(
    question: Condition,
    length: Expression,
    reached: set[int],
    total: int,
    sizes: Mapping[str, int],
) -> Iterator[Expression]:
    """How many iterations are those that were reached, if the question decides which."""
    true = {k for k in range(total) if question.is_met({**sizes, LOOP: k})}
    number = _number_true(question, length)
    if number is None:
        return
    if reached == true:
        yield number
    if reached == set(range(total)) - true:
        yield length - number


def _number_true(question: Condition, length: Expression) -> Expression | None:
    """How many indices of a loop answer yes, as far as there are so many."""
    if question.relation is Relation.DIVIDES:
        offset = (question.right - INDEX).constant
        if offset is None or LOOP in question.left.letters:
            return None
        step, before = question.left, int(offset) - 1
        return floor(length + before, step) - floor(before, step)
    limit = question.right - question.left + INDEX
    if LOOP in limit.letters or not limit.is_whole:
        return None
    if question.relation is Relation.EQUAL:
        return expression(1)
    return limit if question.relation is Relation.LESS else length - limit - 1
