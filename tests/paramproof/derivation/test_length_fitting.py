"""Lengths that nobody saw made, read from their values at several sizes."""

import pytest

from paramproof.derivation.length_fitting import candidate_quotients, fit_length
from paramproof.formulas.division import floor
from paramproof.formulas.expression import expression, letter

A, F, H = map(letter, "AFH")
POINTS = ({"A": 3, "F": 20, "H": 12}, {"A": 5, "F": 31, "H": 35}, {"A": 4, "F": 18, "H": 17})


def at_points(one):
    return [one.evaluate(point) for point in POINTS]


@pytest.mark.parametrize(
    "length",
    [
        expression(7),
        H,
        2 * H,
        3 * H,
        H + 4,
        H - 3,
        H * A,
        A * A,
        H + F,
        floor(H, A),
        2 * floor(H, A),
        A * floor(H, A),
    ],
)
def test_explained(length):
    assert fit_length(at_points(length), POINTS, [A, F, H, floor(H, A)]) == length


@pytest.mark.parametrize("length", [H + F + A, 2 * H + 3, H * A * F, 2 * H * A])
def test_not_explained(length):
    assert fit_length(at_points(length), POINTS, [A, F, H]) is None


def test_what_was_seen_once_is_a_number():
    assert fit_length([12], POINTS[:1], [H]) == expression(12)


def test_a_multiple_is_simpler_than_a_number_more():
    points = [{"A": n, "H": 2 * n - 3} for n in (3, 5, 4)]
    assert fit_length([6, 10, 8], points, [A, H]) == 2 * A
    assert fit_length([7, 11, 9], points, [A, H]) == H + 4


def test_what_is_no_whole_size_explains_nothing():
    """H / A is 4, 7 and 17/4: not 4, 7 and 4."""
    assert fit_length([4, 7, 4], POINTS, [H / A]) is None


def test_a_size_that_is_0_at_a_point_explains_what_is_0_there():
    assert fit_length([0, 4, 2], POINTS, [A - 3]) == 2 * A - 6
    assert fit_length([0, 2, 1], POINTS, [A - 3]) == A - 3
    assert fit_length([8, 4, 6], ({"A": 5}, {"A": 3}, {"A": 4}), [A - 3]) is None


def test_the_simplest_is_taken_and_of_equals_the_first_by_name():
    twins = [{"A": n, "H": n} for n in (3, 5, 4)]
    assert fit_length([3, 5, 4], twins, [H, A]) == A
    assert fit_length([3, 5, 4], twins, [A + H - A, A]) == A


def test_quotients_of_letters_and_of_products_that_were_computed():
    points = ({"A": 3, "F": 20, "H": 130}, {"A": 5, "F": 31, "H": 300})
    found = candidate_quotients(points, [H, A * F, 2 * A, A + F, floor(H, 2)])
    # Quotients that are 0 at some point, such as ⌊A/F⌋, would fit any length.
    wanted = {floor(H, A), floor(F, A), floor(H, F), floor(H, A * F), floor(H, 2 * A)}
    assert set(found) == wanted | {floor(F, 2 * A)}
    assert set(candidate_quotients(points[:1], [2 * F])) == {
        *map(floor, (H, F, H, H), (A, A, F, 2 * F))
    }
