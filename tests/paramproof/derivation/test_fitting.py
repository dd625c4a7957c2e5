"""Counts and lengths, fitted to their values in several models."""

import pytest

from paramproof.derivation.fit import first_fitting, possible_counts, possible_lengths
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


def fit_length(lengths, points):
    return first_fitting(possible_lengths(lengths[0], points), lengths, points)


def fit_count(counts, points, loops):
    return first_fitting(possible_counts(counts[0], points[0], loops), counts, points)


def read(one, loops=("L",)):
    return fit_count([one.evaluate(point) for point in POINTS], POINTS, loops)


SIMPLE = [
    *(expression(1), expression(257), A * D * L, D * L, D * A - L, D * A + L, (L - D) * A),
    *((H - L) * D, L + D - A, L - D + 1, L - D - 1, L - D, D),
    *(L + number for number in range(-9, 10)),
    *(number * L for number in range(2, 11)),
    *(floor(L + more, step) for step in (2, 3, 12) for more in (0, 1, step - 1)),
    *(L - floor(L + more, 12) for more in (0, 7)),
    *(sign for more in (0, -1, A - 1) for sign in (floor(L + more, A), L - floor(L + more, A))),
]
COMPLEX = [floor(L, 13), L + D + 1, L * L * L * L]


@pytest.mark.parametrize("number", SIMPLE + COMPLEX, ids=str)
def test_read(number):
    found = read(number)
    assert (found is None) is (number in COMPLEX)
    for point in ELSEWHERE if found is not None else ():
        assert found.evaluate(point) == number.evaluate(point)


def test_a_loop_s_length_comes_first():
    """Where two are as often, it is as long as what ran."""
    points = [{"L": n, "M": n} for n in (3, 5, 8)]
    assert fit_count([3, 5, 8], points, ["M"]) == letter("M")
    assert fit_count([3, 5, 8], points, []) == L


F = letter("F")
PLACES = (
    {"A": 3, "F": 20, "H": 12},
    {"A": 5, "F": 31, "H": 35},
    {"A": 4, "F": 18, "H": 17},
    {"A": 7, "F": 90, "H": 64},
)


def at_places(one):
    return [one.evaluate(point) for point in PLACES]


@pytest.mark.parametrize(
    "length",
    [
        *(expression(7), H, 2 * H, 3 * H, H + 4, H - 3, H * A, A * A, H + F),
        *(floor(H, A), 2 * floor(H, A), A * floor(H, A), floor(H, 2), H * A + 3, H * A * F),
        *(2 * H + 3 * F, 4 * A + floor(H, A)),
    ],
    ids=str,
)
def test_explained(length):
    assert fit_length(at_places(length), PLACES) == length


@pytest.mark.parametrize("length", [H + F + A, 5 * H + F, H * A * F + 1], ids=str)
def test_not_explained(length):
    assert fit_length(at_places(length), PLACES) is None


def test_a_multiple_is_simpler_than_a_number_more():
    points = [{"A": n, "H": 2 * n - 3} for n in (3, 5, 4)]
    assert fit_length([6, 10, 8], points) == 2 * A
    assert fit_length([7, 11, 9], points) == H + 4


def test_the_heads_of_queries_keys_and_values():
    """Numbers of heads share one quotient of sizes, as in a fused tensor of the three."""
    fused = A * floor(H, A) + 2 * D * floor(H, A)
    assert fit_length([int(fused.value(point)) for point in POINTS], POINTS) == fused
