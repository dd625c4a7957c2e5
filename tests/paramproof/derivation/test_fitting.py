"""Counts and lengths, fitted to their values in several models."""

import pytest

from paramproof.derivation.fitting import fit_any_length, fit_count, fit_length
from paramproof.formulas.expression import expression, floor, letter

A, D, H, L = map(letter, "ADHL")
POINTS = (
    {"A": 7, "D": 11, "H": 389, "L": 53},
    {"A": 13, "D": 5, "H": 631, "L": 97},
    {"A": 5, "D": 29, "H": 457, "L": 71},
    {"A": 11, "D": 17, "H": 509, "L": 60},
    {"A": 3, "D": 23, "H": 887, "L": 84},
    {"A": 6, "D": 8, "H": 701, "L": 409},
)
ELSEWHERE = (
    {"A": 17, "D": 3, "H": 1009, "L": 211},
    {"A": 19, "D": 43, "H": 2003, "L": 127},
    {"A": 23, "D": 31, "H": 773, "L": 149},
)


def read(one, loops=(L,)):
    return fit_count([one.evaluate(point) for point in POINTS], POINTS, loops)


SIMPLE = [
    *(expression(1), expression(256), A * D * L, D * L, D * A - L, D * A + L, (L - D) * A),
    *((H - L) * D, L + D - A, L - D + 1, L - D - 1, L - D, D),
    *(L + number for number in range(-8, 9)),
    *(number * L for number in range(2, 10)),
    *(floor(L + more, step) for step in (2, 3, 12) for more in (0, 1, step - 1)),
    *(L - floor(L + more, 12) for more in (0, 7)),
    *(sign for more in (0, -1, A - 1) for sign in (floor(L + more, A), L - floor(L + more, A))),
]
COMPLEX = [expression(257), L + 9, L - 9, 10 * L, floor(L, 13), L + D + 1, L * L * L * L]


@pytest.mark.parametrize("number", SIMPLE + COMPLEX, ids=str)
def test_read(number):
    found = read(number)
    assert (found is None) is (number in COMPLEX)
    for point in ELSEWHERE if found is not None else ():
        assert found.evaluate(point) == number.evaluate(point)


def test_a_loop_s_length_comes_first():
    """Where two are as often, it is as long as what ran."""
    points = [{"L": n, "M": n} for n in (3, 5, 8)]
    assert fit_count([3, 5, 8], points, [letter("M")]) == letter("M")
    assert fit_count([3, 5, 8], points, []) == L


F = letter("F")
PLACES = ({"A": 3, "F": 20, "H": 12}, {"A": 5, "F": 31, "H": 35}, {"A": 4, "F": 18, "H": 17})


def at_places(one):
    return [one.evaluate(point) for point in PLACES]


@pytest.mark.parametrize(
    "length",
    [
        *(expression(7), H, 2 * H, 3 * H, H + 4, H - 3, H * A, A * A, H + F),
        *(floor(H, A), 2 * floor(H, A), A * floor(H, A)),
    ],
    ids=str,
)
def test_explained(length):
    assert fit_length(at_places(length), PLACES, [A, F, H, floor(H, A)]) == length


@pytest.mark.parametrize("length", [H + F + A, 2 * H + 3, H * A * F, 2 * H * A], ids=str)
def test_not_explained(length):
    assert fit_length(at_places(length), PLACES, [A, F, H]) is None


def test_a_multiple_is_simpler_than_a_number_more():
    points = [{"A": n, "H": 2 * n - 3} for n in (3, 5, 4)]
    assert fit_length([6, 10, 8], points, [A, H]) == 2 * A
    assert fit_length([7, 11, 9], points, [A, H]) == H + 4


def test_what_is_no_whole_size_explains_nothing():
    """H / A is 4, 7 and 17/4: not 4, 7 and 4."""
    assert fit_length([4, 7, 4], PLACES, [H / A]) is None


def test_a_size_that_is_0_at_a_point_explains_what_is_0_there():
    assert fit_length([0, 4, 2], PLACES, [A - 3]) == 2 * A - 6
    assert fit_length([0, 2, 1], PLACES, [A - 3]) == A - 3
    assert fit_length([8, 4, 6], ({"A": 5}, {"A": 3}, {"A": 4}), [A - 3]) is None


def test_the_heads_of_queries_keys_and_values():
    """Numbers of heads share one quotient of sizes, as in a fused tensor of the three."""
    fused = A * floor(H, A) + 2 * D * floor(H, A)
    assert fit_any_length([int(fused.value(point)) for point in POINTS], POINTS) == fused
