"""Numbers of tensors and guards from loops, compared with loops that run here."""

from itertools import product

import pytest

from paramproof.derivation.loops import counts_in_loops, implied_guards
from paramproof.derivation.sizes import (
    RUNNING,
    Iteration,
    Number,
    Recorder,
    range_of,
    recording,
    turns,
)
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.expression import expression, floor, letter

D, L, M, R, S = map(letter, "DLMRS")
POINTS = (
    {"L": 9, "D": 3, "S": 3, "M": 4},
    {"L": 7, "D": 2, "S": 2, "M": 5},
    {"L": 11, "D": 5, "S": 4, "M": 3},
)
EVERY = floor(L - 1, S) + 1


def each(*bounds):
    """Return the indices of a loop over a range, while it runs."""
    return (index for _, index in turns(range_of(*(bounds if len(bounds) > 1 else (0, *bounds)))))


def traced(program, sizes):
    made = []
    with recording() as recorder:
        letters = {name: Number(value, letter(name)) for name, value in sizes.items()}
        program(lambda: made.append(tuple(RUNNING)), each, **letters)
    assert not RUNNING
    return made, recorder, sizes


def in_all(counts):
    """Return the counts that each of several traces has."""
    first, *others = map(list, counts)
    return [one for one in first if all(one in other for other in others)]


def until(make, each, L, D, **_):
    for i in each(L):
        if i >= D:
            break
        make()


LOOPS = {
    "for _ in each(L)": L,
    "for i in each(L) if i < D": D,
    "for i in each(L) if not i < D": L - D,
    "for _ in each(L - 2)": L - 2,
    "for i in each(L) if i == L - 1": 1,
    "for i in each(L) if i < L - 1": L - 1,
    "for i in each(L) if i % S == 0": EVERY,
    "for i in each(L) if i % 3 == 2": floor(L, 3),
    "for i in each(L) if i % S == 1": floor(L - 2, S) + 1,
    "for i in each(L) if (i + D) % S == 1": floor(L + D - 2, S) - floor(D - 2, S),
    "for i in each(L) if not (i < D and i % S == 0)": L - floor(D - 1, S) - 1,
    "for _ in each(L) for _ in each(M)": L * M,
    "for i in each(L) if i < D for _ in each(M)": D * M,
    "for i in each(2, L) if i < D + 2": D,
    "for _ in each(0, L, S)": EVERY,
    "for _ in each(L) for _ in 'ab'": 2 * L,
    # What loops do not say.
    "for i in each(L) for _ in each(i + 1)": None,
    "for i in each(L) if i < L / 2": None,
    "for _ in zip(each(L), each(M), strict=False)": None,
}
"""How often a tensor is made in each of these loops."""


@pytest.mark.parametrize("loop", [*LOOPS, until])
def test_loops(loop):
    program = until if loop is until else eval(f"lambda make, each, L, D, M, S: [make() {loop}]")
    found = in_all(counts_in_loops(*traced(program, point)) for point in POINTS)
    assert next((one.number for one in found), None) == (D if loop is until else LOOPS[loop])


def asks(question):
    def program(make, each, **sizes):
        for i in each(sizes["L"]):
            if question(i, **sizes):
                make()

    return program


@pytest.mark.parametrize(
    ("question", "stated"),
    [
        (lambda i, **_: i > 50, ["L ≤ 51"]),
        (lambda i, **_: i >= 50, ["L < 51"]),
        (lambda i, **_: i == 50, ["L < 51"]),
        (lambda i, **_: i < 50, ["L < 51"]),
        (lambda i, **_: 2 * i > 99, ["L ≤ 50"]),
        (lambda i, **_: (i + 1) % 50 == 0, ["⌊L/50⌋ < 1"]),
        (lambda i, **_: i % 50 == 49, ["⌊L/50⌋ < 1"]),
        (lambda i, L, **_: i == L, []),
        (lambda i, L, **_: i > L, []),
        (lambda i, D, **_: i < D, ["D ≤ L"]),
        (lambda i, D, **_: i >= D, ["D ≤ L"]),
        (lambda i, D, **_: i > D, ["L ≥ D + 1"]),
        (lambda i, D, **_: i > D + 1, ["L ≥ D + 2"]),
        (lambda i, D, **_: i == D, ["L ≥ D + 1"]),
        (lambda i, D, **_: i + 2 == D, ["D ≥ 2", "L + 1 ≥ D"]),
        (lambda i, **_: i == 2, ["L ≥ 3"]),
        (lambda i, D, **_: i + D == 2, ["D > 2", "L + D > 3"]),
        (lambda i, **_: i % 3 == 2, []),
        (lambda i, D, S, **_: (i + D) % S == 0, []),
        (lambda i, **_: i * i < 4, []),
        (lambda i, D, **_: i + 30 == D, ["30 > D", "L + 29 > D"]),
        (lambda i, D, **_: i == D + 30, ["L < D + 31"]),
        (lambda i, L, **_: i < L - 1, ["L ≥ 1"]),
    ],
)
def test_what_a_loop_was_told_is_a_condition(question, stated):
    """Wherever it is met, each iteration, or some and not all, gets the answer that it got."""
    _, recorder, sizes = traced(asks(question), POINTS[0])
    found = list(implied_guards(recorder, sizes))
    assert all(condition.is_met(sizes) for condition in found)
    said = {str(c) for c in found if not c.is_settled} | {
        str(c) for c in found if str(c) == "L ≥ 1"
    }
    assert sorted(said) == stated
    assert not recorder.lost


@pytest.mark.parametrize(
    "question",
    [lambda i, **_: i // 7 == 5, lambda i, **_: i * i > 900, lambda i, D, **_: (i + D) % 50 == 49],
)
def test_a_question_without_a_guard_loses_the_loop(question):
    _, recorder, sizes = traced(asks(question), POINTS[0])
    assert not list(implied_guards(recorder, sizes))
    assert list(recorder.lost) == [L]


def test_a_comparison_of_two_indices_loses_something():
    def program(make, each, L, **_):
        for i in each(L):
            for k in each(L):
                if i == k:
                    make()

    _, recorder, sizes = traced(program, POINTS[0])
    assert not list(implied_guards(recorder, sizes))
    assert recorder.lost


def test_a_loop_up_to_an_index_is_at_most_as_long_as_that_becomes():
    def program(make, each, L, **_):
        for i in each(L):
            for k in each(i):
                if k > 50:
                    make()

    _, recorder, sizes = traced(program, POINTS[0])
    found = {str(one) for one in implied_guards(recorder, sizes) if not one.is_settled}
    assert found == {"L ≤ 52"}
    assert not recorder.lost


@pytest.mark.parametrize(
    "bounds",
    [
        lambda L, D: (2, L),
        lambda L, D: (0, L, 3),
        lambda L, D: (D, L, D),
        lambda L, D: (L - 1, -1, -1),
        lambda L, D: (L, 0, -D),
    ],
)
def test_indices(bounds):
    sizes = POINTS[0]
    indices = range(*bounds(sizes["L"], sizes["D"]))
    with recording():
        for number, index in enumerate(each(*bounds(Number(sizes["L"], L), Number(sizes["D"], D)))):
            assert RUNNING[-1].number == number
            assert index.made.value({**sizes, RUNNING[-1].letter: number}) == indices[number]
    assert number == len(indices) - 1


INSIDE, OTHER, THIRD = map(letter, ("@0", "@1", "@2"))
LESS, MORE, EQUAL, DIVIDES = Relation.LESS, Relation.MORE, Relation.EQUAL, Relation.DIVIDES

SIZES = [
    {"L": 12, "M": 5, "D": d, "S": s, "R": r}
    for d, s, r in product((1, 3, 4, 12), (2, 3, 5), (0, 1))
]


def counts(answered, *conditions, total=12):
    """Return the counts of turns that gave an answer that are right at all sizes."""
    recorder = Recorder(dict.fromkeys(conditions), {"@0": L, "@1": M, "@2": L})
    made = [[k for k in range(total) if answered(k, **sizes)] for sizes in SIZES]
    found = [
        counts_in_loops([(Iteration(L, "@0", k, total),) for k in some], recorder, sizes)
        for some, sizes in zip(made, SIZES, strict=True)
        if 0 < len(some) < total
    ]
    assert found
    common = in_all(found)
    for some, sizes in zip(made, SIZES, strict=True):
        for one in common:
            is_met = all(need.is_met(sizes) for need in one.needs)
            assert not is_met or one.number.value(sizes) == len(some)
    return common


def modulo(top, step):
    return top - step * floor(top, step)


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
        (Condition(DIVIDES, S, INSIDE - 1, True), lambda k, S, **_: k % S == 1),
        (Condition(DIVIDES, S, INSIDE - R, True), lambda k, S, R, **_: k % S == R),
        (Condition(DIVIDES, expression(4), INSIDE + 1, True), lambda k, **_: k % 4 == 3),
    ],
)
def test_the_turns_of_each_answer_are_counted(question, answered):
    assert counts(answered, question)
    assert counts(lambda k, **sizes: not answered(k, **sizes), question)


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
    def answered(k, **sizes):
        return question.is_met({**sizes, "@0": k})

    assert not counts(answered, question)


def test_only_the_loop_s_own_questions_are_its_answers():
    """Not those about the index of a loop of another length, of two loops, or of none."""
    of_another = Condition(LESS, OTHER, D, True)
    of_two = Condition(LESS, INSIDE, THIRD, True)
    of_none = Condition(LESS, D, S, True)
    alike = Condition(LESS, THIRD, D, False)
    own = Condition(LESS, INSIDE, D, True)

    def answered(k, D, **_):
        return k < D

    assert not counts(answered, of_another, of_two, of_none)
    assert [one.number for one in counts(answered, of_another, own, alike)] == [D]


def test_a_place_after_the_last_turn_stays_there():
    """Else a longer loop has one more turn in the list."""

    def listed(make, each, L, D, S, M, **_):
        for i in each(L):
            if i in (D, S, M):
                make()

    found = [*counts_in_loops(*traced(listed, {"L": 5, "D": 1, "S": 3, "M": 9}))]
    assert found[0].number == expression(2)
    assert Condition(LESS, M, L, False) in found[0].needs
