"""Derive guards on sizes from comparisons with a loop index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from os.path import basename
from typing import TypeAlias

from paramproof.derivation.index_subsets import INDEX, index_guards, with_any_index
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.division import floor
from paramproof.formulas.expression import Expression, expression
from paramproof.tracing.caveats import Caveat
from paramproof.tracing.recorder import LOOP_INDEX, Recorder, has_loop_index

LoopGuard: TypeAlias = tuple[Expression, Condition]
"""The length of a loop, and a guard on its index as a positive statement."""


def guards_with_both_answers(recorder: Recorder) -> Iterator[LoopGuard]:
    """Return the loop guards that were true in some iterations and false in others."""
    answers: dict[LoopGuard, set[bool]] = {}
    for condition in recorder.guards:
        own = [name for name in condition.letters if name in recorder.indices]
        if len(own) == 1:
            question = recorder.indices[own[0]], with_any_index(condition, own[0])
            answers.setdefault(question, set()).add(condition.holds)
    return (question for question, given in answers.items() if len(given) == 2)


def undecided_loop(question: LoopGuard, places: Iterable[tuple[str, int]] = ()) -> Caveat:
    """Return the caveat that the answers of a loop imply no guard on sizes."""
    length, asked_there = question
    where = "".join(f" ({basename(file)}:{line})" for file, line in sorted(places)[:1])
    return "a loop of ", length, f" asked of its index, {LOOP_INDEX}, whether ", asked_there, where


def implied_guards(
    recorder: Recorder, sizes: Mapping[str, int]
) -> Iterator[tuple[Condition, set[tuple[str, int]], LoopGuard]]:
    """Yield guards under which loops answer their own guards as in this trace.

    If all iterations gave one answer, no other may occur: ``i > 50`` was false for 0 to L − 1, so
    there are at most 51 layers. If both answers occurred for ``i < D``, D is at most the number of
    layers. Each guard comes with its call sites and the loop guard.
    """
    for index, length in recorder.indices.items():
        own = [c for c in recorder.guards if index in c.letters]
        if not own:
            continue
        if has_loop_index(length.letters) or any(has_loop_index(c.letters - {index}) for c in own):
            recorder.caveats["a loop asked about the index of another one",] = None
            continue
        for question in index_guards(own, recorder.indices, length):
            same = [c for c in own if with_any_index(c, index) == question]
            answers = {c.holds for c in same}
            if len(answers) == 1:
                found = list(_one_answer_guards(question, answers.pop(), length, sizes))
            else:
                found = list(_both_answers_guards(question, length))
            places = {place for c in same for place in recorder.guards[c]}
            if not found and len(answers) < 2:
                recorder.caveats[undecided_loop((length, question), places)] = None
            yield from ((condition, places, (length, question)) for condition in found)


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
    """Return whether an expression is linear in the index."""
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
    """Return the bound that the index is compared with."""
    limit = question.right - question.left + INDEX
    return limit if limit.is_whole and LOOP_INDEX not in limit.letters else None
