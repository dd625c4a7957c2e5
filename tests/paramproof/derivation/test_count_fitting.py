"""How often there is a tensor, read from how often several models have it."""

import pytest

from paramproof.derivation.count_fitting import fit_count
from paramproof.formulas.division import floor
from paramproof.formulas.expression import expression, letter

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


@pytest.mark.parametrize(
    "number",
    [
        expression(1),
        expression(256),
        L,
        D,
        L - 1,
        L - 8,
        L + 1,
        L + 8,
        2 * L,
        9 * L,
        L - D,
        D * L,
        L - D + 1,
        L - D - 1,
        floor(L, 2),
        floor(L + 1, 3),
        floor(L, 12),
        floor(L + 11, 12),
        L - floor(L, 12),
        L - floor(L + 7, 12),
        floor(L, A),
        floor(L - 1, A),
        floor(L + A - 1, A),
        L - floor(L, A),
        L - floor(L - 1, A),
        L - floor(L + A - 1, A),
        A * D * L,
        (L - D) * A,
        (H - L) * D,
        L + D - A,
        D * A - L,
        D * A + L,
    ],
)
def test_read(number):
    found = read(number)
    assert [found.evaluate(point) for point in ELSEWHERE] == [
        number.evaluate(point) for point in ELSEWHERE
    ]


@pytest.mark.parametrize(
    "number",
    [expression(257), L + 9, L - 9, 10 * L, floor(L, 13), L + D + 1, L * L * L * L],
)
def test_what_is_not_simple(number):
    assert read(number) is None


def test_in_one_model_it_is_a_number():
    assert fit_count([53], POINTS[:1], [L]) == expression(53)


def test_a_likely_count_is_tried_first():
    number = L * L * L + 7
    counts = [number.evaluate(point) for point in POINTS]
    assert fit_count(counts, POINTS, [L], [L * H, number, number + 1]) == number
    assert fit_count(counts, POINTS, [L], [L * H, number + 1]) is None
    lengths = [point["L"] for point in POINTS]
    assert fit_count(lengths, POINTS, [L], [2 * L - L]) == L


def test_a_loop_s_length_comes_first():
    """Where two are as often, it is as long as what ran."""
    points = [{"L": n, "M": n} for n in (3, 5, 8)]
    assert fit_count([3, 5, 8], points, [letter("M")]) == letter("M")
    assert fit_count([3, 5, 8], points, []) == L


def test_a_loop_over_what_is_no_letter():
    assert read(floor(H, D) - 2, loops=[floor(H, D)]) == floor(H, D) - 2
