"""Find which iterations of a loop answer a guard on its index with yes or no."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.division import Quotient, floor
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.tracing.recorder import LOOP_INDEX, Recorder

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
    """Yield the guards on the index in loops of this length, as positive statements."""
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
    """Return a guard as a positive statement about the index of any loop."""
    return replace(condition.substitute({index: INDEX}), holds=True)


def at_least(one: Expression, other: Expression) -> Condition:
    """Return the condition one ≥ other."""
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
            if not (isinstance(atom, Quotient) and LOOP_INDEX in atom.numerator.letters):
                continue
            top, step = atom.numerator, atom.denominator
            rest = top - step * Expression({((atom, 1),): 1})
            for sign in (1, -1):
                remainder, offset = rest - sign * difference, top - INDEX
                if LOOP_INDEX not in remainder.letters | offset.letters | step.letters:
                    return offset, remainder, step
    return None
