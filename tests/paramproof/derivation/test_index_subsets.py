"""What loops asked of their index, and which iterations the description of an answer means."""

from itertools import product

import pytest

from paramproof.derivation.loops import index_subsets_of
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.division import floor
from paramproof.formulas.expression import expression, letter
from paramproof.tracing.recorder import Recorder

D, L, M, R, S = map(letter, "DLMRS")
INSIDE, OTHER, THIRD = map(letter, ("@0", "@1", "@2"))
LESS, MORE, EQUAL, DIVIDES = Relation.LESS, Relation.MORE, Relation.EQUAL, Relation.DIVIDES

SIZES = [
    {"L": 12, "M": 5, "D": d, "S": s, "R": r}
    for d, s, r in product((1, 3, 4, 12), (2, 3, 5), (0, 1))
]


def asking(*conditions, total=12):
    """Return what a loop of L gave for answers, for each of the sizes."""
    recorder = Recorder()
    recorder.guards = {condition: set() for condition in conditions}
    recorder.indices = {"@0": L, "@1": M, "@2": L}
    return [(sizes, list(index_subsets_of(recorder, L, total, sizes))) for sizes in SIZES]


def modulo(top, step):
    return top - step * floor(top, step)


def meant(answer, sizes, total=12):
    """Return the indices that the description of an answer means at these sizes."""

    def value(one, otherwise):
        return otherwise if one is None else int(one.value(sizes))

    low, high = value(answer.low, 0), value(answer.high, total)
    without, every = value(answer.without, -1), value(answer.every, 1)
    offset = value(answer.offset, 0)
    indices = range(max(low, 0), min(high, total))
    assert type(answer.rest) is bool
    return {k for k in indices if k != without and ((k + offset) % every == 0) is not answer.rest}


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        (Condition(LESS, INSIDE, D, True), lambda k, D, **_: k < D),
        (Condition(LESS, INSIDE, D, False), lambda k, D, **_: k < D),
        (Condition(MORE, INSIDE, D, True), lambda k, D, **_: k > D),
        (Condition(LESS, D, INSIDE, True), lambda k, D, **_: k > D),
        (Condition(MORE, D, INSIDE, True), lambda k, D, **_: k < D),
        (Condition(MORE, D + 2, INSIDE + 1, True), lambda k, D, **_: k < D + 1),
        (Condition(EQUAL, INSIDE, D, True), lambda k, D, **_: k == D),
        (Condition(EQUAL, D, INSIDE, True), lambda k, D, **_: k == D),
        (Condition(EQUAL, D + 1, INSIDE + 2, True), lambda k, D, **_: k == D - 1),
        (Condition(DIVIDES, S, INSIDE, True), lambda k, S, **_: k % S == 0),
        (Condition(DIVIDES, S, INSIDE + D, True), lambda k, D, S, **_: (k + D) % S == 0),
        (Condition(DIVIDES, expression(4), INSIDE + 1, True), lambda k, **_: k % 4 == 3),
        (Condition(EQUAL, modulo(INSIDE, S), R, True), lambda k, S, R, **_: k % S == R),
        (Condition(EQUAL, R, modulo(INSIDE, S), True), lambda k, S, R, **_: k % S == R),
        (
            Condition(EQUAL, modulo(INSIDE + D, S), R, True),
            lambda k, D, S, R, **_: (k + D) % S == R,
        ),
        (
            Condition(EQUAL, R, modulo(INSIDE + D, S), True),
            lambda k, D, S, R, **_: (k + D) % S == R,
        ),
        (
            Condition(EQUAL, floor(D, S) + modulo(INSIDE, S), floor(D, S) + R, True),
            lambda k, S, R, **_: k % S == R,
        ),
    ],
)
def test_an_answer_means_the_iterations_that_gave_it(question, answered):
    for sizes, found in asking(question):
        yes = frozenset(k for k in range(12) if answered(k, **sizes))
        assert {one.reached for one in found} == {yes, frozenset(range(12)) - yes}
        assert len(found) == 2
        for one in found:
            assert meant(one, sizes) == one.reached


@pytest.mark.parametrize(
    "question",
    [
        Condition(LESS, 2 * INSIDE, D, True),
        Condition(LESS, INSIDE * INSIDE, D, True),
        Condition(MORE, INSIDE, D / 2, True),
        Condition(LESS, INSIDE * S, INSIDE + D, True),
        Condition(DIVIDES, S, 2 * INSIDE, True),
        Condition(DIVIDES, INSIDE + 1, S, True),
        Condition(DIVIDES, INSIDE + 1, INSIDE + 3, True),
        Condition(EQUAL, modulo(2 * INSIDE, S), R, True),
        Condition(EQUAL, modulo(INSIDE, S), INSIDE, True),
        Condition(EQUAL, floor(INSIDE, S), R, True),
        Condition(EQUAL, modulo(D, INSIDE + 1), R, True),
        Condition(EQUAL, modulo(INSIDE + D, INSIDE + 1), R, True),
    ],
)
def test_what_is_not_linear_says_nothing(question):
    assert [found for _, found in asking(question)] == [[]] * len(SIZES)
